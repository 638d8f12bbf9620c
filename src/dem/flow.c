/* flow.c: outlets, streams and the sides of the domain: what takes grains out and brings them in by itself, at the end
 * of every look_every-th step. Grains are found by threads and handled in the order of their ids; which grain a stream
 * brings, and where it is tried, depends on the stream's own counters alone. */
#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "core/region.h"
#include "core/sizes.h"
#include "core/status.h"
#include "opening.h"
#include "start.h"
#include "vicinity.h"

enum {
  LOOK_EVERY = 32,        /* steps: a list lasts about as long, and each change makes a new one */
  TRIES = 100,            /* places for a grain at one time; after that it waits for the next */
  OWN_GROUPS = 0x20000000 /* streams' random numbers are not those of the groups of a scene */
};

/* ---- definitions ---- */

static ScreeStatus still_open(const ScreeWorld *w) {
  return w->started ? scree_fail(SCREE_INVALID, "the world has started: nothing can be added") : SCREE_OK;
}

ScreeStreamDef scree_stream_def_default(void) {
  return (ScreeStreamDef){
      .mass_rate = NAN, .number_rate = NAN, .until = INFINITY, .mass = INFINITY, .count = INFINITY, .seed = 1};
}

ScreeStatus scree_world_expect(ScreeWorld *w, int material, double low, double high, double speed) {
  SCREE_NEED_AS(w, "world");
  SCREE_TRY(still_open(w));
  if (material < 0 || material >= w->materials)
    return scree_fail(SCREE_UNKNOWN, "grains of the material %d are expected, which does not exist", material);
  if (!(low > 0.0 && high >= low && isfinite(high) && speed >= 0.0 && isfinite(speed)))
    return scree_fail(SCREE_INVALID,
                      "expected grains need radii > 0 m, the smallest first, and a speed >= 0 m/s (got %.10g, %.10g, "
                      "%.10g)",
                      low, high, speed);
  double mass = scree_grain_mass(w, high, material), least = scree_grain_mass(w, low, material);
  if (!(least > 0.0 && isfinite(mass)))
    return scree_fail(SCREE_INVALID,
                      "expected grains of %.10g ... %.10g m radius have no mass that can be computed with", low, high);
  bool first = w->expect_high == 0.0;
  w->expect_low = first ? low : fmin(w->expect_low, low);
  w->expect_high = fmax(w->expect_high, high);
  w->expect_speed = fmax(w->expect_speed, speed);
  w->known[material] |= KNOWN_ANY | KNOWN_FREE;
  return SCREE_OK;
}

ScreeStatus scree_world_add_outlet(ScreeWorld *w, const ScreeRegion *region, int *id) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED(region);
  SCREE_TRY(still_open(w));
  SCREE_TRY(scree_region_check(region));
  if (region->shape == SCREE_REGION_DISC)
    return scree_fail(SCREE_UNSUPPORTED, "an outlet needs a thickness: a disc has none, a flat cylinder does");
  Outlet *outlet = realloc(w->outlet, (size_t)(w->outlets + 1) * sizeof *outlet);
  if (!outlet) return scree_fail(SCREE_NO_MEMORY, "no memory for an outlet");
  w->outlet = outlet;
  outlet[w->outlets] = (Outlet){.region = *region};
  if (id) *id = w->outlets;
  w->outlets++;
  return SCREE_OK;
}

static ScreeSpace space_of(const ScreeWorld *w) {
  ScreeSpace space;
  memcpy(space.low, w->def.low, sizeof space.low);
  memcpy(space.high, w->def.high, sizeof space.high);
  memcpy(space.periodic, w->def.periodic, sizeof space.periodic);
  return space;
}

static ScreeStatus check_inlet(const ScreeWorld *w, const ScreeStreamDef *d) {
  ScreeSpace space = space_of(w);
  double low[3], high[3], x[3], largest = scree_sizes_largest(&d->sizes);
  SCREE_TRY(scree_region_check(&d->region));
  if (d->region.shape == SCREE_REGION_BEYOND)
    return scree_fail(SCREE_UNSUPPORTED, "a stream cannot come from all beyond a plane: give it a region");
  scree_region_bounds(&d->region, low, high);
  for (int k = 0; k < 3; k++) {
    double slack = 1e-9 * (space.high[k] - space.low[k]);
    if (!space.periodic[k] && !(low[k] >= space.low[k] - slack && high[k] <= space.high[k] + slack))
      return scree_fail(SCREE_INVALID,
                        "the region reaches from %.6g to %.6g m along %c, out of the domain, which is %.6g ... %.6g m",
                        low[k], high[k], "xyz"[k], space.low[k], space.high[k]);
  }
  if (!scree_region_point(&d->region, &space, largest, (double[]){0.5, 0.5, 0.5}, x))
    return scree_fail(SCREE_INVALID, "the region is too small for a grain of radius %.6g m", largest);
  return SCREE_OK;
}

