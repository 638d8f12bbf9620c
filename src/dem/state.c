/* state.c: a run's state as bytes, and back. What follows from materials, contacts and walls is not in it: a world that
 * is defined as before takes the state in place of scree_world_start, and goes on bit for bit.
 *
 *   header    magic, version, counts, the widths of a contact's memory, then the numbers chosen at the start
 *   ledger    J
 *   walls     force and torque of the last step, 6 integers of 16 bytes each
 *   wear      of meshes that wear: work on each triangle, 2 integers of 16 bytes
 *   bodies    work; of each motion its kind and the state of a servo
 *   flows     which materials grains may have; what came and went: in all, through the sides, every outlet and stream
 *   openings  how many outlets have one; of each the pose of its wall at the last look
 *   grains    in order of their ids: id, material, fixed, radius, position, velocity, spin, force, torque
 *   passages  where outlets have openings, of the grains in the same order: position at the last look, which they
 *             passed
 *   contacts  in order of their ids: first, second (or the wall), memory
 *   checksum  over all before it
 *
 * Everything is 8 bytes wide, little endian; floats are widened. The order in memory is not kept: it has no influence.
 */
#include <stdlib.h>
#include <string.h>

#include "contact.h"
#include "core/checksum.h"
#include "core/status.h"
#include "opening.h"
#include "start.h"

static const char magic[8] = "scree-st";
enum { VERSION = 4, HEADER_COUNTS = 11, SEAL = 8 };

/* ---- numbers one after the other ---- */

typedef struct Tape {
  unsigned char *at, *end;
  bool reading, short_of; /* short_of: the tape ended too early */
  bool wild;              /* a number is not finite */
} Tape;

static void pass(Tape *t, void *value) {
  if (t->end - t->at < 8) {
    t->short_of = true;
    if (t->reading) memset(value, 0, 8);
    return;
  }
  if (t->reading)
    memcpy(value, t->at, 8);
  else
    memcpy(t->at, value, 8);
  t->at += 8;
}

static void pass_double(Tape *t, double *value) {
  pass(t, value);
  if (!isfinite(*value)) t->wild = true;
}
static void pass_doubles(Tape *t, double *value, int count) {
  for (int k = 0; k < count; k++) pass_double(t, &value[k]);
}
static void pass_integers(Tape *t, int64_t *value, int count) {
  for (int k = 0; k < count; k++) pass(t, &value[k]);
}

/* ---- parts ---- */

typedef struct Counts {
  int64_t version, grains, contacts, materials, walls, constants, slots, kept, step, outlets, streams;
} Counts;

static void pass_counts(Tape *t, Counts *c) {
  int64_t *all[HEADER_COUNTS] = {&c->version, &c->grains, &c->contacts, &c->materials, &c->walls,  &c->constants,
                                 &c->slots,   &c->kept,   &c->step,     &c->outlets,   &c->streams};
  for (int k = 0; k < HEADER_COUNTS; k++) pass(t, all[k]);
}

static void pass_numbers(Tape *t, ScreeWorld *w) {
  double *all[] = {&w->dt,
                   &w->time,
                   &w->expected_speed,
                   &w->min_radius,
                   &w->max_radius,
                   &w->force_unit,
                   &w->torque_unit,
                   &w->energy_unit,
                   &w->jump_unit,
                   &w->wall_arm,
                   &w->skin,
                   &w->max_overlap,
                   &w->peak_overlap,
                   &w->unit_overlap,
                   &w->ledger.start,
                   &w->ledger.viscous,
                   &w->ledger.plastic,
                   &w->ledger.tangential,
                   &w->ledger.rolling,
                   &w->ledger.clamp,
                   &w->ledger.jump,
                   &w->ledger.push,
                   &w->ledger.walls,
                   &w->ledger.brought,
                   &w->ledger.taken,
                   &w->ledger.pending,
                   &w->ledger.scale};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) pass_double(t, all[k]);
}
enum { NUMBERS = 27, WORK = 2, GRAIN = 19, COURSE = 6, POSE = 12, PASSAGE = 4 };

