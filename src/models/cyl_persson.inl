/* f = 2 pi E* dR b^2 (b^2+1)/(2 - ln(1+b^2) - 2 b^4), b = tan(eps/2), cos eps = dR/(dR + d), so b^2 = d/(2 dR + d),
 * MODELS.md 8 and D36. k = 2 pi E* dR L, u[0] = dR. */
SCREE_KERNEL double cyl_persson_elastic(const ScreeLaw *l, double d) {
  double b2 = d / (2.0 * l->u[0] + d);
  double denominator = 2.0 - log1p(b2) - 2.0 * b2 * b2;
  return denominator > 0.0 ? l->k * b2 * (b2 + 1.0) / denominator : NAN;
}
SCREE_HOST(
  static double cyl_persson_integrand(double from_zero, double to_end, void *law) {
    (void)to_end;
    return cyl_persson_elastic(law, from_zero);
  }
  static double cyl_persson_denominator(double b2, void *context) {
    (void)context;
    return 2.0 - log1p(b2) - 2.0 * b2 * b2;
  })
SCREE_KERNEL double cyl_persson_energy(const ScreeLaw *l, double d) {
#ifdef SCREE_CATALOGUE
  ScreeLaw law = *l;
  return scree_integrate(cyl_persson_integrand, &law, 0.0, d);
#else
  (void)l, (void)d;
  return NAN;
#endif
}
SCREE_LINE_LAW(cyl_persson)
SCREE_HOST(
  static ScreeStatus cyl_persson_prepare(const ScreePairDef *def, ScreePair *p) {
    Joint j = joint(def, p);
    SCREE_TRY(scree_check_variant(def, p, "half_modulus"));
    bool ok;
    double b2 = scree_root(cyl_persson_denominator, NULL, 0.0, 1.0, 0.0, &ok);
    p->k = (scree_variant_is(def, "half_modulus") ? 1.0 : 2.0) * acos(-1.0) * j.modulus * j.clearance * j.length;
    p->u[0] = j.clearance;
    p->limit = (1.0 - 1e-6) * j.clearance * 2.0 * b2 / (1.0 - b2); /* the force has a pole there */
    p->n = p->m = NAN;
    return SCREE_OK;
  })
