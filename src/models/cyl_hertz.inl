/* d = (2f/(pi E*)) (ln(pi E* dR/f) - 1), MODELS.md 8 and D30c. */
SCREE_LOG_LAW(cyl_hertz)
SCREE_HOST(
  static ScreeStatus cyl_hertz_prepare(const ScreePairDef *def, ScreePair *p) {
    Joint j = joint(def, p);
    SCREE_TRY(scree_check_variant(def, p, ""));
    double stiff = acos(-1.0) * j.modulus;
    return log_law_prepare(p, 2.0 / stiff, stiff * j.clearance * exp(-1.0), j.length);
  })