/* Work in energy units, of 128 bits: the low half, then the high one. */
static void pass_work(Tape *t, ScreeWorld *w) {
  uint64_t low = (uint64_t)w->ledger.work;
  int64_t high = (int64_t)(w->ledger.work >> 64);
  pass(t, &low);
  pass(t, &high);
  if (t->reading) w->ledger.work = (Wide)((unsigned __int128)high << 64) | (Wide)low;
}

static void pass_flow(Tape *t, ScreeFlow *flow) {
  uint64_t grains = flow->grains;
  pass(t, &grains);
  flow->grains = grains;
  pass(t, &flow->mass);
}

static void pass_flows(Tape *t, ScreeWorld *w) {
  for (int m = 0; m < w->materials; m++) {
    uint64_t known = w->known[m];
    pass(t, &known);
    w->known[m] = known & (KNOWN_ANY | KNOWN_FREE);
  }
  pass(t, &w->next_id);
  pass_flow(t, &w->inserted);
  pass_flow(t, &w->removed);
  pass_flow(t, &w->left);
  for (int i = 0; i < w->outlets; i++) {
    pass_flow(t, &w->outlet[i].flow);
    pass_flow(t, &w->outlet[i].leaked);
  }
  for (int i = 0; i < w->streams; i++) {
    pass_flow(t, &w->stream[i].brought);
    pass(t, &w->stream[i].tries);
    pass(t, &w->stream[i].waits);
  }
}

static size_t flows_width(const ScreeWorld *w) {
  return (size_t)w->materials + 7 + 4 * (size_t)w->outlets + 4 * (size_t)w->streams;
}

/* false: other outlets have one. */
static bool pass_openings(Tape *t, ScreeWorld *w) {
  bool same = true;
  for (int i = 0; i < w->outlets; i++) {
    Opening *o = w->outlet[i].opening;
    uint64_t has = o != NULL;
    pass(t, &has);
    same = same && has == (o != NULL);
    if (!o) continue;
    pass_doubles(t, o->then.at, 3);
    for (int k = 0; k < 3; k++) pass_doubles(t, o->then.turn[k], 3);
  }
  return same;
}

static size_t openings_width(const ScreeWorld *w) {
  return (size_t)w->outlets + POSE * (size_t)w->openings + (w->openings > 0 ? PASSAGE * w->count : 0);
}

/* The grain's in memory that is next in the order of ids. */
static void pass_passage(Tape *t, ScreeWorld *w, size_t i) {
  Passage *p = scree_passage_of(w, w->turn[i].id);
  pass_doubles(t, p->x, 3);
  pass(t, &p->through);
}

static void pass_grain(Tape *t, ScreeWorld *w, size_t i) {
  Record *r = &w->record[i];
  Turn *turn = &w->turn[i];
  Load load = scree_load_of(w->load, i);
  int64_t material = turn->material;
  pass(t, &turn->id);
  pass(t, &material);
  turn->material = (int32_t)material;
  pass(t, &r->m); /* infinite: fixed */
  pass_doubles(t, &r->r, 1);
  pass_doubles(t, r->x, 3);
  pass_doubles(t, r->v, 3);
  pass_doubles(t, turn->w, 3);
  pass_integers(t, load.force, 3);
  pass_integers(t, load.torque, 3);
  scree_put_load(w->load, i, load);
}

/* A bit for each of what contacts remember beside their law's memory. */
static int64_t kept_of(const ScreeWorld *w) { return w->rolls | w->twists << 1 | w->resists << 2 | w->dashes << 3; }

static size_t contact_width(const ScreeWorld *w) {
  return 2 + 7 + (size_t)w->constants + (w->slots > 0) + (w->rolls ? 3 : 0) + w->twists + (w->resists ? 3 : 0) +
         (w->dashes ? 3 : 0) + (w->meshes > 0 ? 3 : 0);
}

static void pass_floats(Tape *t, float *const *vector, size_t p, double sign) {
  for (int k = 0; k < 3; k++) {
    double value = sign * (double)vector[k][p];
    pass_double(t, &value);
    vector[k][p] = (float)(sign * value);
  }
}

