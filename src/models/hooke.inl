/* F = K d. */
SCREE_HOST(
  static const ScreeParamInfo hooke_params[] = {SCREE_P_END};
  static ScreeStatus hooke_prepare(const ScreePairDef *def, ScreePair *p) {
    (void)def;
    return scree_need_stiffness(p);
  })
SCREE_HUNT_CROSSLEY_KERNELS(hooke)
