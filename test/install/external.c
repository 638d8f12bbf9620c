/* external.c: a program of somebody else's, that knows only the installed library. Compiles as C and as C++. */
#include <math.h>
#include <scree/scree.h>
#include <stdio.h>

int main(void) {
  ScreeImpactDef def = scree_impact_def_default(SCREE_LAW_zhang_sharf);
  def.pair = scree_pair_def_review();
  def.pair.restitution = 0.5;
  ScreeImpactResult result;
  if (scree_impact_run(&def, &result) != SCREE_OK) {
    fprintf(stderr, "%s\n", scree_last_error());
    return 1;
  }
  if (fabs(result.restitution - 0.5) > 1e-10 || fabs(result.energy_residual) > 1e-10) return 1;
  printf("scree %s: %s delivers e = %.9f\n", scree_version(), scree_law_info(def.law)->name, result.restitution);
  return 0;
}
