/* F = K d^(3/2) + chi v, MODELS.md 4 and D7. */
SCREE_HOST(
  static const ScreeParamInfo ristow_params[] = {CHI_OVER_MASS_PARAM, CHI_PARAM("N s/m"), SCREE_P_END};
  static ScreeStatus ristow_prepare(const ScreePairDef *def, ScreePair *p) { return chi_prepare(def, p, 0.0); })
SCREE_DASHPOT_KERNELS(ristow, 1.5, 0.0)
