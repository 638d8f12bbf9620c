/* bounds.c: that integer sums cannot run over.
 *
 * Forces, torques and works are rounded to units and added as 64-bit integers. Let F be what a contact exerts, in force
 * units: normal force, friction and the couple of rolling together, the couple over a lever of torque_unit/force_unit.
 * Let A be the largest radius over that lever.
 *
 *   a grain   A torque is at most A F for friction and F for the couple, and A >= 1. With sum F <= 2^61/A over the
 *             contacts of a grain no sum of forces or torques exceeds 2^62.
 *   work      Below 2^57 energy units a contact's work is added up in 64 bits, at most 16 of them in a block, before it
 *             goes to sums of 128; more goes there at once, up to 2^62 (kernels.c).
 *   a wall    Its sums have 128 bits. F < 2^61, and its levers are scaled below 1/2: every addend is below 2^62.
 *
 * So a contact is light while F <= 2^61/(A N), N being the most contacts that a grain can have. For a new list N is the
 * number of grains and walls. When a contact is heavy for that, the list is counted; when one is heavy still, the
 * forces of the step are added up grain by grain, and the run ends with a sentence where they do not fit. */
#include <stdlib.h>
#include <string.h>

#include "contact.h"
#include "core/status.h"

static double largest_lever(const ScreeWorld *w) { return w->max_radius * w->force_unit / w->torque_unit; }

static void set_light(ScreeWorld *w, double contacts) {
  double most = 0x1p61 / fmax(contacts, 1.0) / largest_lever(w) * w->force_unit;
  w->light2 = most * most;
}

void scree_bounds_listed(ScreeWorld *w) {
  w->pairs_counted = false;
  set_light(w, (double)w->count + (double)w->walls);
}

/* The most listed pairs of any grain; 0: no memory. */
static uint32_t most_listed(const ScreeWorld *w) {
  uint32_t *listed = calloc(w->count + 1, sizeof *listed), most = 1;
  for (size_t p = 0; listed && p < w->pairs.count; p++) {
    int32_t i = KEPT(&w->pairs, i, p), j = KEPT(&w->pairs, j, p);
    listed[i]++;
    if (j >= 0) listed[j]++;
  }
  for (size_t i = 0; listed && i < w->count; i++) most = listed[i] > most ? listed[i] : most;
  if (!listed) most = 0;
  free(listed);
  return most;
}

/* N, what a touching pair exerts: no less than the kernels' measure of it without what friction had before its limit.
 */
static double exerted(const ScreeWorld *w, size_t p) {
  const Pairs *q = &w->pairs;
  int32_t i = KEPT(q, i, p), j = KEPT(q, j, p);
  double f[3], torque2 = 0.0;
  scree_friction_prev(scree_class_of(w, w->turn[i].material, scree_material_of(w, j)), q, p, f);
  for (int k = 0; k < 3 && w->resists; k++) torque2 += (double)q->torque_prev[k][p] * (double)q->torque_prev[k][p];
  return (double)q->press[p] + sqrt(scree_dot(f, f)) + sqrt(torque2) * w->force_unit / w->torque_unit;
}

static ScreeStatus add_up(const ScreeWorld *w, double *sum) {
  double most = 0x1p61 / largest_lever(w) * w->force_unit;
  for (size_t p = 0; p < w->pairs.count; p++) {
    if (w->pairs.k[p] == 0.0) continue;
    double force = exerted(w, p);
    int32_t j = KEPT(&w->pairs, j, p);
    sum[KEPT(&w->pairs, i, p)] += force;
    if (j >= 0) sum[j] += force;
  }
  size_t worst = 0;
  for (size_t i = 0; i < w->count; i++) /* by ids: the order in memory is of the threads */
    if (sum[i] > sum[worst] || (sum[i] == sum[worst] && w->turn[i].id < w->turn[worst].id)) worst = i;
  if (sum[worst] <= most) return SCREE_OK;
  return scree_fail(
      SCREE_OUT_OF_RANGE,
      "step %ld: the forces on grain %llu add up to %.4g N, more than the %.4g N that sums have room for: a "
      "larger overlap limit gives more, at the price of resolution",
      w->starting ? 0 : w->step + 1, (unsigned long long)w->turn[worst].id, sum[worst], most);
}

ScreeStatus scree_bounds_check(ScreeWorld *w, double heaviest2) {
  if (!w->pairs_counted) {
    uint32_t most = most_listed(w);
    if (most == 0) return scree_fail(SCREE_NO_MEMORY, "no memory to count the pairs of %zu grains", w->count);
    w->pairs_counted = true;
    set_light(w, most);
  }
  if (heaviest2 < w->light2) return SCREE_OK;
  double *sum = calloc(w->count + 1, sizeof *sum);
  ScreeStatus status = sum ? add_up(w, sum) : scree_fail(SCREE_NO_MEMORY, "no memory to add up %zu forces", w->count);
  free(sum);
  return status;
}

/* ---- the other end ---- */

static void note_grain(const ScreeWorld *w, int material, double radius, ScreeResolution *r) {
  double weight = scree_grain_mass(w, radius, material) * sqrt(scree_dot(w->field[material], w->field[material]));
  double force = weight > 0.0 ? weight : 1e-5 * w->least_force;
  double rounding = fmax(w->force_unit / force, w->torque_unit / (force * radius));
  if (rounding > r->rounding) r->material = material, r->radius = radius, r->force = force, r->rounding = rounding;
}

ScreeStatus scree_world_resolution(const ScreeWorld *w, ScreeResolution *out) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED(out);
  if (!w->started) return scree_fail(SCREE_INVALID, "the world was not started");
  *out = (ScreeResolution){.force_unit = w->force_unit, .torque_unit = w->torque_unit};
  for (size_t i = 0; i < w->count; i++)
    if (!scree_is_fixed(&w->record[i])) note_grain(w, w->turn[i].material, w->record[i].r, out);
  for (int m = 0; m < w->materials && w->expect_high > 0.0; m++)
    if (w->known[m] & KNOWN_FREE) note_grain(w, m, w->expect_low, out);
  return SCREE_OK;
}
