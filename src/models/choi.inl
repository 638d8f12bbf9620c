/* max(K d^ms + D |v|^(md-1) v d^mi, Rc K d^ms), MODELS.md 6.5. n = ms, m = mi, r = md, chi = D, u[0] = Rc. */
SCREE_HOST(
  static const ScreeParamInfo choi_params[] = {
      SCREE_P(D, "N m^-mi (s/m)^md", 0.0, 1e30, SCREE_NO_PRESET, "damping coefficient"),
      SCREE_P(chi_hat, "1", 0.0, 1e9, SCREE_NO_PRESET, "damping factor, D = chi_hat K/v0^md, instead of D"),
      SCREE_P(Rc, "1", 0.0, 1.0, 0.25, "floor of the force as a share of the elastic one"),
      SCREE_P(ms, "1", 1.0, 10.0, SCREE_NO_PRESET, "spring exponent (the law's exponent when not given)"),
      SCREE_P(mi, "1", 0.0, 10.0, SCREE_NO_PRESET, "overlap exponent of the damper (as ms when not given)"),
      SCREE_P(md, "1", 0.1, 10.0, 1.0, "rate exponent of the damper"), SCREE_P_END};
  static ScreeStatus choi_prepare(const ScreePairDef *def, ScreePair *p) {
    SCREE_TRY(scree_need_stiffness(p));
    if (scree_given(def->param[SCREE_PARAM_ms])) p->n = def->param[SCREE_PARAM_ms];
    p->m = scree_given(def->param[SCREE_PARAM_mi]) ? def->param[SCREE_PARAM_mi] : p->n;
    SCREE_TRY(scree_need_param(def, p, SCREE_PARAM_Rc, &p->u[0]));
    SCREE_TRY(scree_need_param(def, p, SCREE_PARAM_md, &p->r));
    /* the factor is that of a damper d^ms; the speed turns it into a coefficient */
    ScreeAlternative names[] = {{SCREE_PARAM_D, 1.0}, {SCREE_PARAM_chi_hat, p->k / pow(def->speed, p->r)}};
    SCREE_TRY(SCREE_PICK(def, p, names, &p->c));
    if (!scree_given(p->c)) return scree_no_strength(p);
    SCREE_RESOLVE(p, names, p->c);
    return SCREE_OK;
  })
SCREE_KERNEL ScreeLaw choi_touch(const ScreePair *p, double v0) {
  (void)v0;
  ScreeLaw l = scree_frozen(p, p->c);
  l.u[0] = p->u[0];
  return l;
}
SCREE_KERNEL double choi_raw(const ScreeLaw *l, double elastic, double d, double v) {
  return elastic + l->chi * scree_power_of(l, d, l->m) * scree_signed_power(v, l->r);
}
SCREE_KERNEL double choi_force(const ScreeLaw *l, double d, double v, double *memory) {
  (void)memory;
  double elastic = l->k * scree_power_of(l, d, l->n);
  return scree_larger(choi_raw(l, elastic, d, v), l->u[0] * elastic);
}
/* On the floor the lost power is (1-Rc) K d^ms |v|. */
SCREE_KERNEL double choi_damping(const ScreeLaw *l, double d, double v, const double *memory) {
  (void)memory;
  double elastic = l->k * scree_power(d, l->n);
  if (choi_raw(l, elastic, d, v) < l->u[0] * elastic) return (1.0 - l->u[0]) * elastic / fabs(v);
  double rate = l->r == 1.0 ? 1.0 : pow(fabs(v), l->r - 1.0);
  return l->chi * scree_power(d, l->m) * rate;
}
SCREE_KERNEL double choi_stored(const ScreeLaw *l, double d, const double *memory) {
  (void)memory;
  return power_law_energy(l, d);
}
SCREE_KERNEL double choi_lost(const ScreeLaw *l, const double *memory) {
  (void)l, (void)memory;
  return 0.0;
}
SCREE_KERNEL double choi_rest(const ScreeLaw *l, const double *memory) {
  (void)l, (void)memory;
  return 0.0;
}
/* Divided by K d^min(ms,mi) so that it does not vanish with the overlap. */
SCREE_KERNEL double choi_branch(const ScreeLaw *l, double d, double v, const double *memory) {
  (void)memory;
  double low = scree_smaller(l->n, l->m);
  double spring = l->n > low ? scree_power(d, l->n - low) : 1.0, damper = l->m > low ? scree_power(d, l->m - low) : 1.0;
  return (1.0 - l->u[0]) * spring + l->chi / l->k * damper * scree_signed_power(v, l->r);
}
SCREE_TIMELESS(choi)
