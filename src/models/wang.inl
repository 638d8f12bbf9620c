/* X = 3/4 (1-c^2) exp(2(1-c)), c = 1 - 0.26 Kstar v0^(1/3): depends on v0, MODELS.md 3.3. */
SCREE_KERNEL double wang_factor_of(double cr) { return 0.75 * (1.0 - cr * cr) * exp(2.0 * (1.0 - cr)); }
SCREE_HOST(
  static const ScreeParamInfo wang_params[] = {WANG_PARAMS, SCREE_P_END};
  static double wang_factor_at(double cr) { return wang_factor_of(cr); }
  static ScreeStatus wang_prepare(const ScreePairDef *def, ScreePair *p) {
    return wang_form_prepare(def, p, wang_factor_at);
  })
/* u[0] = Kstar, 0 when the factor itself was given. */
SCREE_KERNEL ScreeLaw wang_touch(const ScreePair *p, double v0) {
  if (p->u[0] == 0.0 || v0 <= 0.0) return scree_frozen(p, scree_latched(p, v0));
  double speed = scree_larger(v0, p->min_speed);
  double cr = scree_larger(1.0 - 0.26 * p->u[0] * cbrt(speed), 0.0);
  return scree_frozen(p, wang_factor_of(cr) / speed);
}
SCREE_HUNT_CROSSLEY_FORCE(wang)
