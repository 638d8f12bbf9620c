/* Viscoelastic spheres, chi = 2 sqrt(R)/D', MODELS.md 4.2 and D15. */
SCREE_HOST(
  static const ScreeParamInfo kuwabara_kono_params[] = {
      SCREE_VISCOELASTIC_PARAMS, SCREE_VISCOSITY_PARAMS,
      SCREE_P(eta_shear2, "Pa s", 0.0, 1e30, SCREE_NO_PRESET, "shear viscosity of the second body"),
      SCREE_P(eta_bulk2, "Pa s", 0.0, 1e30, SCREE_NO_PRESET, "bulk viscosity of the second body"), SCREE_P_END};
  static double kuwabara_kono_share(double eta, double xi) {
    double a = 3.0 * xi + eta, b = 3.0 * xi - 2.0 * eta;
    return (4.0 * a * a - b * b) / (36.0 * a * xi * eta);
  }
  static ScreeStatus kuwabara_kono_chi(const ScreePairDef *def, ScreePair *p, double *chi) {
    const double *given = def->param;
    double eta = given[SCREE_PARAM_eta_shear], xi = given[SCREE_PARAM_eta_bulk];
    if (!scree_given(eta) && !scree_given(xi)) return SCREE_OK;
    double eta2 = scree_given(given[SCREE_PARAM_eta_shear2]) ? given[SCREE_PARAM_eta_shear2] : eta;
    double xi2 = scree_given(given[SCREE_PARAM_eta_bulk2]) ? given[SCREE_PARAM_eta_bulk2] : xi;
    if (!(eta > 0.0 && xi > 0.0 && eta2 > 0.0 && xi2 > 0.0))
      return scree_fail(SCREE_MISSING, "kuwabara_kono: give positive shear and bulk viscosities of both bodies");
    if (!scree_given(p->reduced_radius))
      return scree_fail(SCREE_MISSING, "kuwabara_kono: the viscosities need the radii of the spheres");
    *chi = 2.0 * sqrt(p->reduced_radius) / (kuwabara_kono_share(eta, xi) + kuwabara_kono_share(eta2, xi2));
    return SCREE_OK;
  }
  static ScreeStatus kuwabara_kono_prepare(const ScreePairDef *def, ScreePair *p) {
    return viscoelastic_prepare(def, p, kuwabara_kono_chi);
  })
SCREE_DASHPOT_KERNELS(kuwabara_kono, 1.5, 0.5)
