/* F = K d^p + alpha sqrt(m K) d^((p-1)/2) v, MODELS.md 5. */
SCREE_HOST(
  static const ScreeParamInfo power_law_tsuji_params[] = {TSUJI_PARAMS, SCREE_P_END};
  static ScreeStatus power_law_tsuji_prepare(const ScreePairDef *def, ScreePair *p) { return tsuji_prepare_power(def, p); })
SCREE_DASHPOT_KERNELS(power_law_tsuji, l->n, (l->n - 1.0) * 0.5)
