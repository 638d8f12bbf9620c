/* impact.c: one collision from C. Build against the installed library: cc impact.c -lscree -lm */
#include <scree/scree.h>
#include <stdio.h>

int main(void) {
  /* A glass ball of 5 mm radius hits a glass wall at 1 m/s; Tsuji's law, asked for e = 0.8. */
  ScreeImpactDef def = scree_impact_def_default(SCREE_LAW_tsuji);
  def.pair.geometry = SCREE_SPHERE_PLANE;
  def.pair.radius[0] = 5e-3;
  def.pair.material[0] = (ScreeMaterial){.young = 70e9, .poisson = 0.22, .density = 2500.0};
  def.pair.mass = 4.0 / 3.0 * 3.14159265358979 * 5e-3 * 5e-3 * 5e-3 * 2500.0;
  def.pair.speed = 1.0;
  def.pair.restitution = 0.8;

  /* As a particle engine does it: no attraction, and the damping calibrated so that e is still what was asked for. */
  def.separation = SCREE_CLAMPED;
  def.calibrated = true;

  ScreeImpactResult result;
  if (scree_impact_run(&def, &result) != SCREE_OK) {
    fprintf(stderr, "%s\n", scree_last_error());
    return 1;
  }
  printf("e = %.12f, peak force %.6g N, contact %.6g us, %s = %.9g\n", result.restitution, result.max_force,
         1e6 * result.duration, scree_param_name(result.parameter), result.parameter_value);
  return 0;
}