static ScreeStatus check_stream(const ScreeWorld *w, const ScreeStreamDef *d) {
  bool by_mass = !isnan(d->mass_rate);
  double rate = by_mass ? d->mass_rate : d->number_rate;
  if (by_mass == !isnan(d->number_rate))
    return scree_fail(SCREE_INVALID, "a stream has a mass rate or a number rate, one of them");
  if (!(rate > 0.0 && isfinite(rate)))
    return scree_fail(SCREE_INVALID, "the rate of a stream must be > 0 (got %.10g)", rate);
  if (!(d->from >= 0.0 && isfinite(d->from) && d->until > d->from))
    return scree_fail(SCREE_INVALID, "a stream must end after it begins, at 0 s or later (got %.10g and %.10g s)",
                      d->from, d->until);
  if (!(d->mass > 0.0 && d->count > 0.0))
    return scree_fail(SCREE_INVALID, "what a stream brings in all must be > 0 (got %.10g kg, %.10g grains)", d->mass,
                      d->count);
  if (d->material < 0 || d->material >= w->materials)
    return scree_fail(SCREE_UNKNOWN, "the stream's material %d does not exist", d->material);
  for (int k = 0; k < 3; k++)
    if (!isfinite(d->velocity[k]) || !isfinite(d->spin[k]))
      return scree_fail(SCREE_INVALID, "the velocity and the spin of a stream must be finite");
  SCREE_TRY(scree_sizes_check(&d->sizes));
  return check_inlet(w, d);
}

ScreeStatus scree_world_add_stream(ScreeWorld *w, const ScreeStreamDef *def, int *id) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED(def);
  SCREE_TRY(still_open(w));
  SCREE_TRY(check_stream(w, def));
  double speed = sqrt(scree_dot(def->velocity, def->velocity));
  bool table = def->sizes.kind == SCREE_SIZES_TABLE;
  ScreeShare *rows = table ? malloc(def->sizes.rows * sizeof *rows) : NULL;
  Stream *stream = realloc(w->stream, (size_t)(w->streams + 1) * sizeof *stream);
  if (stream) w->stream = stream;
  if (!stream || (table && !rows)) {
    free(rows);
    return scree_fail(SCREE_NO_MEMORY, "no memory for a stream");
  }
  ScreeStatus status =
      scree_world_expect(w, def->material, scree_sizes_smallest(&def->sizes), scree_sizes_largest(&def->sizes), speed);
  if (status != SCREE_OK) {
    free(rows);
    return status;
  }
  stream[w->streams] = (Stream){.def = *def};
  if (table) memcpy(rows, def->sizes.table, def->sizes.rows * sizeof *rows);
  stream[w->streams].def.sizes.table = rows;
  if (id) *id = w->streams;
  w->streams++;
  return SCREE_OK;
}

void scree_flow_free(ScreeWorld *w) {
  for (int i = 0; i < w->streams; i++) free((ScreeShare *)w->stream[i].def.sizes.table);
  scree_openings_free(w);
  free(w->stream), free(w->outlet);
}

/* No grain at twice the expected speed may pass the thinnest outlet between two looks, or go farther than its radius
 * where its way is looked at: then it does not get around a rim. */
