/* export.c: `scree export`: the frames of a run in other programs' formats, one frame in memory at a time. */
#include "cli.h"

#include "io/digits.h"
#include "output.h"
#include "run_open.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char verb[] = "export";

/* ---- formats ---------------------------------------------------------------------------------------------------- */

/* What a writer sees of the run. */
typedef struct Export {
  const ScreeScene *scene;
  const ScreePolyData *grains;
  size_t frame; /* its number in the run */
  bool first;   /* of this file */
} Export;

static void put_number(FILE *stream, char before, double value) {
  fputc(before, stream);
  scree_put_number(stream, value);
}

static void put_vector(FILE *stream, char before, const double *v) {
  for (int k = 0; k < 3; k++) put_number(stream, before, v[k]);
}

static void put_field(FILE *stream, char before, const ScreePolyData *g, ScreeField field, size_t row) {
  const ScreeColumn *c = &g->column[field];
  switch (c->type) {
  case SCREE_COLUMN_INT32: fprintf(stream, "%c%" PRId32, before, ((const int32_t *)c->values)[row]); break;
  case SCREE_COLUMN_INT64: fprintf(stream, "%c%" PRId64, before, ((const int64_t *)c->values)[row]); break;
  default:
    for (size_t k = 0; k < (size_t)c->components; k++)
      put_number(stream, before, ((const double *)c->values)[row * (size_t)c->components + k]);
  }
}

/* One line per grain and frame; columns as in final.csv, and the field table's. */
static void write_csv(const Export *e, FILE *stream) {
  const ScreePolyData *g = e->grains;
  if (e->first) {
    fputs("frame,step,time,x,y,z", stream);
    for (int i = 0; i < SCREE_FIELD_COUNT; i++) {
      const char *name = scree_fields[i].column;
      if (scree_fields[i].components == 3)
        fprintf(stream, ",%sx,%sy,%sz", name, name, name);
      else
        fprintf(stream, ",%s", name);
    }
    fputc('\n', stream);
  }
  const ScreeDigits time = scree_digits(g->time);
  for (size_t i = 0; i < g->rows; i++) {
    fprintf(stream, "%zu,%" PRId64 ",%s", e->frame, g->step, time.text);
    put_vector(stream, ',', g->point + 3 * i);
    for (int f = 0; f < SCREE_FIELD_COUNT; f++) put_field(stream, ',', g, (ScreeField)f, i);
    fputc('\n', stream);
  }
}

/* As `dump custom` of LAMMPS writes it with units si: types count from 1. */
static void write_lammps(const Export *e, FILE *stream) {
  const ScreePolyData *g = e->grains;
  const ScreeSceneDomain *d = &e->scene->domain;
  if (e->first) fputs("ITEM: UNITS\nsi\n", stream);
  fprintf(stream, "ITEM: TIME\n%s\nITEM: TIMESTEP\n%" PRId64 "\nITEM: NUMBER OF ATOMS\n%zu\nITEM: BOX BOUNDS",
          scree_digits(g->time).text, g->step, g->rows);
  for (int k = 0; k < 3; k++) fputs(d->periodic[k] ? " pp" : " ff", stream);
  fputc('\n', stream);
  for (int k = 0; k < 3; k++) fprintf(stream, "%s %s\n", scree_digits(d->low[k]).text, scree_digits(d->high[k]).text);
  fputs("ITEM: ATOMS id type radius x y z vx vy vz omegax omegay omegaz fx fy fz contacts\n", stream);
  for (size_t i = 0; i < g->rows; i++) {
    fprintf(stream, "%" PRId64 " %" PRId32, ((const int64_t *)g->column[SCREE_FIELD_id].values)[i],
            ((const int32_t *)g->column[SCREE_FIELD_type].values)[i] + 1);
    put_field(stream, ' ', g, SCREE_FIELD_radius, i);
    put_vector(stream, ' ', g->point + 3 * i);
    put_field(stream, ' ', g, SCREE_FIELD_velocity, i);
    put_field(stream, ' ', g, SCREE_FIELD_angular_velocity, i);
    put_field(stream, ' ', g, SCREE_FIELD_force, i);
    put_field(stream, ' ', g, SCREE_FIELD_contacts, i);
    fputc('\n', stream);
  }
}

/* A species is one word. */
static void put_species(FILE *stream, const char *name) {
  for (; *name; name++) fputc((unsigned char)*name <= ' ' ? '_' : *name, stream);
}

