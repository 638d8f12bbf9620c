/* check_time.c: see check_time.h. */
#include "check_time.h"

#include "packed.h"
#include "run_flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- time ---- */

/* Do grains pile up that fly at first? Below one contact a grain most of them fly; in a bed there are 2.7. */
static bool will_pile_up(const ScreeScene *s, const RunTime *t, const Count *all) {
  double pull = 0;
  for (int k = 0; k < 3; k++) pull += fabs(s->gravity[k]) + fabs(s->body_force[k]);
  bool ground = s->walls.count > 0 || all->fixed > 0;
  return all->comes || (pull > 0 && ground && !(t->rehearsed && t->rehearsal.settled));
}

/* Too many grains for a rehearsal: as those of a block that touch, or most of them fly. */
static void take_packed(RunTime *t, const ScreeWorld *world, const Packed *packed, double grains, double duration) {
  double steps = fmax(1, round(duration / scree_world_timestep(world)));
  if (t->rehearsed) return;
  t->high = 2 * steps * grains * packed->seconds;
  t->low = t->high / 8;
}

RunTime run_time(const ScreeScene *scene, const ScreeWorld *world, const ScreeGrain *grain, int main,
                 const Count *all) {
  RunTime t = {.low = NAN, .high = NAN, .packed_bytes = NAN};
  Packed packed;
  double total = (double)all->grains + (all->comes ? scree_scene_arrivals(scene) : 0);
  t.rehearsed = rehearse(scene, world, grain, &t.rehearsal);
  if (t.rehearsed) t.low = t.rehearsal.low, t.high = t.rehearsal.high;
  if (!(total > 0) || !will_pile_up(scene, &t, all)) return t;
  if (!packed_measure(scene, world, main, all->smallest, all->largest, total, &packed)) return t;
  take_packed(&t, world, &packed, total, scene->run.duration);
  t.packed_bytes = fmax(total * packed.bytes, (double)scree_world_bytes(world));
  return t;
}

void run_time_free(RunTime *t) { rehearsal_free(&t->rehearsal); }

static char *rehearsal_text(const Rehearsal *r, int threads) {
  char softer[64] = "";
  if (r->softer > 1) snprintf(softer, sizeof softer, " with materials %.2g times softer", r->softer);
  return checked_format(
      "%.3g grain-steps and %.3g contact-steps, counted in a rehearsal of %.3g s%s%s, and timed on a loaded state at "
      "%.2g million particle-steps per second on %d thread%s",
      r->grain_steps, r->contact_steps, r->covered, softer,
      r->settled ? "" : ", after which most grains are taken to lie close", 1e-6 * r->speed, threads,
      threads == 1 ? "" : "s");
}

void print_run_time(const RunTime *t, const ScreeWorld *world, const char *fails) {
  char low[32], high[32], *text;
  time_text(t->low, low, sizeof low), time_text(t->high, high, sizeof high);
  if (fails)
    text = checked_format("none: its first steps fail");
  else if (isnan(t->high))
    text = checked_format("unknown");
  else if (!t->rehearsed)
    text = checked_format("%s to %s: from a block of such grains that touch, since these are too many to rehearse", low,
                          high);
  else {
    char *how = rehearsal_text(&t->rehearsal, scree_world_threads(world));
    text = checked_format("%s to %s: %s", low, high, how);
    free(how);
  }
  print_wrapped("run time    ", 12, text);
  free(text);
}

void put_run_time(json_t *object, const RunTime *t) {
  const Rehearsal *r = &t->rehearsal;
  json_put(object, "run_seconds_low", t->low);
  json_put(object, "run_seconds_high", t->high);
  json_put(object, "grain_steps", t->rehearsed ? r->grain_steps : NAN);
  json_put(object, "contact_steps", t->rehearsed ? r->contact_steps : NAN);
  json_put(object, "rehearsed", t->rehearsed ? r->covered : NAN);
  json_put(object, "rehearsed_softer", t->rehearsed ? r->softer : NAN);
  json_object_set_new(object, "rehearsal_settled", t->rehearsed ? json_boolean(r->settled) : json_null());
  json_put(object, "particle_steps_per_second", t->rehearsed ? r->speed : NAN);
  json_put(object, "contacts_per_particle", t->rehearsed ? r->contacts : NAN);
  json_put(object, "bytes_packed", t->packed_bytes);
}

/* ---- softer grains ---- */

#define SHALLOW 0.05 /* of the smaller radius: deeper overlaps change how grains flow */
#define LEAST_FACTOR 4.0
#define MOST_FACTOR 1e4

