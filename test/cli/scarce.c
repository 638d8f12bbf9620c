/* scarce.c: a library to preload that runs the program again and again, each time with less memory or fewer files.
 *
 *     SCARCE_WHAT     memory: the n-th allocation from main() on fails; memory-on: and so do all after it;
 *                     files: no more than n files may be open;
 *                     space: so many KiB of memory beside what main() starts with
 *     SCARCE_LIST     the n to run, separated by spaces; 0: nothing is scarce
 *     SCARCE_RESULTS  a folder: n.out, n.err, n.status (as of wait) and, of 0, 0.count (of allocations)
 *     SCARCE_BEFORE   a command of the shell before each run
 *
 * One process forks per run, so that a run costs no loading of libraries. A program that this one starts (gnuplot) is
 * left alone, and so are the calls under "calls that are spared". */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

static bool in_hdf5(void);

static bool fails(void) {
  if (spared > 0 || !atomic_load_explicit(&counting, memory_order_relaxed)) return false;
  long mine = atomic_fetch_add(&seen, 1) + 1;
  if (fail_at == 0 || mine < fail_at || (mine > fail_at && !fail_on) || in_hdf5()) return false;
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

/* ---- calls that are spared: libraries that use memory without looking whether they got it, or end the program ---- */

#define NEXT(name, pointer)                                                                                            \
  do {                                                                                                                 \
    void *symbol = dlsym(RTLD_NEXT, name);                                                                             \
    memcpy(&(pointer), &symbol, sizeof(pointer));                                                                      \
  } while (0)

/* HDF5 1.10.8: while it starts it ends the program, and later it uses what it did not get, in dozens of places. Its
 * calls are known by the library that they come from. */
static bool in_hdf5(void) {
  void *frame[64];
  spared++;
  int depth = backtrace(frame, 64);
  bool found = false;
  for (int i = 0; i < depth && !found; i++) {
    Dl_info about;
    found = dladdr(frame[i], &about) && about.dli_fname && strstr(about.dli_fname, "libhdf5");
  }
  spared--;
  return found;
}

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

enum { HANG_SECONDS = 120 }; /* guards against hanging only */

static const char *setting(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

static void result_path(char path[4096], long n, const char *ending) {
  snprintf(path, 4096, "%s/%ld.%s", setting("SCARCE_RESULTS"), n, ending);
}

static void write_result(long n, const char *ending, long value) {
  char path[4096];
  result_path(path, n, ending);
  FILE *file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "%ld\n", value);
  fclose(file);
}

static void write_count(void) {
  atomic_store(&counting, false);
  if (fail_at == 0) write_result(0, "count", atomic_load(&seen));
}

static void redirect(int descriptor, long n, const char *ending) {
  char path[4096];
  result_path(path, n, ending);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(99);
  close(file);
}

/* One run, in a process of its own. */
static _Noreturn void run_scarce(long n, int argc, char **argv, char **environment) {
  const char *what = setting("SCARCE_WHAT");
  redirect(STDOUT_FILENO, n, "out");
  redirect(STDERR_FILENO, n, "err");
  atexit(write_count);
  alarm(HANG_SECONDS);
  if (strcmp(what, "files") == 0) {
    if (n > 0) setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)n, (rlim_t)n});
  } else if (strcmp(what, "space") == 0) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1) _exit(99);
    fclose(file);
    rlim_t limit = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (rlim_t)n * 1024;
    if (n > 0) setrlimit(RLIMIT_AS, &(struct rlimit){limit, limit});
  } else {
    fail_at = n;
    fail_on = strcmp(what, "memory-on") == 0;
    atomic_store(&counting, true);
  }
  exit(real_main(argc, argv, environment));
}

static int scarce_main(int argc, char **argv, char **environment) {
  unsetenv("LD_PRELOAD");
  backtrace((void *[1]){NULL}, 1); /* its first call loads a library */
  const char *before = setting("SCARCE_BEFORE");
  char *end;
  for (const char *at = setting("SCARCE_LIST"); *at; at = *end ? end + 1 : end) {
    long n = strtol(at, &end, 10);
    if (*before && system(before) != 0) return 99;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) run_scarce(n, argc, argv, environment);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return 99;
    write_result(n, "status", status);
  }
  return 0;
}

typedef int Start(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(int (*program)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
  Start *start;
  NEXT("__libc_start_main", start);
  real_main = program;
  return start(scarce_main, argc, argv, init, fini, rtld_fini, stack_end);
}
