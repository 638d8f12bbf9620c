/* tangential.c: preparation of the tangential laws, MODELS.md 7. */
#include "catalogue.h"
#include "prepare.h"

static double either(double given, double otherwise) { return scree_given(given) ? given : otherwise; }

/* Materials with the parameters' moduli, where those are given, in place of the pair's own. */
static ScreeMaterial material_of(const ScreePairDef *def, int body) {
  static const ScreeParamId young[] = {SCREE_PARAM_E1, SCREE_PARAM_E2}, poisson[] = {SCREE_PARAM_nu1, SCREE_PARAM_nu2};
  ScreeMaterial m = def->material[body];
  if (body == 1) {
    ScreeMaterial first = material_of(def, 0);
    m.young = either(m.young, first.young);
    m.poisson = either(m.poisson, first.poisson);
  }
  m.young = either(def->param[young[body]], m.young);
  m.poisson = either(def->param[poisson[body]], m.poisson);
  return m;
}

static ScreeStatus prepare_mindlin(const ScreePairDef *def, ScreeTangential *t) {
  double modulus = def->param[SCREE_PARAM_Gstar], radius = def->param[SCREE_PARAM_Reff];
  if (!scree_given(modulus)) modulus = scree_composite_shear_modulus(material_of(def, 0), material_of(def, 1));
  if (!scree_given(radius)) radius = scree_effective_radius(def->geometry, def->radius[0], def->radius[1]);
  if (!(modulus > 0.0))
    return scree_fail(SCREE_MISSING, "mindlin needs the Young modulus and Poisson ratio of both bodies, or Gstar");
  if (!(radius > 0.0)) return scree_fail(SCREE_MISSING, "mindlin needs the radii of the bodies, or Reff");
  t->shear_stiffness = 8.0 * modulus * sqrt(radius);
  return SCREE_OK;
}

ScreeStatus scree_tangential_prepare(ScreeLawId law, const ScreePairDef *def, ScreeTangential *t) {
  SCREE_NEED(def);
  SCREE_NEED(t);
  const ScreeLawInfo *info = scree_law_info(law);
  if (!info || info->group != SCREE_TANGENTIAL)
    return scree_fail(SCREE_UNSUPPORTED, "%s is no tangential law", info ? info->name : "this");
  for (int i = 0; i < info->param_count; i++) {
    const ScreeParamInfo *p = &info->params[i];
    double value = def->param[p->id];
    if (scree_given(value) && !(value >= p->low && value <= p->high))
      return scree_fail(SCREE_INVALID, "%s: %s must be in %.3g ... %.3g (got %.10g)", info->name, p->name, p->low,
                        p->high, value);
  }
  const double *given = def->param;
  *t = (ScreeTangential){.law = law,
                         .friction = given[SCREE_PARAM_mu],
                         .shear_stiffness = NAN,
                         .kt = given[SCREE_PARAM_kt],
                         .gt = either(given[SCREE_PARAM_gt], 0.0),
                         .veps = either(given[SCREE_PARAM_veps], 1e-3),
                         .regularisation = SCREE_TANH};
  if (!scree_given(t->friction)) return scree_fail(SCREE_MISSING, "%s needs the friction coefficient mu", info->name);
  if (law == SCREE_LAW_tangential_linear && !(t->kt > 0.0))
    return scree_fail(SCREE_MISSING, "tangential_linear needs its stiffness kt > 0 N/m");
  return law == SCREE_LAW_mindlin ? prepare_mindlin(def, t) : SCREE_OK;
}
