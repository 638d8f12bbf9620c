/* stop.h: how verbs that take long end in order when they are told to. */
#ifndef SCREE_CLI_STOP_H
#define SCREE_CLI_STOP_H

#include <signal.h>

/* The signal that asked for the end, 0 before it. */
extern volatile sig_atomic_t stop_signal;

/* From now on SIGINT (Ctrl-C), SIGTERM and SIGHUP are noted. A second one ends the program at once. What was to be
 * ignored (nohup) stays so. */
void catch_signals(void);

/* From now on writing to a pipe that nobody reads is an error of the write, and not the end of the program. */
void ignore_closed_pipes(void);

/* Ends the program by the signal that was noted, as if it had not been: shells see 130 after Ctrl-C. */
_Noreturn void end_by_signal(void);

#endif
