/* run_flow.c: see run_flow.h. */
#include "cli.h"

#include "core/sizes.h"
#include "io/digits.h"
#include "output.h"
#include "rims.h"
#include "run_flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t stream_count(const ScreeScene *scene) {
  size_t count = 0;
  while (scree_scene_stream(scene, count)) count++;
  return count;
}

static const char *name_of(const char *own, const char *kind, size_t number) {
  static char name[40];
  snprintf(name, sizeof name, "%s_%zu", kind, number);
  return own ? own : name;
}

const char *stream_name(const ScreeScene *scene, size_t stream) {
  return name_of(scree_scene_stream(scene, stream)->stream.name, "stream", stream);
}

const char *outlet_name(const ScreeScene *scene, size_t outlet) {
  return name_of(scree_scene_outlet(scene, outlet)->name, "outlet", outlet);
}

/* ---- reading the world ---- */

/* Outlets, then the sides of the domain. */
static ScreeFlow flow_out(const ScreeScene *scene, const ScreeWorld *world, size_t outlet) {
  ScreeFlow flow = {0};
  scree_world_outlet_flow(world, outlet < scene->outlets.count ? (int)outlet : -1, &flow);
  return flow;
}

static bool has_opening(const ScreeScene *scene, size_t outlet) {
  return scree_scene_outlet(scene, outlet)->through.form != 0;
}

static ScreeFlow flow_past(const ScreeWorld *world, size_t outlet) {
  ScreeFlow flow = {0};
  scree_world_outlet_leak(world, (int)outlet, &flow);
  return flow;
}

static ScreeStreamFlow flow_in(const ScreeWorld *world, size_t stream) {
  ScreeStreamFlow flow = {0};
  scree_world_stream_flow(world, (int)stream, &flow);
  return flow;
}

static const char *unit_of(const ScreeScene *scene, size_t stream) {
  return isnan(scree_scene_stream(scene, stream)->stream.rate) ? "grains" : "kg";
}

/* More than its largest grain is missing: it wavers by half a grain as it should. */
static bool is_behind(const ScreeScene *scene, size_t stream, const ScreeStreamFlow *flow) {
  const ScreeSceneParticles *group = scree_scene_stream(scene, stream);
  double density = scree_scene_material(scene, (size_t)group->material_id)->material.density, grain = 1;
  if (!isnan(group->stream.rate)) {
    ScreeSizes sizes = scree_scene_sizes(&group->radius);
    grain = 4.0 / 3.0 * acos(-1.0) * pow(scree_sizes_largest(&sizes), 3.0) * density;
  }
  return flow->waits > 0 && flow->asked - flow->delivered > grain;
}

/* ---- flow.csv ---- */

void flow_start(FlowState *s, const ScreeScene *scene, const ScreeWorld *world, double time) {
  size_t ways = scene->outlets.count + 1;
  *s = (FlowState){.time = time,
                   .mass = checked_alloc(ways, sizeof *s->mass),
                   .behind = checked_alloc(stream_count(scene) + 1, sizeof *s->behind),
                   .leaks = checked_alloc(ways, sizeof *s->leaks)};
  for (size_t i = 0; i < ways; i++) s->mass[i] = flow_out(scene, world, i).mass;
}

void flow_end(FlowState *s) {
  free(s->mass), free(s->behind), free(s->leaks);
  *s = (FlowState){0};
}

static size_t packed_count(const ScreeScene *scene) { return 2 + 2 * scene->outlets.count + stream_count(scene); }

Blob flow_pack(const FlowState *s, const ScreeScene *scene) {
  size_t ways = scene->outlets.count + 1, count = packed_count(scene);
  double *number = checked_alloc(count, sizeof *number);
  number[0] = s->time;
  memcpy(number + 1, s->mass, ways * sizeof *number);
  double *told = number + 1 + ways;
  for (size_t i = 0; i < scene->outlets.count; i++) *told++ = s->leaks[i];
  for (size_t i = 0; i < stream_count(scene); i++) *told++ = s->behind[i];
  return (Blob){number, count * sizeof *number};
}

