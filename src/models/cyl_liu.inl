/* F = (pi/2) E* L d sqrt(d/(2(dR + d))), MODELS.md 8 and D34. k = (pi/2) E* L/sqrt(2), u[0] = dR. */
SCREE_KERNEL double cyl_liu_elastic(const ScreeLaw *l, double d) { return l->k * d * sqrt(d / (l->u[0] + d)); }
/* Integral of x^1.5/sqrt(1+x): the binomial series for small x, where the closed form in u = asinh(sqrt x) cancels. */
SCREE_KERNEL double cyl_liu_energy(const ScreeLaw *l, double d) {
  double x = d / l->u[0], sum = 0.0;
  if (x < 0.25) {
    double term = 1.0;
    for (int j = 0; j < 40; j++) {
      sum += term / (j + 2.5);
      term *= -(j + 0.5) / (j + 1.0) * x;
    }
    sum *= x * x * sqrt(x);
  } else {
    double u = asinh(sqrt(x));
    sum = sinh(4.0 * u) / 16.0 - sinh(2.0 * u) / 2.0 + 0.75 * u;
  }
  return l->k * l->u[0] * l->u[0] * sum;
}
SCREE_LINE_LAW(cyl_liu)
SCREE_HOST(
  static ScreeStatus cyl_liu_prepare(const ScreePairDef *def, ScreePair *p) {
    Joint j = joint(def, p);
    SCREE_TRY(scree_check_variant(def, p, ""));
    p->k = 0.5 * acos(-1.0) * j.modulus * j.length / sqrt(2.0);
    p->u[0] = j.clearance;
    p->n = p->m = 1.5;
    return SCREE_OK;
  })
