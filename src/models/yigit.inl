/* Hertz to delta_y, then linear with the slope there; unloading parallel to Hertz's curve, MODELS.md 6.4.
 * memory[0] = deepest overlap. chi = K_y, u = {delta_y, K delta_y^1.5}. */
SCREE_HOST(
  static const ScreeParamInfo yigit_params[] = {YIGIT_PARAMS, SCREE_P_END};
  static ScreeStatus yigit_prepare(const ScreePairDef *def, ScreePair *p) {
    SCREE_TRY(yigit_form_prepare(def, p));
    p->u[1] = p->k * p->u[0] * sqrt(p->u[0]);
    return SCREE_OK;
  })
SCREE_KERNEL ScreeLaw yigit_touch(const ScreePair *p, double v0) {
  (void)v0;
  ScreeLaw l = scree_frozen(p, p->c);
  l.u[0] = p->u[0];
  l.u[1] = p->u[1];
  return l;
}
SCREE_KERNEL double yigit_virgin(const ScreeLaw *l, double d) {
  double elastic = l->k * d * sqrt(d);
  double plastic = l->u[1] + l->chi * (d - l->u[0]);
  return d <= l->u[0] ? elastic : plastic;
}
SCREE_KERNEL double yigit_force(const ScreeLaw *l, double d, double v, double *memory) {
  (void)v;
  double deepest = scree_larger(memory[0], d);
  memory[0] = deepest;
  double shift = l->k * (d * scree_root_of(l, d) - deepest * sqrt(deepest));
  return scree_larger(shift + yigit_virgin(l, deepest), 0.0);
}
SCREE_UNDAMPED(yigit)
SCREE_KERNEL double yigit_rest(const ScreeLaw *l, const double *memory) {
  double deepest = memory[0];
  double x = cbrt(scree_larger(deepest * sqrt(deepest) - yigit_virgin(l, deepest) / l->k, 0.0));
  return deepest <= l->u[0] ? 0.0 : x * x;
}
/* Integral of K (x^1.5 - d_f^1.5) from the residual d_f to d; as a binomial series where the difference would cancel. */
SCREE_KERNEL double yigit_stored(const ScreeLaw *l, double d, const double *memory) {
  double deepest = scree_larger(memory[0], d);
  double rest = yigit_rest(l, &deepest);
  if (d <= rest) return 0.0;
  double t = (d - rest) / rest;
  if (t < 0.01) {
    double series = 1.875 + t * (0.3125 + t * (-0.0390625 + t * (0.01171875 + t * (-0.0048828125 + t * 0.00244140625))));
    return 0.4 * l->k * rest * rest * sqrt(rest) * t * t * series;
  }
  return l->k * (0.4 * (d * d * sqrt(d) - rest * rest * sqrt(rest)) - rest * sqrt(rest) * (d - rest));
}
SCREE_KERNEL double yigit_lost(const ScreeLaw *l, const double *memory) {
  double deepest = memory[0], past = deepest - l->u[0];
  if (past <= 0.0) return 0.0;
  return 0.4 * l->u[1] * l->u[0] + (l->u[1] + 0.5 * l->chi * past) * past - yigit_stored(l, deepest, memory);
}
SCREE_KERNEL double yigit_branch(const ScreeLaw *l, double d, double v, const double *memory) {
  (void)v;
  return scree_larger(d, memory[0]) - l->u[0];
}
SCREE_TIMELESS(yigit)
