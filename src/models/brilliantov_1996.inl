/* Viscoelastic spheres, MODELS.md 4.2 and D6: eta1 is twice the shear viscosity, eta2 the bulk viscosity. */
SCREE_HOST(
  static const ScreeParamInfo brilliantov_1996_params[] = {SCREE_VISCOELASTIC_PARAMS, SCREE_VISCOSITY_PARAMS,
      SCREE_P(eta1, "Pa s", 0.0, 1e30, SCREE_NO_PRESET, "twice the shear viscosity, as printed"),
      SCREE_P(eta2, "Pa s", 0.0, 1e30, SCREE_NO_PRESET, "bulk viscosity, as printed"), SCREE_P_END};
  static ScreeStatus brilliantov_1996_chi(const ScreePairDef *def, ScreePair *p, double *chi) {
    double shear, bulk, young = def->material[0].young, nu = def->material[0].poisson;
    SCREE_TRY(viscosities(def, p, &shear, &bulk));
    if (!scree_given(shear)) return SCREE_OK;
    if (nu == 0.0) return scree_fail(SCREE_INVALID, "brilliantov_1996: A diverges at Poisson ratio 0");
    double eta1 = 2.0 * shear, sum = 3.0 * bulk + 2.0 * eta1, gap = 3.0 * bulk - eta1;
    if (!(sum > 0.0)) return scree_fail(SCREE_INVALID, "brilliantov_1996: the viscosities must not both be 0");
    double relaxation = gap * gap / (3.0 * sum) * (1.0 - nu * nu) * (1.0 - 2.0 * nu) / (young * nu * nu);
    *chi = 1.5 * p->k * relaxation;
    return SCREE_OK;
  }
  static ScreeStatus brilliantov_1996_prepare(const ScreePairDef *def, ScreePair *p) {
    return viscoelastic_prepare(def, p, brilliantov_1996_chi);
  })
SCREE_DASHPOT_KERNELS(brilliantov_1996, 1.5, 0.5)
