/* F = K d^(3/2) + chi v, MODELS.md 4 and D7. */
SCREE_HOST(
  static const ScreeParamInfo schaefer_params[] = {CHI_PARAM("N s/m"), CHI_OVER_MASS_PARAM, SCREE_P_END};
  static ScreeStatus schaefer_prepare(const ScreePairDef *def, ScreePair *p) { return chi_prepare(def, p, 0.0); })
SCREE_DASHPOT_KERNELS(schaefer, 1.5, 0.0)
