/* status.h: how the library's own code reports an error. */
#ifndef SCREE_STATUS_H
#define SCREE_STATUS_H

#include "scree/base.h"

/* Stores the sentence (thread local) and returns the status. Numbers are formatted with %.10g by the caller. */
ScreeStatus scree_fail(ScreeStatus status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define SCREE_TRY(call)                                                                                                \
  do {                                                                                                                 \
    ScreeStatus scree_try_status = (call);                                                                             \
    if (scree_try_status != SCREE_OK) return scree_try_status;                                                         \
  } while (0)

/* A pointer the caller must give, by the name the caller knows. */
#define SCREE_NEED_AS(pointer, name)                                                                                   \
  do {                                                                                                                 \
    if (!(pointer)) return scree_fail(SCREE_MISSING, "%s is NULL", name);                                              \
  } while (0)
#define SCREE_NEED(pointer) SCREE_NEED_AS(pointer, #pointer)

#endif
