/* site.c: grains beside meshes: which triangles they look at, and which of their contacts is which from step to step.
 *
 * A site is a grain near a mesh. When the list is made it notes the triangles within reach and skin, of every image of
 * the mesh where the domain is periodic; each step it finds the grain's contacts among them (mesh.c). A mesh occupies
 * MESH_SLOTS walls, one per contact that a grain may have with it, and the pairs of a grain with these slots keep the
 * contacts' memory. So that memory stays with its contact when that wanders over facets, edges and corners, a contact
 * goes to the slot whose last direction, in the mesh's own coordinates, is nearest to its own; contacts that begin take
 * the first slots that are free. */
#include <stdlib.h>
#include <string.h>

#include "contact.h"
#include "core/status.h"
#include "memory.h"

/* ---- images ---- */

/* From the reference point of a body to a grain: its own coordinates before they are turned. */
static void lever_of(const ScreeWorld *w, const Body *b, size_t grain, double *lever) {
  for (int k = 0; k < 3; k++) lever[k] = w->record[grain].x[k] - (b->moves ? b->frame.near[k] : 0.0);
}

static void to_own(const Body *b, const double *lever, double *own) {
  if (!b->moves) {
    memcpy(own, lever, 3 * sizeof *own);
    return;
  }
  scree_to_own(&b->frame, lever, own);
  for (int k = 0; k < 3; k++) own[k] += b->frame.home[k];
}

/* The image that a view was made for: neither the grain nor the body has moved by half a period since. */
static void follow(const ScreeWorld *w, const View *v, double *lever) {
  for (int k = 0; k < 3; k++) {
    double length = w->def.high[k] - w->def.low[k];
    if (w->def.periodic[k]) lever[k] += length * nearbyint((v->lever[k] - lever[k]) / length);
  }
}

/* ---- making the list ---- */

static bool grow(void *array, size_t *capacity, size_t count, size_t width) {
  void **slot = array;
  if (count < *capacity) return true;
  size_t wanted = *capacity ? 2 * *capacity : 64;
  void *grown = realloc(*slot, wanted * width);
  if (!grown) return false;
  *slot = grown;
  *capacity = wanted;
  return true;
}

static Reach reach_of(const ScreeWorld *w, const Record *r) { return (Reach){r->r, w->def.max_overlap}; }

/* The triangles of a patch that are near a grain. */
static bool pick(const ScreeWorld *w, Sites *s, const Cull *cull, const Patch *patch, size_t grain, const double *own) {
  const ScreeMesh *mesh = w->wall[patch->wall].mesh;
  double within = scree_mesh_reach(reach_of(w, &w->record[grain])) + scree_wall_skin(w, scree_pace_of(w, grain)),
         off[3];
  if (patch->count == 0) return scree_mesh_near(mesh, own, within, &s->near);
  for (int k = 0; k < 3; k++) off[k] = own[k] - patch->middle[k];
  double away = sqrt(scree_dot(off, off)) * (1.0 + 1e-6);
  return scree_mesh_pick(mesh, own, within, cull->near.near + patch->near, patch->count, away, &s->near);
}

static bool add_view(const ScreeWorld *w, Sites *s, const Cull *cull, const Patch *patch, size_t grain) {
  const Body *b = scree_body_of(w, patch->wall);
  double lever[3], own[3];
  size_t before = s->near.count;
  lever_of(w, b, grain, lever);
  for (int k = 0; k < 3; k++) lever[k] += w->image[patch->image][k];
  to_own(b, lever, own);
  if (!pick(w, s, cull, patch, grain, own)) return false;
  if (s->near.count == before) return true;
  if (!grow(&s->view, &s->view_capacity, s->views, sizeof *s->view)) return false;
  s->view[s->views++] =
      (View){{lever[0], lever[1], lever[2]}, {own[0], own[1], own[2]}, before, s->near.count - before};
  return true;
}

