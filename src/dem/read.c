/* read.c: what users see of a world: grains, loads and contacts in the order of ids, whatever their order in memory. */
#include <stdlib.h>
#include <string.h>

#include "core/status.h"
#include "engine.h"
#include "start.h"

static int by_id(const void *a, const void *b) {
  uint64_t x = ((const ScreePlace *)a)->id, y = ((const ScreePlace *)b)->id;
  return x < y ? -1 : x > y;
}

ScreePlace *scree_places(const ScreeWorld *w) {
  ScreePlace *place = malloc((w->count + 1) * sizeof *place);
  if (!place) return NULL;
  for (size_t i = 0; i < w->count; i++) place[i] = (ScreePlace){w->turn[i].id, i};
  qsort(place, w->count, sizeof *place, by_id);
  return place;
}

ScreeStatus scree_world_read(const ScreeWorld *w, ScreeGrain *g) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED_AS(g, "grains");
  ScreePlace *place = scree_places(w);
  if (!place) return scree_fail(SCREE_NO_MEMORY, "no memory to read %zu grains", w->count);
  for (size_t i = 0; i < w->count; i++) {
    size_t at = place[i].index;
    const Record *r = &w->record[at];
    const Turn *t = &w->turn[at];
    g[i] = (ScreeGrain){.id = t->id, .radius = r->r, .material = t->material, .fixed = scree_is_fixed(r)};
    memcpy(g[i].position, r->x, sizeof g[i].position);
    memcpy(g[i].velocity, r->v, sizeof g[i].velocity);
    memcpy(g[i].spin, t->w, sizeof g[i].spin);
  }
  free(place);
  return SCREE_OK;
}

ScreeStatus scree_world_read_loads(const ScreeWorld *w, ScreeGrainLoad *loads) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED_AS(loads, "loads");
  if (!w->started) return scree_fail(SCREE_INVALID, "the world was not started");
  ScreePlace *place = scree_places(w);
  int *contacts = calloc(w->count + 1, sizeof *contacts);
  if (!place || !contacts) {
    free(place), free(contacts);
    return scree_fail(SCREE_NO_MEMORY, "no memory to read %zu grains", w->count);
  }
  for (size_t p = 0; p < w->pairs.count; p++) {
    if (w->pairs.k[p] == 0.0) continue;
    contacts[KEPT(&w->pairs, i, p)]++;
    if (KEPT(&w->pairs, j, p) >= 0) contacts[KEPT(&w->pairs, j, p)]++;
  }
  for (size_t i = 0; i < w->count; i++) {
    Load load = scree_load_of(w->load, place[i].index);
    for (int k = 0; k < 3; k++) {
      loads[i].force[k] = (double)load.force[k] * w->force_unit;
      loads[i].torque[k] = (double)load.torque[k] * w->torque_unit;
    }
    loads[i].contacts = contacts[place[i].index];
  }
  free(place), free(contacts);
  return SCREE_OK;
}

/* ---- contacts ---- */

size_t scree_world_contact_count(const ScreeWorld *w) {
  size_t count = 0;
  for (size_t p = 0; w && p < w->pairs.count; p++) count += w->pairs.k[p] != 0.0;
  return count;
}

static int by_pair(const void *a, const void *b) {
  const ScreeContact *x = a, *y = b;
  if (x->wall != y->wall) return x->wall ? 1 : -1;
  if (x->first != y->first) return x->first < y->first ? -1 : 1;
  return x->second < y->second ? -1 : x->second > y->second;
}

/* The grain with the smaller id is the first. */
static ScreeContact contact_of(const ScreeWorld *w, size_t p) {
  const Pairs *q = &w->pairs;
  int32_t i = KEPT(q, i, p), j = KEPT(q, j, p);
  bool wall = j < 0, swap = !wall && w->turn[j].id < w->turn[i].id;
  int32_t a = swap ? j : i, b = swap ? i : j;
  const Record *first = &w->record[a];
  const Class *c = scree_class_of(w, w->turn[i].material, scree_material_of(w, j));
  ScreeContact contact = {.first = w->turn[a].id,
                          .second = wall ? (uint64_t)(-1 - j) : w->turn[b].id,
                          .wall = wall,
                          .overlap = KEPT(q, last, p),
                          .force = (double)q->press[p]};
  double lever[3];
  if (wall && scree_is_mesh(w, -1 - j))
    scree_mesh_normal(w, q, p, -1 - j, contact.normal);
  else if (wall)
    scree_wall_gap(w, -1 - j, first, contact.normal, lever);
  for (int k = 0; k < 3 && !wall; k++) contact.normal[k] = scree_image(w, k, w->record[b].x[k] - first->x[k]);
  double size = sqrt(scree_dot(contact.normal, contact.normal)), sign = swap ? -1.0 : 1.0, per = sign;
  if (c->def.tangential == SCREE_LAW_NONE) per = 0.0;
  if (c->def.tangential == SCREE_LAW_tangential_linear) per *= -c->def.pair.param[SCREE_PARAM_kt];
  for (int k = 0; k < 3; k++) {
    contact.normal[k] /= size > 0.0 ? size : 1.0;
    contact.point[k] = first->x[k] + (first->r - 0.5 * KEPT(q, last, p)) * contact.normal[k];
    contact.friction[k] = per * KEPT(q, shear[k], p) + 0.0; /* + 0: no -0, whichever way round the pair is kept */
  }
  return contact;
}

ScreeStatus scree_world_read_contacts(const ScreeWorld *w, ScreeContact *contacts) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED_AS(contacts, "contacts");
  if (!w->started) return scree_fail(SCREE_INVALID, "the world was not started");
  size_t count = 0;
  for (size_t p = 0; p < w->pairs.count; p++)
    if (w->pairs.k[p] != 0.0) contacts[count++] = contact_of(w, p);
  qsort(contacts, count, sizeof *contacts, by_pair);
  for (size_t c = 0; c < count; c++) /* whichever slot of a mesh: it is one wall */
    if (contacts[c].wall && scree_is_mesh(w, (int)contacts[c].second))
      contacts[c].second = (uint64_t)scree_body_of(w, (int)contacts[c].second)->first;
  return SCREE_OK;
}
