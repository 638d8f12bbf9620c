/* F = (4/3) E* sqrt(R) d^n, 1 <= n <= 1.5, MODELS.md 8 and D38. */
SCREE_KERNEL double cyl_lankarani_nikravesh_elastic(const ScreeLaw *l, double d) { return l->k * scree_power_of(l, d, l->n); }
SCREE_KERNEL double cyl_lankarani_nikravesh_energy(const ScreeLaw *l, double d) { return power_law_energy(l, d); }
SCREE_LINE_LAW(cyl_lankarani_nikravesh)
SCREE_HOST(
  static ScreeStatus cyl_lankarani_nikravesh_prepare(const ScreePairDef *def, ScreePair *p) {
    Joint j = joint(def, p);
    SCREE_TRY(scree_check_variant(def, p, ""));
    if (!(p->n >= 1.0 && p->n <= 1.5))
      return scree_fail(SCREE_INVALID, "cyl_lankarani_nikravesh: the exponent must be in 1 ... 1.5 (got %.10g)", p->n);
    p->k = 4.0 / 3.0 * j.modulus * sqrt(j.radius);
    p->m = p->n;
    return SCREE_OK;
  })
