/* K_y d loading; unloading K_y dm/(dm - df) (d - df), df = dm (1 - K_y/(K sqrt(dm)))^(2/3), MODELS.md 6.4 and D18.
 * memory[0] = dm. k = K_y, u[0] = K_y/K. */
SCREE_HOST(
  static const ScreeParamInfo yigit_linear_params[] = {YIGIT_PARAMS, SCREE_P_END};
  static ScreeStatus yigit_linear_prepare(const ScreePairDef *def, ScreePair *p) {
    SCREE_TRY(yigit_form_prepare(def, p));
    p->u[0] = p->c / p->k;
    p->k = p->c;
    return SCREE_OK;
  })
SCREE_KERNEL ScreeLaw yigit_linear_touch(const ScreePair *p, double v0) {
  (void)v0;
  ScreeLaw l = scree_frozen(p, 0.0);
  l.u[0] = p->u[0];
  return l;
}
SCREE_KERNEL double yigit_linear_rest(const ScreeLaw *l, const double *memory) {
  double deepest = memory[0];
  double bracket = 1.0 - l->u[0] / sqrt(scree_larger(deepest, 1e-300));
  double x = cbrt(scree_larger(bracket, 0.0));
  return deepest * x * x;
}
SCREE_KERNEL double yigit_linear_force(const ScreeLaw *l, double d, double v, double *memory) {
  (void)v;
  double deepest = scree_larger(memory[0], d);
  memory[0] = deepest;
  if (d >= deepest) return l->k * d;
  double rest = yigit_linear_rest(l, &deepest);
  return l->k * deepest / (deepest - rest) * scree_larger(d - rest, 0.0);
}
SCREE_UNDAMPED(yigit_linear)
SCREE_KERNEL double yigit_linear_stored(const ScreeLaw *l, double d, const double *memory) {
  double deepest = scree_larger(memory[0], d);
  double rest = yigit_linear_rest(l, &deepest), gap = scree_larger(d - rest, 0.0);
  return deepest > 0.0 ? 0.5 * l->k * deepest / (deepest - rest) * gap * gap : 0.0;
}
SCREE_KERNEL double yigit_linear_lost(const ScreeLaw *l, const double *memory) {
  return 0.5 * l->k * memory[0] * yigit_linear_rest(l, memory);
}
/* The residual overlap starts where the bracket turns positive. */
SCREE_KERNEL double yigit_linear_branch(const ScreeLaw *l, double d, double v, const double *memory) {
  (void)v;
  return sqrt(scree_larger(scree_larger(d, memory[0]), 0.0)) - l->u[0];
}
SCREE_TIMELESS(yigit_linear)
