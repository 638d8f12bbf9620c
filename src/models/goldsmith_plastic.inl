/* K d^n on the virgin curve, F_max ((d-dp)/(dmax-dp))^n along un- and reloading with dp = (1-e^2) dmax, MODELS.md 6.1.
 * memory[0] = dmax. u[0] = 1 - e^2. Since dmax - dp = e^2 dmax and F_max = K dmax^n, unloading is
 * K ((d-dp)/e^2)^n: chi holds 1/e^2. */
SCREE_HOST(
  static const ScreeParamInfo goldsmith_plastic_params[] = {SCREE_P_END};
  static ScreeStatus goldsmith_plastic_prepare(const ScreePairDef *def, ScreePair *p) {
    SCREE_TRY(scree_need_stiffness(p));
    SCREE_TRY(scree_need_restitution(def, p));
    double e2 = def->restitution * def->restitution;
    p->u[0] = 1.0 - e2;
    p->c = 1.0 / e2;
    return SCREE_OK;
  })
SCREE_KERNEL ScreeLaw goldsmith_plastic_touch(const ScreePair *p, double v0) {
  (void)v0;
  ScreeLaw l = scree_frozen(p, p->c);
  l.u[0] = p->u[0];
  return l;
}
SCREE_KERNEL double goldsmith_plastic_force(const ScreeLaw *l, double d, double v, double *memory) {
  (void)v;
  double deepest = scree_larger(memory[0], d);
  memory[0] = deepest;
  double x = scree_larger(d - l->u[0] * deepest, 0.0) * l->chi;
  return l->k * scree_power(d < deepest ? x : d, l->n);
}
SCREE_UNDAMPED(goldsmith_plastic)
SCREE_KERNEL double goldsmith_plastic_stored(const ScreeLaw *l, double d, const double *memory) {
  double gap = scree_larger(d - l->u[0] * scree_larger(memory[0], d), 0.0);
  return l->k * scree_power(gap * l->chi, l->n) * gap / (l->n + 1.0);
}
SCREE_KERNEL double goldsmith_plastic_lost(const ScreeLaw *l, const double *memory) {
  return l->u[0] * power_law_energy(l, memory[0]);
}
SCREE_KERNEL double goldsmith_plastic_rest(const ScreeLaw *l, const double *memory) { return l->u[0] * memory[0]; }
SCREE_BRANCHLESS(goldsmith_plastic)
SCREE_TIMELESS(goldsmith_plastic)