/* The memory of a pair; history belongs to the grain that is named first. */
static void pass_memory(Tape *t, const ScreeWorld *w, Pairs *q, size_t p, double sign) {
  double press = (double)q->press[p];
  pass_double(t, &q->k[p]);
  pass_double(t, &q->chi[p]);
  pass_double(t, &KEPT(q, last, p));
  pass_double(t, &press);
  q->press[p] = (float)press;
  for (int k = 0; k < (w->rolls ? 6 : 3); k++) {
    double *history = k < 3 ? &KEPT(q, shear[k], p) : &q->roll[k - 3][p], value = sign * *history;
    pass_double(t, &value);
    *history = sign * value;
  }
  if (w->twists) pass_double(t, &q->twist[p]);
  if (w->resists) pass_floats(t, q->torque_prev, p, sign);
  if (w->dashes) pass_floats(t, q->friction_prev, p, sign);
  for (int k = 0; k < w->constants; k++) pass_double(t, &q->own[k][p]);
  if (w->slots > 0) pass_double(t, &q->memory[p]);
  for (int k = 0; k < 3 && KEPT(q, j, p) < 0 && scree_is_mesh(w, -1 - KEPT(q, j, p)); k++)
    pass_double(t, &q->aim[k][p]);
}

/* ---- saving ---- */

/* A touching pair by its ids; walls have the top bit. */
typedef struct Touch {
  uint64_t first, second;
  size_t pair;
  bool wall, swapped;
} Touch;

static int by_ids(const void *a, const void *b) {
  const Touch *x = a, *y = b;
  if (x->wall != y->wall) return x->wall ? 1 : -1;
  if (x->first != y->first) return x->first < y->first ? -1 : 1;
  return x->second < y->second ? -1 : x->second > y->second;
}

static Touch *list_touches(const ScreeWorld *w, size_t *count) {
  const Pairs *q = &w->pairs;
  Touch *list = malloc((scree_world_contact_count(w) + 1) * sizeof *list);
  *count = 0;
  for (size_t p = 0; list && p < q->count; p++) {
    if (q->k[p] == 0.0) continue;
    bool wall = KEPT(q, j, p) < 0;
    uint64_t a = w->turn[KEPT(q, i, p)].id, b = wall ? (uint64_t)(-1 - KEPT(q, j, p)) : w->turn[KEPT(q, j, p)].id;
    bool swapped = !wall && b < a;
    list[(*count)++] = (Touch){swapped ? b : a, swapped ? a : b, p, wall, swapped};
  }
  if (list) qsort(list, *count, sizeof *list, by_ids);
  return list;
}

static void pass_wide(Tape *t, Wide *value) {
  uint64_t low = (uint64_t)*value;
  int64_t high = (int64_t)(*value >> 64);
  pass(t, &low);
  pass(t, &high);
  *value = (Wide)((unsigned __int128)high << 64) | (Wide)low;
}

static void write_walls(Tape *t, const ScreeWorld *w) {
  for (int wall = 0; wall < w->walls; wall++)
    for (int k = 0; k < 6; k++) {
      Wide sum = 0;
      for (int i = 0; i < w->def.threads; i++) sum += w->worker[i]->now.wall[wall][k];
      pass_wide(t, &sum);
    }
}

static void write_wear(Tape *t, const ScreeWorld *w) {
  for (size_t f = 0; f < w->wearing; f++)
    for (int k = 0; k < 2; k++) {
      Wide sum = 0;
      for (int i = 0; i < w->def.threads; i++) sum += w->worker[i]->sites.wear[f][k];
      pass_wide(t, &sum);
    }
}

static size_t bodies_width(const ScreeWorld *w) {
  size_t width = 0;
  for (int b = 0; b < w->bodies; b++) width += 1 + COURSE * (size_t)w->body[b].courses;
  return width;
}

