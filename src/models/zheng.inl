/* Viscoelastic spheres, MODELS.md 4.2 and D17: chi = (3/2) K A with the K of the pair. */
SCREE_HOST(
  static const ScreeParamInfo zheng_params[] = {SCREE_VISCOELASTIC_PARAMS, SCREE_VISCOSITY_PARAMS,
      SCREE_P(eta1, "Pa s", 0.0, 1e30, SCREE_NO_PRESET, "twice the shear viscosity, as printed"),
      SCREE_P(eta2, "Pa s", 0.0, 1e30, SCREE_NO_PRESET, "bulk viscosity, as printed"), SCREE_P_END};
  static ScreeStatus zheng_chi(const ScreePairDef *def, ScreePair *p, double *chi) {
    double shear, bulk, young = def->material[0].young, nu = def->material[0].poisson;
    SCREE_TRY(viscosities(def, p, &shear, &bulk));
    if (!scree_given(shear)) return SCREE_OK;
    double relaxation = (1.0 + nu) * (1.0 - 2.0 * nu) / young * (2.0 * bulk + 2.0 * shear / 3.0);
    *chi = 1.5 * p->k * relaxation;
    return SCREE_OK;
  }
  static ScreeStatus zheng_prepare(const ScreePairDef *def, ScreePair *p) {
    return viscoelastic_prepare(def, p, zheng_chi);
  })
SCREE_DASHPOT_KERNELS(zheng, 1.5, 0.5)
