/* The linear dashpot that gives e when the contact ends at F = 0, MODELS.md 4 and D14. */
SCREE_HOST(
  static const ScreeParamInfo goyal_params[] = {DASHPOT_PARAMS(xi), SCREE_P_END};
  static ScreeStatus goyal_prepare(const ScreePairDef *def, ScreePair *p) {
    return dashpot_prepare(def, p, SCREE_PARAM_xi, scree_ratio_for_force_exit);
  })
SCREE_DASHPOT_KERNELS(goyal, 1.0, 0.0)
