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

/* Sizes are those of a picture with one panel; one with many has room for them at the same size of letters. */
static const struct PlotFormat {
  const char *suffix, *terminal;
  double width, height;
  const char *unit, *look;
} formats[] = {
    {".svg", "svg", 1000, 760, "", "font 'sans-serif,14' background '#ffffff'"},
    {".png", "pngcairo", 1000, 760, "", "font 'sans,11'"},
    {".pdf", "pdfcairo", 18, 13.5, "cm", "font 'sans,9'"},
};
#define LARGE 1.4

static const struct PlotFormat *format_of(const char *path) {
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
    if (strcmp(dot, formats[i].suffix) == 0) return &formats[i];
  return NULL;
}

static void write_terminal(FILE *stream, const struct PlotFormat *format, PlotSize size) {
  double scale = size == PLOT_LARGE ? LARGE : 1.0;
  fprintf(stream, "set terminal %s size %g%s,%g%s noenhanced %s\n", format->terminal, format->width * scale,
          format->unit, format->height * scale, format->unit, format->look);
}

bool plot_path_valid(const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  return strcmp(path, "-") == 0 || (format_of(base) && base[0] != '.' && !strchr(path, '\n'));
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
    fprintf(stream, "set linetype %d lw 2 lc rgb '%s' dashtype %s\n", i + 1, colours[i % 8], i < 8 ? "1" : PLOT_DASHES);
}

/* ---- running gnuplot -------------------------------------------------------------------------------------------- */

static char gnuplot[] = "gnuplot";

/* In a folder the data stay as CSV; what is drawn as text leaves nothing. */
static int gnuplot_missing(const char *verb, bool text) {
  return failure(verb, "gnuplot was not found: install gnuplot-nox%s",
                 text ? "" : "; the data are there as CSV, and it draws the scripts (.gp) beside them");
}

/* Runs gnuplot on scripts in a folder (NULL: here). arguments: its name, the scripts, NULL. */
static int run_gnuplot(const char *verb, const char *folder, char **arguments) {
  posix_spawn_file_actions_t actions;
  int error = posix_spawn_file_actions_init(&actions);
  if (error == 0 && folder) error = posix_spawn_file_actions_addchdir_np(&actions, folder);
  fflush(stdout);
  pid_t child = 0;
  if (error == 0) error = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return gnuplot_missing(verb, !folder);
  if (error) return failure(verb, "gnuplot could not be started: %s", strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return gnuplot_missing(verb, !folder);
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
  if (!stream) {
    int reason = errno;
    if (descriptor >= 0) close(descriptor), unlink(script);
    return failure(verb, "cannot write %s: %s", script, strerror(reason));
  }
  fprintf(stream, "set encoding utf8\nset terminal dumb size %d,26 noenhanced\n", terminal_columns());
  fputs("set datafile separator comma\n$data << EOD\n", stream);
  figure->write_data(stream, figure->context);
  fputs("EOD\n", stream);
  figure->write_script(stream, "$data", true, figure->context);
  bool written = !ferror(stream);
  written = fclose(stream) == 0 && written;
  char *arguments[] = {gnuplot, script, NULL};
  int status = written ? run_gnuplot(verb, NULL, arguments) : failure(verb, "cannot write %s", script);
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

/* The script starts from gnuplot's defaults: many may be drawn by one process. */
static bool write_script_file(const char *verb, const Paths *p, PlotSize size, const Figure *figure) {
  OutputFile file;
  if (!output_open(&file, verb, p->script)) return false;
  fprintf(file.stream, "# run here: gnuplot %s\nreset\nset encoding utf8\n", p->script_name + 2);
  write_terminal(file.stream, format_of(p->base), size);
  fputs("set output ", file.stream);
  plot_write_quoted(file.stream, p->base);
  fputs("\nset datafile separator comma\nset grid back lt 1 lw 0.5 dashtype 1 lc rgb '#cccccc'\n", file.stream);
  plot_write_palette(file.stream);
  fputs("data = ", file.stream);
  plot_write_quoted(file.stream, p->data_name);
  fputc('\n', file.stream);
  figure->write_script(file.stream, "data", false, figure->context);
  fputs("unset output\n", file.stream);
  return output_commit(&file, verb);
}

/* A CSV without a script beside it was not left by a plot: it is somebody's data. */
static bool data_is_ours(const char *verb, const Paths *p) {
  if (access(p->data, F_OK) != 0 || access(p->script, F_OK) == 0) return true;
  failure(verb, "%s exists and belongs to no plot: a plot keeps its data there; draw to another name", p->data);
  return false;
}

bool plot_write(const char *verb, const char *path, PlotSize size, const Figure *figure) {
  Paths p = paths_of(path);
  bool written =
      data_is_ours(verb, &p) && write_data_file(verb, &p, figure) && write_script_file(verb, &p, size, figure);
  paths_free(&p);
  return written;
}

int plot_run(const char *verb, const char *folder, const char *const *names, int count) {
  char **arguments = checked_alloc((size_t)count + 2, sizeof *arguments);
  arguments[0] = gnuplot;
  for (int i = 0; i < count; i++) arguments[i + 1] = checked_format("./%s.gp", names[i]);
  int status = run_gnuplot(verb, folder, arguments);
  for (int i = 0; i < count; i++) free(arguments[i + 1]);
  free(arguments);
  return status;
}

int plot_draw(const char *verb, const char *path, const Figure *figure) {
  return plot_draw_sized(verb, path, PLOT_NORMAL, figure);
}

int plot_draw_sized(const char *verb, const char *path, PlotSize size, const Figure *figure) {
  if (strcmp(path, "-") == 0) return draw_text(verb, figure);
  if (!plot_write(verb, path, size, figure)) return EXIT_FAILED;
  Paths p = paths_of(path);
  char *arguments[] = {gnuplot, p.script_name, NULL};
  int status = run_gnuplot(verb, p.folder, arguments);
  paths_free(&p);
  return status;
}
