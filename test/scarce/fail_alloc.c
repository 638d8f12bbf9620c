/* fail_alloc.c: a library to preload that makes memory or files scarce for the program from main() on.
 *
 *     SCREE_FAIL_AT=n     the n-th allocation fails (from 1; 0: none)
 *     SCREE_FAIL_ON=1     and so do all after it
 *     SCREE_FAIL_COUNT=f  at the end the number of allocations is written to the file f
 *     SCREE_FAIL_FILES=n  no more than n files may be open
 *
 * A program that this one starts (gnuplot) is left alone, and so are the calls that `spared` lists. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long seen;
static atomic_bool counting;
static long fail_at;
static bool fail_on;

static _Thread_local int spared; /* depth of calls that are */

static bool fails(void) {
  if (spared > 0 || !atomic_load_explicit(&counting, memory_order_relaxed)) return false;
  long mine = atomic_fetch_add(&seen, 1) + 1;
  if (fail_at == 0 || mine < fail_at || (mine > fail_at && !fail_on)) return false;
  errno = ENOMEM;
  return true;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return fails() ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }
void *memalign(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *made = fails() ? NULL : __libc_memalign(alignment, size);
  if (!made) return ENOMEM;
  *memory = made;
  return 0;
}

/* ---- calls that are spared: other libraries that use memory without looking whether they got it, or end the program */

#define NEXT(name, pointer)                                                                                            \
  do {                                                                                                                 \
    void *symbol = dlsym(RTLD_NEXT, name);                                                                             \
    memcpy(&(pointer), &symbol, sizeof(pointer));                                                                      \
  } while (0)

/* libfyaml 0.7.12: fy_parse_input_append() writes to what this returns, also where it is NULL. */
void *fy_input_create(const void *configuration);
void *fy_input_create(const void *configuration) {
  void *(*create)(const void *);
  NEXT("fy_input_create", create);
  spared++;
  void *input = create(configuration);
  spared--;
  return input;
}

/* ---- the program ---- */

static int (*real_main)(int, char **, char **);
static char count_file[4096];

static void write_count(void) {
  atomic_store(&counting, false);
  char text[32];
  int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&seen));
  int file = open(count_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  if (write(file, text, (size_t)length) != length) errno = 0;
  close(file);
}

static int counted_main(int argc, char **argv, char **environment) {
  const char *at = getenv("SCREE_FAIL_AT"), *count = getenv("SCREE_FAIL_COUNT");
  fail_at = at ? atol(at) : 0;
  fail_on = getenv("SCREE_FAIL_ON") != NULL;
  if (count) {
    snprintf(count_file, sizeof count_file, "%s", count);
    atexit(write_count);
  }
  const char *files = getenv("SCREE_FAIL_FILES");
  if (files) setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)atol(files), (rlim_t)atol(files)});
  unsetenv("LD_PRELOAD");
  atomic_store(&counting, true);
  return real_main(argc, argv, environment);
}

typedef int Start(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
  Start *start;
  NEXT("__libc_start_main", start);
  real_main = program;
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