void flow_unpack(FlowState *s, const ScreeScene *scene, Blob bytes) {
  size_t ways = scene->outlets.count + 1, count = packed_count(scene);
  if (bytes.size != count * sizeof(double)) return;
  double *number = checked_alloc(count, sizeof *number);
  memcpy(number, bytes.data, bytes.size);
  s->time = number[0];
  memcpy(s->mass, number + 1, ways * sizeof *number);
  const double *told = number + 1 + ways;
  for (size_t i = 0; i < scene->outlets.count; i++) s->leaks[i] = *told++ != 0;
  for (size_t i = 0; i < stream_count(scene); i++) s->behind[i] = *told++ != 0;
  free(number);
}

/* A name as a column's: what would end it is an underscore. */
static void put_column(FILE *stream, const char *name, const char *what) {
  fputc(',', stream);
  for (; *name; name++) fputc(strchr(",;\"'\t ", *name) ? '_' : *name, stream);
  fprintf(stream, "_%s", what);
}

void flow_heading(FILE *stream, const ScreeScene *scene) {
  fputs("step,time,particles,inserted,inserted_mass,removed,removed_mass,brought_in,taken_out", stream);
  for (size_t i = 0; scree_scene_stream(scene, i); i++) {
    put_column(stream, stream_name(scene, i), "asked");
    put_column(stream, stream_name(scene, i), "delivered");
  }
  for (size_t i = 0; i <= scene->outlets.count; i++) {
    const char *name = i < scene->outlets.count ? outlet_name(scene, i) : "outside";
    put_column(stream, name, "particles");
    put_column(stream, name, "mass");
    put_column(stream, name, "mass_rate");
  }
  for (size_t i = 0; i < scene->outlets.count; i++) { /* last: what stands before keeps its place */
    if (!has_opening(scene, i)) continue;
    put_column(stream, outlet_name(scene, i), "leaked");
    put_column(stream, outlet_name(scene, i), "leaked_mass");
  }
  fputc('\n', stream);
}

void flow_line(FILE *stream, FlowState *s, const ScreeScene *scene, const ScreeWorld *world, const ScreeMeasure *m) {
  fprintf(stream, "%ld,%s,%zu,%zu,%s,%zu,", m->step, scree_digits(m->time).text, m->grains, m->inserted.grains,
          scree_digits(m->inserted.mass).text, m->removed.grains);
  scree_put_numbers(stream, (double[]){m->removed.mass, m->brought_in, m->taken_out}, 3);
  for (size_t i = 0; scree_scene_stream(scene, i); i++) {
    ScreeStreamFlow flow = flow_in(world, i);
    fputc(',', stream);
    scree_put_numbers(stream, (double[]){flow.asked, flow.delivered}, 2);
  }
  for (size_t i = 0; i <= scene->outlets.count; i++) {
    ScreeFlow flow = flow_out(scene, world, i);
    double rate = m->time > s->time ? (flow.mass - s->mass[i]) / (m->time - s->time) : 0;
    fprintf(stream, ",%zu,", flow.grains);
    scree_put_numbers(stream, (double[]){flow.mass, rate}, 2);
    s->mass[i] = flow.mass;
  }
  for (size_t i = 0; i < scene->outlets.count; i++) {
    ScreeFlow flow = flow_past(world, i);
    if (has_opening(scene, i)) fprintf(stream, ",%zu,%.17g", flow.grains, flow.mass);
  }
  fputc('\n', stream);
  s->time = m->time;
}

/* ---- streams that fall behind ---- */

static void print_behind(FILE *stream, const ScreeScene *scene, size_t i, const ScreeStreamFlow *flow) {
  fprintf(stream, "# stream %s is behind: %.6g of %.6g %s have come, the others found no free place in its region\n",
          stream_name(scene, i), flow->delivered, flow->asked, unit_of(scene, i));
}

/* "outlet drain: 3 grains, 0.002 kg, did not come through its opening (...)"; NULL: all did. The caller frees. */
static char *leak_sentence(const ScreeScene *scene, const ScreeWorld *world, size_t i) {
  ScreeFlow past = flow_past(world, i), out = flow_out(scene, world, i);
  if (past.grains == 0) return NULL;
  char *opening = opening_text(scene, scree_scene_outlet(scene, i));
  char *sentence =
      checked_format("outlet %s: %zu of %zu grains, %.4g kg, did not come through its opening (%s): they are "
                     "not in its discharge, but in leaked",
                     outlet_name(scene, i), past.grains, past.grains + out.grains, past.mass, opening);
  free(opening);
  return sentence;
}

