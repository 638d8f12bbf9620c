/* run_advice.c: see run_advice.h. */
#include "run_advice.h"

#include "io/digits.h"
#include "output.h"
#include "rehearse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- days ---- */

#define DAY 86400.0
#define UNIT 8e-9 /* s, about, of a unit of work on one thread */

/* s; runs that are far from a day are not rehearsed: grains that lie close cost seven units a step. */
static double forecast_seconds(const ScreeScene *scene, const ScreeWorld *world) {
  size_t count = scree_world_count(world);
  double total = (double)count + scree_scene_arrivals(scene), steps = scene->run.duration / scree_world_timestep(world),
         about = UNIT * steps * rehearse_work(total, 2 * total) / scree_world_threads(world);
  if (about < DAY / 8) return about;
  ScreeGrain *grain = checked_alloc(count ? count : 1, sizeof *grain);
  Rehearsal r = {.seconds = NAN};
  if (scree_world_read(world, grain) == SCREE_OK && rehearse(scene, world, grain, &r)) rehearsal_free(&r);
  free(grain);
  return isnan(r.seconds) ? about : r.seconds;
}

void warn_of_days(const char *verb, const ScreeScene *scene, const ScreeWorld *world) {
  double seconds = forecast_seconds(scene, world);
  if (!(seconds > DAY)) return;
  fprintf(
      stderr,
      "scree %s: warning: %.3g steps of %.4g s will take about %.2g days (a forecast); scree check tells what softer "
      "grains would save\n",
      verb, scene->run.duration / scree_world_timestep(world), scree_world_timestep(world), seconds / DAY);
}

/* ---- the smallest grains ---- */

double warn_of_rounding(const char *verb, const ScreeScene *scene, const ScreeWorld *world) {
  ScreeResolution r;
  if (scree_world_resolution(world, &r) != SCREE_OK) return NAN;
  if (r.rounding <= 1e-3) return r.rounding;
  fprintf(stderr,
          "scree %s: warning: grains of %s with a radius of %s feel forces that are rounded by %.2g of the %.3g N that "
          "matter to them: beside the largest and stiffest contacts of this scene their friction and their rest are "
          "lost; leave out the largest grains, soften their material, or lower max_overlap\n",
          verb, scree_scene_material(scene, (size_t)r.material)->item.name, scree_quantity(r.radius, "m", 4).text,
          r.rounding, r.force);
  return r.rounding;
}

/* ---- the ledger ---- */

double relative_residual(const ScreeMeasure *m) { return m->scale > 0 ? fabs(m->residual) / m->scale : 0; }

/* Accounts by their columns in log.csv. */
static const struct {
  const char *column, *name;
} accounts[] = {
    {"kinetic", "kinetic energy"},
    {"potential", "potential energy"},
    {"elastic", "elastic energy of contacts"},
    {"dissipated_viscous", "dissipated_viscous (dashpots of the normal laws)"},
    {"dissipated_plastic", "dissipated_plastic (plastic laws)"},
    {"dissipated_clamp", "dissipated_clamp (what contacts that would pull give up)"},
    {"dissipated_friction", "dissipated_friction (sliding)"},
    {"dissipated_rolling", "dissipated_rolling (rolling and twisting)"},
    {"dissipated_walls", "dissipated_walls (dampers and speed limits of servos)"},
    {"kinetic_walls", "kinetic energy of servos"},
    {"work", "work (of walls and fixed grains that move, and of servos' loads)"},
};
enum { ACCOUNTS = (int)(sizeof accounts / sizeof *accounts), CELLS = 64 };

/* Returns the index of a column in the heading, whose names may carry units: "work [J]". -1: nowhere. */
static int column_of(const char *heading, const char *name) {
  size_t length = strlen(name);
  int column = 0;
  for (const char *at = heading; at; at = strchr(at, ','), at = at ? at + 1 : NULL, column++)
    if (strncmp(at, name, length) == 0 && strchr(", \n", at[length])) return column;
  return -1;
}

static int read_cells(const char *line, double cell[CELLS]) {
  int count = 0;
  for (const char *at = line; at && count < CELLS; at = strchr(at, ','), at = at ? at + 1 : NULL)
    cell[count++] = strtod(at, NULL);
  return count;
}

/* From line to line, the part of the residual's squared change that each account explains when it is off by a share of
 * itself: (sum of dr da)^2 / sum of da^2. */
typedef struct Suspicion {
  double both[ACCOUNTS], own[ACCOUNTS];
  int lines;
} Suspicion;

static void take_line(Suspicion *s, const int column[ACCOUNTS], int residual, const double *before, const double *now) {
  for (int i = 0; i < ACCOUNTS; i++) {
    if (column[i] < 0) continue;
    double change = now[column[i]] - before[column[i]];
    s->both[i] += change * (now[residual] - before[residual]);
    s->own[i] += change * change;
  }
  s->lines++;
}

/* NULL where too few lines tell them apart. */
static const char *suspect(const char *path) {
  Suspicion s = {0};
  char *line = NULL;
  size_t room = 0;
  double cell[2][CELLS];
  int column[ACCOUNTS], residual = -1, cells = 0, turn = 0;
  FILE *file = fopen(path, "r");
  if (file && getline(&line, &room, file) > 0) {
    residual = column_of(line, "residual");
    for (int i = 0; i < ACCOUNTS; i++) column[i] = column_of(line, accounts[i].column);
  }
  while (file && residual >= 0 && getline(&line, &room, file) > 0) {
    int count = read_cells(line, cell[turn]);
    if (count == cells) take_line(&s, column, residual, cell[!turn], cell[turn]);
    cells = count, turn = !turn;
  }
  if (file) fclose(file);
  free(line);
  int best = -1;
  double most = 0;
  for (int i = 0; i < ACCOUNTS; i++) {
    double explained = s.own[i] > 0 ? s.both[i] * s.both[i] / s.own[i] : 0;
    if (explained > most) most = explained, best = i;
  }
  return s.lines >= 3 && best >= 0 ? accounts[best].name : NULL;
}

#define LOOSE 0.01

static char *sentence(const RunFolder *folder, const ScreeMeasure *m, const char *more) {
  char *path = checked_format("%s/log.csv", folder->path);
  const char *account = suspect(path);
  free(path);
  return checked_format(
      "the energy ledger does not close: %.3g J, %.2g %% of %.3g J, are explained by no account%s%s%s", m->residual,
      100 * relative_residual(m), m->scale, account ? "; their changes follow most closely those of " : "",
      account ? account : "", more);
}

char *residual_warning(const RunFolder *folder, const ScreeMeasure *m) {
  if (!(relative_residual(m) > LOOSE)) return NULL;
  return sentence(folder, m, "; a smaller run.timestep tells whether it is the step");
}

char *residual_error(const Run *run, const ScreeMeasure *m) {
  double limit = run->scene->run.max_residual;
  if (!(relative_residual(m) > limit)) return NULL; /* NaN: no limit */
  char *of_limit = checked_format("; run.max_residual allows %.3g %%", 100 * limit);
  char *text = sentence(&run->folder, m, of_limit);
  free(of_limit);
  return text;
}