bool scree_site_add(const ScreeWorld *w, Sites *s, const Cull *cull, int wall, size_t grain, bool *found) {
  size_t before = s->views;
  for (int i = 0; i < cull->patches; i++)
    if (cull->patch[i].wall == wall && !add_view(w, s, cull, &cull->patch[i], grain)) return false;
  *found = s->views > before;
  if (!*found) return true;
  if (!grow(&s->site, &s->site_capacity, s->sites, sizeof *s->site)) return false;
  s->site[s->sites++] = (MeshSite){
      .grain = (int32_t)grain, .body = w->body_of[wall], .view = before, .views = s->views - before, .several = true};
  return true;
}

bool scree_sites_listed(Sites *s) {
  free(s->spot);
  s->listed = true;
  s->spot = scree_allocate((s->sites * MESH_SLOTS + 1) * sizeof *s->spot);
  for (size_t i = 0; s->spot && i < s->sites * MESH_SLOTS; i++) s->spot[i] = (Spot){.n = {1.0}, .gap = INFINITY};
  return s->spot != NULL;
}

void scree_sites_clear(Sites *s) { s->sites = s->views = s->near.count = 0; }

void scree_sites_free(Sites *s) {
  free(s->site), free(s->view), free(s->near.near), free(s->spot), free(s->feet.foot), free(s->busy), free(s->wear);
  *s = (Sites){.sites = 0};
}

size_t scree_sites_bytes(const Sites *s) {
  return s->site_capacity * sizeof *s->site + s->view_capacity * sizeof *s->view +
         s->near.capacity * sizeof *s->near.near + s->sites * MESH_SLOTS * sizeof *s->spot +
         s->feet.capacity * sizeof *s->feet.foot + s->groups * sizeof *s->busy;
}

/* ---- each step ---- */

static size_t pair_of(const MeshSite *site, int slot) { return slot == 0 ? site->pair : site->more + (size_t)slot - 1; }

/* A contact of the last step. */
static bool is_held(const Pairs *q, const MeshSite *site, int slot) {
  return (slot == 0 || site->several) && q->k[pair_of(site, slot)] != 0.0;
}

/* Contact to slot: the best of all fits first. slot_of[c] = -1: there is none. */
static void match(const Pairs *q, const MeshSite *site, const Foot *contact, int contacts, double cosine,
                  int *slot_of) {
  bool taken[MESH_SLOTS] = {false};
  for (int c = 0; c < contacts; c++) slot_of[c] = -1;
  for (int round = 0; round < contacts; round++) {
    double best = cosine;
    int who = -1, where = -1;
    for (int c = 0; c < contacts; c++)
      for (int s = 0; s < MESH_SLOTS && slot_of[c] < 0; s++) {
        size_t p = pair_of(site, s);
        if (taken[s] || !is_held(q, site, s)) continue;
        double fit =
            (contact[c].n[0] * q->aim[0][p] + contact[c].n[1] * q->aim[1][p] + contact[c].n[2] * q->aim[2][p]) /
            sqrt(scree_dot(contact[c].n, contact[c].n));
        if (fit > best) best = fit, who = c, where = s;
      }
    if (who < 0) break;
    slot_of[who] = where;
    taken[where] = true;
  }
  for (int c = 0; c < contacts; c++) /* the deepest that begin take the first slots */
    for (int s = 0; s < MESH_SLOTS && slot_of[c] < 0; s++)
      if (!taken[s] && !is_held(q, site, s)) slot_of[c] = s, taken[s] = true;
}

void scree_mesh_normal(const ScreeWorld *w, const Pairs *q, size_t p, int wall, double *normal) {
  const Body *b = scree_body_of(w, wall);
  double aim[3] = {-q->aim[0][p], -q->aim[1][p], -q->aim[2][p]};
  if (b->moves)
    scree_to_space(&b->frame, aim, normal);
  else
    memcpy(normal, aim, sizeof aim);
}

static void set_busy(Sites *s, size_t pair) { s->busy[pair / LANES - s->first_group] |= AT_SLOTS; }