static void warn_leaks_of(FILE *text, FILE *terminal, FlowState *s, const ScreeScene *scene, const ScreeWorld *world) {
  for (size_t i = 0; i < scene->outlets.count; i++) {
    char *sentence = s->leaks[i] ? NULL : leak_sentence(scene, world, i);
    if (sentence && text) fprintf(text, "# %s\n", sentence);
    if (sentence && terminal) fprintf(terminal, "# %s\n", sentence);
    s->leaks[i] = s->leaks[i] || sentence;
    free(sentence);
  }
}

void flow_warn_end(const char *verb, const ScreeScene *scene, const ScreeWorld *world) {
  for (size_t i = 0; i < scene->outlets.count; i++) {
    char *sentence = leak_sentence(scene, world, i);
    if (sentence) fprintf(stderr, "scree %s: warning: %s\n", verb, sentence);
    free(sentence);
  }
}

void flow_warn(FILE *text, FILE *terminal, FlowState *s, const ScreeScene *scene, const ScreeWorld *world) {
  warn_leaks_of(text, terminal, s, scene, world);
  for (size_t i = 0; scree_scene_stream(scene, i); i++) {
    ScreeStreamFlow flow = flow_in(world, i);
    bool behind = is_behind(scene, i, &flow);
    if (behind && !s->behind[i] && text) print_behind(text, scene, i, &flow);
    if (behind && !s->behind[i] && terminal) print_behind(terminal, scene, i, &flow);
    s->behind[i] = behind;
  }
}

/* ---- discharge ---- */

/* Least squares over the lines of flow.csv between a quarter and three quarters of what went through the outlet: kg/s;
 * NaN where there are too few. */
static double steady_rate(const char *folder, const ScreeScene *scene, const ScreeWorld *world, size_t outlet) {
  double all = flow_out(scene, world, outlet).mass, n = 0, t = 0, m = 0, tt = 0, tm = 0;
  size_t column = 9 + 2 * stream_count(scene) + 3 * outlet + 1; /* as flow_heading lays them */
  char *path = checked_format("%s/flow.csv", folder), *line = NULL;
  size_t room = 0;
  FILE *file = fopen(path, "r");
  free(path);
  while (file && checked_line(&line, &room, file)) {
    double time = NAN, mass = NAN;
    const char *cell = line;
    for (size_t c = 0; cell && c <= column; c++) {
      if (c == 1) time = strtod(cell, NULL);
      if (c == column) mass = strtod(cell, NULL);
      cell = strchr(cell, ',');
      if (cell) cell++;
    }
    if (!(mass >= 0.25 * all && mass <= 0.75 * all)) continue;
    n++, t += time, m += mass, tt += time * time, tm += time * mass;
  }
  if (file) fclose(file);
  free(line);
  return n >= 3 && all > 0 ? (n * tm - t * m) / (n * tt - t * t) : NAN;
}

/* Beverloo, Leniger & van de Velde 1961, with their constants: kg/s. */
static double beverloo(const ScreeScene *scene, const ScreeSceneOutlet *o) {
  double g = sqrt(scene->gravity[0] * scene->gravity[0] + scene->gravity[1] * scene->gravity[1] +
                  scene->gravity[2] * scene->gravity[2]);
  return 0.58 * o->bulk_density * sqrt(g) * pow(o->orifice - 1.4 * o->grain_diameter, 2.5);
}

/* In steeper cones grains slide along the walls, and flow faster than through a flat bottom. */
#define FLATTEST_CONE 44.5 /* degrees from the vertical: 45, and what a mesh of few triangles lacks */

