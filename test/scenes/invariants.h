/* invariants.h: what must hold of every scene. */
#ifndef TEST_SCENES_INVARIANTS_H
#define TEST_SCENES_INVARIANTS_H

#include "build.h"

/* One scene on trial: its run as it is, done once, and the verdict. */
typedef struct Trial {
  const Scene *scene;
  const char *command; /* path of scree; NULL: what needs it is skipped */
  const char *folder;  /* for files */
  bool has_base;
  Outcome base;
  bool applies; /* the invariant says something about this scene */
  bool failed;
  const char *kind; /* of the failure: a shrunken scene must fail in the same way */
  double measured;  /* what the invariant compares with its limit, or 0 */
  char reason[1200];
} Trial;

typedef struct Invariant {
  const char *name, *promise;
  int every; /* of so many scenes one is judged */
  void (*judge)(Trial *trial);
} Invariant;

extern const Invariant invariants[];
extern const int invariant_count;

const Outcome *trial_base(Trial *trial);
__attribute__((format(printf, 2, 3))) void trial_fail(Trial *trial, const char *format, ...);

/* Bits (same.c) */
void judge_threads(Trial *trial);
void judge_isa(Trial *trial);
void judge_resume(Trial *trial);
void judge_order(Trial *trial);
void judge_ids(Trial *trial);
void judge_skin(Trial *trial);
/* Balances (balance.c) */
void judge_momentum(Trial *trial);
void judge_energy(Trial *trial);
/* Symmetries (alike.c) */
void judge_translate(Trial *trial);
void judge_around(Trial *trial);
void judge_mirror(Trial *trial);
void judge_turn(Trial *trial);
void judge_units(Trial *trial);
void judge_nudge(Trial *trial);
/* The command (command.c) */
void judge_check(Trial *trial);

#endif
