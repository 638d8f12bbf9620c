/* X = 3(1-e)/2; or, after Marhefka & Orin, a material constant a [s/m] with e = 1 - a v0: chi = 3a/2 needs no v0. */
SCREE_HOST(
  static double hunt_crossley_factor(double e) { return 1.5 * (1.0 - e); }
  static const ScreeParamInfo hunt_crossley_params[] = {
      SCREE_FACTOR_PARAM, SCREE_P(a, "s/m", 0.0, 1e9, SCREE_NO_PRESET, "material constant of Marhefka & Orin, e ~ 1 - a v0"), SCREE_P_END};
  static ScreeStatus hunt_crossley_prepare(const ScreePairDef *def, ScreePair *p) {
    double a = def->param[SCREE_PARAM_a];
    if (!scree_given(a)) return hunt_crossley_form_prepare(def, p, hunt_crossley_factor);
    if (scree_given(def->param[SCREE_PARAM_chi_hat]))
      return scree_fail(SCREE_INVALID, "a and chi_hat exclude each other: give one of them");
    p->rate = 1.5 * a;
    p->resolved[SCREE_PARAM_a] = a;
    if (scree_given(def->speed)) p->resolved[SCREE_PARAM_chi_hat] = 1.5 * a * def->speed;
    return scree_need_stiffness(p);
  })
SCREE_HUNT_CROSSLEY_KERNELS(hunt_crossley)
