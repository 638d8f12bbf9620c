/* status.c: status names and the thread's last error. The only use of stdio in the pure layers is vsnprintf. */
#include "status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_error[512];

ScreeStatus scree_fail(ScreeStatus status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(last_error, sizeof last_error, format, arguments);
  va_end(arguments);
  return status;
}

const char *scree_last_error(void) { return last_error; }

const char *scree_status_name(ScreeStatus status) {
  switch (status) {
#define STATUS_CASE(code, name, meaning)                                                                               \
  case code: return name;
    SCREE_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
  }
  return "unknown status";
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
const char *scree_version(void) {
  return TEXT(SCREE_VERSION_MAJOR) "." TEXT(SCREE_VERSION_MINOR) "." TEXT(SCREE_VERSION_PATCH);
}
