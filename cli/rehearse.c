/* rehearse.c: see rehearse.h.
 *
 * A rehearsal has the scene's own grains, walls, motions, streams and outlets. It is cheaper than the run by three
 * means, each used only as far as it is needed:
 *
 *     longer steps      a quarter of the stability limit instead of a tenth
 *     softer materials  as far as contacts stay shallow: steps go with the root of the stiffness, or its power of 0.4
 *                       where that grows with the overlap
 *     an end            once its work is used up; the rest is extrapolated
 *
 * All of this is counted, so that a forecast of work is the same on every machine. Only then the clock is asked: the
 * state with most work to do is stepped with the run's own time step. */
#include "rehearse.h"

#include "scene_file.h"

#include "core/region.h"
#include "core/sizes.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONGEST 2.4         /* steps: 0.24 of the stability limit; a quarter is refused */
#define DEEPEST 0.35        /* overlap over the smaller radius */
#define SOFTEST 6.0         /* softer contacts last so long that collisions count too much */
#define SHARE 20.0          /* a rehearsal is that much less work than the run ... */
#define LEAST 3e7           /* ... but not less than this, which takes a fifth of a second ... */
#define MOST 2e8            /* ... and not more than this, two seconds */
#define MESH 6.0            /* a step among triangles costs so many times more */
#define MOST_GRAINS 1000000 /* more take too much memory twice */
#define MOST_STEPS 30000    /* a step takes its time however few the grains are */
#define SAMPLES 400         /* stretches whose contacts are counted */
#define BED 2.5             /* contacts of a grain in a bed at rest ... */
#define STIRRED 1.9         /* ... and about, of a bed in motion */
#define FALLS 2.0           /* free falls through the domain until most grains lie somewhere */

/* ---- a softer scene ---- */

static void *copy_of(const ScreeArray *array, size_t size) {
  void *copy = checked_alloc(array->count ? array->count : 1, size);
  if (array->count > 0) memcpy(copy, array->at, array->count * size);
  return copy;
}

ScreeScene scene_soften(const ScreeScene *scene, double softer) {
  ScreeScene soft = *scene;
  soft.materials.at = copy_of(&scene->materials, sizeof(ScreeSceneMaterial));
  soft.contacts.at = copy_of(&scene->contacts, sizeof(ScreeSceneContact));
  for (size_t i = 0; i < soft.materials.count; i++) scree_scene_material(&soft, i)->material.young /= softer;
  for (size_t i = 0; i < soft.contacts.count; i++) {
    ScreePairDef *pair = &scree_scene_contact(&soft, i)->def.pair;
    pair->stiffness /= softer;
    pair->param[SCREE_PARAM_kt] /= softer;
    pair->param[SCREE_PARAM_gt] /= sqrt(softer);
  }
  soft.run.timestep = NAN;
  return soft;
}

void scene_soften_free(ScreeScene *soft) { free(soft->materials.at), free(soft->contacts.at); }

/* NULL where the engine refuses it. */
static ScreeWorld *build(const ScreeScene *scene, int threads, const ScreeGrain *grain, size_t count, double softer,
                         double timestep) {
  ScreeScene soft = scene_soften(scene, softer);
  ScreeWorld *world = NULL;
  ScreeFault fault;
  soft.max_overlap = 0.5;
  soft.run.timestep = timestep;
  bool built = scree_scene_build_grains(&soft, threads, grain, count, &world, &fault) == SCREE_OK;
  scene_soften_free(&soft);
  return built ? world : NULL;
}

/* `longer`: the wanted steps over those of the run. Materials are as soft as they need. */
static ScreeWorld *prepare(const ScreeScene *scene, const ScreeWorld *like, const ScreeGrain *grain, double longer,
                           double *softer) {
  int threads = scree_world_threads(like);
  size_t count = scree_world_count(like);
  double most = fmin(SOFTEST, pow(DEEPEST / fmin(scene->max_overlap, DEEPEST), 2.5));
  *softer = fmin(fmax(1, pow(longer / LONGEST, 2.5)), most);
  ScreeWorld *world = build(scene, threads, grain, count, *softer, NAN);
  if (!world && *softer > 1) world = build(scene, threads, grain, count, *softer = 1, NAN);
  if (!world) return NULL;
  double own = scree_world_timestep(world), step = fmin(longer * scree_world_timestep(like), LONGEST * own);
  ScreeWorld *faster = step > own ? build(scene, threads, grain, count, *softer, step) : NULL;
  if (!faster) return world;
  scree_world_destroy(world);
  return faster;
}

/* ---- the rehearsal ---- */

/* A stretch of steps, with the grains and contacts counted at its end. */
typedef struct Stretch {
  double steps, grains, contacts, left; /* left: grains that are out, since the start */
} Stretch;

typedef struct Rehearsing {
  const ScreeScene *scene;
  ScreeWorld *world;
  Stretch stretch[SAMPLES];
  int count;
  double budget, spent;
  char *stopped;      /* the engine's sentence */
  ScreeGrain *loaded; /* where most work was to be done in a step */
  size_t loaded_count;
  double loaded_work;
} Rehearsing;