/* false: a motion of another kind. Poses follow from the time, and from these. */
static bool pass_bodies(Tape *t, ScreeWorld *w) {
  bool same = true;
  for (int b = 0; b < w->bodies; b++) {
    pass_double(t, &w->body[b].work);
    for (int m = 0; m < w->body[b].courses; m++) {
      Course *c = &w->body[b].course[m];
      int64_t kind = c->def.kind;
      double *all[COURSE - 1] = {&c->s, &c->v, &c->inertia, &c->damping, &c->max_speed};
      pass(t, &kind);
      for (int k = 0; k < COURSE - 1; k++) {
        pass_double(t, all[k]);
        same = same && isfinite(*all[k]) && (k < 2 || *all[k] >= 0.0);
      }
      same = same && kind == (int64_t)c->def.kind;
    }
  }
  return same;
}

static void write_state(Tape *t, ScreeWorld *w, const ScreePlace *place, const Touch *touch, size_t touches) {
  Counts counts = {VERSION,  (int64_t)w->count, (int64_t)touches, w->materials, w->walls,  w->constants,
                   w->slots, kept_of(w),        w->step,          w->outlets,   w->streams};
  memcpy(t->at, magic, sizeof magic);
  t->at += sizeof magic;
  pass_counts(t, &counts);
  pass_numbers(t, w);
  pass_work(t, w);
  write_walls(t, w);
  write_wear(t, w);
  pass_bodies(t, w);
  pass_flows(t, w);
  pass_openings(t, w);
  for (size_t i = 0; i < w->count; i++) pass_grain(t, w, place[i].index);
  for (size_t i = 0; i < w->count && w->openings > 0; i++) pass_passage(t, w, place[i].index);
  for (size_t c = 0; c < touches; c++) {
    uint64_t first = touch[c].first, second = touch[c].second;
    int64_t wall = touch[c].wall;
    pass(t, &first);
    pass(t, &second);
    pass(t, &wall);
    pass_memory(t, w, &w->pairs, touch[c].pair, touch[c].swapped ? -1.0 : 1.0);
  }
}

ScreeStatus scree_world_save(ScreeWorld *w, void **data, size_t *size) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED(data);
  SCREE_NEED(size);
  if (!w->started || w->failed) return scree_fail(SCREE_INVALID, "only a world that runs has a state to save");
  size_t touches = 0;
  ScreePlace *place = scree_places(w);
  Touch *touch = list_touches(w, &touches);
  size_t bytes = sizeof magic + SEAL +
                 8 * (HEADER_COUNTS + NUMBERS + WORK + 12 * (size_t)w->walls + 4 * w->wearing + bodies_width(w) +
                      flows_width(w) + openings_width(w) + GRAIN * w->count + (contact_width(w) + 1) * touches);
  unsigned char *memory = place && touch ? malloc(bytes) : NULL;
  Tape tape = {.at = memory, .end = memory + (memory ? bytes : 0)};
  if (memory) write_state(&tape, w, place, touch, touches);
  free(place), free(touch);
  if (!memory) return scree_fail(SCREE_NO_MEMORY, "no memory to save %zu grains", w->count);
  if (tape.wild) {
    free(memory);
    return scree_fail(SCREE_OUT_OF_RANGE, "step %ld: the world holds numbers that are not finite: it is not saved",
                      w->step);
  }
  uint64_t sum = scree_checksum(SCREE_CHECKSUM_START, memory, (size_t)(tape.at - memory));
  pass(&tape, &sum);
  *size = (size_t)(tape.at - memory);
  *data = memory;
  return SCREE_OK;
}

/* ---- restoring ---- */

static ScreeStatus damaged(const char *what) {
  return scree_fail(SCREE_INVALID, "the state does not fit this world: %s", what);
}

static bool is_unit(double x) {
  int exponent;
  return x > 0.0 && isfinite(x) && frexp(x, &exponent) == 0.5;
}

