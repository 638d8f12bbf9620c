/* check.c: `scree check`: what is wrong with a scene, or what it was understood to mean. */
#include "scene_file.h"

#include "check_time.h"
#include "core/sizes.h"
#include "forecast.h"
#include "io/digits.h"
#include "io/scene_keys.h"
#include "output.h"
#include "progress.h"
#include "rims.h"
#include "run_advice.h"
#include "run_flow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char verb[] = "check";

enum { KEY_JSON = 256, KEY_KEYS };

typedef struct CheckOptions {
  SceneOptions scene;
  bool json, keys;
} CheckOptions;

static const struct argp_option own_options[] = {
    {"json", KEY_JSON, NULL, 0, "results as JSON", 3},
    {"keys", KEY_KEYS, NULL, 0, "no scene: every key of the format, with unit, limits and default (Markdown or JSON)",
     3},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state) {
  CheckOptions *o = state->input;
  (void)argument;
  switch (key) {
  case ARGP_KEY_INIT: state->child_inputs[0] = &o->scene; return 0;
  case KEY_JSON: o->json = true; return 0;
  case KEY_KEYS: o->keys = true; return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "Reads a scene, places its grains and prints what it means: grains, masses, laws, walls, the time step and why, "
    "memory, how long a run would take. Nothing is written.\v"
    "Examples:\n"
    "  scree check box/scene.yaml\n"
    "  scree check box --set materials.glass.young=70GPa\n"
    "  scree check --keys";

/* ---- every key -------------------------------------------------------------------------------------------------- */

static json_t *key_object(const ScreeKey *key, ScreeKeyId id) {
  json_t *object = json_object();
  json_object_set_new(object, "section", json_string(scree_sections[key->section].name));
  json_object_set_new(object, "key", json_string(key->name));
  json_object_set_new(object, "kind", json_string(scree_key_kind_name(id)));
  json_object_set_new(object, "unit", json_string(key->unit));
  json_object_set_new(object, "limits", json_string(key->limits));
  json_object_set_new(object, "default", key->preset ? json_string(key->preset) : json_null());
  json_object_set_new(object, "meaning", json_string(key->help));
  return object;
}

/* The name of the section in argument position, or all of them. */
static int print_keys(const char *only, bool json) {
  json_t *array = json_array();
  ScreeSectionId last = SCREE_SECTION_COUNT;
  bool found = false;
  for (int i = 0; i < SCREE_KEY_COUNT; i++) {
    const ScreeKey *key = &scree_keys[i];
    const char *section = scree_sections[key->section].name;
    if (only && strcmp(only, section) != 0) continue;
    found = true;
    json_array_append_new(array, key_object(key, (ScreeKeyId)i));
    if (json) continue;
    if (key->section != last && !only)
      printf("%s### %s (`%s`)\n\n", i ? "\n" : "", scree_sections[key->section].title, section);
    if (key->section != last) puts("| key | value | unit | limits | default | meaning |\n|---|---|---|---|---|---|");
    last = key->section;
    printf("| `%s` | %s | %s | %s | %s%s%s | %s |\n", key->name, scree_key_kind_name((ScreeKeyId)i), key->unit,
           key->limits, key->preset && *key->preset ? "`" : "", !key->preset ? "needed" : key->preset,
           key->preset && *key->preset ? "`" : "", key->help);
  }
  if (json && found)
    json_print(array);
  else
    json_decref(array);
  return found ? EXIT_DONE : misuse(verb, "the format has no section \"%.40s\" (scree check --keys shows all)", only);
}

/* ---- what the scene holds --------------------------------------------------------------------------------------- */

typedef struct Check {
  const ScreeScene *scene;
  const char *file;
  ScreeWorld *world;
  ScreeGrain *grain; /* as they start */
  size_t *placed;    /* of each group */
  Count all, *of;    /* of each material */
  ForecastCase forecast;
  double steps, log_every;
  RunTime time;
  Softer softer;
  double rounding; /* of the forces on the grains that feel it most, over what matters to them */
  char *reason;
  char *fails; /* what the engine says of the first steps; NULL: they pass */
  ScreeLeak leak[SCREE_SCENE_LEAKS];
  size_t leaks;
  char *stops; /* why the run will stop later on; NULL: nothing is foreseen */
} Check;

static void widen(Radii *radii, double low, double high) {
  radii->low = fmin(radii->low, low);
  radii->high = fmax(radii->high, high);
}

static void count_grain(Count *c, const ScreeGrain *g, double density) {
  c->grains++;
  c->fixed += g->fixed;
  c->mass += 4.0 / 3.0 * acos(-1.0) * g->radius * g->radius * g->radius * density;
  c->smallest = c->grains == 1 ? g->radius : fmin(c->smallest, g->radius);
  c->largest = fmax(c->largest, g->radius);
  widen(g->fixed ? &c->held : &c->moving, g->radius, g->radius);
}

/* Radii that streams may bring count too. */
static void count_stream(Count *c, const ScreeSizes *sizes) {
  bool none = c->grains == 0 && !c->comes;
  double low = scree_sizes_smallest(sizes), high = scree_sizes_largest(sizes);
  c->smallest = none ? low : fmin(c->smallest, low);
  c->largest = none ? high : fmax(c->largest, high);
  c->comes = true;
  widen(&c->moving, low, high);
}

static ScreeStatus build(Check *c, ScreeFault *fault) {
  size_t count = 0;
  c->placed = checked_alloc(c->scene->particles.count, sizeof *c->placed);
  ScreeStatus status = scree_scene_place(c->scene, &c->grain, &count, c->placed, fault);
  if (status != SCREE_OK) return status;
  int threads = scree_scene_threads_for(c->scene, 0, default_threads(), count);
  return scree_scene_build_grains(c->scene, threads, c->grain, count, &c->world, fault);
}

static void count_grains(Check *c) {
  size_t count = scree_world_count(c->world);
  c->of = checked_alloc(c->scene->materials.count, sizeof *c->of);
  for (size_t i = 0; i < c->scene->materials.count; i++) c->of[i].moving = c->of[i].held = (Radii){INFINITY, -INFINITY};
  for (size_t i = 0; i < count; i++) {
    size_t material = (size_t)c->grain[i].material;
    double density = scree_scene_material(c->scene, material)->material.density;
    count_grain(&c->all, &c->grain[i], density);
    count_grain(&c->of[material], &c->grain[i], density);
  }
  const ScreeSceneParticles *stream;
  for (size_t i = 0; (stream = scree_scene_stream(c->scene, i)); i++) {
    ScreeSizes sizes = scree_scene_sizes(&stream->radius);
    count_stream(&c->all, &sizes);
    count_stream(&c->of[stream->material_id], &sizes);
  }
}

#define TRIED_SECONDS 0.5
#define TRIED_STEPS 300.0

/* A few hundred steps, half a second at most. The engine's complaint is the scene's own. */
static void try_first_steps(Check *c) {
  double start = wall_clock(), done = 0;
  while (done < fmin(TRIED_STEPS, c->steps) && wall_clock() - start < TRIED_SECONDS && !c->fails) {
    double steps = fmin(10, c->steps - done);
    if (scree_world_step(c->world, (long)steps) != SCREE_OK) c->fails = name_materials(c->scene, scree_last_error());
    done += steps;
  }
}

/* The material with most grains, those to come first: its law is the one that costs. */
static int main_material(const Check *c) {
  size_t most = 0;
  for (size_t i = 1; i < c->scene->materials.count; i++) {
    const Count *a = &c->of[i], *b = &c->of[most];
    if (a->comes != b->comes ? a->comes : a->grains - a->fixed > b->grains - b->fixed) most = i;
  }
  return (int)most;
}

static json_t *vector_json(const double *v) {
  json_t *array = json_array();
  for (int k = 0; k < 3; k++) json_array_append_new(array, json_number(v[k]));
  return array;
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static const char *const wall_names[] = {"plane", "box", "cylinder", "sphere", "cone", "disc", "mesh"};

static void print_materials(const Check *c) {
  Table *t = table_new("lrrrrrr");
  const char *const heading[] = {"material", "young [Pa]", "poisson", "density", "grains", "mass [kg]", "radius"};
  for (int i = 0; i < 7; i++) table_cell(t, "%s", heading[i]);
  for (size_t i = 0; i < c->scene->materials.count; i++) {
    const ScreeSceneMaterial *m = scree_scene_material(c->scene, i);
    const Count *n = &c->of[i];
    table_cell(t, "%s", m->item.name);
    table_number(t, m->material.young, 6);
    table_number(t, m->material.poisson, 6);
    table_number(t, m->material.density, 6);
    table_cell(t, "%zu", n->grains);
    table_number(t, n->grains ? n->mass : NAN, 5);
    const ScreePrefix prefix = scree_prefix(n->smallest, "m");
    if (has_grains(n))
      table_cell(t, "%.4g ... %.4g %s", n->smallest * prefix.factor, n->largest * prefix.factor, prefix.unit);
    else
      table_cell(t, "-");
  }
  table_print(t);
}

/* The restitution of a head-on impact of two grains of the mean radius, or of one on a wall, at the expected speed when
 * the force is kept from pulling, as in a run: the laboratory's answer. NaN: it has none. */
static double delivered(const Check *c, size_t a, size_t b) {
  const ScreeContactDef *d = &scree_scene_contact_of(c->scene, (int)a, (int)b)->def;
  ScreeImpactDef def = scree_impact_def_default(d->normal);
  ScreeImpactResult result;
  bool wall = !has_grains(&c->of[a]) || !has_grains(&c->of[b]);
  size_t first = has_grains(&c->of[a]) ? a : b, second = first == a ? b : a;
  double r = 0.5 * (c->all.smallest + c->all.largest);
  def.pair = d->pair;
  if (isnan(def.pair.min_speed)) def.pair.min_speed = scree_pair_def_default().min_speed;
  def.pair.geometry = wall ? SCREE_SPHERE_PLANE : SCREE_SPHERE_SPHERE;
  def.pair.radius[0] = r, def.pair.radius[1] = wall ? NAN : r;
  def.pair.material[0] = scree_scene_material(c->scene, first)->material;
  def.pair.material[1] = scree_scene_material(c->scene, second)->material;
  def.pair.speed = scree_world_expected_speed(c->world);
  def.separation = SCREE_CLAMPED;
  def.calibrated = d->calibrated;
  return scree_impact_run(&def, &result) == SCREE_OK ? result.restitution : NAN;
}

/* Is what a pair delivers another restitution than it was asked for? */
#define DIFFERENT 0.001
static bool differs(const ScreeContactDef *d, double achieved) {
  return fabs(achieved - d->pair.restitution) > DIFFERENT; /* false where either is NaN */
}

static void print_contact(Table *t, const ScreeSceneContact *contact, const char *a, const char *b, double achieved) {
  static const char *const rolling[] = {"", " constant", " viscous", ""};
  const ScreeContactDef *d = &contact->def;
  table_cell(t, "%s - %s", a, b);
  table_cell(t, "%s%s", scree_law_info(d->normal)->name, d->calibrated ? " (calibrated)" : "");
  table_number(t, d->pair.restitution, 4);
  table_cell(t, "%s%s", differs(d, achieved) ? "* " : "", number_text(achieved, 4).text);
  table_cell(t, "%s", d->tangential == SCREE_LAW_NONE ? "none" : scree_law_info(d->tangential)->name);
  table_number(t, d->tangential == SCREE_LAW_NONE ? NAN : d->pair.param[SCREE_PARAM_mu], 4);
  if (d->rolling_model == SCREE_ROLLING_NONE)
    table_cell(t, "-");
  else
    table_cell(t, "%.4g%s", d->rolling, rolling[d->rolling_model]);
  table_number(t, d->twisting > 0 ? d->twisting : NAN, 4);
}

/* Pairs that can meet: a wall never meets a wall. */
static bool can_meet(const Check *c, size_t a, size_t b) { return has_grains(&c->of[a]) || has_grains(&c->of[b]); }

static void print_contacts(const Check *c) {
  const ScreeScene *s = c->scene;
  Table *t = table_new("llrrlrlr");
  const char *const heading[] = {"contact",    "normal",   "e asked", "delivered",
                                 "tangential", "friction", "rolling", "twisting"};
  for (int i = 0; i < 8; i++) table_cell(t, "%s", heading[i]);
  bool any = false;
  for (size_t a = 0; a < s->materials.count; a++)
    for (size_t b = a; b < s->materials.count; b++) {
      if (!can_meet(c, a, b)) continue;
      const ScreeSceneContact *contact = scree_scene_contact_of(s, (int)a, (int)b);
      double achieved = delivered(c, a, b);
      any = any || differs(&contact->def, achieved);
      print_contact(t, contact, scree_scene_material(s, a)->item.name, scree_scene_material(s, b)->item.name, achieved);
    }
  table_print(t);
  if (any)
    print_wrapped(
        "* ", 2,
        "not what is asked, in a head-on impact at the expected speed whose force is kept from pulling, as in "
        "a run; `calibrated: yes` in the contact delivers it");
}

/* "glass of 2 mm", "a wall of steel" */
static void side_text(const Check *c, size_t material, const Forecast *f, int side, char *text, size_t size) {
  const char *name = scree_scene_material(c->scene, material)->item.name;
  const ScreeQuantity length = scree_quantity(f->radius[side], "m", 4);
  if (isnan(f->radius[side]))
    snprintf(text, size, "a wall of %.60s", name);
  else
    snprintf(text, size, "%s%.60s of radius %.40s", f->fixed[side] ? "fixed " : "", name, length.text);
}

static void print_too_deep(const Check *c, size_t a, size_t b, const Forecast *deep) {
  char first[128], second[128], speed[128] = "as expected", larger[64] = "";
  double factor = forecast_stiffer(&c->forecast, a, b, deep);
  side_text(c, a, deep, 0, first, sizeof first);
  side_text(c, b, deep, 1, second, sizeof second);
  if (deep->at.from != FORECAST_EXPECTED)
    snprintf(speed, sizeof speed, "after a fall of %.3g m from %.60s", deep->at.height,
             deep->at.from >= 0 ? stream_name(c->scene, (size_t)deep->at.from) : "the start");
  double enough = ceil(100 * deep->overlap / FORECAST_CLOSE) / 100;
  bool beyond = deep->overlap > c->scene->max_overlap;
  if (enough <= 0.5) snprintf(larger, sizeof larger, "max_overlap: %.2g", enough);
  printf(
      "\nnote: %s and %s that meet at %.3g m/s (%s) overlap by %.2g of the smaller radius, %s max_overlap (%.3g): the "
      "run %s",
      first, second, deep->at.speed, speed, deep->overlap, beyond ? "more than" : "close to", c->scene->max_overlap,
      beyond ? "would stop there" : "may stop there, with a little more load than that of the impact");
  if (!isnan(factor))
    printf("; materials %.2g times as stiff%s%s would pass", factor, *larger ? ", or " : "", larger);
  else if (*larger)
    printf("; %s would pass", larger);
  puts("");
}

/* Less is within what the time step allows for: contacts last as long as the fifth root of the speed is small. */
#define FASTER 2

static void print_forecast(const Check *c) {
  for (size_t a = 0; a < c->scene->materials.count; a++)
    for (size_t b = a; b < c->scene->materials.count; b++) {
      if (!can_meet(c, a, b)) continue;
      Forecast deep = forecast_pair(&c->forecast, a, b);
      if (deep.overlap > FORECAST_CLOSE * c->scene->max_overlap) print_too_deep(c, a, b, &deep);
    }
  for (size_t i = 0; scree_scene_stream(c->scene, i); i++) {
    Approach fall = forecast_fall(&c->forecast, i);
    if (fall.speed > FASTER * c->forecast.expected_speed)
      printf("\nnote: grains of %s reach %.3g m/s in a fall of %.3g m, faster than the expected %.3g m/s that the time "
             "step is chosen for: expected_speed: %.2g m/s would fit\n",
             stream_name(c->scene, i), fall.speed, fall.height, c->forecast.expected_speed, 1.05 * fall.speed);
  }
}

static void print_motions(const ScreeSceneWall *w) {
  char text[400];
  for (size_t i = 0; i < w->motions.count; i++) {
    scree_motion_text((const ScreeSceneMotion *)w->motions.at + i, text, sizeof text);
    print_wrapped("              ", 14, text);
  }
  if (!isnan(w->insert_at)) printf("              inserted at %s\n", scree_quantity(w->insert_at, "s", 6).text);
  if (!isnan(w->remove_at)) printf("              removed at %s\n", scree_quantity(w->remove_at, "s", 6).text);
}

static void print_mesh(const ScreeSceneWall *w, const ScreeSceneDomain *d) {
  const ScreeTriangles *t = &w->mesh.triangles;
  printf("              %s\n", w->mesh.file);
  printf("              %zu triangles, %.6g m2, in %s\n", t->triangles, t->area,
         scree_box_text(t->low, t->high, "m", 6).text);
  printf("              %zu vertices after welding %zu corners; %zu open edges, %zu of more than two triangles\n",
         t->vertices, t->welded, t->open, t->crossed);
  if (t->flat + t->twice > 0)
    printf("              left out: %zu triangles without area, %zu that are there twice\n", t->flat, t->twice);
  if (w->mesh.rims->flipped > 0)
    printf("              %zu edges between triangles whose corners run opposite ways: grains do not mind\n",
           w->mesh.rims->flipped);
  print_rims(w->mesh.rims);
  bool apart = false, large = false;
  for (int k = 0; k < 3; k++) {
    apart = apart || t->low[k] > d->high[k] || t->high[k] < d->low[k];
    large = large || t->high[k] - t->low[k] > 4 * (d->high[k] - d->low[k]);
  }
  if (apart || large) printf("              note: it lies far beyond the domain; is its scale right?\n");
}

static void print_walls(const Check *c) {
  const ScreeScene *s = c->scene;
  for (size_t i = 0; i < s->walls.count; i++) {
    const ScreeSceneWall *w = scree_scene_wall(s, i);
    printf("wall        %s%s%s of %s\n", w->name ? w->name : "", w->name ? ": " : "", wall_names[w->def.shape],
           w->material);
    if (w->mesh.mesh) print_mesh(w, &c->scene->domain);
    print_motions(w);
  }
  if (s->walls.count == 0) puts("wall        none");
}

static const char *const region_names[] = {"box", "cylinder", "sphere", "disc", "all beyond a plane"};

static void print_flows(const Check *c) {
  const ScreeScene *s = c->scene;
  const ScreeSceneParticles *group;
  for (size_t i = 0; (group = scree_scene_stream(s, i)); i++) {
    ScreeStreamDef d = scree_scene_stream_def(group);
    double speed = sqrt(d.velocity[0] * d.velocity[0] + d.velocity[1] * d.velocity[1] + d.velocity[2] * d.velocity[2]);
    bool by_mass = !isnan(d.mass_rate);
    printf("stream      %s: %.6g %s of %s at %.4g m/s in a %s, from %s", stream_name(s, i),
           by_mass ? d.mass_rate : d.number_rate, by_mass ? "kg/s" : "grains/s", group->material, speed,
           region_names[d.region.shape], scree_quantity(d.from, "s", 6).text);
    if (isfinite(d.until)) printf(" until %s", scree_quantity(d.until, "s", 6).text);
    if (isfinite(d.count)) printf(", %.0f grains in all", d.count);
    if (isfinite(d.mass)) printf(", %.6g kg in all", d.mass);
    puts("");
  }
  for (size_t i = 0; i < s->outlets.count; i++) {
    ScreeRegion region = scree_shape_region(&scree_scene_outlet(s, i)->shape);
    char *opening = opening_text(s, scree_scene_outlet(s, i));
    printf("outlet      %s: %s%s%s\n", outlet_name(s, i), region_names[region.shape], opening ? ", through " : "",
           opening ? opening : "");
    free(opening);
  }
}

/* "5.0 mm", "4.9 x 4.9 x 5.1 mm" */
static void three_lengths(const double *v, char *text, size_t size) {
  bool same = fabs(v[1] - v[0]) <= 1e-3 * v[0] && fabs(v[2] - v[0]) <= 1e-3 * v[0];
  ScreePrefix metres = scree_prefix(fmax(v[0], fmax(v[1], v[2])), "m");
  if (same)
    snprintf(text, size, "%s", scree_quantity(v[0], "m", 4).text);
  else
    snprintf(text, size, "%.4g x %.4g x %.4g %s", metres.factor * v[0], metres.factor * v[1], metres.factor * v[2],
             metres.unit);
}

static void print_lattices(const Check *c) {
  for (size_t i = 0; i < c->scene->particles.count; i++) {
    const ScreeSceneParticles *group = scree_scene_particles(c->scene, i);
    if (group->form != SCREE_KEY_particles_lattice) continue;
    ScreeLatticePlan l = scree_scene_lattice(c->scene, group);
    char step[80], jitter[80];
    three_lengths(l.step, step, sizeof step), three_lengths(l.jitter, jitter, sizeof jitter);
    bool shaken = l.jitter[0] + l.jitter[1] + l.jitter[2] > 0;
    char *text = checked_format("%zu grains of %s on %.0f x %.0f x %.0f places, %s apart, %s%s", c->placed[i],
                                group->material, l.used[0], l.used[1], l.used[2], step,
                                shaken ? "shifted by up to " : "in planes: without jitter", shaken ? jitter : "");
    print_wrapped("lattice     ", 12, text);
    free(text);
  }
}

static json_t *lattices_json(const Check *c) {
  json_t *array = json_array();
  for (size_t i = 0; i < c->scene->particles.count; i++) {
    const ScreeSceneParticles *group = scree_scene_particles(c->scene, i);
    if (group->form != SCREE_KEY_particles_lattice) continue;
    ScreeLatticePlan l = scree_scene_lattice(c->scene, group);
    json_array_append_new(array, json_pack("{s:i, s:I, s:o, s:o, s:o}", "group", (int)i, "particles",
                                           (json_int_t)c->placed[i], "places", vector_json(l.used), "spacing",
                                           vector_json(l.step), "jitter", vector_json(l.jitter)));
  }
  return array;
}

/* A number of grains that may be none. */
static double per_grain(const Check *c, double value) { return c->all.grains ? value / (double)c->all.grains : NAN; }

static void print_memory(const Check *c) {
  double bytes = (double)scree_world_bytes(c->world);
  printf("memory      %.3g MB", 1e-6 * bytes);
  printf(c->all.grains ? ", %.0f bytes per grain" : " without grains", per_grain(c, bytes));
  double packed = c->time.packed_bytes,
         total = (double)c->all.grains + (c->all.comes ? scree_scene_arrivals(c->scene) : 0);
  if (packed > bytes)
    printf("; about %.2g MB, %.0f bytes per grain, when %s lie close", 1e-6 * packed, packed / total,
           c->all.comes ? "all have come and" : "they");
  puts("");
}

static void print_overlap(const Check *c) {
  Forecast worst = {.overlap = NAN};
  for (size_t a = 0; a < c->scene->materials.count; a++)
    for (size_t b = a; b < c->scene->materials.count; b++) {
      if (!can_meet(c, a, b)) continue;
      Forecast deep = forecast_pair(&c->forecast, a, b);
      if (isnan(worst.overlap) || deep.overlap > worst.overlap) worst = deep;
    }
  if (isnan(worst.overlap))
    printf("overlap     unknown; the run stops beyond %.3g of the smaller radius\n", c->scene->max_overlap);
  else
    printf("overlap     %.2g of the smaller radius in the deepest impact forecast, at %.3g m/s; the run stops beyond "
           "%.3g\n",
           worst.overlap, worst.at.speed, c->scene->max_overlap);
}

static void print_duration(const Check *c) {
  const ScreeSceneRun *r = &c->scene->run;
  char *step = checked_format("%s: %s", scree_quantity(scree_world_timestep(c->world), "s", 6).text, c->reason);
  print_wrapped("time step   ", 12, step);
  free(step);
  printf("run         %s, %.0f steps, a line of the log every %s\n", scree_quantity(r->duration, "s", 6).text, c->steps,
         scree_quantity(c->log_every, "s", 4).text);
  print_overlap(c);
  print_memory(c);
  print_run_time(&c->time, c->world, c->fails);
}

static void print_text(const Check *c) {
  const ScreeScene *s = c->scene;
  print_heading("%s: %s", c->file, s->title ? s->title : "no title");
  printf("grains      %zu", c->all.grains);
  if (c->all.fixed) printf(", of them %zu fixed", c->all.fixed);
  printf("; %.5g kg; radii %s ... %s", c->all.mass, scree_quantity(c->all.smallest, "m", 4).text,
         scree_quantity(c->all.largest, "m", 4).text);
  if (c->all.comes) printf("; about %.4g to come", scree_scene_arrivals(s));
  puts("");
  printf("domain      %s", scree_box_text(s->domain.low, s->domain.high, "m", 6).text);
  const bool *p = s->domain.periodic;
  if (p[0] || p[1] || p[2]) printf(", periodic in%s%s%s", p[0] ? " x" : "", p[1] ? " y" : "", p[2] ? " z" : "");
  puts(s->domain.outside == SCREE_OUTSIDE_REMOVE ? "; grains that leave are removed" : "");
  printf("gravity     [%.6g, %.6g, %.6g] m/s2\n", s->gravity[0], s->gravity[1], s->gravity[2]);
  print_walls(c);
  print_lattices(c);
  print_flows(c);
  print_duration(c);
  puts("");
  print_materials(c);
  puts("");
  print_contacts(c);
  print_forecast(c);
  if (c->softer.factor > 1) print_softer(c->scene, &c->time, &c->softer);
}

/* ---- will it stop? ---------------------------------------------------------------------------------------------- */

/* The first pair of materials whose impacts after a fall would go deeper than the run allows. Speeds that are only
 * expected foresee nothing. */
static char *stop_of_impacts(const Check *c) {
  for (size_t a = 0; a < c->scene->materials.count; a++)
    for (size_t b = a; b < c->scene->materials.count; b++) {
      if (!can_meet(c, a, b)) continue;
      Forecast deep = forecast_pair(&c->forecast, a, b);
      if (deep.at.from != FORECAST_EXPECTED && deep.overlap > c->scene->max_overlap)
        return checked_format("%s and %s that meet at %.3g m/s after a fall of %.3g m overlap by %.2g of the smaller "
                              "radius, more than max_overlap (%.3g)",
                              scree_scene_material(c->scene, a)->item.name,
                              scree_scene_material(c->scene, b)->item.name, deep.at.speed, deep.at.height, deep.overlap,
                              c->scene->max_overlap);
    }
  return NULL;
}

/* The rehearsal is the scene itself but for longer steps and softer materials, by which its overlaps are corrected. As
 * far as it came it knows better than the laboratory, which looks at the worst that two grains can do. */
static void foresee_stop(Check *c) {
  const Rehearsal *r = &c->time.rehearsal;
  if (c->time.rehearsed && r->overlap > c->scene->max_overlap)
    c->stops = checked_format("in a rehearsal of %.3g s a contact was as deep as %.2g of the smaller radius, more than "
                              "max_overlap (%.3g)",
                              r->covered, r->overlap, c->scene->max_overlap);
  else if (c->time.rehearsed && r->stopped && strstr(r->stopped, "left the domain"))
    c->stops = checked_format("in a rehearsal, after %.3g s, %s", r->covered, strchr(r->stopped, ':') + 2);
  else if (!c->time.rehearsed || !r->settled)
    c->stops = stop_of_impacts(c);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static json_t *materials_json(const Check *c) {
  json_t *array = json_array();
  for (size_t i = 0; i < c->scene->materials.count; i++) {
    const ScreeSceneMaterial *m = scree_scene_material(c->scene, i);
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(m->item.name));
    json_put(object, "young", m->material.young);
    json_put(object, "poisson", m->material.poisson);
    json_put(object, "density", m->material.density);
    json_object_set_new(object, "particles", json_integer((json_int_t)c->of[i].grains));
    json_put(object, "mass", c->of[i].mass);
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *contact_json(const ScreeSceneContact *contact, const char *a, const char *b, double achieved,
                            const Forecast *deep) {
  static const char *const rolling[] = {"none", "constant", "viscous", "spring"};
  const ScreeContactDef *d = &contact->def;
  json_t *object = json_object();
  json_object_set_new(object, "materials", json_pack("[s, s]", a, b));
  json_object_set_new(object, "normal", json_string(scree_law_info(d->normal)->name));
  json_object_set_new(object, "tangential",
                      json_string(d->tangential == SCREE_LAW_NONE ? "none" : scree_law_info(d->tangential)->name));
  json_put(object, "restitution", d->pair.restitution);
  json_put(object, "restitution_delivered", achieved);
  json_object_set_new(object, "restitution_differs", json_boolean(differs(d, achieved)));
  json_put(object, "impact_overlap", deep->overlap);
  json_put(object, "impact_speed", deep->at.speed);
  json_object_set_new(object, "impact_radii",
                      json_pack("[o, o]", json_number(deep->radius[0]), json_number(deep->radius[1])));
  json_put(object, "friction", d->tangential == SCREE_LAW_NONE ? NAN : d->pair.param[SCREE_PARAM_mu]);
  json_object_set_new(object, "rolling_model", json_string(rolling[d->rolling_model]));
  json_put(object, "rolling", d->rolling);
  json_put(object, "twisting", d->twisting);
  json_object_set_new(object, "calibrated", json_boolean(d->calibrated));
  return object;
}

static json_t *contacts_json(const Check *c) {
  const ScreeScene *s = c->scene;
  json_t *array = json_array();
  for (size_t a = 0; a < s->materials.count; a++)
    for (size_t b = a; b < s->materials.count; b++) {
      if (!can_meet(c, a, b)) continue;
      Forecast deep = forecast_pair(&c->forecast, a, b);
      json_array_append_new(array, contact_json(scree_scene_contact_of(s, (int)a, (int)b),
                                                scree_scene_material(s, a)->item.name,
                                                scree_scene_material(s, b)->item.name, delivered(c, a, b), &deep));
    }
  return array;
}

static json_t *motions_json(const ScreeSceneWall *w) {
  json_t *array = json_array();
  char text[400];
  for (size_t i = 0; i < w->motions.count; i++) {
    scree_motion_text((const ScreeSceneMotion *)w->motions.at + i, text, sizeof text);
    json_array_append_new(array, json_string(text));
  }
  return array;
}

static json_t *mesh_json(const ScreeSceneWall *w) {
  const ScreeTriangles *t = &w->mesh.triangles;
  json_t *object = json_object();
  if (!w->mesh.mesh) return json_decref(object), json_null();
  json_object_set_new(object, "file", json_string(w->mesh.file));
  json_object_set_new(object, "triangles", json_integer((json_int_t)t->triangles));
  json_object_set_new(object, "vertices", json_integer((json_int_t)t->vertices));
  json_object_set_new(object, "welded", json_integer((json_int_t)t->welded));
  json_object_set_new(object, "flat", json_integer((json_int_t)t->flat));
  json_object_set_new(object, "twice", json_integer((json_int_t)t->twice));
  json_object_set_new(object, "open_edges", json_integer((json_int_t)t->open));
  json_object_set_new(object, "crossed_edges", json_integer((json_int_t)t->crossed));
  json_put(object, "area", t->area);
  json_object_set_new(object, "low", vector_json(t->low));
  json_object_set_new(object, "high", vector_json(t->high));
  rims_json(object, w->mesh.rims);
  return object;
}

static json_t *walls_json(const Check *c) {
  json_t *array = json_array();
  for (size_t i = 0; i < c->scene->walls.count; i++) {
    const ScreeSceneWall *w = scree_scene_wall(c->scene, i);
    json_t *object = json_object();
    json_object_set_new(object, "name", json_text(w->name));
    json_object_set_new(object, "shape", json_string(wall_names[w->def.shape]));
    json_object_set_new(object, "material", json_string(w->material));
    json_object_set_new(object, "mesh", mesh_json(w));
    json_object_set_new(object, "motions", motions_json(w));
    json_put(object, "insert_at", w->insert_at);
    json_put(object, "remove_at", w->remove_at);
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *streams_json(const ScreeScene *s) {
  json_t *array = json_array();
  const ScreeSceneParticles *group;
  for (size_t i = 0; (group = scree_scene_stream(s, i)); i++) {
    ScreeStreamDef d = scree_scene_stream_def(group);
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(stream_name(s, i)));
    json_object_set_new(object, "material", json_string(group->material));
    json_object_set_new(object, "shape", json_string(region_names[d.region.shape]));
    json_put(object, "rate", isnan(d.mass_rate) ? d.number_rate : d.mass_rate);
    json_object_set_new(object, "unit", json_string(isnan(d.mass_rate) ? "1/s" : "kg/s"));
    json_put(object, "from", d.from);
    json_put(object, "until", isfinite(d.until) ? d.until : NAN);
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *outlets_json(const ScreeScene *s) {
  json_t *array = json_array();
  for (size_t i = 0; i < s->outlets.count; i++) {
    ScreeRegion region = scree_shape_region(&scree_scene_outlet(s, i)->shape);
    char *opening = opening_text(s, scree_scene_outlet(s, i));
    json_array_append_new(array, json_pack("{s:s, s:s, s:o}", "name", outlet_name(s, i), "shape",
                                           region_names[region.shape], "through", json_text(opening)));
    free(opening);
  }
  return array;
}

/* The sentences that are warnings on standard error. */
static json_t *leaks_json(const Check *c) {
  json_t *array = json_array();
  for (size_t i = 0; i < c->leaks; i++) {
    const ScreeLeak *l = &c->leak[i];
    json_t *object = json_object();
    json_object_set_new(object, "particles", json_integer((json_int_t)l->group));
    json_object_set_new(object, "wall", json_integer((json_int_t)l->wall));
    json_object_set_new(object, "rim", l->rim ? json_integer((json_int_t)l->rim) : json_null());
    json_object_set_new(object, "sides",
                        l->rim ? json_null() : json_pack("[I, I]", (json_int_t)l->grains[0], (json_int_t)l->grains[1]));
    json_object_set_new(object, "sentence", json_string(l->fault.sentence));
    json_array_append_new(array, object);
  }
  return array;
}

static void print_json(const Check *c) {
  const ScreeScene *s = c->scene;
  json_t *object = json_object();
  json_object_set_new(object, "scene", json_text(c->file));
  json_object_set_new(object, "title", json_text(s->title));
  json_object_set_new(object, "particles", json_integer((json_int_t)c->all.grains));
  json_object_set_new(object, "fixed", json_integer((json_int_t)c->all.fixed));
  json_put(object, "mass", c->all.mass);
  json_put(object, "radius_min", c->all.smallest);
  json_put(object, "radius_max", c->all.largest);
  json_object_set_new(object, "gravity", vector_json(s->gravity));
  json_object_set_new(object, "domain",
                      json_pack("{s:o, s:o, s:[b, b, b], s:s}", "low", vector_json(s->domain.low), "high",
                                vector_json(s->domain.high), "periodic", s->domain.periodic[0], s->domain.periodic[1],
                                s->domain.periodic[2], "outside",
                                s->domain.outside == SCREE_OUTSIDE_REMOVE ? "remove" : "stop"));
  json_object_set_new(object, "materials", materials_json(c));
  json_object_set_new(object, "contacts", contacts_json(c));
  json_object_set_new(object, "walls", walls_json(c));
  json_object_set_new(object, "lattices", lattices_json(c));
  json_object_set_new(object, "streams", streams_json(s));
  json_object_set_new(object, "outlets", outlets_json(s));
  json_object_set_new(object, "leaks", leaks_json(c));
  json_put(object, "arrivals", scree_scene_arrivals(s));
  json_put(object, "timestep", scree_world_timestep(c->world));
  json_object_set_new(object, "timestep_reason", json_string(c->reason));
  json_put(object, "duration", s->run.duration);
  json_object_set_new(object, "steps", json_integer((json_int_t)c->steps));
  json_put(object, "log_every", c->log_every);
  json_object_set_new(object, "bytes", json_integer((json_int_t)scree_world_bytes(c->world)));
  json_put(object, "bytes_per_particle", per_grain(c, (double)scree_world_bytes(c->world)));
  put_run_time(object, &c->time);
  put_softer(object, &c->softer);
  json_put(object, "rounding", c->rounding);
  json_object_set_new(object, "stops", json_text(c->stops));
  json_object_set_new(object, "fails", json_text(c->fails));
  json_print(object);
}

/* ---- the verb --------------------------------------------------------------------------------------------------- */

#define WORTH_SOFTENING 600 /* s */

static int check(const CheckOptions *o, const ScreeScene *scene) {
  Check c = {.scene = scene, .file = o->scene.file, .softer.factor = 1};
  ScreeFault fault;
  show_hints(verb, scene);
  ScreeStatus built = build(&c, &fault);
  if (built != SCREE_OK) {
    free(c.placed), free(c.grain);
    return show_fault(verb, built, &fault);
  }
  c.steps = run_steps(scene, scree_world_timestep(c.world));
  c.log_every = log_interval(scene);
  c.reason = name_materials(scene, scree_world_timestep_reason(c.world));
  int status = EXIT_DONE;
  c.rounding = warn_of_rounding(verb, scene, c.world);
  c.leaks = warn_leaks(verb, scene, c.world, c.leak);
  count_grains(&c);
  c.forecast = forecast_prepare(scene, c.world, c.grain, c.of);
  if (!(c.steps <= 1e15))
    status = misuse(verb, "%.3g steps are too many: shorten run.duration", c.steps);
  else {
    c.time = run_time(scene, c.world, c.grain, main_material(&c), &c.all);
    if (c.time.high > WORTH_SOFTENING) c.softer = softer_grains(&c.forecast, c.world, c.grain);
    try_first_steps(&c);
    foresee_stop(&c);
    (o->json ? print_json : print_text)(&c);
    if (c.fails) status = failure(verb, "the first steps fail: %s", c.fails);
    if (c.stops && !c.fails) status = failure(verb, "the run will stop: %s", c.stops);
  }
  scree_world_destroy(c.world);
  forecast_free(&c.forecast);
  free(c.grain), free(c.placed), free(c.of), free(c.reason), free(c.fails), free(c.stops);
  run_time_free(&c.time);
  return status;
}

int verb_check(int argc, char **argv) {
  CheckOptions o = {0};
  const struct argp_child children[] = {{scene_argp(), 0, NULL, 0}, {0}};
  const struct argp argp = {own_options, parse, "SCENE", doc, children, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  int status = EXIT_MISUSE;
  ScreeScene *scene = NULL;
  if (o.keys)
    status = print_keys(o.scene.path, o.json);
  else if (open_scene(verb, &o.scene, &scene, &status))
    status = check(&o, scene);
  scree_scene_free(scene);
  close_scene_options(&o.scene);
  return status;
}
