/* F = kv V + dv dV/dt of the lens two spheres share, MODELS.md 6.8 and D19. k = kv, chi = dv, u = {R1, 1/R2}: a plane
 * has 1/R2 = 0, where the lens is a cap. Each sphere yields like a layer as thick as its radius, kv = 1/(R1/E1 + R2/E2);
 * a plane like one as thick as the radius of the sphere that meets it. */
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
    bool flat = def->geometry == SCREE_SPHERE_PLANE && !scree_given(def->param[SCREE_PARAM_R2]);
    double r2 = flat ? r1 : roy_carretero_or(def, p, SCREE_PARAM_R2, def->radius[1]);
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
    p->u[1] = flat ? 0.0 : 1.0 / r2;
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
/* With S = R1 + R2 and q = 1/R2, V = pi/12 d^2 (12 R1 R2 - 4 S d + d^2)/(S - d); both are divided by R2. */
SCREE_KERNEL double roy_carretero_volume(const ScreeLaw *l, double d) {
  double r = l->u[0], q = l->u[1], sum = 1.0 + r * q;
  return 0.26179938779914943654 * d * d * (12.0 * r - 4.0 * sum * d + q * d * d) / (sum - q * d);
}
/* dV/dd = pi a^2 = pi/4 d (2 R1 - d)(2 R2 - d)(2 S - d)/(S - d)^2 */
SCREE_KERNEL double roy_carretero_area(const ScreeLaw *l, double d) {
  double r = l->u[0], q = l->u[1], sum = 1.0 + r * q, s = sum - q * d;
  return 0.78539816339744830962 * d * (2.0 * r - d) * (2.0 - q * d) * (2.0 * sum - q * d) / (s * s);
}
SCREE_KERNEL double roy_carretero_force(const ScreeLaw *l, double d, double v, double *memory) {
  (void)memory;
  return l->k * roy_carretero_volume(l, d) + l->chi * roy_carretero_area(l, d) * v;
}
SCREE_KERNEL double roy_carretero_damping(const ScreeLaw *l, double d, double v, const double *memory) {
  (void)v, (void)memory;
  return l->chi * roy_carretero_area(l, d);
}
/* Integral of V. With x = d/S and D = R1 - R2, 12/pi of it is S d^3 - d^4/4 + 3 D^2 S^2 (ln(1 - x) + x + x^2/2). The
 * terms of x^3 and x^4 are taken out of the logarithm: what is left of them is small beside the first, and what is left
 * of the logarithm is a series where it would cancel. (D/S)^2 = p^2 with p = (1 - R1 q)/(1 + R1 q). */
SCREE_KERNEL double roy_carretero_stored(const ScreeLaw *l, double d, const double *memory) {
  (void)memory;
  double r = l->u[0], q = l->u[1], sum = 1.0 + r * q, p = (1.0 - r * q) / sum, x = q * d / sum;
  /* -(ln(1-x) + x + x^2/2 + x^3/3 + x^4/4)/x^4 = x/5 + x^2/6 + ... */
  double tail = 0.0;
  if (x < 0.25)
    for (int n = 32; n >= 5; n--) tail = x * (1.0 / n + tail);
  else
    tail = -(((log1p(-x) / x + 1.0) / x + 0.5) / x + 1.0 / 3.0) / x - 0.25;
  return l->k * 0.26179938779914943654 * d * d * d *
         (4.0 * r / sum - d * (0.25 + p * p * (0.75 + 3.0 * tail)));
}
SCREE_MEMORYLESS(roy_carretero)