double rehearse_work(double grains, double contacts) { return grains + REHEARSE_CONTACT * contacts; }

static double gone(const Rehearsing *r) {
  double sum = 0;
  for (int i = -1; i < (int)r->scene->outlets.count; i++) {
    ScreeFlow flow = {0};
    scree_world_outlet_flow(r->world, i, &flow);
    sum += (double)flow.grains;
  }
  return sum;
}

static bool has_meshes(const ScreeScene *scene) {
  for (size_t i = 0; i < scene->walls.count; i++)
    if (scree_scene_wall(scene, i)->mesh.mesh) return true;
  return false;
}

static void keep_loaded(Rehearsing *r, double work) {
  if (work < 1.05 * r->loaded_work || !scree_world_is_whole(r->world)) return;
  free(r->loaded);
  r->loaded_count = scree_world_count(r->world);
  r->loaded = checked_alloc(r->loaded_count ? r->loaded_count : 1, sizeof *r->loaded);
  r->loaded_work = work;
  scree_world_read(r->world, r->loaded);
}

/* Ends early where the work is used up, or where the engine stops. */
static void take_stretch(Rehearsing *r, long steps) {
  Stretch *s = &r->stretch[r->count++];
  for (long left = steps; left > 0 && r->spent < r->budget && !r->stopped;) {
    double each =
               fmax(1, rehearse_work((double)scree_world_count(r->world), (double)scree_world_contact_count(r->world))),
           enough = ceil(0.01 * r->budget / each);
    long before = scree_world_steps(r->world), now = enough < (double)left ? (long)enough : left;
    if (scree_world_step(r->world, now) != SCREE_OK) r->stopped = name_materials(r->scene, scree_last_error());
    s->steps += (double)(scree_world_steps(r->world) - before);
    r->spent += each * (double)now;
    left -= now;
  }
  s->grains = (double)scree_world_count(r->world);
  s->contacts = (double)scree_world_contact_count(r->world);
  s->left = gone(r);
  keep_loaded(r, rehearse_work(s->grains, s->contacts));
}

static void go_through(Rehearsing *r, double duration, Rehearsal *out) {
  double steps = fmax(1, ceil(duration / scree_world_timestep(r->world)));
  for (long done = 0;
       r->count < SAMPLES && (double)done < steps && r->spent < r->budget && !r->stopped && done < MOST_STEPS;) {
    double next = fmax(floor(steps * (r->count + 1) / SAMPLES), (double)done + 1);
    take_stretch(r, (long)fmin(next - (double)done, 1e15));
    done = scree_world_steps(r->world);
    out->bytes = fmax(out->bytes, (double)scree_world_bytes(r->world));
  }
  ScreeMeasure m = {0};
  scree_world_measure(r->world, &m);
  out->overlap = m.peak_overlap / pow(out->softer, 0.4);
  out->covered = fmin(duration, (double)scree_world_steps(r->world) * scree_world_timestep(r->world));
}

/* ---- what was not rehearsed ---- */

/* Contacts of softer grains last longer, in collisions; in a bed at rest there are as many. */
static double stiff_contacts(double grains, double contacts, double softer) {
  double colliding = grains > 0 ? 1 - fmin(1, contacts / (BED * grains)) : 0;
  return contacts / (1 + (pow(softer, 0.4) - 1) * colliding * colliding);
}

/* Grains that streams have brought by a time. */
static double arrivals_until(const ScreeScene *scene, double time) {
  ScreeScene shorter = *scene;
  shorter.run.duration = time;
  return scree_scene_arrivals(&shorter);
}

/* s, of a fall from the highest grain or stream to the end of the domain; 0 where nothing pulls, or there is nothing to
 * lie on. */
static double fall_time(const ScreeScene *s, const ScreeGrain *grain, size_t count) {
  double longest = 0;
  bool ground = s->walls.count > 0;
  for (size_t i = 0; i < count && !ground; i++) ground = grain[i].fixed;
  for (int k = 0; k < 3 && ground; k++) {
    double pull = s->gravity[k], sign = pull < 0 ? -1 : 1,
           end = fmax(sign * s->domain.low[k], sign * s->domain.high[k]);
    double highest = INFINITY;
    for (size_t i = 0; i < count; i++)
      if (!grain[i].fixed) highest = fmin(highest, sign * grain[i].position[k]);
    for (size_t i = 0; scree_scene_stream(s, i); i++) {
      double low[3], high[3];
      ScreeStreamDef stream = scree_scene_stream_def(scree_scene_stream(s, i));
      scree_region_bounds(&stream.region, low, high);
      highest = fmin(highest, fmin(sign * low[k], sign * high[k]));
    }
    if (pull != 0 && !s->domain.periodic[k] && end > highest)
      longest = fmax(longest, sqrt(2 * (end - highest) / fabs(pull)));
  }
  return longest;
}

/* Over the last tenth of the stretches. */
typedef struct Trend {
  double grains, contacts, leaving; /* mean numbers; share of the grains that leave per second */
} Trend;

