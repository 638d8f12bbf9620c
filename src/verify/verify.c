/* verify.c: runs the suites; the tally of a check; sample cases. */
#include "verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/status.h"
#include "oracle.h"

static const Suite *const suites[] = {&scree_suite_laws,        &scree_suite_line,     &scree_suite_exact,
                                      &scree_suite_oblique,     &scree_suite_batch,    &scree_suite_reference,
                                      &scree_suite_dem_contact, &scree_suite_dem_bulk, &scree_suite_machines};
enum { SUITES = sizeof suites / sizeof *suites };

int scree_verify_suite_count(void) { return SUITES; }
const char *scree_verify_suite_name(int index) { return index >= 0 && index < SUITES ? suites[index]->name : NULL; }

static void run_oracle(const Suite *suite, const Oracle *o, const ScreeLawInfo *info, ScreeCheckSink *sink,
                       void *context) {
  ScreeCheck check = {
      .suite = suite->name, .oracle = o->name, .shows = o->shows, .subject = info ? info->name : "", .limit = o->limit};
  o->run(&check, info);
  check.passed = check.cases > 0 && check.worst <= check.limit;
  if (check.cases == 0) snprintf(check.at, sizeof check.at, "no case was run");
  sink(&check, context);
}

static void run_suite(const Suite *suite, ScreeCheckSink *sink, void *context) {
  if (suite->emit) suite->emit(sink, context);
  for (int i = 0; i < suite->count; i++) {
    const Oracle *o = &suite->oracles[i];
    if (!o->applies) run_oracle(suite, o, NULL, sink, context);
    for (int law = 0; o->applies && law < SCREE_LAW_COUNT; law++)
      if (o->applies(scree_law_info((ScreeLawId)law)))
        run_oracle(suite, o, scree_law_info((ScreeLawId)law), sink, context);
  }
}

/* A name selects the suite of that name and, before a dot, all its parts: "dem" is "dem.contact" and "dem.bulk". */
static bool selects(const char *name, const Suite *suite) {
  size_t length = name ? strlen(name) : 0;
  if (name && strcmp(name, suite->name) == 0) return true;
  return !suite->apart && (!name || (strncmp(name, suite->name, length) == 0 && suite->name[length] == '.'));
}

ScreeStatus scree_verify(const char *name, ScreeCheckSink *sink, void *context) {
  char list[160] = "";
  bool found = false;
  for (int i = 0; i < SUITES; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", suites[i]->name);
    if (!selects(name, suites[i])) continue;
    found = true;
    run_suite(suites[i], sink, context);
  }
  return found ? SCREE_OK : scree_fail(SCREE_UNKNOWN, "unknown suite \"%.40s\"; there are: %s", name, list);
}

/* ---- tally ---- */

static void note(ScreeCheck *check, double residual, const char *format, va_list arguments) {
  check->cases++;
  if (isnan(residual)) residual = INFINITY;
  if (check->cases > 1 && residual <= check->worst) return;
  check->worst = residual;
  vsnprintf(check->at, sizeof check->at, format, arguments);
}

void scree_tally(ScreeCheck *check, double residual, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  note(check, residual, format, arguments);
  va_end(arguments);
}

void scree_tally_failure(ScreeCheck *check, const char *what) {
  scree_tally(check, INFINITY, "%s: %s", what, scree_last_error());
}

/* ---- cases ---- */

ScreeImpactDef scree_sample_case(const ScreeLawInfo *info, double restitution) {
  ScreeImpactDef def = scree_impact_def_default(info->law);
  def.pair = info->group == SCREE_LINE ? scree_pair_def_joint() : scree_pair_def_review();
  if (info->domain != SCREE_E_NONE) def.pair.restitution = restitution;
  return def;
}

ScreeStatus scree_freeze_strength(ScreeImpactDef *def) {
  ScreeImpactResult r;
  SCREE_TRY(scree_impact_run(def, &r));
  if (!r.calibrated) return SCREE_OK;
  /* presets that follow the case (delay, relaxation rate) stay what they were, too */
  const ScreeLawInfo *info = scree_law_info(def->law);
  for (int i = 0; i < info->param_count; i++) {
    ScreeParamId id = info->params[i].id;
    bool own = id == r.parameter || (isnan(info->params[i].preset) && (id == SCREE_PARAM_T || id == SCREE_PARAM_gamma));
    if (own) def->pair.param[id] = r.pair.resolved[id];
  }
  def->pair.restitution = NAN;
  return SCREE_OK;
}

bool scree_run_case(ScreeCheck *check, const ScreeImpactDef *def, ScreeImpactResult *r) {
  ScreeStatus status = scree_impact_run(def, r);
  if (status != SCREE_OK && status != SCREE_UNREACHABLE) scree_tally_failure(check, "impact");
  return status == SCREE_OK;
}

double scree_uniform(uint64_t *state, double low, double high) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return low + (high - low) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

double scree_log_uniform(uint64_t *state, double low, double high) {
  return exp(scree_uniform(state, log(low), log(high)));
}