ScreeStatus scree_flow_prepare(ScreeWorld *w) {
  double thinnest = INFINITY, way = 2.0 * w->expected_speed * w->dt; /* of a step */
  for (int i = 0; i < w->outlets; i++) thinnest = fmin(thinnest, scree_region_thickness(&w->outlet[i].region));
  if (!(thinnest >= way))
    return scree_fail(SCREE_INVALID,
                      "an outlet is %.6g m thick: a grain at twice the expected speed of %.4g m/s would "
                      "pass it in a step of %.4g s",
                      thinnest, w->expected_speed, w->dt);
  if (w->openings > 0) thinnest = fmin(thinnest, w->min_radius);
  w->look_every = (long)fmax(1.0, fmin(LOOK_EVERY, floor(thinnest / way)));
  for (int i = 0; i < w->streams; i++) {
    const double *spin = w->stream[i].def.spin;
    double speed = sqrt(scree_dot(w->stream[i].def.velocity, w->stream[i].def.velocity));
    if (!(speed * w->dt <= scree_sizes_smallest(&w->stream[i].def.sizes)) ||
        !(sqrt(scree_dot(spin, spin)) * w->dt <= 1.0))
      return scree_fail(SCREE_OUT_OF_RANGE,
                        "stream %d is too fast for a step of %.4g s: its grains would move more than "
                        "their radius, or turn more than a radian",
                        i, w->dt);
  }
  return SCREE_OK;
}

/* ---- going ---- */

/* Where a grain goes: an outlet's number, or one of these. */
enum { STAYS = -2, LEAVES = -1 };

typedef struct Leaver {
  uint64_t id;
  int32_t grain, through;
  bool leaked; /* not through the outlet's opening */
} Leaver;

typedef struct Search {
  ScreeWorld *w;
  Leaver **found; /* per thread */
  size_t *count;
  bool no_memory;
} Search;

static int32_t way_out(const ScreeWorld *w, size_t i) {
  const Record *r = &w->record[i];
  for (int o = 0; o < w->outlets && !scree_is_fixed(r); o++)
    if (scree_region_holds(&w->outlet[o].region, r->x)) return o;
  for (int k = 0; k < 3; k++)
    if (!w->def.periodic[k] && !(r->x[k] >= w->def.low[k] && r->x[k] <= w->def.high[k])) return LEAVES;
  return STAYS;
}

static void search_share(void *context, int number, int threads) {
  Search *s = context;
  const ScreeWorld *w = s->w;
  size_t begin = scree_pool_begin(w->count, number, threads), end = scree_pool_begin(w->count, number + 1, threads),
         capacity = 0;
  for (size_t i = begin; i < end; i++) {
    uint64_t passed = w->openings > 0 ? scree_openings_look(w, i) : 0;
    int32_t through = way_out(w, i);
    if (through == STAYS) continue;
    bool leaked = through >= 0 && w->outlet[through].opening && !(passed >> through & 1);
    if (s->count[number] == capacity) {
      capacity = capacity ? 2 * capacity : 64;
      Leaver *grown = realloc(s->found[number], capacity * sizeof *grown);
      if (!grown) {
        s->no_memory = true; /* only ever set */
        return;
      }
      s->found[number] = grown;
    }
    s->found[number][s->count[number]++] = (Leaver){w->turn[i].id, (int32_t)i, through, leaked};
  }
}

static int by_id(const void *a, const void *b) {
  uint64_t x = ((const Leaver *)a)->id, y = ((const Leaver *)b)->id;
  return x < y ? -1 : x > y;
}

/* Those who go, in the order of their ids; to be freed. */
static ScreeStatus find_leavers(ScreeWorld *w, Leaver **leaver, size_t *count) {
  size_t threads = (size_t)w->def.threads, at = 0;
  Search s = {.w = w, .found = calloc(threads, sizeof *s.found), .count = calloc(threads, sizeof *s.count)};
  *count = 0;
  if (s.found && s.count) scree_pool_run(w->pool, search_share, &s);
  for (size_t t = 0; s.count && t < threads; t++) *count += s.count[t];
  *leaver = malloc((*count + 1) * sizeof **leaver);
  bool done = s.found && s.count && *leaver && !s.no_memory;
  for (size_t t = 0; done && t < threads; t++) {
    if (s.count[t] > 0) memcpy(*leaver + at, s.found[t], s.count[t] * sizeof **leaver);
    at += s.count[t];
  }
  for (size_t t = 0; s.found && t < threads; t++) free(s.found[t]);
  free(s.found), free(s.count);
  if (done)
    qsort(*leaver, *count, sizeof **leaver, by_id);
  else
    free(*leaver), *leaver = NULL;
  return done ? SCREE_OK : scree_fail(SCREE_NO_MEMORY, "no memory to look for grains that leave");
}

