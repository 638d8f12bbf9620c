/* F = K d + D v, MODELS.md 4. */
SCREE_HOST(
  static const ScreeParamInfo kelvin_voigt_params[] = {DASHPOT_PARAMS(zeta), SCREE_P_END};
  static ScreeStatus kelvin_voigt_prepare(const ScreePairDef *def, ScreePair *p) {
    return dashpot_prepare(def, p, SCREE_PARAM_zeta, NULL);
  })
SCREE_DASHPOT_KERNELS(kelvin_voigt, 1.0, 0.0)
