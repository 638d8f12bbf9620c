/* Trial -(kt x + gt vt), clamped to mu Fn; while sliding x is reset so that spring and dashpot equal the limit,
 * MODELS.md 7. memory[0] = x. */
SCREE_HOST(
  static const ScreeParamInfo tangential_linear_params[] = {
      SCREE_P(mu, "1", 0.0, 1e6, SCREE_NO_PRESET, "friction coefficient"),
      SCREE_P(kt, "N/m", 1e-30, 1e30, SCREE_NO_PRESET, "tangential stiffness"),
      SCREE_P(gt, "N s/m", 0.0, 1e30, 0.0, "tangential dashpot"), SCREE_P_END};)
SCREE_KERNEL double tangential_linear_stiffness(const ScreeTangential *t, double d) {
  (void)d;
  return t->kt;
}
SCREE_KERNEL double tangential_linear_step(const ScreeTangential *t, double d, double normal, double vt, double dt,
                                           double *memory) {
  (void)d;
  double x = memory[0] + vt * dt;
  double trial = -(t->kt * x + t->gt * vt);
  double limit = t->friction * scree_larger(normal, 0.0);
  double force = scree_larger(scree_smaller(trial, limit), -limit);
  memory[0] = force == trial ? x : -(force + t->gt * vt) / t->kt;
  return force;
}