static ScreeStatus stop_run(const ScreeWorld *w, const Leaver *l) {
  const double *x = w->record[l->grain].x;
  return scree_fail(SCREE_OUT_OF_RANGE, "step %ld: grain %llu left the domain at (%.6g, %.6g, %.6g) m", w->step,
                    (unsigned long long)l->id, x[0], x[1], x[2]);
}

static ScreeStatus let_go(ScreeWorld *w, const Leaver *leaver, size_t count) {
  int32_t *grain = malloc((count + 1) * sizeof *grain);
  if (!grain) return scree_fail(SCREE_NO_MEMORY, "no memory to take %zu grains out", count);
  for (size_t i = 0; i < count; i++) {
    size_t at = (size_t)(grain[i] = leaver[i].grain);
    Outlet *outlet = leaver[i].through == LEAVES ? NULL : &w->outlet[leaver[i].through];
    ScreeFlow *flow = !outlet ? &w->left : leaver[i].leaked ? &outlet->leaked : &outlet->flow;
    flow->grains++;
    flow->mass += scree_grain_mass(w, w->record[at].r, w->turn[at].material);
  }
  ScreeStatus status = scree_take_out(w, grain, count);
  free(grain);
  return status;
}

/* ---- coming ---- */

/* What a stream should have brought by now, in what its rate counts. */
static double asked(const ScreeWorld *w, const Stream *s) {
  const ScreeStreamDef *d = &s->def;
  bool by_mass = !isnan(d->mass_rate);
  double span = fmin(w->time, d->until) - d->from, rate = by_mass ? d->mass_rate : d->number_rate;
  return span > 0.0 ? fmin(rate * span, by_mass ? d->mass : d->count) : 0.0;
}

/* The limit that its rate does not count is reached. */
static bool is_complete(const Stream *s, double next_mass) {
  const ScreeStreamDef *d = &s->def;
  return !isnan(d->mass_rate) ? (double)s->brought.grains + 0.5 > d->count
                              : s->brought.mass + 0.5 * next_mass > d->mass;
}

/* The grain that a stream brings next, and whether its time has come: when half of it is asked for, so that what was
 * brought wavers about what was asked by half a grain. */
static bool next_grain(const ScreeWorld *w, int stream, ScreeGrain *g) {
  const Stream *s = &w->stream[stream];
  const ScreeStreamDef *d = &s->def;
  ScreeRandom random = {.seed = d->seed, .group = OWN_GROUPS | (uint32_t)stream};
  double due = asked(w, s);
  bool by_mass = !isnan(d->mass_rate);
  if (!(due > (by_mass ? s->brought.mass : (double)s->brought.grains))) return false;
  *g = (ScreeGrain){.radius = scree_sizes_draw(&d->sizes, &random, s->brought.grains), .material = d->material};
  memcpy(g->velocity, d->velocity, sizeof g->velocity);
  memcpy(g->spin, d->spin, sizeof g->spin);
  double mass = scree_grain_mass(w, g->radius, d->material);
  if (is_complete(s, mass)) return false;
  return by_mass ? s->brought.mass + 0.5 * mass <= due : (double)s->brought.grains + 0.5 <= due;
}

static bool find_place(const ScreeWorld *w, int stream, const Vicinity *v, ScreeGrain *g) {
  Stream *s = &w->stream[stream];
  ScreeSpace space = space_of(w);
  ScreeRandom random = {.seed = s->def.seed, .group = OWN_GROUPS | (uint32_t)stream};
  for (int i = 0; i < TRIES; i++) {
    double u[4];
    scree_random(&random, SCREE_DRAW_PLACE, s->brought.grains, (uint32_t)s->tries++, u);
    if (!scree_region_point(&s->def.region, &space, g->radius, u, g->position)) return false;
    scree_world_bring_in(w, g->position);
    if (scree_vicinity_obstacle(v, g->position, g->radius).kind == NOTHING) return true;
  }
  return false;
}

typedef struct Arrivals {
  ScreeGrain *grain;
  size_t count, capacity;
} Arrivals;

static ScreeStatus arrive(Arrivals *a, const ScreeGrain *g) {
  if (a->count == a->capacity) {
    size_t capacity = a->capacity ? 2 * a->capacity : 64;
    ScreeGrain *grown = realloc(a->grain, capacity * sizeof *grown);
    if (!grown) return scree_fail(SCREE_NO_MEMORY, "no memory to put %zu grains in", capacity);
    a->grain = grown;
    a->capacity = capacity;
  }
  a->grain[a->count++] = *g;
  return SCREE_OK;
}

