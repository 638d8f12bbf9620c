/* F = K d^(3/2) + chi d^0.65 v, MODELS.md 4. */
SCREE_HOST(
  static const ScreeParamInfo bordbar_hyppanen_params[] = {CHI_PARAM("N s/m^1.65"), SCREE_P_END};
  static ScreeStatus bordbar_hyppanen_prepare(const ScreePairDef *def, ScreePair *p) {
    return chi_prepare(def, p, 0.65);
  })
SCREE_DASHPOT_KERNELS(bordbar_hyppanen, 1.5, 0.65)
