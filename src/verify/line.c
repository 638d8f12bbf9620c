/* line.c: oracles of the line contacts as force-overlap relations, MODELS.md 8. */
#include "oracle.h"

static const double overlaps[] = {1e-9, 3e-8, 1e-6, 5e-6, 3e-5};
enum { OVERLAPS = sizeof overlaps / sizeof *overlaps };

static void inverse(ScreeCheck *check, const ScreeLawInfo *info) {
  for (int i = 0; i < OVERLAPS; i++) {
    ScreePairDef def = scree_pair_def_joint();
    ScreeLineResult a, b;
    bool ok = scree_line_force(info->law, &def, overlaps[i], &a) == SCREE_OK &&
              scree_line_overlap(info->law, &def, a.force, &b) == SCREE_OK;
    if (!ok)
      scree_tally_failure(check, "line");
    else
      scree_tally(check, scree_relative(b.overlap, overlaps[i]), "d = %g m", overlaps[i]);
  }
}

/* The overlap that the printed relation gives for a force, evaluated as it stands; NaN for laws without one. */
static double printed_overlap(ScreeLawId law, const ScreePairDef *def, double force) {
  double pi = acos(-1.0), e = scree_composite_modulus(def->material[0], def->material[0]), l = def->length,
         f = force / l;
  double dr = def->radius[0] - def->radius[1], r = def->radius[0] * def->radius[1] / dr, h = 1.0 / (pi * e);
  switch (law) {
  case SCREE_LAW_cyl_hertz: return 2.0 * f / (pi * e) * (log(pi * e * dr / f) - 1.0);
  case SCREE_LAW_cyl_johnson: return f / (pi * e) * (log(4.0 * pi * e * dr / f) - 1.0);
  case SCREE_LAW_cyl_radzimovsky: return f / (pi * e) * (2.0 / 3.0 + log(8.0 * e * dr / (1.6 * 1.6 * f)));
  case SCREE_LAW_cyl_goldsmith: return force * h / l * (log(l * l * l / (force * r * h)) + 1.0);
  case SCREE_LAW_cyl_dubowsky_freudenstein:
    return force * h / l * (log(l * l * l * dr / (force * def->radius[0] * def->radius[1] * h)) + 1.0);
  case SCREE_LAW_cyl_esdu_78035: return force * h / l * (log(4.0 * l * dr / (force * h)) + 1.0);
  case SCREE_LAW_cyl_lankarani_nikravesh: return pow(3.0 * force / (4.0 * e * sqrt(r)), 2.0 / 3.0);
  default: return NAN;
  }
}

static bool has_printed_relation(const ScreeLawInfo *info) {
  ScreePairDef def = scree_pair_def_joint();
  return info->group == SCREE_LINE && !isnan(printed_overlap(info->law, &def, 100.0));
}

static void printed_relation(ScreeCheck *check, const ScreeLawInfo *info) {
  for (int i = 0; i < OVERLAPS; i++) {
    ScreePairDef def = scree_pair_def_joint();
    ScreeLineResult a;
    if (scree_line_force(info->law, &def, overlaps[i], &a) != SCREE_OK)
      scree_tally_failure(check, "line");
    else
      scree_tally(check, scree_relative(printed_overlap(info->law, &def, a.force), overlaps[i]), "d = %g m",
                  overlaps[i]);
  }
}

static void slope_and_energy(ScreeCheck *check, const ScreeLawInfo *info) {
  for (int i = 0; i < OVERLAPS; i++) {
    ScreePairDef def = scree_pair_def_joint();
    ScreeLineResult a, low, high;
    double h = 1e-4 * overlaps[i];
    bool ok = scree_line_force(info->law, &def, overlaps[i], &a) == SCREE_OK &&
              scree_line_force(info->law, &def, overlaps[i] - h, &low) == SCREE_OK &&
              scree_line_force(info->law, &def, overlaps[i] + h, &high) == SCREE_OK;
    if (!ok) {
      scree_tally_failure(check, "line");
      continue;
    }
    double slope = scree_relative(a.stiffness, (high.force - low.force) / (2.0 * h));
    double force = scree_relative(a.force, (high.energy - low.energy) / (2.0 * h));
    scree_tally(check, fmax(slope, force), "d = %g m", overlaps[i]);
  }
}

static bool is_limited(const ScreeLawInfo *info) {
  ScreePairDef def = scree_pair_def_joint();
  ScreeLineResult a;
  return info->group == SCREE_LINE && scree_line_force(info->law, &def, 1e-7, &a) == SCREE_OK &&
         isfinite(a.overlap_limit);
}

static void overlap_limit(ScreeCheck *check, const ScreeLawInfo *info) {
  ScreePairDef def = scree_pair_def_joint();
  ScreeLineResult a;
  if (scree_line_force(info->law, &def, 1e-7, &a) != SCREE_OK) return scree_tally_failure(check, "line");
  double limit = a.overlap_limit;
  bool below = scree_line_force(info->law, &def, 0.999 * limit, &a) == SCREE_OK && a.force > 0.0;
  bool beyond = scree_line_force(info->law, &def, 1.001 * limit, &a) == SCREE_OUT_OF_RANGE;
  scree_tally(check, below && beyond ? 0.0 : INFINITY, "limit %.6g m: %s below, %s beyond", limit,
              below ? "defined" : "undefined", beyond ? "refused" : "not refused");
}

static void external_contact(ScreeCheck *check, const ScreeLawInfo *info) {
  ScreePairDef def = scree_pair_def_joint();
  ScreeLineResult a;
  def.geometry = SCREE_CYLINDER_EXTERNAL;
  ScreeStatus status = scree_line_force(info->law, &def, 1e-6, &a);
  bool fine = info->flags & SCREE_INTERNAL_ONLY ? status == SCREE_UNSUPPORTED : status == SCREE_OK && a.force > 0.0;
  scree_tally(check, fine ? 0.0 : INFINITY, "external contact: %s", scree_status_name(status));
}

/* e depends on the factor alone, whatever elastic law it damps (MODELS.md 8). */
static void damping_by_any_factor(ScreeCheck *check, const ScreeLawInfo *info) {
  for (int l = 0; l < SCREE_LAW_COUNT; l++) {
    const ScreeLawInfo *damper = scree_law_info((ScreeLawId)l);
    if (!(damper->flags & SCREE_FACTOR)) continue;
    ScreeImpactDef def = scree_sample_case(info, 0.7), point = scree_sample_case(damper, 0.7);
    ScreeImpactResult a, b;
    def.pair.damping = damper->law;
    if (scree_run_case(check, &def, &a) && scree_impact_exact(&point, &b) == SCREE_OK)
      scree_tally(check, fabs(a.restitution - b.restitution), "damped by %s", damper->name);
  }
}

static const Oracle oracles[] = {
    {"inverse", "overlap to force and back", 1e-12, inverse, scree_is_line},
    {"printed relation", "the force satisfies the law as printed (recommended reading)", 1e-13, printed_relation,
     has_printed_relation},
    {"slope and energy", "stiffness is the slope of the force, force the slope of the energy", 1e-6, slope_and_energy,
     scree_is_line},
    {"overlap limit", "defined up to the limit, refused beyond", 0.0, overlap_limit, is_limited},
    {"external contact", "internal-only laws refuse external contact, the others take it", 0.0, external_contact,
     scree_is_line},
    {"damping by any factor", "restitution of a damped line law is that of the factor", 1e-11, damping_by_any_factor,
     scree_is_line},
};

const Suite scree_suite_line = {.name = "line", .oracles = oracles, .count = sizeof oracles / sizeof *oracles};
