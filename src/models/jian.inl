/* K d^1.5 + (3/2) K A (1 - exp(-t/T)) sqrt(d) v, t since first touch, MODELS.md 6.6. memory[0] = t. u[0] = 1/T. */
SCREE_HOST(
  static const ScreeParamInfo jian_params[] = {
      SCREE_P(A, "s", 0.0, 1e12, SCREE_NO_PRESET, "relaxation time eta/Ge"),
      SCREE_P(T, "s", 1e-30, 1e12, SCREE_NO_PRESET, "delay eta/G0 (a twentieth of the elastic contact time when not given)"),
      SCREE_P(eta, "Pa s", 0.0, 1e30, SCREE_NO_PRESET, "viscosity, from which A and T follow"),
      SCREE_P(Ge, "Pa", 1e-30, 1e30, SCREE_NO_PRESET, "elastic shear modulus"),
      SCREE_P(G0, "Pa", 1e-30, 1e30, SCREE_NO_PRESET, "initial modulus"), SCREE_P_END};
  static ScreeStatus jian_prepare(const ScreePairDef *def, ScreePair *p) {
    double eta = def->param[SCREE_PARAM_eta], ge = def->param[SCREE_PARAM_Ge];
    if (!scree_given(p->k) && scree_given(ge) && scree_given(p->reduced_radius) && scree_given(def->material[0].poisson))
      p->k = 4.0 * ge * sqrt(p->reduced_radius) / (3.0 * (1.0 - def->material[0].poisson));
    SCREE_TRY(scree_need_stiffness(p));
    ScreeAlternative strength[] = {{SCREE_PARAM_A, 1.5 * p->k}, {SCREE_PARAM_eta, 1.5 * p->k / ge}};
    ScreeAlternative delay[] = {{SCREE_PARAM_T, 1.0}, {SCREE_PARAM_eta, 1.0 / def->param[SCREE_PARAM_G0]}};
    double t;
    p->m = 0.5;
    SCREE_TRY(SCREE_PICK(def, p, strength, &p->c));
    SCREE_TRY(SCREE_PICK(def, p, delay, &t));
    if (!scree_given(t)) t = scree_elastic_duration(p->k, 1.5, p->mass, def->speed) / 20.0;
    if (!scree_given(t)) return scree_fail(SCREE_MISSING, "jian needs the delay T");
    if (!scree_given(p->c)) return scree_no_strength(p);
    p->u[0] = 1.0 / t;
    p->resolved[SCREE_PARAM_A] = p->c / (1.5 * p->k);
    p->resolved[SCREE_PARAM_T] = t;
    p->resolved[SCREE_PARAM_eta] = eta;
    return SCREE_OK;
  })
SCREE_KERNEL ScreeLaw jian_touch(const ScreePair *p, double v0) {
  (void)v0;
  ScreeLaw l = scree_frozen(p, p->c);
  l.u[0] = p->u[0];
  return l;
}
SCREE_KERNEL double jian_force(const ScreeLaw *l, double d, double v, double *memory) {
  double root = scree_root_of(l, d);
  return root * (l->k * d - l->chi * expm1(-memory[0] * l->u[0]) * v);
}
SCREE_KERNEL double jian_damping(const ScreeLaw *l, double d, double v, const double *memory) {
  (void)v;
  return -l->chi * expm1(-memory[0] * l->u[0]) * sqrt(d);
}
SCREE_KERNEL double jian_stored(const ScreeLaw *l, double d, const double *memory) {
  (void)memory;
  return power_law_energy(l, d);
}
SCREE_KERNEL double jian_lost(const ScreeLaw *l, const double *memory) {
  (void)l, (void)memory;
  return 0.0;
}
SCREE_KERNEL double jian_rest(const ScreeLaw *l, const double *memory) {
  (void)l, (void)memory;
  return 0.0;
}
SCREE_BRANCHLESS(jian)
SCREE_KERNEL double jian_rate(const ScreeLaw *l, double d, double v, const double *memory) {
  (void)l, (void)d, (void)v, (void)memory;
  return 1.0;
}
