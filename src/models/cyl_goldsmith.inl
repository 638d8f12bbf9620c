/* d = (F h/L) (ln(L^3/(F R h)) + 1), h = 1/(pi E*); the printed reading has L^1 (in SI numbers) and h = 1/E*,
 * MODELS.md 8, D32, D33. */
SCREE_LOG_LAW(cyl_goldsmith)
SCREE_HOST(
  static ScreeStatus cyl_goldsmith_prepare(const ScreePairDef *def, ScreePair *p) {
    Joint j = joint(def, p);
    SCREE_TRY(scree_check_variant(def, p, "printed m1_si m1_si_pi m3 m3_pi"));
    bool first_power = scree_variant_is(def, "printed") || scree_variant_is(def, "m1_si") || scree_variant_is(def, "m1_si_pi");
    bool plain = scree_variant_is(def, "printed") || scree_variant_is(def, "m1_si") || scree_variant_is(def, "m3");
    double h = 1.0 / (plain ? j.modulus : acos(-1.0) * j.modulus);
    double square = first_power ? 1.0 : j.length * j.length;
    return log_law_prepare(p, h, square * exp(1.0) / (j.radius * h), j.length);
  })