/* Numbers that no start would have chosen. */
static ScreeStatus check_numbers(const ScreeWorld *w) {
  double extent = 0.0;
  for (int k = 0; k < 3; k++) extent = fmax(extent, w->def.high[k] - w->def.low[k]);
  bool skin = (w->skin >= 1e-6 * w->min_radius && w->skin <= 2.0 * w->max_radius) || w->skin == w->def.skin;
  bool fine = skin && w->dt > 0.0 && w->time == (double)w->step * w->dt && w->expected_speed > 0.0 &&
              w->expected_speed <= 1e9 && w->min_radius > 1e-12 * extent && w->max_radius >= w->min_radius &&
              w->max_radius < 1e12 * extent && w->max_overlap >= 0.0 && w->peak_overlap >= 0.0 &&
              w->unit_overlap > 0.0 && w->unit_overlap <= 0.5 && is_unit(w->force_unit) && is_unit(w->torque_unit) &&
              is_unit(w->energy_unit) && is_unit(w->jump_unit) && is_unit(w->wall_arm);
  return fine ? SCREE_OK : damaged("a number in it makes no sense");
}

/* A larger overlap limit may have needed larger units: sums that were kept go over to them. */
static void change_units(ScreeWorld *w, const ScreeWorld *chosen, Wide *wall) {
  double ratio = chosen->force_unit / w->force_unit;
  if (ratio == 1.0) return;
  for (size_t i = 0; i < w->count; i++) {
    Load load = scree_load_of(w->load, i);
    for (int k = 0; k < 3; k++) {
      load.force[k] = llrint((double)load.force[k] * ratio);
      load.torque[k] = llrint((double)load.torque[k] * ratio);
    }
    scree_put_load(w->load, i, load);
  }
  for (int k = 0; k < 6 * w->walls; k++) wall[k] = (Wide)((double)wall[k] * ratio);
  w->ledger.work = (__typeof__(w->ledger.work))((double)w->ledger.work * ratio);
}

/* Not farther out than a grain comes before it is missed, and not much faster than one that is stopped. */
static bool is_likely(const ScreeWorld *w, const Record *r, const Turn *turn) {
  bool likely = scree_dot(r->v, r->v) * w->dt * w->dt <= 16.0 * r->r * r->r &&
                scree_dot(turn->w, turn->w) * w->dt * w->dt <= 16.0;
  for (int k = 0; k < 3; k++) {
    double pad = w->def.high[k] - w->def.low[k] + 64.0 * w->max_radius;
    likely = likely && r->x[k] >= w->def.low[k] - pad && r->x[k] <= w->def.high[k] + pad;
  }
  return likely;
}

static ScreeStatus read_grains(Tape *t, ScreeWorld *w, size_t count) {
  SCREE_TRY(scree_world_grow(w, count));
  for (size_t i = 0; i < count; i++) {
    pass_grain(t, w, i);
    const Record *r = &w->record[i];
    bool fine = r->r >= w->min_radius * (1.0 - 1e-10) && r->r <= w->max_radius * (1.0 + 1e-10) && r->m > 0.0 &&
                w->turn[i].material >= 0 && w->turn[i].material < w->materials &&
                (i == 0 || w->turn[i].id > w->turn[i - 1].id);
    if (!fine || t->wild || t->short_of || !is_likely(w, r, &w->turn[i]))
      return damaged("a grain in it makes no sense");
  }
  w->count = count;
  scree_world_set_sentinel(w);
  return SCREE_OK;
}

/* Grains lie in the order of their ids yet. */
static ScreeStatus read_passages(Tape *t, ScreeWorld *w) {
  if (w->openings == 0) return SCREE_OK;
  SCREE_TRY(scree_openings_enter(w, 0));
  for (size_t i = 0; i < w->count; i++) pass_passage(t, w, i);
  return t->wild || t->short_of ? damaged("the way of a grain in it makes no sense") : SCREE_OK;
}

static size_t index_of(const ScreePlace *place, size_t count, uint64_t id) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (place[middle].id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && place[low].id == id ? place[low].index : SIZE_MAX;
}

/* Pairs by their grains, for the contacts to find. */
typedef struct Slot {
  int32_t i, j;
  size_t pair;
} Slot;