static Trend trend_of(const Rehearsing *r, double softer) {
  int first = r->count - (r->count + 9) / 10;
  double steps = 0;
  Trend t = {0};
  for (int i = first; i < r->count; i++) {
    const Stretch *s = &r->stretch[i];
    steps += s->steps;
    t.grains += s->steps * s->grains;
    t.contacts += s->steps * stiff_contacts(s->grains, s->contacts, softer);
  }
  if (!(steps > 0)) return t;
  t.grains /= steps, t.contacts /= steps;
  double out = r->stretch[r->count - 1].left - (first > 0 ? r->stretch[first - 1].left : 0);
  if (t.grains > 0) t.leaving = out / (t.grains * steps * scree_world_timestep(r->world));
  return t;
}

/* Streams go on, the same share of grains leaves per second, and each grain keeps its contacts. */
static void extrapolate(const Rehearsing *r, const Trend *t, double per_grain, Rehearsal *out) {
  enum { PARTS = 200 };
  double end = r->scene->run.duration, part = (end - out->covered) / PARTS,
         steps = part / scree_world_timestep(r->world) * out->longer, grains = r->stretch[r->count - 1].grains,
         brought = arrivals_until(r->scene, out->covered);
  for (int i = 1; i <= PARTS && part > 0; i++) {
    double by_now = arrivals_until(r->scene, out->covered + part * i);
    grains = (grains + by_now - brought) / (1 + t->leaving * part);
    brought = by_now;
    out->grain_steps += steps * grains;
    out->contact_steps += steps * grains * per_grain;
  }
}

static void add_up(const Rehearsing *r, double fall, Rehearsal *out) {
  for (int i = 0; i < r->count; i++) {
    const Stretch *s = &r->stretch[i];
    out->grain_steps += out->longer * s->steps * s->grains;
    out->contact_steps += out->longer * s->steps * stiff_contacts(s->grains, s->contacts, out->softer);
  }
  Trend t = trend_of(r, out->softer);
  double per_grain = t.grains > 0 ? t.contacts / t.grains : 0;
  out->settled = out->covered >= fmin(FALLS * fall, r->scene->run.duration);
  out->contacts = per_grain;
  extrapolate(r, &t, out->settled ? per_grain : fmax(per_grain, STIRRED), out);
}

/* ---- the clock ---- */

/* s: what an idle machine would take, since threads wait awake. */
static double own_clock(const ScreeWorld *world) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec) / scree_world_threads(world);
}

#define TIMED_SECONDS 0.3
#define TIMED_STEPS 400

/* Steps of the loaded state as long as those of the run; its walls are where they are at the start, which some motions
 * leave no room for: then steps of the rehearsal itself, which among moving grains cost more. */
static void time_steps(Rehearsing *r, double timestep, Rehearsal *out) {
  double work = 0, grains = 0;
  ScreeWorld *world = build(r->scene, scree_world_threads(r->world), r->loaded, r->loaded_count, out->softer, timestep);
  bool own = !world || scree_world_step(world, 20) != SCREE_OK;
  ScreeWorld *timed = own ? r->world : world;
  double start = own_clock(timed), spent = 0;
  for (int i = 0; i < TIMED_STEPS && spent < TIMED_SECONDS; i += 20) {
    double now = (double)scree_world_count(timed);
    if (scree_world_step(timed, 20) != SCREE_OK) break;
    grains += 20 * now;
    work += 20 * rehearse_work(now, (double)scree_world_contact_count(timed));
    spent = own_clock(timed) - start;
  }
  double about = own || !out->settled ? 2 : 1.4;
  out->bytes = fmax(out->bytes, world ? (double)scree_world_bytes(world) : 0);
  scree_world_destroy(world);
  if (!(work > 0 && spent > 0)) return;
  out->speed = grains / spent;
  out->seconds = rehearse_work(out->grain_steps, out->contact_steps) * spent / work;
  out->low = out->seconds / about, out->high = out->seconds * about;
}

bool rehearse(const ScreeScene *scene, const ScreeWorld *world, const ScreeGrain *grain, Rehearsal *out) {
  double total = (double)scree_world_count(world) + scree_scene_arrivals(scene), step = scree_world_timestep(world),
         steps = fmax(1, round(scene->run.duration / step)), work = steps * rehearse_work(total, BED * total),
         dearer = has_meshes(scene) ? MESH : 1;
  *out = (Rehearsal){.softer = 1, .longer = 1, .seconds = NAN, .low = NAN, .high = NAN, .speed = NAN};
  if (!(total > 0 && total <= MOST_GRAINS)) return false;
  Rehearsing r = {.scene = scene, .budget = fmin(fmax(work / SHARE, LEAST), MOST) / dearer};
  r.world = prepare(scene, world, grain, fmax(1, work / r.budget), &out->softer);
  if (!r.world) return false;
  out->longer = scree_world_timestep(r.world) / step;
  go_through(&r, scene->run.duration, out);
  add_up(&r, fall_time(scene, grain, scree_world_count(world)), out);
  out->stopped = r.stopped;
  time_steps(&r, step, out);
  scree_world_destroy(r.world);
  free(r.loaded);
  return true;
}

void rehearsal_free(Rehearsal *r) {
  free(r->stopped);
  r->stopped = NULL;
}
