/* progress.h: how far a run is, on standard error: one line that is redrawn on a terminal, a plain line now and then
 * elsewhere. */
#ifndef SCREE_CLI_PROGRESS_H
#define SCREE_CLI_PROGRESS_H

#include <stdbool.h>

typedef struct Progress {
  const char *verb;
  bool terminal, drawn;
  double start, last_shown; /* wall clock, s */
  double last_time, speed;  /* steps per second, smoothed */
  long last_step;
} Progress;

double wall_clock(void); /* s, never goes back */

Progress progress_start(const char *verb);
/* Called as often as one likes; shows something only when it is time to. */
void progress_update(Progress *progress, long step, long last, double time);
/* Takes the line away, so that something else can be printed. */
void progress_clear(Progress *progress);

#endif