/* The deepest impact of all pairs, with materials so many times softer. NaN: the laboratory has no answer. */
static double deepest_of(const ForecastCase *c, double softer) {
  double deepest = NAN;
  for (size_t a = 0; a < c->scene->materials.count; a++)
    for (size_t b = a; b < c->scene->materials.count; b++) {
      if (!has_grains(&c->of[a]) && !has_grains(&c->of[b])) continue;
      Forecast f = forecast_pair(c, a, b);
      deepest = fmax(deepest, softer == 1 ? f.overlap : forecast_softer(c, a, b, &f, softer));
    }
  return deepest;
}

/* 1, 2 or 5 times a power of ten, not above. */
static double rounded_down(double value) {
  double unit = pow(10, floor(log10(value) + 1e-12)), digit = value / unit;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * unit;
}

/* Steps of the softer scene over its own. */
static double steps_longer(const ScreeScene *scene, const ScreeWorld *world, const ScreeGrain *grain, double factor) {
  ScreeScene soft = scene_soften(scene, factor);
  ScreeWorld *other = NULL;
  ScreeFault fault;
  double longer = NAN;
  if (scree_scene_build_grains(&soft, 1, grain, scree_world_count(world), &other, &fault) == SCREE_OK)
    longer = scree_world_timestep(other) / scree_world_timestep(world);
  scree_world_destroy(other);
  scene_soften_free(&soft);
  return longer;
}

/* Pa: a bed as high as the domain, on its lowest grains. */
static double most_pressure(const ScreeScene *s) {
  double densest = 0, most = 0;
  for (size_t i = 0; i < s->materials.count; i++) densest = fmax(densest, scree_scene_material(s, i)->material.density);
  for (int k = 0; k < 3; k++)
    if (!s->domain.periodic[k])
      most = fmax(most, 0.6 * densest * fabs(s->gravity[k]) * (s->domain.high[k] - s->domain.low[k]));
  return most;
}

/* How much softer the softest grains may be until weight alone presses them SHALLOW: overlaps go about as 1.5 times the
 * pressure over the modulus to the power of 2/3. */
static double weight_allows(const ForecastCase *c) {
  double softest = INFINITY, least = most_pressure(c->scene) / pow(SHALLOW / 1.5, 1.5);
  for (size_t i = 0; i < c->scene->materials.count; i++)
    if (has_grains(&c->of[i])) softest = fmin(softest, scree_scene_material(c->scene, i)->material.young);
  return least > 0 ? softest / least : INFINITY;
}

Softer softer_grains(const ForecastCase *c, const ScreeWorld *world, const ScreeGrain *grain) {
  Softer s = {.factor = 1, .faster = 1, .before = deepest_of(c, 1)};
  double limit = fmin(SHALLOW, FORECAST_CLOSE * c->scene->max_overlap);
  if (!(s.before > 0) || !(s.before < limit)) return s;
  double factor = rounded_down(fmin(MOST_FACTOR, fmin(weight_allows(c), pow(limit / s.before, 2.5))));
  if (factor < LEAST_FACTOR) return s;
  double faster = steps_longer(c->scene, world, grain, factor), overlap = deepest_of(c, factor);
  if (faster > 1 && overlap <= limit) s.factor = factor, s.faster = faster, s.overlap = overlap;
  return s;
}

void print_softer(const ScreeScene *scene, const RunTime *t, const Softer *s) {
  char low[32], high[32], set[400] = "";
  size_t length = 0;
  time_text(t->low / s->faster, low, sizeof low), time_text(t->high / s->faster, high, sizeof high);
  for (size_t i = 0; i < scene->materials.count && length < sizeof set - 120; i++) {
    const ScreeSceneMaterial *m = scree_scene_material(scene, i);
    length += (size_t)snprintf(set + length, sizeof set - length, " --set materials.%.40s.young=%.4g", m->item.name,
                               m->material.young / s->factor);
  }
  char *text = checked_format(
      "materials %.0f times softer (%s) would run %.2g times as fast: %s to %s. The deepest impact forecast would then "
      "overlap by %.2g of the smaller radius instead of %.2g, contacts would last %.2g times as long, and sound would "
      "cross the bed about as many times slower. As a rule flow, mixing and loads on walls stay as they are while "
      "overlaps stay below %.2g; the speed of sound, a bed's stiffness, contact areas and breakage do not",
      s->factor, set + 1, s->faster, low, high, s->overlap, s->before, s->faster, SHALLOW);
  puts("");
  print_wrapped("note: ", 6, text);
  free(text);
}

void put_softer(json_t *object, const Softer *s) {
  json_object_set_new(object, "softer",
                      s->factor > 1 ? json_pack("{s:f, s:f, s:f}", "factor", s->factor, "faster", s->faster,
                                                "impact_overlap", s->overlap)
                                    : json_null());
}
