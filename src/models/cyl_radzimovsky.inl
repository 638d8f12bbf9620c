/* d = (f/(pi E*)) (2/3 + ln(8 E* dR/(b0^2 f))), b0 = 1.60; printed with 2.15, and with twice the logarithm's argument in
 * the equation for the width (eq37), MODELS.md 8 and D31. */
SCREE_LOG_LAW(cyl_radzimovsky)
SCREE_HOST(
  static ScreeStatus cyl_radzimovsky_prepare(const ScreePairDef *def, ScreePair *p) {
    Joint j = joint(def, p);
    SCREE_TRY(scree_check_variant(def, p, "printed eq37"));
    double b0 = scree_variant_is(def, "printed") ? 2.15 : 1.60;
    double share = scree_variant_is(def, "eq37") ? 2.0 : 1.0;
    double b = share * 8.0 * j.modulus * j.clearance * exp(2.0 / 3.0) / (b0 * b0);
    return log_law_prepare(p, 1.0 / (acos(-1.0) * j.modulus), b, j.length);
  })