/* A slot without a contact keeps the direction of the one that ends, and ends on the nearest triangle. */
static void empty(const ScreeWorld *w, Sites *s, const MeshSite *site, int32_t nearest, Spot *spot) {
  for (int i = 0; i < (site->several ? MESH_SLOTS : 1); i++) {
    size_t p = pair_of(site, i);
    spot[i] = (Spot){.n = {1.0}, .gap = INFINITY, .facet = nearest};
    memcpy(spot[i].lever, w->record[site->grain].x, sizeof spot[i].lever);
    if (w->pairs.k[p] == 0.0) continue;
    scree_mesh_normal(w, &w->pairs, p, w->body[site->body].first, spot[i].n);
    set_busy(s, p);
  }
}

static void fill(ScreeWorld *w, const MeshSite *site, const Foot *contact, const double *lever, int slot, Spot *spot) {
  const Body *b = &w->body[site->body];
  size_t p = pair_of(site, slot);
  double size = sqrt(scree_dot(contact->n, contact->n));
  for (int k = 0; k < 3; k++) w->pairs.aim[k][p] = contact->n[k] / size;
  *spot = (Spot){.gap = contact->d, .facet = contact->facet};
  scree_mesh_normal(w, &w->pairs, p, b->first, spot->n);
  for (int k = 0; k < 3; k++) spot->n[k] *= size;
  memcpy(spot->lever, b->turns ? lever : w->record[site->grain].x, sizeof spot->lever);
}

/* Has one of the slots from this one on a contact of the last step? */
static bool is_known(const Pairs *q, const MeshSite *site, int from) {
  for (int s = from; s < MESH_SLOTS; s++)
    if (is_held(q, site, s)) return true;
  return false;
}

static bool touch(ScreeWorld *w, Sites *s, MeshSite *site, Spot *spot) {
  const Body *b = &w->body[site->body];
  const ScreeMesh *mesh = w->wall[b->first].mesh;
  Reach reach = reach_of(w, &w->record[site->grain]);
  Foot contact[MESH_SLOTS];
  double lever[3], own[3], moved = w->bulk.moved[scree_pace_of(w, (size_t)site->grain)];
  int feet = 0, slot_of[MESH_SLOTS];
  for (size_t v = site->view; v < site->view + site->views && feet >= 0; v++) {
    const View *view = &s->view[v];
    if ((double)s->near.near[view->near].distance >= scree_mesh_reach(reach) + moved + w->meshes_moved) continue;
    lever_of(w, b, (size_t)site->grain, lever);
    follow(w, view, lever);
    to_own(b, lever, own);
    /* relative to the mesh: a grain that rides on it goes nowhere */
    double way[3] = {own[0] - view->own[0], own[1] - view->own[1], own[2] - view->own[2]};
    feet = scree_mesh_feet(mesh, own, reach, s->near.near + view->near, view->count, sqrt(scree_dot(way, way)),
                           (int32_t)(v - site->view), &s->feet, feet);
  }
  if (feet < 0) return false;
  int32_t nearest = scree_mesh_nearest(s->feet.foot, feet);
  int contacts = scree_mesh_settle(mesh, s->feet.foot, feet, reach, contact);
  bool known = is_known(&w->pairs, site, 0);
  if (contacts == 0 && site->idle && !known) return true;
  empty(w, s, site, nearest, spot);
  site->idle = contacts == 0 && !known;
  site->several = is_known(&w->pairs, site, 1);
  match(&w->pairs, site, contact, contacts, 1.0 - w->def.max_overlap, slot_of);
  for (int c = 0; c < contacts; c++) {
    if (slot_of[c] < 0) continue; /* every slot holds a contact, or one that ends now: it begins a step later */
    lever_of(w, b, (size_t)site->grain, lever);
    follow(w, &s->view[site->view + (size_t)contact[c].view], lever);
    fill(w, site, &contact[c], lever, slot_of[c], &spot[slot_of[c]]);
    set_busy(s, pair_of(site, slot_of[c]));
    if (slot_of[c] > 0) site->several = true;
  }
  return true;
}

