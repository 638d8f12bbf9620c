/* progress.c: see progress.h. */
#include "cli.h"

#include "io/digits.h"
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define REDRAW 0.2 /* s */
#define PLAIN 10.0 /* s */

double wall_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

Progress progress_start(const char *verb) {
  const char *terminal = getenv("TERM");
  double now = wall_clock();
  return (Progress){.verb = verb,
                    .terminal = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0,
                    .start = now,
                    .last_shown = now,
                    .last_time = now};
}

/* "1:05" or "2:03:04" */
static void clock_text(double seconds, char *text, size_t size) {
  long s = seconds < 3.6e8 ? (long)(seconds + 0.5) : 360000000;
  if (s < 3600)
    snprintf(text, size, "%ld:%02ld", s / 60, s % 60);
  else
    snprintf(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
}

void progress_update(Progress *p, long step, long last, double time) {
  double now = wall_clock(), elapsed = now - p->last_time;
  if (now - p->last_shown < (p->terminal ? REDRAW : PLAIN)) return;
  double speed = elapsed > 0 ? (double)(step - p->last_step) / elapsed : 0;
  p->speed = p->speed > 0 ? 0.7 * p->speed + 0.3 * speed : speed;
  p->last_shown = p->last_time = now;
  p->last_step = step;
  char left[24];
  clock_text(p->speed > 0 ? (double)(last - step) / p->speed : 0, left, sizeof left);
  if (!p->terminal) fprintf(stderr, "scree %s: ", p->verb);
  fprintf(stderr,
          p->terminal ? "\r%5.1f %%  t = %s  step %ld of %ld  %.4g steps/s  ETA %s\033[K"
                      : "%.1f %%, t = %s, step %ld of %ld, %.4g steps/s, ETA %s\n",
          100.0 * (double)step / (double)last, scree_quantity(time, "s", 4).text, step, last, p->speed, left);
  fflush(stderr);
  p->drawn = p->terminal;
}

void progress_clear(Progress *p) {
  if (p->drawn) fputs("\r\033[K", stderr);
  p->drawn = false;
}