static void write_extxyz(const Export *e, FILE *stream) {
  const ScreePolyData *g = e->grains;
  const ScreeSceneDomain *d = &e->scene->domain;
  const bool *p = d->periodic;
  ScreeDigits edge[3], low[3];
  for (int k = 0; k < 3; k++) edge[k] = scree_digits(d->high[k] - d->low[k]), low[k] = scree_digits(d->low[k]);
  fprintf(stream, "%zu\nLattice=\"%s 0 0 0 %s 0 0 0 %s\" Origin=\"%s %s %s\" pbc=\"%c %c %c\" ", g->rows, edge[0].text,
          edge[1].text, edge[2].text, low[0].text, low[1].text, low[2].text, p[0] ? 'T' : 'F', p[1] ? 'T' : 'F',
          p[2] ? 'T' : 'F');
  fputs("Properties=species:S:1:pos:R:3", stream);
  for (int i = 0; i < SCREE_FIELD_COUNT; i++)
    fprintf(stream, ":%s:%c:%d", scree_fields[i].name, scree_fields[i].type == SCREE_COLUMN_DOUBLE ? 'R' : 'I',
            scree_fields[i].components);
  fprintf(stream, " Time=%s Step=%" PRId64 "\n", scree_digits(g->time).text, g->step);
  for (size_t i = 0; i < g->rows; i++) {
    size_t type = (size_t)((const int32_t *)g->column[SCREE_FIELD_type].values)[i];
    put_species(stream, type < e->scene->materials.count ? scree_scene_material(e->scene, type)->item.name : "unknown");
    put_vector(stream, ' ', g->point + 3 * i);
    for (int f = 0; f < SCREE_FIELD_COUNT; f++) put_field(stream, ' ', g, (ScreeField)f, i);
    fputc('\n', stream);
  }
}

static const struct {
  const char *name, *ending;
  void (*write)(const Export *e, FILE *stream);
} formats[] = {
    {"lammps-dump", "lammpstrj", write_lammps},
    {"extxyz", "xyz", write_extxyz},
    {"csv", "csv", write_csv},
};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

/* ---- options ---------------------------------------------------------------------------------------------------- */

enum { KEY_JSON = 256, KEY_TO, KEY_FRAMES, KEY_SKIP };

typedef struct ExportOptions {
  const char *run, *file;
  size_t format; /* FORMAT_COUNT: not given */
  long from, to, step;
  bool json, skip;
} ExportOptions;

static const struct argp_option options[] = {
    {"to", KEY_TO, "lammps-dump|extxyz|csv", 0, "the format", 1},
    {"output", 'o', "FILE", 0, "the file; - is standard output (default: trajectory.* in the run's folder)", 1},
    {"frames", KEY_FRAMES, "A:B:STEP", 0,
     "frames A to B, both included, every STEP-th; or one frame. From 0; negative: from the end (default: all)", 1},
    {"skip-damaged", KEY_SKIP, NULL, 0, "leave damaged frames out, with a warning for each, instead of refusing them",
     1},
    {"json", KEY_JSON, NULL, 0, "what was written, as JSON", 3},
    {0},
};

static size_t parse_format(const char *text, const struct argp_state *state) {
  for (size_t i = 0; i < FORMAT_COUNT; i++)
    if (strcmp(text, formats[i].name) == 0) return i;
  refuse(state, "--to must be lammps-dump, extxyz or csv (got \"%s\")", text);
}

