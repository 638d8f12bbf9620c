/* rehearse.h: how much work a run will be: the same scene is run in advance with softer materials and longer steps, and
 * what it would cost is counted, step by step, in grains and contacts. */
#ifndef SCREE_CLI_REHEARSE_H
#define SCREE_CLI_REHEARSE_H

#include "cli.h"

#include "io/scene.h"

typedef struct Rehearsal {
  double grain_steps, contact_steps; /* of the whole run: sums over its steps; what was not rehearsed is extrapolated */
  double softer;                     /* how many times softer the materials were */
  double longer;                     /* how many steps of the run make one of the rehearsal */
  double covered;                    /* s of motion that were rehearsed */
  bool settled;                      /* so much of it that grains have come down; otherwise contacts are assumed */
  double seconds;                    /* of the run, at the speed of timed steps of the last state; NaN: unknown */
  double low, high;                  /* s: the range around it */
  double speed;                      /* particle-steps per second in those steps */
  double overlap;                    /* deepest, of the smaller radius: what stiffer contacts would have made of it */
  double bytes;                      /* of memory, the largest */
  double contacts;                   /* of a grain, in the last tenth of what was rehearsed */
  char *stopped;                     /* what the engine said where it stopped the rehearsal; NULL: it did not */
} Rehearsal;

/* Work of a run in one unit, a grain that touches nothing in one step; a contact counts three times as much (measured
 * on the templates). */
#define REHEARSE_CONTACT 3.0
double rehearse_work(double grains, double contacts);

/* `world` is the scene's, before its first step, `grain` what it holds. False where there is nothing to rehearse: no
 * grains at all, too many, or a scene that the engine refuses in this form. */
bool rehearse(const ScreeScene *scene, const ScreeWorld *world, const ScreeGrain *grain, Rehearsal *out);
void rehearsal_free(Rehearsal *r);

/* A scene whose materials are so many times softer; it shares everything else, and is freed by scene_soften_free. The
 * time step is automatic, the overlap limit the largest there is. */
ScreeScene scene_soften(const ScreeScene *scene, double softer);
void scene_soften_free(ScreeScene *soft);

#endif
