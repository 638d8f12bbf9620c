/* F = ((a dR + b) L E* /dR) d^n with lengths in mm and E* in MPa, MODELS.md 8 and D39; turned to SI here: with
 * d_mm = 1000 d the stiffness per m^n is 1000^n times that per mm^n. */
/* the exponent is never one of the common ones */
SCREE_KERNEL double cyl_pereira_elastic(const ScreeLaw *l, double d) { return l->k * pow(d, l->n); }
SCREE_KERNEL double cyl_pereira_energy(const ScreeLaw *l, double d) { return power_law_energy(l, d); }
SCREE_LINE_LAW(cyl_pereira)
SCREE_HOST(
  static ScreeStatus cyl_pereira_prepare(const ScreePairDef *def, ScreePair *p) {
    Joint j = joint(def, p);
    SCREE_TRY(scree_check_variant(def, p, ""));
    bool external = def->geometry == SCREE_CYLINDER_EXTERNAL;
    double dr = 1e3 * j.clearance, length = 1e3 * j.length, modulus = 1e-6 * j.modulus;
    if (!external && !(dr >= 0.005 && dr <= 10.0))
      return scree_fail(SCREE_INVALID, "cyl_pereira: the clearance must be in 0.005 ... 10 mm (got %.10g mm)", dr);
    double y = dr < 0.34954 ? 1.51 * pow(log(1000.0 * dr), -0.151) : 0.0151 * dr + 1.151;
    double a = external ? 0.39 : 0.965, b = external ? 0.85 : 0.0965;
    p->n = p->m = external ? 1.094 : y * pow(dr, -0.005);
    p->k = (a * dr + b) * length * modulus / dr * pow(1e3, p->n);
    return SCREE_OK;
  })