/* K, A:B, A:B:STEP; A and B may be left out. */
static void parse_frames(const char *text, const struct argp_state *state, ExportOptions *o) {
  size_t first = strcspn(text, ":"), second = text[first] ? strcspn(text + first + 1, ":") : 0;
  const char *to = text[first] ? text + first + 1 : NULL, *step = to && to[second] ? to + second + 1 : NULL;
  bool fine = first == 0 || read_frame_number(text, first, &o->from);
  if (!to) {
    fine = fine && first > 0;
    o->to = o->from;
  } else if (second > 0) {
    fine = fine && read_frame_number(to, second, &o->to);
  }
  if (step) fine = fine && read_frame_number(step, strlen(step), &o->step) && o->step > 0;
  if (!fine) refuse(state, "--frames must be K, A:B or A:B:STEP, whole numbers, the step above 0 (got \"%s\")", text);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  ExportOptions *o = state->input;
  switch (key) {
  case KEY_TO: o->format = parse_format(argument, state); return 0;
  case 'o': o->file = argument; return 0;
  case KEY_FRAMES: parse_frames(argument, state, o); return 0;
  case KEY_JSON: o->json = true; return 0;
  case KEY_SKIP: o->skip = true; return 0;
  case ARGP_KEY_ARG: return take_only_argument(state, argument, &o->run);
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] =
    "Writes a run's trajectory in another format: LAMMPS's text dump, extended XYZ, or a table. RUN is the folder that "
    "scree run wrote. Everything is in SI; reading a number back gives the same bits.\v"
    "Examples:\n"
    "  scree export box/scene.run --to csv\n"
    "  scree export box/scene.run --to lammps-dump --frames 0:-1:10 \\\n"
    "      -o box.lammpstrj\n"
    "  scree export box/scene.run --to extxyz --frames -1 -o - | head -3";

/* ---- the work --------------------------------------------------------------------------------------------------- */

typedef struct Counts {
  size_t frames, grains;
} Counts;

static int write_frames(const ExportOptions *o, RunFiles *run, FILE *stream, Counts *counts) {
  size_t from, to;
  if (!resolve_frame(run, verb, o->from, &from) || !resolve_frame(run, verb, o->to, &to)) return EXIT_MISUSE;
  if (from > to) return misuse(verb, "--frames: frame %zu comes after frame %zu", from, to);
  ScreePolyData grains = scree_frame_of_grains();
  int status = EXIT_DONE;
  for (size_t i = from; i <= to && status == EXIT_DONE && !ferror(stream); i += (size_t)o->step) {
    if (!open_frame(run, i, &grains, &status)) continue;
    Export e = {.scene = run->scene, .grains = &grains, .frame = i, .first = counts->frames == 0};
    formats[o->format].write(&e, stream);
    counts->frames++;
    counts->grains += grains.rows;
  }
  scree_polydata_free(&grains);
  if (status == EXIT_DONE && counts->frames == 0) status = failure(verb, "none of these frames is whole");
  return status;
}

static void print_result(const ExportOptions *o, const RunFiles *run, const char *file, const Counts *counts) {
  if (strcmp(file, "-") == 0) return;
  if (!o->json) {
    printf("%s: %zu frame%s, %zu rows", file, counts->frames, counts->frames == 1 ? "" : "s", counts->grains);
    if (run->skipped > 0) printf("; %zu damaged frame%s left out", run->skipped, run->skipped == 1 ? "" : "s");
    putchar('\n');
    return;
  }
  json_t *object = json_object();
  json_object_set_new(object, "file", json_text(file));
  json_object_set_new(object, "format", json_string(formats[o->format].name));
  json_object_set_new(object, "frames", json_integer((json_int_t)counts->frames));
  json_object_set_new(object, "rows", json_integer((json_int_t)counts->grains));
  json_object_set_new(object, "skipped", json_integer((json_int_t)run->skipped));
  json_print(object);
}

static int export_run(const ExportOptions *o, RunFiles *run, const char *file) {
  OutputFile out;
  Counts counts = {0};
  int status = check_writable(verb, file);
  if (status != EXIT_DONE) return status;
  if (!output_open(&out, verb, file)) return EXIT_MISUSE;
  status = write_frames(o, run, out.stream, &counts);
  if (status != EXIT_DONE)
    output_drop(&out);
  else if (!output_commit(&out, verb))
    status = EXIT_FAILED;
  if (status == EXIT_DONE) print_result(o, run, file, &counts);
  return status;
}

int verb_export(int argc, char **argv) {
  ExportOptions o = {.format = FORMAT_COUNT, .from = 0, .to = -1, .step = 1};
  const struct argp argp = {options, parse, "RUN", doc, NULL, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  if (o.run && o.format == FORMAT_COUNT) return misuse(verb, "--to is missing: lammps-dump, extxyz or csv");
  if (o.json && o.file && strcmp(o.file, "-") == 0)
    return misuse(verb, "--json and -o - would both write to standard output");
  RunFiles run;
  int status = open_run(&run, verb, o.run, o.skip);
  if (status == EXIT_DONE) {
    char *file =
        o.file ? checked_format("%s", o.file) : checked_format("%s/trajectory.%s", o.run, formats[o.format].ending);
    status = export_run(&o, &run, file);
    free(file);
  }
  close_run(&run);
  return status;
}
