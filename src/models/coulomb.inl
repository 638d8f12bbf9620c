/* Ft = -mu Fn s(vt), s = tanh(vt/veps) or vt/sqrt(vt^2 + veps^2), MODELS.md 7. No memory. */
SCREE_HOST(
  static const ScreeParamInfo coulomb_params[] = {
      SCREE_P(mu, "1", 0.0, 1e6, SCREE_NO_PRESET, "friction coefficient"),
      SCREE_P(veps, "m/s", 1e-30, 1e30, 1e-3, "regularisation speed"),
      SCREE_P(Fn, "N", 0.0, 1e30, SCREE_NO_PRESET, "normal force"), SCREE_P_END};)
SCREE_KERNEL double coulomb_stiffness(const ScreeTangential *t, double d) {
  (void)t, (void)d;
  return 0.0;
}
SCREE_KERNEL double coulomb_step(const ScreeTangential *t, double d, double normal, double vt, double dt, double *memory) {
  (void)d, (void)dt, (void)memory;
  double limit = t->friction * scree_larger(normal, 0.0);
  double share = t->regularisation == SCREE_TANH ? tanh(vt / t->veps) : vt / sqrt(vt * vt + t->veps * t->veps);
  return -limit * share;
}
