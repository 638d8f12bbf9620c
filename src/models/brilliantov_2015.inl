/* Viscoelastic spheres, MODELS.md 4.2 and D16: eta the shear, xi the bulk viscosity. */
SCREE_HOST(
  static const ScreeParamInfo brilliantov_2015_params[] = {SCREE_VISCOELASTIC_PARAMS, SCREE_VISCOSITY_PARAMS, SCREE_P_END};
  static ScreeStatus brilliantov_2015_chi(const ScreePairDef *def, ScreePair *p, double *chi) {
    double shear, bulk, young = def->material[0].young, nu = def->material[0].poisson;
    SCREE_TRY(viscosities(def, p, &shear, &bulk));
    if (!scree_given(shear)) return SCREE_OK;
    double relaxation = (1.0 + nu) / ((1.0 - nu) * young) *
                        (4.0 / 3.0 * shear * (1.0 - nu + nu * nu) + bulk * (1.0 - 2.0 * nu) * (1.0 - 2.0 * nu));
    *chi = 1.5 * p->k * relaxation;
    return SCREE_OK;
  }
  static ScreeStatus brilliantov_2015_prepare(const ScreePairDef *def, ScreePair *p) {
    return viscoelastic_prepare(def, p, brilliantov_2015_chi);
  })
SCREE_DASHPOT_KERNELS(brilliantov_2015, 1.5, 0.5)
