/* F = K d^(3/2) + chi sqrt(d) v, MODELS.md 4.2 and D24. */
SCREE_HOST(
  static const ScreeParamInfo hertz_sqrt_damping_params[] = {
      CHI_PARAM("N s/m^1.5"), SCREE_P(A, "s", 0.0, 1e12, SCREE_NO_PRESET, "relaxation time, chi = (3/2) K A"), SCREE_P_END};
  static ScreeStatus hertz_sqrt_damping_prepare(const ScreePairDef *def, ScreePair *p) {
    return viscoelastic_prepare(def, p, NULL);
  })
SCREE_DASHPOT_KERNELS(hertz_sqrt_damping, 1.5, 0.5)
