/* base.h: what every part of scree shares: status codes, the last error's sentence, the version.
 *
 * Conventions everywhere: SI units; overlap d > 0 when touching; v = dd/dt > 0 when approaching; F > 0 repulsive.
 * A quantity that is not given is NaN. No call prints, exits or traps: it returns a status and leaves a sentence. Calls
 * may be made from any number of threads; nothing is shared but the choice of instruction set (scree_batch_use_isa).
 *
 * Until version 1.0 a new law or parameter changes enumerators and struct sizes: rebuild what links the library. */
#ifndef SCREE_BASE_H
#define SCREE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SCREE_API __attribute__((visibility("default")))
#else
#define SCREE_API
#endif

#define SCREE_VERSION_MAJOR 0
#define SCREE_VERSION_MINOR 1
#define SCREE_VERSION_PATCH 0

/* code, name, what it means */
#define SCREE_STATUS_LIST(X)                                                                                           \
  X(SCREE_OK, "ok", "no error")                                                                                        \
  X(SCREE_INVALID, "invalid", "a value lies outside its limits or contradicts another")                                \
  X(SCREE_MISSING, "missing", "a value that the law needs was not given")                                              \
  X(SCREE_UNKNOWN, "unknown", "no such law, parameter, variant or unit")                                               \
  X(SCREE_UNSUPPORTED, "unsupported", "the law cannot do this (no closed form, wrong geometry)")                       \
  X(SCREE_UNREACHABLE, "unreachable", "no parameter value gives the wanted restitution")                               \
  X(SCREE_OUT_OF_RANGE, "out of range", "the motion left the range in which the law is defined")                       \
  X(SCREE_NO_CONVERGENCE, "no convergence", "the work limit was reached before the answer")                            \
  X(SCREE_NO_MEMORY, "no memory", "an allocation failed")                                                              \
  X(SCREE_FILE, "file", "a file could not be read or written")

typedef enum ScreeStatus {
#define SCREE_STATUS_ENUM(code, name, meaning) code,
  SCREE_STATUS_LIST(SCREE_STATUS_ENUM)
#undef SCREE_STATUS_ENUM
} ScreeStatus;

/* "invalid", "missing", ...; never NULL. */
SCREE_API const char *scree_status_name(ScreeStatus status);

/* The sentence of the last failing call in this thread; valid until the next failing call; "" when there was none. */
SCREE_API const char *scree_last_error(void);

/* "0.1.0" */
SCREE_API const char *scree_version(void);

#ifdef __cplusplus
}
#endif
#endif
