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

/* The printed relation of a law evaluated as it stands, for internal or external contact: either the overlap for a
 * force or the force for an overlap; the residual is relative. NaN for laws without the geometry. */
typedef struct Joint {
  double e, l, dr, r; /* E*, length, clearance, R1 R2/dR */
  bool external;
} Joint;

static double pereira(const Joint *j, double d) { /* millimetres and megapascals */
  double dr = 1e3 * j->dr, y = dr < 0.34954 ? 1.51 * pow(log(1000.0 * dr), -0.151) : 0.0151 * dr + 1.151;
  double a = j->external ? 0.39 : 0.965, b = j->external ? 0.85 : 0.0965, n = j->external ? 1.094 : y * pow(dr, -0.005);
  return (a * dr + b) * 1e3 * j->l * 1e-6 * j->e / dr * pow(1e3 * d, n);
}

static double relation_residual(ScreeLawId law, const Joint *j, double d, double force) {
  double pi = acos(-1.0), f = force / j->l, h = 1.0 / (pi * j->e), overlap = NAN, angle, b;
  switch (law) {
  case SCREE_LAW_cyl_hertz: overlap = 2.0 * f / (pi * j->e) * (log(pi * j->e * j->dr / f) - 1.0); break;
  case SCREE_LAW_cyl_johnson: overlap = f / (pi * j->e) * (log(4.0 * pi * j->e * j->dr / f) - 1.0); break;
  case SCREE_LAW_cyl_radzimovsky:
    overlap = f / (pi * j->e) * (2.0 / 3.0 + log(8.0 * j->e * j->dr / (1.6 * 1.6 * f)));
    break;
  case SCREE_LAW_cyl_goldsmith:
  case SCREE_LAW_cyl_dubowsky_freudenstein:
    overlap = force * h / j->l * (log(j->l * j->l * j->l / (force * j->r * h)) + 1.0);
    break;
  case SCREE_LAW_cyl_esdu_78035: overlap = force * h / j->l * (log(4.0 * j->l * j->dr / (force * h)) + 1.0); break;
  case SCREE_LAW_cyl_lankarani_nikravesh: overlap = pow(3.0 * force / (4.0 * j->e * sqrt(j->r)), 2.0 / 3.0); break;
  case SCREE_LAW_cyl_liu: return scree_relative(force, 0.5 * pi * j->e * j->l * d * sqrt(d / (2.0 * (j->dr + d))));
  case SCREE_LAW_cyl_pereira: return scree_relative(force, pereira(j, d));
  case SCREE_LAW_cyl_persson:
    angle = 2.0 * asin(sqrt(0.5 * d / (j->dr + d))); /* acos(dR/(dR + d)) without its cancellation */
    b = tan(0.5 * angle) * tan(0.5 * angle);
    return scree_relative(f, 2.0 * pi * j->e * j->dr * b * (b + 1.0) / (2.0 - log1p(b) - 2.0 * b * b));
  default: return NAN;
  }
  return scree_relative(overlap, d);
}

static void printed_relation(ScreeCheck *check, const ScreeLawInfo *info) {
  for (int i = 0; i < 4 * OVERLAPS; i++) { /* internal and external, a tight and a wide joint */
    ScreePairDef def = scree_pair_def_joint();
    ScreeLineResult a;
    double d = overlaps[i / 4];
    bool external = i % 2;
    if (i / 2 % 2) def.radius[0] = 7e-3;
    if (external && info->flags & SCREE_INTERNAL_ONLY) continue;
    def.geometry = external ? SCREE_CYLINDER_EXTERNAL : SCREE_CYLINDER_INTERNAL;
    double dr = external ? def.radius[0] + def.radius[1] : def.radius[0] - def.radius[1];
    Joint j = {scree_composite_modulus(def.material[0], def.material[0]), def.length, dr,
               def.radius[0] * def.radius[1] / dr, external};
    if (scree_line_force(info->law, &def, d, &a) != SCREE_OK)
      scree_tally_failure(check, "line");
    else
      scree_tally(check,
                  fmax(relation_residual(info->law, &j, d, a.force), scree_relative(a.force_per_length * j.l, a.force)),
                  "%s, d = %g m", external ? "external" : "internal", d);
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
    {"printed relation", "the force satisfies the law as printed (recommended reading)", 1e-12, printed_relation,
     scree_is_line},
    {"slope and energy", "stiffness is the slope of the force, force the slope of the energy", 1e-6, slope_and_energy,
     scree_is_line},
    {"overlap limit", "defined up to the limit, refused beyond", 0.0, overlap_limit, is_limited},
    {"external contact", "internal-only laws refuse external contact, the others take it", 0.0, external_contact,
     scree_is_line},
    {"damping by any factor", "restitution of a damped line law is that of the factor", 1e-11, damping_by_any_factor,
     scree_is_line},
};

const Suite scree_suite_line = {.name = "line", .oracles = oracles, .count = sizeof oracles / sizeof *oracles};