/* All that a stream brings at this time; those that other streams brought just now are in the way too. */
static ScreeStatus run_stream(ScreeWorld *w, int stream, Arrivals *a) {
  Stream *s = &w->stream[stream];
  ScreeGrain g;
  double low[3], high[3];
  Vicinity v;
  if (!next_grain(w, stream, &g)) return SCREE_OK;
  if (w->next_id > UINT64_MAX - UINT32_MAX)
    return scree_fail(SCREE_OUT_OF_RANGE, "step %ld: ids above %llu are too few for a stream", w->step,
                      (unsigned long long)w->next_id);
  scree_region_bounds(&s->def.region, low, high);
  SCREE_TRY(scree_vicinity_open(&v, w, low, high));
  ScreeStatus status = SCREE_OK;
  for (size_t i = 0; i < a->count && status == SCREE_OK; i++)
    status = scree_vicinity_add(&v, a->grain[i].position, a->grain[i].radius, a->grain[i].id);
  while (status == SCREE_OK && next_grain(w, stream, &g)) {
    if (w->count + a->count >= (size_t)(INT32_MAX / 2) || !find_place(w, stream, &v, &g)) {
      s->waits++;
      break;
    }
    g.id = w->next_id + a->count;
    status = arrive(a, &g);
    if (status == SCREE_OK) status = scree_vicinity_add(&v, g.position, g.radius, g.id);
    s->brought.grains++;
    s->brought.mass += scree_grain_mass(w, g.radius, g.material);
    s->tries = 0;
  }
  scree_vicinity_close(&v);
  return status;
}

static ScreeStatus run_streams(ScreeWorld *w) {
  Arrivals a = {0};
  ScreeStatus status = SCREE_OK;
  for (int i = 0; i < w->streams && status == SCREE_OK; i++) status = run_stream(w, i, &a);
  if (status == SCREE_OK) status = scree_put_in(w, a.grain, a.count);
  free(a.grain);
  return status;
}

/* ---- the whole ---- */

ScreeStatus scree_flow(ScreeWorld *w, bool *whole) {
  Leaver *leaver = NULL;
  size_t count = 0;
  SCREE_TRY(find_leavers(w, &leaver, &count));
  ScreeStatus status = scree_openings_looked(w);
  for (size_t i = 0; i < count && status == SCREE_OK; i++)
    if (leaver[i].through == LEAVES && w->def.outside == SCREE_OUTSIDE_STOP) status = stop_run(w, &leaver[i]);
  if (status == SCREE_OK && (count > 0 || w->streams > 0)) {
    status = scree_correct(w);
    *whole = true;
    if (status == SCREE_OK) status = let_go(w, leaver, count);
    if (status == SCREE_OK) status = run_streams(w);
  }
  free(leaver);
  return status;
}

ScreeStatus scree_world_outlet_flow(const ScreeWorld *w, int outlet, ScreeFlow *flow) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED(flow);
  if (outlet < -1 || outlet >= w->outlets)
    return scree_fail(SCREE_UNKNOWN, "no such outlet (%d): there are %d", outlet, w->outlets);
  *flow = outlet < 0 ? w->left : w->outlet[outlet].flow;
  return SCREE_OK;
}

ScreeStatus scree_world_stream_flow(const ScreeWorld *w, int stream, ScreeStreamFlow *flow) {
  SCREE_NEED_AS(w, "world");
  SCREE_NEED(flow);
  if (stream < 0 || stream >= w->streams)
    return scree_fail(SCREE_UNKNOWN, "no such stream (%d): there are %d", stream, w->streams);
  const Stream *s = &w->stream[stream];
  ScreeRandom random = {.seed = s->def.seed, .group = OWN_GROUPS | (uint32_t)stream};
  double next = scree_grain_mass(w, scree_sizes_draw(&s->def.sizes, &random, s->brought.grains), s->def.material);
  double brought = isnan(s->def.mass_rate) ? (double)s->brought.grains : s->brought.mass;
  *flow = (ScreeStreamFlow){.asked = is_complete(s, next) ? brought : asked(w, s),
                            .delivered = brought,
                            .brought = s->brought,
                            .waits = (size_t)s->waits};
  return SCREE_OK;
}