static int by_grains(const void *a, const void *b) {
  const Slot *x = a, *y = b;
  if (x->i != y->i) return x->i < y->i ? -1 : 1;
  return x->j < y->j ? -1 : x->j > y->j;
}

static ScreeStatus read_contacts(Tape *t, ScreeWorld *w, size_t count, const ScreePlace *place, Slot *slot) {
  Pairs *q = &w->pairs;
  size_t slots = 0;
  for (size_t p = 0; p < q->count; p++)
    if ((size_t)KEPT(q, i, p) < w->count && KEPT(q, j, p) < (int32_t)w->count)
      slot[slots++] = (Slot){KEPT(q, i, p), KEPT(q, j, p), p};
  qsort(slot, slots, sizeof *slot, by_grains);
  for (size_t c = 0; c < count; c++) {
    uint64_t first = 0, second = 0;
    int64_t wall = 0;
    pass(t, &first);
    pass(t, &second);
    pass(t, &wall);
    size_t a = index_of(place, w->count, first), b = wall ? 0 : index_of(place, w->count, second);
    if (t->short_of || a == SIZE_MAX || b == SIZE_MAX || (wall && second >= (uint64_t)w->walls))
      return damaged("a contact in it has no grain or no wall");
    Slot key = {(int32_t)a, wall ? -1 - (int32_t)second : (int32_t)b, 0};
    const Slot *found = bsearch(&key, slot, slots, sizeof *slot, by_grains);
    double sign = 1.0;
    if (!found && !wall) {
      key = (Slot){(int32_t)b, (int32_t)a, 0}, sign = -1.0;
      found = bsearch(&key, slot, slots, sizeof *slot, by_grains);
    }
    if (!found) return damaged("a contact in it is apart");
    pass_memory(t, w, q, found->pair, sign);
    if (!(q->k[found->pair] != 0.0)) return damaged("a contact in it has no stiffness");
  }
  return SCREE_OK;
}

static void read_wear(Tape *t, ScreeWorld *w, const ScreeWorld *saved) {
  double ratio = saved->energy_unit / w->energy_unit;
  for (size_t f = 0; f < w->wearing; f++)
    for (int k = 0; k < 2; k++) {
      Wide *value = &w->worker[0]->sites.wear[f][k];
      pass_wide(t, value);
      if (ratio != 1.0) *value = (Wide)((double)*value * ratio);
    }
}

/* Takes the checksum off the end of the tape, before anything is read. */
static ScreeStatus check_seal(Tape *t) {
  const unsigned char *from = t->at;
  int64_t version = 0;
  uint64_t sum;
  if (t->end - t->at < (ptrdiff_t)sizeof magic || memcmp(t->at, magic, sizeof magic) != 0)
    return scree_fail(SCREE_INVALID, "this is no state of a world");
  t->at += sizeof magic;
  pass(&(Tape){.at = t->at, .end = t->end, .reading = true}, &version);
  if (version != VERSION)
    return scree_fail(SCREE_UNSUPPORTED,
                      "the state has version %lld, this library reads %d: another version of scree has written it",
                      (long long)version, VERSION);
  if (t->end - t->at < SEAL) return damaged("it is cut off");
  t->end -= SEAL;
  memcpy(&sum, t->end, sizeof sum);
  if (sum == scree_checksum(SCREE_CHECKSUM_START, from, (size_t)(t->end - from))) return SCREE_OK;
  return scree_fail(SCREE_INVALID, "the state is damaged: its checksum does not match its bytes");
}

