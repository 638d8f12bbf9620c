/* d = (F h/L) (ln(4 L dR/(F h)) + 1), h = 1/(pi E*); printed with h = 1/E*, MODELS.md 8 and D33. */
SCREE_LOG_LAW(cyl_esdu_78035)
SCREE_HOST(
  static ScreeStatus cyl_esdu_78035_prepare(const ScreePairDef *def, ScreePair *p) {
    Joint j = joint(def, p);
    SCREE_TRY(scree_check_variant(def, p, "printed"));
    double h = 1.0 / (scree_variant_is(def, "printed") ? j.modulus : acos(-1.0) * j.modulus);
    return log_law_prepare(p, h, 4.0 * j.clearance * exp(1.0) / h, j.length);
  })
