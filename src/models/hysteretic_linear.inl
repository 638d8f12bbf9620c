/* min(K d, k_u (d - d0)) floored at 0, k_u = K/e^2, d0 = dmax (1 - K/k_u), MODELS.md 6.2.
 * memory[0] = dmax. chi = k_u, u[0] = 1 - K/k_u. */
SCREE_HOST(
  static const ScreeParamInfo hysteretic_linear_params[] = {
      SCREE_P(k_unload, "N/m", 0.0, 1e30, SCREE_NO_PRESET, "unloading stiffness, instead of K/e^2"), SCREE_P_END};
  static ScreeStatus hysteretic_linear_prepare(const ScreePairDef *def, ScreePair *p) {
    SCREE_TRY(scree_need_stiffness(p));
    p->c = def->param[SCREE_PARAM_k_unload];
    if (!scree_given(p->c)) {
      SCREE_TRY(scree_need_restitution(def, p));
      p->c = p->k / (def->restitution * def->restitution);
    }
    if (p->c < p->k)
      return scree_fail(SCREE_INVALID, "k_unload must be at least the loading stiffness %.10g N/m (got %.10g)", p->k, p->c);
    p->u[0] = 1.0 - p->k / p->c;
    p->resolved[SCREE_PARAM_k_unload] = p->c;
    return SCREE_OK;
  })
SCREE_KERNEL ScreeLaw hysteretic_linear_touch(const ScreePair *p, double v0) {
  (void)v0;
  ScreeLaw l = scree_frozen(p, p->c);
  l.u[0] = p->u[0];
  return l;
}
SCREE_KERNEL double hysteretic_linear_force(const ScreeLaw *l, double d, double v, double *memory) {
  (void)v;
  double deepest = scree_larger(memory[0], d);
  memory[0] = deepest;
  double unloading = l->chi * (d - l->u[0] * deepest);
  return scree_larger(d < deepest ? unloading : l->k * d, 0.0);
}
SCREE_UNDAMPED(hysteretic_linear)
SCREE_KERNEL double hysteretic_linear_stored(const ScreeLaw *l, double d, const double *memory) {
  double gap = scree_larger(d - l->u[0] * scree_larger(memory[0], d), 0.0);
  return 0.5 * l->chi * gap * gap;
}
SCREE_KERNEL double hysteretic_linear_lost(const ScreeLaw *l, const double *memory) {
  return 0.5 * l->k * l->u[0] * memory[0] * memory[0];
}
SCREE_KERNEL double hysteretic_linear_rest(const ScreeLaw *l, const double *memory) { return l->u[0] * memory[0]; }
SCREE_BRANCHLESS(hysteretic_linear)
SCREE_TIMELESS(hysteretic_linear)
