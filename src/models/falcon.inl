/* F = K d^(3/2) + chi d^gamma v, MODELS.md 4. */
SCREE_HOST(
  static const ScreeParamInfo falcon_params[] = {
      CHI_PARAM("N s/m^(1+gamma)"), SCREE_P(gamma, "1", 0.0, 10.0, 0.25, "damping exponent"), SCREE_P_END};
  static ScreeStatus falcon_prepare(const ScreePairDef *def, ScreePair *p) {
    double gamma;
    SCREE_TRY(scree_need_param(def, p, SCREE_PARAM_gamma, &gamma));
    return chi_prepare(def, p, gamma);
  })
SCREE_DASHPOT_KERNELS(falcon, 1.5, l->m)