/* Why the law is no measure of this outlet; "": it is one. */
static const char *no_beverloo(const ScreeScene *scene, size_t outlet, bool finished, char text[160]) {
  double degrees = scree_scene_outlet_angle(scene, outlet) * 180 / acos(-1.0);
  *text = '\0';
  if (!finished)
    snprintf(text, 160, "the run has not come to its end");
  else if (degrees < FLATTEST_CONE)
    snprintf(text, 160,
             "its cone of %.2g degrees from the vertical is steeper than the 45 degrees up to which it holds", degrees);
  return text;
}

static void print_discharge(const char *folder, const ScreeScene *scene, const ScreeWorld *world, size_t i,
                            bool finished) {
  const ScreeSceneOutlet *o = scree_scene_outlet(scene, i);
  char why[160];
  if (isnan(o->orifice)) return;
  double rate = steady_rate(folder, scene, world, i), law = beverloo(scene, o);
  printf("# outlet %s: ", outlet_name(scene, i));
  if (isnan(rate))
    printf("too little went through it for a rate");
  else
    printf("%.3g kg/s between a quarter and three quarters of what left", rate);
  if (*no_beverloo(scene, i, finished, why))
    printf("; Beverloo's law is left out: %s\n", why);
  else if (isnan(rate))
    printf("; Beverloo's law gives %.3g kg/s\n", law);
  else
    printf("; Beverloo's law %.3g kg/s, %+.0f %%\n", law, 100 * (rate / law - 1));
}

void flow_print_end(const char *folder, const ScreeScene *scene, const ScreeWorld *world, bool finished) {
  for (size_t i = 0; i < scene->outlets.count; i++) print_discharge(folder, scene, world, i, finished);
  for (size_t i = 0; scree_scene_stream(scene, i); i++) {
    ScreeStreamFlow flow = flow_in(world, i);
    if (is_behind(scene, i, &flow)) print_behind(stdout, scene, i, &flow);
  }
}

/* ---- the summary ---- */

static json_t *flow_object(const char *name, ScreeFlow flow) {
  json_t *object = json_object();
  if (name) json_object_set_new(object, "name", json_string(name));
  json_object_set_new(object, "particles", json_integer((json_int_t)flow.grains));
  json_put(object, "mass", flow.mass);
  return object;
}

void flow_json(json_t *object, const char *folder, const ScreeScene *scene, const ScreeWorld *world,
               const ScreeMeasure *m, bool finished) {
  json_t *outlets = json_array(), *streams = json_array();
  for (size_t i = 0; i < scene->outlets.count; i++) {
    json_t *outlet = flow_object(outlet_name(scene, i), flow_out(scene, world, i));
    const ScreeSceneOutlet *o = scree_scene_outlet(scene, i);
    json_object_set_new(outlet, "leaked", has_opening(scene, i) ? flow_object(NULL, flow_past(world, i)) : json_null());
    json_put(outlet, "steady_rate", steady_rate(folder, scene, world, i));
    char why[160] = "";
    bool asked = !isnan(o->orifice), holds = asked && !*no_beverloo(scene, i, finished, why);
    json_put(outlet, "beverloo_rate", holds ? beverloo(scene, o) : NAN);
    json_object_set_new(outlet, "beverloo_left_out", json_text(asked && !holds ? why : NULL));
    json_array_append_new(outlets, outlet);
  }
  for (size_t i = 0; scree_scene_stream(scene, i); i++) {
    ScreeStreamFlow flow = flow_in(world, i);
    json_t *stream = flow_object(stream_name(scene, i), flow.brought);
    json_put(stream, "asked", flow.asked);
    json_put(stream, "delivered", flow.delivered);
    json_object_set_new(stream, "unit", json_string(unit_of(scene, i)));
    json_object_set_new(stream, "behind", json_boolean(is_behind(scene, i, &flow)));
    json_array_append_new(streams, stream);
  }
  json_object_set_new(object, "inserted", json_integer((json_int_t)m->inserted.grains));
  json_put(object, "inserted_mass", m->inserted.mass);
  json_object_set_new(object, "removed", json_integer((json_int_t)m->removed.grains));
  json_put(object, "removed_mass", m->removed.mass);
  json_object_set_new(object, "left_domain", flow_object(NULL, flow_out(scene, world, scene->outlets.count)));
  json_object_set_new(object, "outlets", outlets);
  json_object_set_new(object, "streams", streams);
}
