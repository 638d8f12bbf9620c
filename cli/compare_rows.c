/* compare_rows.c: the collisions of `scree compare`: every law with every restitution, speed and mass. */
#include "compare.h"

#include "core/status.h"
#include "output.h"
#include "result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 100000

ScreeStatus compare_check_settings(const Case *collision, const ScreeLawId *laws, int count) {
  for (int i = 0; i < collision->setting_count; i++) {
    char name[32];
    bool used = false;
    case_setting_name(collision->settings[i], name, sizeof name);
    for (int k = 0; k < count && !used; k++) used = scree_law_param(laws[k], name) != NULL;
    if (!used) return scree_fail(SCREE_UNKNOWN, "--set: none of the laws has a parameter \"%s\"", name);
  }
  return SCREE_OK;
}

ScreeStatus compare_resolve(const Case *collision, ScreeLawId law, double speed, double mass, CaseResolved *out) {
  if (isnan(speed) && isnan(mass)) return case_resolve(collision, law, SCREE_LAW_NONE, out);
  /* A case that is complete without the swept values is a default one: only its motion changes. */
  ScreeStatus status = case_resolve(collision, law, SCREE_LAW_NONE, out);
  if (status == SCREE_OK && (out->default_case || (out->default_mass && out->default_speed))) {
    out->swept_speed = !isnan(speed);
    out->swept_mass = !isnan(mass);
    if (out->swept_speed) out->def.pair.speed = speed;
    if (out->swept_mass) out->def.pair.mass = mass;
    return SCREE_OK;
  }
  Case swept = *collision;
  if (!isnan(speed)) swept.speed = speed;
  if (!isnan(mass)) swept.mass = mass;
  return case_resolve(&swept, law, SCREE_LAW_NONE, out);
}

/* Restitution under another separation, with the very parameter that the row was calibrated to. */
static double achieved(const CompareRow *row, ScreeSeparation separation) {
  const ScreeImpactResult *known = &row->result;
  ScreeImpactDef def = row->resolved.def;
  if (def.separation == separation) return known->restitution;
  def.separation = separation;
  if (result_calibrated(known)) {
    def.calibrated = false;
    def.pair.restitution = NAN;
    def.pair.param[known->parameter] = known->parameter_value;
  }
  ScreeImpactResult result;
  return scree_impact_run(&def, &result) == SCREE_OK ? result.restitution : NAN;
}

double compare_hertz_duration(const ScreeImpactDef *of) {
  const ScreePairDef *from = &of->pair;
  ScreeImpactDef def = scree_impact_def_default(SCREE_LAW_hertz);
  def.pair = scree_pair_def_default();
  def.pair.stiffness = from->stiffness;
  def.pair.mass = from->mass;
  def.pair.speed = from->speed;
  def.pair.geometry = from->geometry;
  memcpy(def.pair.radius, from->radius, sizeof def.pair.radius);
  memcpy(def.pair.material, from->material, sizeof def.pair.material);
  ScreeImpactResult result;
  return scree_impact_exact(&def, &result) == SCREE_OK ? result.duration : NAN;
}

static void write_note(CompareRow *row) {
  const ScreeImpactResult *result = &row->result;
  bool loop_work = scree_law_info(row->law)->flags & SCREE_LOOP_WORK;
  char calibrated[140] = "";
  if (result_calibrated(result))
    snprintf(calibrated, sizeof calibrated, "calibrated %s",
             parameter_text(row->law, result->parameter, result->parameter_value, 6).text);
  const char *more = result->outcome == SCREE_STALLED ? "stalls before the overlap returns to zero"
                     : loop_work                      ? "losses are the work of the loop"
                                                      : result->pair.warning;
  snprintf(row->note, sizeof row->note, "%s%s%s", calibrated, *calibrated && *more ? "; " : "", more);
}

static void run_row(const CompareOptions *o, CompareRow *row) {
  Case collision = o->collision;
  collision.restitution = row->requested;
  row->overlap_e = row->clamped_e = row->hertz_duration = NAN;
  ScreeStatus status = compare_resolve(&collision, row->law, row->speed, row->mass, &row->resolved);
  if (status == SCREE_OK) status = scree_impact_run(&row->resolved.def, &row->result);
  if (!succeeded(status)) {
    snprintf(row->note, sizeof row->note, "%s", scree_last_error());
    return;
  }
  row->ran = true;
  row->overlap_e = achieved(row, SCREE_AT_OVERLAP);
  row->clamped_e = achieved(row, SCREE_CLAMPED);
  row->hertz_duration = compare_hertz_duration(&row->resolved.def);
  write_note(row);
}

/* The values of a sweep; what is not swept counts as one value, NaN. */
static int sweep_count(const ValueList *list) { return list->count ? list->count : 1; }
static double sweep_value(const ValueList *list, int i) { return list->count ? list->values[i] : NAN; }

/* All rows of one law; one that takes no restitution has one per speed and mass. */
static int run_law(const CompareOptions *o, ScreeLawId law, CompareRow *rows) {
  bool takes_none = scree_law_info(law)->domain == SCREE_E_NONE;
  int count = 0;
  for (int m = 0; m < sweep_count(&o->masses); m++)
    for (int s = 0; s < sweep_count(&o->speeds); s++)
      for (int k = 0; k < (takes_none ? 1 : o->restitutions.count); k++) {
        CompareRow *row = &rows[count++];
        row->law = law;
        row->requested = takes_none ? NAN : o->restitutions.values[k];
        row->speed = sweep_value(&o->speeds, s);
        row->mass = sweep_value(&o->masses, m);
        run_row(o, row);
      }
  return count;
}

ScreeStatus compare_run(const CompareOptions *o, CompareRow **rows, int *count) {
  double most = (double)o->law_count * o->restitutions.count * sweep_count(&o->speeds) * sweep_count(&o->masses);
  if (most > ROWS_MAX)
    return scree_fail(SCREE_INVALID, "laws, restitutions, speeds and masses make %.0f rows; at most %d are run", most,
                      ROWS_MAX);
  *rows = checked_alloc((size_t)most, sizeof **rows);
  *count = 0;
  for (int i = 0; i < o->law_count; i++) *count += run_law(o, o->laws[i], *rows + *count);
  return SCREE_OK;
}
