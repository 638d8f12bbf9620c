/* plot.c: see plot.h. gnuplot is started without a shell, in the picture's folder, so that no name is ever a command.
 */
#include "cli.h"

#include "output.h"
#include "plot.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const struct {
  const char *suffix, *terminal;
} formats[] = {
    {".svg", "svg size 1000,760 noenhanced font 'sans-serif,14' background '#ffffff'"},
    {".png", "pngcairo size 1000,760 noenhanced font 'sans,11'"},
    {".pdf", "pdfcairo size 18cm,13.5cm noenhanced font 'sans,9'"},
};

static const char *terminal_of(const char *path) {
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
    if (strcmp(dot, formats[i].suffix) == 0) return formats[i].terminal;
  return NULL;
}

bool plot_path_valid(const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  return strcmp(path, "-") == 0 || (terminal_of(base) && base[0] != '.' && !strchr(path, '\n'));
}

void plot_write_quoted(FILE *stream, const char *text) {
  fputc('\'', stream);
  for (; *text; text++) fputs(*text == '\'' ? "''" : (char[]){*text, '\0'}, stream);
  fputc('\'', stream);
}

void plot_write_palette(FILE *stream) {
  static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                        "#e69f00", "#56b4e9", "#000000", "#999999"};
  for (int i = 0; i < PLOT_STYLES; i++)
    fprintf(stream, "set linetype %d lw 2 lc rgb '%s' dashtype %d\n", i + 1, colours[i % 8], i < 8 ? 1 : 2);
}

/* ---- running gnuplot -------------------------------------------------------------------------------------------- */

static int gnuplot_missing(const char *verb) {
  return failure(verb, "gnuplot was not found: install gnuplot-nox and run it on the script that was left");
}

/* Runs gnuplot on a script in a folder (NULL: here). */
static int run_gnuplot(const char *verb, const char *folder, const char *script) {
  char program[] = "gnuplot";
  char *arguments[] = {program, (char *)script, NULL};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (folder) posix_spawn_file_actions_addchdir_np(&actions, folder);
  fflush(stdout);
  pid_t child = 0;
  int error = posix_spawnp(&child, program, &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return gnuplot_missing(verb);
  if (error) return failure(verb, "gnuplot could not be started: %s", strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return gnuplot_missing(verb);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return failure(verb, "gnuplot failed on the script that was left");
  return EXIT_DONE;
}

/* ---- on the terminal -------------------------------------------------------------------------------------------- */

static int terminal_columns(void) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col < 120 ? size.ws_col : 120;
  return 79;
}

static int draw_text(const char *verb, const Figure *figure) {
  char script[] = "/tmp/scree-plot-XXXXXX";
  int descriptor = mkstemp(script);
  FILE *stream = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (!stream) return failure(verb, "cannot write %s: %s", script, strerror(errno));
  fprintf(stream, "set terminal dumb size %d,24 noenhanced\nset datafile separator comma\n$data << EOD\n",
          terminal_columns());
  figure->write_data(stream, figure->context);
  fputs("EOD\n", stream);
  figure->write_script(stream, "$data", true, figure->context);
  bool written = !ferror(stream);
  written = fclose(stream) == 0 && written;
  int status = written ? run_gnuplot(verb, NULL, script) : failure(verb, "cannot write %s", script);
  unlink(script);
  return status;
}

/* ---- to a file -------------------------------------------------------------------------------------------------- */

typedef struct Paths {
  char *folder, *base; /* of the picture */
  char *script, *data; /* full paths */
  char *script_name, *data_name;
} Paths;

static Paths paths_of(const char *path) {
  const char *slash = strrchr(path, '/');
  const char *base = slash ? slash + 1 : path;
  int stem = (int)(strrchr(base, '.') - base), folder = slash ? (int)(slash - path) + 1 : 0;
  Paths p;
  p.folder = folder ? checked_format("%.*s", folder, path) : checked_format(".");
  p.base = checked_format("./%s", base);
  p.script = checked_format("%.*s%.*s.gp", folder, path, stem, base);
  p.data = checked_format("%.*s%.*s.csv", folder, path, stem, base);
  p.script_name = checked_format("./%.*s.gp", stem, base);
  p.data_name = checked_format("./%.*s.csv", stem, base);
  return p;
}

static void paths_free(Paths *p) {
  char *all[] = {p->folder, p->base, p->script, p->data, p->script_name, p->data_name};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static bool write_data_file(const char *verb, const Paths *p, const Figure *figure) {
  OutputFile file;
  if (!output_open(&file, verb, p->data)) return false;
  figure->write_data(file.stream, figure->context);
  return output_commit(&file, verb);
}

static bool write_script_file(const char *verb, const Paths *p, const char *terminal, const Figure *figure) {
  OutputFile file;
  if (!output_open(&file, verb, p->script)) return false;
  fprintf(file.stream, "# run here: gnuplot %s\nset terminal %s\nset output ", p->script_name + 2, terminal);
  plot_write_quoted(file.stream, p->base);
  fputs("\nset datafile separator comma\nset grid back lt 1 lw 0.5 dashtype 1 lc rgb '#cccccc'\n", file.stream);
  plot_write_palette(file.stream);
  fputs("data = ", file.stream);
  plot_write_quoted(file.stream, p->data_name);
  fputc('\n', file.stream);
  figure->write_script(file.stream, "data", false, figure->context);
  return output_commit(&file, verb);
}

int plot_draw(const char *verb, const char *path, const Figure *figure) {
  if (strcmp(path, "-") == 0) return draw_text(verb, figure);
  Paths p = paths_of(path);
  int status = EXIT_FAILED;
  if (write_data_file(verb, &p, figure) && write_script_file(verb, &p, terminal_of(p.base), figure))
    status = run_gnuplot(verb, p.folder, p.script_name);
  paths_free(&p);
  return status;
}
