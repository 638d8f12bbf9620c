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

ScreeStatus compare_calibrate(const Case *collision, ScreeLawId law, double reference, double mass, Strength *out) {
  CaseResolved resolved;
  ScreeImpactResult result;
  *out = NO_STRENGTH;
  if (isnan(reference)) return SCREE_OK;
  SCREE_TRY(compare_resolve(collision, law, reference, mass, &resolved));
  SCREE_TRY(scree_impact_run(&resolved.def, &result));
  *out = result_strength(&result, reference);
  return SCREE_OK;
}

ScreeStatus compare_define(const Case *collision, ScreeLawId law, double reference, double speed, double mass,
                           CaseResolved *out) {
  Strength strength;
  SCREE_TRY(compare_calibrate(collision, law, reference, mass, &strength));
  SCREE_TRY(compare_resolve(collision, law, speed, mass, out));
  strength_hold(&strength, &out->def);
  return SCREE_OK;
}

/* Restitution under another separation, with the very parameter that the row was calibrated to. */
static double achieved(const CompareRow *row, ScreeSeparation separation) {
  const ScreeImpactResult *known = &row->result;
  ScreeImpactDef def = row->resolved.def;
  if (def.separation == separation) return known->restitution;
  def.separation = separation;
  strength_hold(&row->strength, &def);
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

/* held: the strength is not of the row's own speed. */
static void write_note(CompareRow *row, bool held) {
  const ScreeImpactResult *result = &row->result;
  const Strength *strength = &row->strength;
  bool loop_work = scree_law_info(row->law)->flags & SCREE_LOOP_WORK;
  char calibrated[200] = "";
  if (strength->parameter < SCREE_PARAM_COUNT) {
    snprintf(calibrated, sizeof calibrated, "calibrated %s",
             parameter_text(row->law, strength->parameter, strength->value, 6).text);
    size_t length = strlen(calibrated);
    if (held) snprintf(calibrated + length, sizeof calibrated - length, " at %.6g m/s", strength->speed);
  }
  const char *more = result->outcome == SCREE_STALLED ? "stalls before the overlap returns to zero"
                     : loop_work                      ? "losses are the work of the loop"
                                                      : result->pair.warning;
  snprintf(row->note, sizeof row->note, "%s%s%s", calibrated, *calibrated && *more ? "; " : "", more);
}

/* The rows of one law, restitution and mass share a calibrated case, whatever their speed. */
typedef struct Common {
  Case collision;
  ScreeStatus status;
  Strength strength;
  char reason[400]; /* why there is none, where status says so */
} Common;

static Common find_common(const CompareOptions *o, ScreeLawId law, double requested, double mass) {
  Common common = {.collision = o->collision};
  common.collision.restitution = requested;
  common.status = compare_calibrate(&common.collision, law, o->reference, mass, &common.strength);
  if (!succeeded(common.status)) snprintf(common.reason, sizeof common.reason, "%s", scree_last_error());
  return common;
}

/* Speed and mass of the row; a law that refuses its restitution leaves them unknown, and they are the case's. */
static void fill_motion(const Case *collision, CompareRow *row) {
  CaseResolved plain;
  Case without = *collision;
  without.restitution = NAN;
  const ScreePairDef *pair = &row->resolved.def.pair;
  if (!row->ran) {
    if (compare_resolve(&without, row->law, row->speed, row->mass, &plain) != SCREE_OK) return;
    pair = &plain.def.pair;
  }
  row->speed = pair->speed;
  row->mass = row->ran ? row->result.pair.mass : pair->mass;
}

static void run_row(const Common *common, CompareRow *row) {
  row->overlap_e = row->clamped_e = row->hertz_duration = NAN;
  row->strength = common->strength;
  ScreeStatus status = common->status;
  if (status != SCREE_OK)
    snprintf(row->note, sizeof row->note, "%s", common->reason);
  else {
    status = compare_resolve(&common->collision, row->law, row->speed, row->mass, &row->resolved);
    strength_hold(&common->strength, &row->resolved.def);
    if (status == SCREE_OK) status = scree_impact_run(&row->resolved.def, &row->result);
    if (!succeeded(status)) snprintf(row->note, sizeof row->note, "%s", scree_last_error());
  }
  row->ran = status == SCREE_OK;
  fill_motion(&common->collision, row);
  if (!row->ran) return;
  bool held = row->strength.parameter < SCREE_PARAM_COUNT;
  if (!held) row->strength = result_strength(&row->result, row->speed);
  row->overlap_e = achieved(row, SCREE_AT_OVERLAP);
  row->clamped_e = achieved(row, SCREE_CLAMPED);
  row->hertz_duration = compare_hertz_duration(&row->resolved.def);
  write_note(row, held);
}

/* The values of a sweep; what is not swept counts as one value, NaN. */
static int sweep_count(const ValueList *list) { return list->count ? list->count : 1; }
static double sweep_value(const ValueList *list, int i) { return list->count ? list->values[i] : NAN; }

/* All rows of one law: by mass, then speed, then restitution; a law that takes no restitution has one of these. */
static int run_law(const CompareOptions *o, ScreeLawId law, CompareRow *rows) {
  bool takes_none = scree_law_info(law)->domain == SCREE_E_NONE;
  int speeds = sweep_count(&o->speeds), requests = takes_none ? 1 : o->restitutions.count;
  for (int m = 0; m < sweep_count(&o->masses); m++)
    for (int k = 0; k < requests; k++) {
      double requested = takes_none ? NAN : o->restitutions.values[k], mass = sweep_value(&o->masses, m);
      const Common common = find_common(o, law, requested, mass);
      for (int s = 0; s < speeds; s++) {
        CompareRow *row = &rows[(m * speeds + s) * requests + k];
        *row = (CompareRow){.law = law, .requested = requested, .speed = sweep_value(&o->speeds, s), .mass = mass};
        run_row(&common, row);
      }
    }
  return sweep_count(&o->masses) * speeds * requests;
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
