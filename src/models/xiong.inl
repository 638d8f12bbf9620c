/* F = K max(0, P + g (b1 + b2 a)(P - a)), P = d^lambda, with a internal state a' = max(-g a/(1 + g(b1 + b2 a)), g (P-a)),
 * MODELS.md 6.7. memory[0] = a [m^lambda]. n = lambda, chi = g, u = {b1, b2}. The branch of a' changes where F = 0. */
SCREE_HOST(
  static const ScreeParamInfo xiong_params[] = {
      SCREE_P(beta1, "s", 0.0, 1e12, SCREE_NO_PRESET, "constant part of the damping"),
      SCREE_P(beta2, "s/m^lambda", 0.0, 1e30, 0.0, "part of the damping that grows with a"),
      SCREE_P(gamma, "1/s", 1e-30, 1e30, SCREE_NO_PRESET, "relaxation rate (20 per elastic contact time when not given)"),
      SCREE_P(lambda, "1", 1.0, 10.0, SCREE_NO_PRESET, "exponent of the overlap (the law's exponent when not given)"), SCREE_P_END};
  static ScreeStatus xiong_prepare(const ScreePairDef *def, ScreePair *p) {
    double rate = def->param[SCREE_PARAM_gamma];
    SCREE_TRY(scree_need_stiffness(p));
    if (scree_given(def->param[SCREE_PARAM_lambda])) p->n = def->param[SCREE_PARAM_lambda];
    if (!scree_given(rate)) rate = 20.0 / scree_elastic_duration(p->k, p->n, p->mass, def->speed);
    if (!scree_given(rate)) return scree_fail(SCREE_MISSING, "xiong needs the relaxation rate gamma");
    if (!scree_given(def->param[SCREE_PARAM_beta1])) return scree_no_strength(p);
    p->m = p->n;
    p->c = rate;
    p->u[0] = p->resolved[SCREE_PARAM_beta1] = def->param[SCREE_PARAM_beta1];
    SCREE_TRY(scree_need_param(def, p, SCREE_PARAM_beta2, &p->u[1]));
    p->resolved[SCREE_PARAM_gamma] = rate;
    p->resolved[SCREE_PARAM_lambda] = p->n;
    return SCREE_OK;
  })
SCREE_KERNEL ScreeLaw xiong_touch(const ScreePair *p, double v0) {
  (void)v0;
  ScreeLaw l = scree_frozen(p, p->c);
  l.u[0] = p->u[0];
  l.u[1] = p->u[1];
  return l;
}
SCREE_KERNEL double xiong_force(const ScreeLaw *l, double d, double v, double *memory) {
  (void)v;
  double p = scree_power_of(l, d, l->n), a = memory[0];
  return l->k * scree_larger(p + l->chi * (l->u[0] + l->u[1] * a) * (p - a), 0.0);
}
SCREE_UNDAMPED(xiong)
SCREE_KERNEL double xiong_stored(const ScreeLaw *l, double d, const double *memory) {
  (void)l, (void)d, (void)memory;
  return 0.0;
}
SCREE_KERNEL double xiong_lost(const ScreeLaw *l, const double *memory) {
  (void)l, (void)memory;
  return 0.0;
}
SCREE_KERNEL double xiong_rest(const ScreeLaw *l, const double *memory) {
  (void)l, (void)memory;
  return 0.0;
}
/* The unclamped force: negative where the law has let go. */
SCREE_KERNEL double xiong_branch(const ScreeLaw *l, double d, double v, const double *memory) {
  (void)v;
  double p = scree_power(d, l->n), a = memory[0];
  return p + l->chi * (l->u[0] + l->u[1] * a) * (p - a);
}
SCREE_KERNEL double xiong_rate(const ScreeLaw *l, double d, double v, const double *memory) {
  (void)v;
  double a = memory[0];
  double free = -l->chi * a / (1.0 + l->chi * (l->u[0] + l->u[1] * a));
  return scree_larger(free, l->chi * (scree_power(d, l->n) - a));
}
