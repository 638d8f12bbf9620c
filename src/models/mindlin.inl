/* dFt = -kt dx with kt = 8 G* sqrt(R d); on unloading Ft is first scaled by kt(new)/kt(old), since keeping it would
 * create energy; then |Ft| <= mu Fn, the clipped force stored, MODELS.md 7.
 * memory = {Ft, d at the last step}. */
SCREE_HOST(
  static const ScreeParamInfo mindlin_params[] = {
      SCREE_P(mu, "1", 0.0, 1e6, SCREE_NO_PRESET, "friction coefficient"),
      SCREE_P(Gstar, "Pa", 1e-30, 1e30, SCREE_NO_PRESET, "composite shear modulus, instead of materials"),
      SCREE_P(Reff, "m", 1e-30, 1e30, SCREE_NO_PRESET, "effective radius, instead of radii"),
      SCREE_P(E1, "Pa", 1e-30, 1e30, SCREE_NO_PRESET, "Young modulus of the first body"),
      SCREE_P(E2, "Pa", 1e-30, 1e30, SCREE_NO_PRESET, "Young modulus of the second body"),
      SCREE_P(nu1, "1", -1.0, 0.5, SCREE_NO_PRESET, "Poisson ratio of the first body"),
      SCREE_P(nu2, "1", -1.0, 0.5, SCREE_NO_PRESET, "Poisson ratio of the second body"), SCREE_P_END};)
SCREE_KERNEL double mindlin_stiffness(const ScreeTangential *t, double d) { return t->shear_stiffness * sqrt(d); }
SCREE_KERNEL double mindlin_step(const ScreeTangential *t, double d, double normal, double vt, double dt, double *memory) {
  double last = memory[1];
  double scale = d < last ? sqrt(d / last) : 1.0;
  double trial = memory[0] * scale - mindlin_stiffness(t, d) * vt * dt;
  double limit = t->friction * scree_larger(normal, 0.0);
  double force = scree_larger(scree_smaller(trial, limit), -limit);
  memory[0] = force;
  memory[1] = d;
  return force;
}
