/* Hertz to the yield overlap d_y, then linear with slope pi s_y R; unloading along Hertz's law of the flattened radius
 * R_p, MODELS.md 6.3. memory[0] = deepest overlap.
 * k = K_L, chi = pi s_y R, u = {d_y, P_y, E*, 2 pi s_y}. */
SCREE_HOST(
  static const ScreeParamInfo thornton_params[] = {
      SCREE_P(sigma_y, "Pa", 1e-30, 1e30, SCREE_NO_PRESET, "contact yield pressure"),
      SCREE_P(Estar, "Pa", 1e-30, 1e30, SCREE_NO_PRESET, "composite modulus, instead of materials"),
      SCREE_P(Reff, "m", 1e-30, 1e30, SCREE_NO_PRESET, "effective radius, instead of radii"), SCREE_P_END};
  static ScreeStatus thornton_prepare(const ScreePairDef *def, ScreePair *p) {
    double radius = def->param[SCREE_PARAM_Reff], modulus = def->param[SCREE_PARAM_Estar];
    if (!scree_given(radius)) radius = p->reduced_radius;
    if (!scree_given(radius)) return scree_fail(SCREE_MISSING, "thornton needs the radii of the spheres or Reff");
    if (!scree_given(modulus) && scree_given(p->k)) modulus = 0.75 * p->k / sqrt(radius);
    if (!scree_given(modulus)) modulus = p->reduced_modulus;
    if (!scree_given(modulus)) return scree_fail(SCREE_MISSING, "thornton needs a stiffness, materials or Estar");
    double k = 4.0 / 3.0 * modulus * sqrt(radius);
    if (scree_given(p->k) && fabs(k - p->k) > 1e-6 * k)
      return scree_fail(SCREE_INVALID, "the stiffness %.10g N/m^1.5 contradicts Estar and Reff, which give %.10g", p->k, k);
    double yield = def->param[SCREE_PARAM_sigma_y];
    if (!scree_given(yield)) return scree_no_strength(p);
    double ratio = 0.5 * acos(-1.0) * yield / modulus;
    p->k = k;
    p->c = acos(-1.0) * yield * radius;
    p->u[0] = radius * ratio * ratio;
    p->u[1] = k * p->u[0] * sqrt(p->u[0]);
    p->u[2] = modulus;
    p->u[3] = 2.0 * acos(-1.0) * yield;
    p->resolved[SCREE_PARAM_sigma_y] = yield;
    p->resolved[SCREE_PARAM_Estar] = modulus;
    p->resolved[SCREE_PARAM_Reff] = radius;
    p->resolved[SCREE_PARAM_delta_y] = p->u[0];
    p->resolved[SCREE_PARAM_v_yield] = sqrt(0.8 * p->u[1] * p->u[0] / p->mass);
    return SCREE_OK;
  })
SCREE_KERNEL ScreeLaw thornton_touch(const ScreePair *p, double v0) {
  (void)v0;
  ScreeLaw l = scree_frozen(p, p->c);
  for (int i = 0; i < 4; i++) l.u[i] = p->u[i];
  return l;
}
SCREE_KERNEL double thornton_virgin(const ScreeLaw *l, double d) {
  double elastic = l->k * d * sqrt(d);
  double plastic = l->u[1] + l->chi * (d - l->u[0]);
  return d <= l->u[0] ? elastic : plastic;
}
/* K_H of the unloading curve; Hertz's own while nothing has yielded. R_p = (4E* /(3P)) ((2P + P_y)/(2 pi s_y))^1.5. */
SCREE_KERNEL double thornton_unloading_stiffness(const ScreeLaw *l, double deepest, double peak) {
  double load = (2.0 * peak + l->u[1]) / l->u[3];
  double radius = 4.0 / 3.0 * l->u[2] / peak * load * sqrt(load);
  return deepest <= l->u[0] ? l->k : 4.0 / 3.0 * l->u[2] * sqrt(radius);
}
/* (P/K_H)^(2/3): the elastic part of the deepest overlap. */
SCREE_KERNEL double thornton_recovery(const ScreeLaw *l, double deepest, double peak) {
  double x = cbrt(peak / thornton_unloading_stiffness(l, deepest, peak));
  return deepest <= l->u[0] ? deepest : x * x;
}
SCREE_KERNEL double thornton_force(const ScreeLaw *l, double d, double v, double *memory) {
  (void)v;
  double deepest = scree_larger(memory[0], d);
  memory[0] = deepest;
  double peak = thornton_virgin(l, deepest);
  if (d >= deepest) return peak;
  double gap = scree_larger(d - (deepest - thornton_recovery(l, deepest, peak)), 0.0);
  return thornton_unloading_stiffness(l, deepest, peak) * gap * sqrt(gap);
}
SCREE_UNDAMPED(thornton)
SCREE_KERNEL double thornton_stored(const ScreeLaw *l, double d, const double *memory) {
  double deepest = scree_larger(memory[0], d);
  double peak = thornton_virgin(l, deepest);
  double gap = scree_larger(d - (deepest - thornton_recovery(l, deepest, peak)), 0.0);
  return 0.4 * thornton_unloading_stiffness(l, deepest, peak) * gap * gap * sqrt(gap);
}
SCREE_KERNEL double thornton_lost(const ScreeLaw *l, const double *memory) {
  double deepest = memory[0], past = deepest - l->u[0];
  if (past <= 0.0) return 0.0;
  double peak = thornton_virgin(l, deepest);
  double work = 0.4 * l->u[1] * l->u[0] + (l->u[1] + 0.5 * l->chi * past) * past;
  return work - 0.4 * peak * thornton_recovery(l, deepest, peak);
}
SCREE_KERNEL double thornton_rest(const ScreeLaw *l, const double *memory) {
  return memory[0] - thornton_recovery(l, memory[0], thornton_virgin(l, memory[0]));
}
/* Yield: only the virgin curve passes it. */
SCREE_KERNEL double thornton_branch(const ScreeLaw *l, double d, double v, const double *memory) {
  (void)v;
  return scree_larger(d, memory[0]) - l->u[0];
}
SCREE_TIMELESS(thornton)