/* After a new list: which groups hold pairs with other walls. */
static bool note_others(const ScreeWorld *w, const Worker *worker, Sites *s) {
  s->first_group = w->tile[worker->tile].pairs / LANES;
  s->groups = w->tile[worker->tile_end].pairs / LANES - s->first_group;
  free(s->busy);
  s->busy = calloc(s->groups + 1, 1);
  if (!s->busy) return false;
  for (size_t r = w->tile[worker->tile].runs; r < w->tile[worker->tile_end].runs; r++)
    for (size_t p = w->run[r].begin; p < w->run[r].end && w->run[r].walls; p++)
      if ((size_t)KEPT(&w->pairs, i, p) < w->count && !scree_is_mesh(w, -1 - KEPT(&w->pairs, j, p)))
        s->busy[p / LANES - s->first_group] = AT_OTHERS;
  s->listed = false;
  return true;
}

/* What a site that comes soon reads: its grain, then the triangles that it touched when the list was made. In a mesh
 * finer than the grains that are several, of four lines each, anywhere in memory. */
static void fetch(const ScreeWorld *w, const Sites *s, size_t i) {
  enum { AHEAD = 4, TRIANGLES = 8 };
  if (i + 2 * AHEAD < s->sites) __builtin_prefetch(&w->record[s->site[i + 2 * AHEAD].grain]);
  if (i + AHEAD >= s->sites) return;
  const MeshSite *site = &s->site[i + AHEAD];
  const View *view = &s->view[site->view];
  const Near *near = s->near.near + view->near;
  const ScreeMesh *mesh = w->wall[w->body[site->body].first].mesh;
  double reach = scree_mesh_reach(reach_of(w, &w->record[site->grain]));
  scree_mesh_fetch(mesh, near[0].facet);
  for (size_t e = 1; e < view->count && e < TRIANGLES && (double)near[e].distance < reach; e++)
    scree_mesh_fetch(mesh, near[e].facet);
}

bool scree_sites_touch(ScreeWorld *w, Worker *worker) {
  Sites *s = &worker->sites;
  if (s->listed && !note_others(w, worker, s)) return false;
  for (size_t g = 0; g < s->groups; g++) s->busy[g] &= AT_OTHERS;
  for (size_t i = 0; i < s->sites; i++) {
    fetch(w, s, i);
    if (!touch(w, s, &s->site[i], s->spot + i * MESH_SLOTS)) return false;
  }
  return true;
}

/* ---- wear ---- */

void scree_wear(const ScreeWorld *w, Worker *worker, size_t p, int64_t normal, int64_t shear) {
  int wall = -1 - KEPT(&w->pairs, j, p);
  if (!w->wall[wall].wear) return;
  int32_t facet = worker->beside->spot[w->pairs.spot[p]].facet;
  if (facet < 0) return;
  Wide *worn = worker->sites.wear[scree_body_of(w, wall)->wear + (size_t)facet];
  worn[0] += normal;
  worn[1] += shear;
}

ScreeStatus scree_world_read_wear(const ScreeWorld *w, int wall, double *normal, double *shear) {
  SCREE_NEED_AS(w, "world");
  if (!w->started) return scree_fail(SCREE_INVALID, "the world was not started");
  if (wall < 0 || wall >= w->walls) return scree_fail(SCREE_UNKNOWN, "no such wall (%d): there are %d", wall, w->walls);
  if (!w->wall[wall].wear) return scree_fail(SCREE_INVALID, "wall %d is no mesh that wears", wall);
  const ScreeMesh *mesh = w->wall[wall].mesh;
  double *out[2] = {normal, shear};
  for (int k = 0; k < 2; k++) {
    if (!out[k]) continue;
    memset(out[k], 0, scree_mesh_def(mesh).triangles * sizeof *out[k]);
    for (size_t f = 0; f < scree_mesh_facets(mesh); f++) {
      Wide sum = 0;
      for (int i = 0; i < w->def.threads; i++) sum += w->worker[i]->sites.wear[scree_body_of(w, wall)->wear + f][k];
      out[k][scree_mesh_triangle_of(mesh, (int32_t)f)] = (double)sum * w->energy_unit;
    }
  }
  return SCREE_OK;
}
