/* F = K d^(3/2) + chi d v, MODELS.md D7. */
SCREE_HOST(
  static const ScreeParamInfo empirical_m1_params[] = {CHI_PARAM("N s/m^2"), SCREE_P_END};
  static ScreeStatus empirical_m1_prepare(const ScreePairDef *def, ScreePair *p) { return chi_prepare(def, p, 1.0); })
SCREE_DASHPOT_KERNELS(empirical_m1, 1.5, 1.0)
