/* F = K d^(3/2) + 4 pi mu d sign(v)|v|^nl, MODELS.md 4 and D25: a real power of a negative rate is meaningless.
 * r = nl. */
SCREE_HOST(
  static const ScreeParamInfo alizadeh_params[] = {
      SCREE_P(mu, "Pa s^nl m^(1-nl)", 0.0, 1e30, SCREE_NO_PRESET, "viscosity"),
      SCREE_P(nl, "1", 0.1, 10.0, 1.5, "exponent of the rate"), SCREE_P_END};
  static ScreeStatus alizadeh_prepare(const ScreePairDef *def, ScreePair *p) {
    double mu = def->param[SCREE_PARAM_mu];
    SCREE_TRY(scree_need_stiffness(p));
    SCREE_TRY(scree_need_param(def, p, SCREE_PARAM_nl, &p->r));
    if (!scree_given(mu)) return scree_no_strength(p);
    p->m = 1.0;
    p->c = 4.0 * acos(-1.0) * mu;
    p->resolved[SCREE_PARAM_mu] = mu;
    return SCREE_OK;
  })
SCREE_KERNEL ScreeLaw alizadeh_touch(const ScreePair *p, double v0) {
  (void)v0;
  return scree_frozen(p, p->c);
}
SCREE_KERNEL double alizadeh_force(const ScreeLaw *l, double d, double v, double *memory) {
  (void)memory;
  return l->k * scree_power_of(l, d, 1.5) + l->chi * d * scree_signed_power(v, l->r);
}
SCREE_KERNEL double alizadeh_damping(const ScreeLaw *l, double d, double v, const double *memory) {
  (void)memory;
  return l->r == 1.0 ? l->chi * d : l->chi * d * pow(fabs(v), l->r - 1.0);
}
SCREE_KERNEL double alizadeh_stored(const ScreeLaw *l, double d, const double *memory) {
  (void)memory;
  return power_law_energy(l, d);
}
SCREE_MEMORYLESS(alizadeh)
