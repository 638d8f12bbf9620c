/* F = K d^n. */
SCREE_HOST(
  static const ScreeParamInfo hertz_params[] = {SCREE_P_END};
  static ScreeStatus hertz_prepare(const ScreePairDef *def, ScreePair *p) {
    (void)def;
    return scree_need_stiffness(p);
  })
SCREE_HUNT_CROSSLEY_KERNELS(hertz)
