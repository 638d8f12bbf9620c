/* d = (F h/L) (ln(L^3 dR/(F R1 R2 h)) + 1), h = 1/(pi E*); printed with h = 1/E*, MODELS.md 8 and D33. */
SCREE_LOG_LAW(cyl_dubowsky_freudenstein)
SCREE_HOST(
  static ScreeStatus cyl_dubowsky_freudenstein_prepare(const ScreePairDef *def, ScreePair *p) {
    Joint j = joint(def, p);
    SCREE_TRY(scree_check_variant(def, p, "printed"));
    double h = 1.0 / (scree_variant_is(def, "printed") ? j.modulus : acos(-1.0) * j.modulus);
    return log_law_prepare(p, h, j.length * j.length * exp(1.0) / (j.radius * h), j.length);
  })
