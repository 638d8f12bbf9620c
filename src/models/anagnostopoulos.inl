/* The linear dashpot that gives e when the contact ends at d = 0, MODELS.md 4. */
SCREE_HOST(
  static const ScreeParamInfo anagnostopoulos_params[] = {DASHPOT_PARAMS(zeta), SCREE_P_END};
  static ScreeStatus anagnostopoulos_prepare(const ScreePairDef *def, ScreePair *p) {
    return dashpot_prepare(def, p, SCREE_PARAM_zeta, scree_ratio_for_overlap_exit);
  })
SCREE_DASHPOT_KERNELS(anagnostopoulos, 1.0, 0.0)