static ScreeStatus read_state(Tape *t, ScreeWorld *w) {
  Counts counts = {0};
  SCREE_TRY(check_seal(t));
  pass_counts(t, &counts);
  if (counts.materials != w->materials || counts.walls != w->walls) return damaged("other materials or walls");
  if (counts.outlets != w->outlets || counts.streams != w->streams) return damaged("other outlets or streams");
  size_t room = (size_t)(t->end - t->at) / 8;
  if (counts.grains < 0 || counts.contacts < 0 || counts.step < 0 || (size_t)counts.grains > room / GRAIN ||
      (size_t)counts.contacts > room)
    return damaged("it is cut off or its counts make no sense");
  pass_numbers(t, w);
  pass_work(t, w);
  w->step = counts.step;
  if (t->wild) return damaged("a number in it is not finite");
  SCREE_TRY(check_numbers(w));
  ScreeWorld chosen = *w; /* the numbers of the start, which preparing would choose anew */
  Wide *wall = malloc((6 * (size_t)w->walls + 1) * sizeof *wall);
  if (!wall) return scree_fail(SCREE_NO_MEMORY, "no memory for %d walls", w->walls);
  for (int k = 0; k < 6 * w->walls; k++) pass_wide(t, &wall[k]);
  unsigned char *wear = t->at; /* read again when there is a place for it */
  for (size_t f = 0; f < 4 * w->wearing; f++) pass_integers(t, &(int64_t){0}, 1);
  ScreeStatus status = pass_bodies(t, w) ? SCREE_OK : damaged("other motions of walls");
  pass_flows(t, w);
  if (!pass_openings(t, w) && status == SCREE_OK) status = damaged("other openings of outlets");
  if (status == SCREE_OK) status = read_grains(t, w, (size_t)counts.grains);
  if (status == SCREE_OK) status = read_passages(t, w);
  if (status == SCREE_OK) status = scree_world_prepare(w, &chosen);
  if (status == SCREE_OK && (counts.constants != w->constants || counts.slots != w->slots || counts.kept != kept_of(w)))
    status = damaged("other laws");
  if (status == SCREE_OK) change_units(w, &chosen, wall);
  for (int k = 0; status == SCREE_OK && k < 6 * w->walls; k++) w->worker[0]->now.wall[k / 6][k % 6] = wall[k];
  free(wall);
  if (status != SCREE_OK) return status;
  read_wear(&(Tape){.at = wear, .end = t->end, .reading = true}, w, &chosen);
  scree_bodies_feel(w);
  ScreePlace *place = scree_places(w);
  Slot *slot = malloc((w->pairs.count + 1) * sizeof *slot);
  if (place && slot)
    status = read_contacts(t, w, (size_t)counts.contacts, place, slot);
  else
    status = scree_fail(SCREE_NO_MEMORY, "no memory to restore %zu grains", w->count);
  free(place), free(slot);
  if (status == SCREE_OK && t->wild) status = damaged("a number in it is not finite");
  if (status == SCREE_OK && (t->short_of || t->at != t->end))
    status = damaged("it is longer or shorter than it should be");
  return status;
}

/* As before the state was read. */
static void forget(ScreeWorld *w, const uint8_t *known) {
  scree_world_undo_start(w);
  w->count = 0;
  w->step = 0;
  w->next_id = 1;
  w->ledger = (Ledger){0};
  w->inserted = w->removed = w->left = (ScreeFlow){0};
  if (w->materials > 0) memcpy(w->known, known, (size_t)w->materials);
  for (int i = 0; i < w->outlets; i++) w->outlet[i].flow = w->outlet[i].leaked = (ScreeFlow){0};
  for (int i = 0; i < w->streams; i++) w->stream[i] = (Stream){.def = w->stream[i].def};
}

ScreeStatus scree_world_restore(ScreeWorld *w, const void *data, size_t size) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED(data);
  if (w->started || w->count > 0)
    return scree_fail(SCREE_INVALID, "a state is restored into a world that has no grains and was not started");
  uint8_t *known = malloc((size_t)w->materials + 1);
  if (!known) return scree_fail(SCREE_NO_MEMORY, "no memory to restore a state");
  if (w->materials > 0) memcpy(known, w->known, (size_t)w->materials);
  Tape tape = {.at = (unsigned char *)data, .end = (unsigned char *)data + size, .reading = true}; /* only read */
  ScreeStatus status = read_state(&tape, w);
  w->started = status == SCREE_OK;
  if (status != SCREE_OK) forget(w, known);
  free(known);
  return status;
}
