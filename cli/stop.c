/* stop.c: see stop.h. */
#include "cli.h"

#include "stop.h"

#include <stdio.h>
#include <stdlib.h>

volatile sig_atomic_t stop_signal;

/* Whoever asks twice, in whatever words, means it. */
static void note_signal(int number) {
  if (stop_signal != 0) {
    signal(number, SIG_DFL);
    raise(number); /* as soon as this returns */
  }
  stop_signal = number;
}

void catch_signals(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction action = {.sa_handler = note_signal}, before;
    if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL);
  }
}

void ignore_closed_pipes(void) { signal(SIGPIPE, SIG_IGN); }

void end_by_signal(void) {
  fflush(NULL);
  signal(stop_signal, SIG_DFL);
  raise(stop_signal);
  exit(128 + stop_signal); /* where it is blocked */
}
