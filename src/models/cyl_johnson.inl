/* d = (f/(pi E*)) (ln(4 pi E* dR/f) - 1), MODELS.md 8. */
SCREE_LOG_LAW(cyl_johnson)
SCREE_HOST(
  static ScreeStatus cyl_johnson_prepare(const ScreePairDef *def, ScreePair *p) {
    Joint j = joint(def, p);
    SCREE_TRY(scree_check_variant(def, p, ""));
    double stiff = acos(-1.0) * j.modulus;
    return log_law_prepare(p, 1.0 / stiff, 4.0 * stiff * j.clearance * exp(-1.0), j.length);
  })
