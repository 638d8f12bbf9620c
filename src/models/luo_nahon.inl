/* Any elastic law times (1 + X v/v0) with the exact X, MODELS.md 3.2 end. Over a line law scree_pair_prepare turns it
 * into that law; here it is K d^n or the user's own force. */
SCREE_HOST(
  static double luo_nahon_factor(double e) { return scree_exact_factor(e); }
  static const ScreeParamInfo luo_nahon_params[] = {SCREE_FACTOR_PARAM, SCREE_P_END};
  static ScreeStatus luo_nahon_prepare(const ScreePairDef *def, ScreePair *p) {
    p->custom = def->custom;
    if (p->custom) {
      if (!p->custom->force) return scree_fail(SCREE_MISSING, "luo_nahon: the custom elastic law has no force function");
      p->k = 1.0;
      p->n = p->m = NAN;
    }
    return hunt_crossley_form_prepare(def, p, luo_nahon_factor);
  }
  typedef struct CustomForce { const ScreeElastic *elastic; } CustomForce;
  static double custom_integrand(double from_zero, double to_end, void *context) {
    (void)to_end;
    const ScreeElastic *e = context;
    return e->force(from_zero, e->user);
  })
SCREE_KERNEL double luo_nahon_elastic(const ScreeLaw *l, double d) {
  if (l->custom) return l->custom->force(d, l->custom->user);
  return l->k * scree_power_of(l, d, l->n);
}
SCREE_KERNEL double luo_nahon_energy(const ScreeLaw *l, double d) {
#ifdef SCREE_CATALOGUE
  if (l->custom && l->custom->energy) return l->custom->energy(d, l->custom->user);
  if (l->custom) return scree_integrate(custom_integrand, (void *)(uintptr_t)l->custom, 0.0, d);
#endif
  return power_law_energy(l, d);
}
SCREE_LINE_LAW_KERNELS(luo_nahon)
