/* line.c: a line contact as a force-overlap relation, both ways. */
#include <math.h>

#include "catalogue.h"
#include "core/special.h"
#include "core/status.h"

/* One prepared line law without damping. */
typedef struct Line {
  const ScreeLawInfo *info;
  const ScreeLawOps *ops;
  ScreePair pair;
  ScreeLaw law;
  double target;
} Line;

static ScreeStatus line_prepare(ScreeLawId law, const ScreePairDef *def, Line *line) {
  line->info = scree_law_info(law);
  if (!line->info || line->info->group != SCREE_LINE)
    return scree_fail(SCREE_UNSUPPORTED, "%s is no line law", line->info ? line->info->name : "this");
  ScreePairDef elastic = *def;
  elastic.restitution = NAN;
  elastic.damping = SCREE_LAW_NONE;
  SCREE_TRY(scree_pair_prepare(law, &elastic, &line->pair));
  line->ops = scree_law_ops(law);
  line->law = line->ops->touch(&line->pair, 0.0);
  return SCREE_OK;
}

static double line_at(const Line *line, double d) { return line->ops->force(&line->law, d, 0.0, NULL); }

/* Fourth-order central difference; the step shrinks near the overlap limit. */
static double line_slope(const Line *line, double d) {
  double h = d * 1e-3;
  if (d + 2.0 * h >= line->pair.limit) h = 0.25 * (line->pair.limit - d);
  return (8.0 * (line_at(line, d + h) - line_at(line, d - h)) -
          (line_at(line, d + 2.0 * h) - line_at(line, d - 2.0 * h))) /
         (12.0 * h);
}

static void line_report(const Line *line, const ScreePairDef *def, double d, ScreeLineResult *out) {
  out->overlap = d;
  out->force = line_at(line, d);
  out->force_per_length = out->force / def->length;
  out->stiffness = line_slope(line, d);
  out->overlap_limit = line->pair.limit;
  out->energy = line->ops->stored(&line->law, d, NULL);
}

ScreeStatus scree_line_force(ScreeLawId law, const ScreePairDef *def, double overlap, ScreeLineResult *out) {
  SCREE_NEED(def);
  SCREE_NEED(out);
  Line line;
  SCREE_TRY(line_prepare(law, def, &line));
  if (!(overlap > 0.0 && overlap <= 1e12))
    return scree_fail(SCREE_INVALID, "the overlap must be > 0 m (got %.10g)", overlap);
  if (!(overlap < line.pair.limit))
    return scree_fail(SCREE_OUT_OF_RANGE, "%s is defined for overlaps below %.10g m in this geometry (got %.10g m)",
                      line.info->name, line.pair.limit, overlap);
  line_report(&line, def, overlap, out);
  return SCREE_OK;
}

static double line_mismatch(double log_overlap, void *context) {
  const Line *line = context;
  return log(line_at(line, exp(log_overlap)) / line->target);
}

ScreeStatus scree_line_overlap(ScreeLawId law, const ScreePairDef *def, double force, ScreeLineResult *out) {
  SCREE_NEED(def);
  SCREE_NEED(out);
  Line line;
  SCREE_TRY(line_prepare(law, def, &line));
  if (!(force > 0.0 && force <= 1e30)) return scree_fail(SCREE_INVALID, "the force must be > 0 N (got %.10g)", force);
  line.target = force;
  double high = isinf(line.pair.limit) ? 1e6 * def->radius[0] : line.pair.limit * (1.0 - 1e-12);
  if (line_at(&line, high) < force)
    return scree_fail(SCREE_OUT_OF_RANGE, "%s carries at most %.10g N in this geometry (got %.10g N)", line.info->name,
                      line_at(&line, high), force);
  bool ok;
  double d = exp(scree_root(line_mismatch, &line, log(high) - 250.0, log(high), 0.0, &ok));
  if (!ok) return scree_fail(SCREE_NO_CONVERGENCE, "no overlap found for %.10g N", force);
  line_report(&line, def, d, out);
  return SCREE_OK;
}
