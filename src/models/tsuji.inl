/* power_law_tsuji at p = 3/2, MODELS.md 5. */
SCREE_HOST(
  static const ScreeParamInfo tsuji_params[] = {TSUJI_PARAMS, SCREE_P_END};
  static ScreeStatus tsuji_prepare(const ScreePairDef *def, ScreePair *p) { return tsuji_prepare_power(def, p); })
SCREE_DASHPOT_KERNELS(tsuji, 1.5, 0.25)
