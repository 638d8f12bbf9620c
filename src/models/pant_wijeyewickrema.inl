/* K d (1 + X v/v0) while approaching, K d while separating; X = 3(1-e^2)/(2e^2), MODELS.md 4.4 and D12. */
SCREE_HOST(
  static double pant_wijeyewickrema_law_factor(double e) { return 1.5 * (1.0 - e * e) / (e * e); }
  static const ScreeParamInfo pant_wijeyewickrema_params[] = {SCREE_FACTOR_PARAM, SCREE_P_END};
  static ScreeStatus pant_wijeyewickrema_prepare(const ScreePairDef *def, ScreePair *p) {
    return hunt_crossley_form_prepare(def, p, pant_wijeyewickrema_law_factor);
  })
SCREE_KERNEL ScreeLaw pant_wijeyewickrema_touch(const ScreePair *p, double v0) {
  return scree_frozen(p, scree_latched(p, v0));
}
SCREE_KERNEL double pant_wijeyewickrema_force(const ScreeLaw *l, double d, double v, double *memory) {
  (void)memory;
  return l->k * d * (1.0 + l->chi * scree_larger(v, 0.0));
}
SCREE_KERNEL double pant_wijeyewickrema_damping(const ScreeLaw *l, double d, double v, const double *memory) {
  (void)memory;
  return v > 0.0 ? l->k * d * l->chi : 0.0;
}
SCREE_KERNEL double pant_wijeyewickrema_stored(const ScreeLaw *l, double d, const double *memory) {
  (void)memory;
  return 0.5 * l->k * d * d;
}
SCREE_MEMORYLESS(pant_wijeyewickrema)
