/* invariants.c: the list, and what all of them share. */
#include "invariants.h"

#include <stdarg.h>

const Invariant invariants[] = {
    {"threads", "equal bits and sentences for 1, 2 and 3 threads, whoever helps whom, however many steps a call does",
     1, judge_threads},
    {"isa", "equal bits for every instruction set", 2, judge_isa},
    {"resume", "equal bits after a save and a restore at any step, with another number of threads", 1, judge_resume},
    {"order", "equal bits for any order of the input", 2, judge_order},
    {"ids", "equal bits of every grain, whatever the ids", 2, judge_ids},
    {"skin", "equal bits for any skin of the neighbour list", 2, judge_skin},
    {"momentum", "momentum and angular momentum change by what walls, fixed grains and fields give", 1, judge_momentum},
    {"energy", "the ledger's residual is small, and shrinks with the step", 2, judge_energy},
    {"translate", "the same motion elsewhere", 4, judge_translate},
    {"around", "the same motion wherever a period begins", 1, judge_around},
    {"mirror", "the same motion in a mirror", 4, judge_mirror},
    {"turn", "the same motion turned by 90 degrees", 4, judge_turn},
    {"units", "the same motion in other units", 4, judge_units},
    {"nudge", "nearly the same motion from nearly the same start", 4, judge_nudge},
    {"check", "what `scree check` says of the scene, `scree run` does, with the bits of the library", 24, judge_check},
};
const int invariant_count = sizeof invariants / sizeof *invariants;

const Outcome *trial_base(Trial *t) {
  Way way = way_default();
  if (!t->has_base) scene_run(t->scene, &way, &t->base);
  t->has_base = true;
  return &t->base;
}

void trial_fail(Trial *t, const char *format, ...) {
  va_list arguments;
  if (t->failed) return; /* the first reason counts */
  t->failed = true;
  t->kind = format;
  va_start(arguments, format);
  vsnprintf(t->reason, sizeof t->reason, format, arguments);
  va_end(arguments);
}
