/* F = kv V + dv dV/dt of the lens two spheres share, MODELS.md 6.8 and D19. k = kv, chi = dv, u = {R1, R2}. */
SCREE_HOST(
  static const ScreeParamInfo roy_carretero_params[] = {
      SCREE_P(D1, "Pa s", 0.0, 1e30, SCREE_NO_PRESET, "viscosity of the first body"),
      SCREE_P(D2, "Pa s", 0.0, 1e30, SCREE_NO_PRESET, "viscosity of the second body (as the first when not given)"),
      SCREE_P(E1, "Pa", 1e-30, 1e30, SCREE_NO_PRESET, "modulus of the first body, instead of its material's"),
      SCREE_P(E2, "Pa", 1e-30, 1e30, SCREE_NO_PRESET, "modulus of the second body"),
      SCREE_P(R1, "m", 1e-30, 1e30, SCREE_NO_PRESET, "radius of the first body"),
      SCREE_P(R2, "m", 1e-30, 1e30, SCREE_NO_PRESET, "radius of the second body"), SCREE_P_END};
  static double roy_carretero_or(const ScreePairDef *def, ScreePair *p, ScreeParamId id, double otherwise) {
    return p->resolved[id] = scree_given(def->param[id]) ? def->param[id] : otherwise;
  }
  static ScreeStatus roy_carretero_prepare(const ScreePairDef *def, ScreePair *p) {
    double r1 = roy_carretero_or(def, p, SCREE_PARAM_R1, def->radius[0]);
    double r2 = roy_carretero_or(def, p, SCREE_PARAM_R2, def->radius[1]);
    double e1 = roy_carretero_or(def, p, SCREE_PARAM_E1, def->material[0].young);
    double e2 = roy_carretero_or(def, p, SCREE_PARAM_E2, scree_given(def->material[1].young) ? def->material[1].young : e1);
    double d1 = roy_carretero_or(def, p, SCREE_PARAM_D1, NAN);
    double d2 = roy_carretero_or(def, p, SCREE_PARAM_D2, d1);
    if (!(r1 > 0.0 && r2 > 0.0)) return scree_fail(SCREE_MISSING, "roy_carretero needs two radii, or R1 and R2");
    if (!(e1 > 0.0 && e2 > 0.0)) return scree_fail(SCREE_MISSING, "roy_carretero needs Young moduli, or E1 and E2");
    if (!scree_given(d1)) return scree_no_strength(p);
    p->k = e1 * e2 / (r2 * e1 + r1 * e2);
    p->c = d1 > 0.0 && d2 > 0.0 ? d1 * d2 / (r2 * d1 + r1 * d2) : 0.0;
    p->u[0] = r1;
    p->u[1] = r2;
    p->m = 1.0;
    p->limit = 2.0 * fmin(r1, r2);
    return SCREE_OK;
  })
SCREE_KERNEL ScreeLaw roy_carretero_touch(const ScreePair *p, double v0) {
  (void)v0;
  ScreeLaw l = scree_frozen(p, p->c);
  l.u[0] = p->u[0];
  l.u[1] = p->u[1];
  return l;
}
SCREE_KERNEL double roy_carretero_volume(const ScreeLaw *l, double d) {
  double sum = l->u[0] + l->u[1], difference = l->u[0] - l->u[1], s = sum - d;
  return 0.26179938779914943654 * d * d * (s * s + 2.0 * s * sum - 3.0 * difference * difference) / s;
}
/* dV/dd = pi a^2 */
SCREE_KERNEL double roy_carretero_area(const ScreeLaw *l, double d) {
  double r1 = l->u[0], r2 = l->u[1], s = r1 + r2 - d;
  return 0.78539816339744830962 * d * (2.0 * r1 - d) * (2.0 * r2 - d) * (2.0 * (r1 + r2) - d) / (s * s);
}
SCREE_KERNEL double roy_carretero_force(const ScreeLaw *l, double d, double v, double *memory) {
  (void)memory;
  return l->k * roy_carretero_volume(l, d) + l->chi * roy_carretero_area(l, d) * v;
}
SCREE_KERNEL double roy_carretero_damping(const ScreeLaw *l, double d, double v, const double *memory) {
  (void)v, (void)memory;
  return l->chi * roy_carretero_area(l, d);
}
/* Integral of V. With s = S - d, 12 V/pi = d^2 (s + 2S - 3 D^2/s): polynomial part and a logarithm, the latter as a
 * series-safe form of integral x^2/(S-x) = -d^2/2 - S d - S^2 ln(1 - d/S). */
SCREE_KERNEL double roy_carretero_stored(const ScreeLaw *l, double d, const double *memory) {
  (void)memory;
  double sum = l->u[0] + l->u[1], difference = l->u[0] - l->u[1];
  double smooth = sum * d * d * d - 0.25 * d * d * d * d;
  double x = d / sum;
  /* -(x^2/2 + x + ln(1-x)) = x^3/3 + x^4/4 + ... */
  double tail = x < 0.01 ? x * x * x * (1.0 / 3.0 + x * (0.25 + x * (0.2 + x * (1.0 / 6.0 + x * (1.0 / 7.0 + x * (0.125 + x / 9.0))))))
                         : -(0.5 * x * x + x + log1p(-x));
  return l->k * 0.26179938779914943654 * (smooth - 3.0 * difference * difference * sum * sum * tail);
}
SCREE_MEMORYLESS(roy_carretero)
