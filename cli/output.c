/* output.c: see output.h. */
#include "cli.h"

#include "io/digits.h"
#include "output.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static OutputFile *under_construction;

_Noreturn void out_of_memory(void) {
  fputs("scree: out of memory\n", stderr);
  for (OutputFile *file = under_construction; file; file = file->next)
    if (file->aside) unlink(file->aside);
  exit(EXIT_FAILED);
}

static void *checked_bytes(size_t size) { return checked_alloc(1, size ? size : 1); }

void output_prepare(void) { json_set_alloc_funcs(checked_bytes, free); }

void *checked_alloc(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) out_of_memory();
  return memory;
}

bool succeeded(ScreeStatus status) {
  if (status == SCREE_NO_MEMORY) out_of_memory();
  return status == SCREE_OK;
}

void *checked_realloc(void *old, size_t size) {
  void *memory = realloc(old, size);
  if (!memory) out_of_memory();
  return memory;
}

bool checked_line(char **line, size_t *size, FILE *file) {
  errno = 0;
  if (getline(line, size, file) >= 0) return true;
  if (errno == ENOMEM) out_of_memory();
  return false;
}

char *checked_format_list(const char *format, va_list arguments) {
  char *text = NULL;
  if (vasprintf(&text, format, arguments) < 0) out_of_memory();
  return text;
}

char *checked_format(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = checked_format_list(format, arguments);
  va_end(arguments);
  return text;
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static bool bold_wanted(void) {
  const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
  if (no_color && *no_color) return false;
  return isatty(STDOUT_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
}

void print_heading(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  bool bold = bold_wanted();
  if (bold) fputs("\033[1m", stdout);
  vprintf(format, arguments);
  puts(bold ? "\033[0m" : "");
  va_end(arguments);
}

static NumberText format_value(double value, const char *format, int precision) {
  NumberText number;
  if (isnan(value))
    snprintf(number.text, sizeof number.text, "-");
  else if (isinf(value))
    snprintf(number.text, sizeof number.text, value > 0 ? "infinite" : "-infinite");
  else
    snprintf(number.text, sizeof number.text, format, precision, value);
  return number;
}

NumberText number_text(double value, int digits) { return format_value(value, "%.*g", digits); }

NumberText fixed_text(double value, int decimals) { return format_value(value, "%.*f", decimals); }

#define LINE_WIDTH 100

void time_text(double seconds, char *text, size_t size) {
  static const struct {
    double from, unit;
    const char *name;
  } units[] = {{2 * 86400.0, 86400, "days"}, {2 * 3600.0, 3600, "h"}, {120, 60, "min"}, {0, 1, "s"}};
  size_t i = 0;
  while (seconds < units[i].from) i++;
  double value = seconds / units[i].unit, digit = value > 0 ? pow(10, floor(log10(value)) - 1) : 1;
  snprintf(text, size, "%.6g %s", round(value / digit) * digit, units[i].name);
}

void print_wrapped(const char *label, int indent, const char *text) {
  int column = printf("%-*s", indent, label);
  while (*text) {
    int word = (int)strcspn(text, " ");
    if (column > indent && column + 1 + word > LINE_WIDTH) column = printf("\n%*s", indent, "") - 1;
    if (column > indent) column += printf(" ");
    column += printf("%.*s", word, text);
    text += word;
    text += strspn(text, " ");
  }
  putchar('\n');
}

struct Table {
  char *alignment;
  int columns, count, capacity;
  char **cells;
};

Table *table_new(const char *alignment) {
  Table *table = checked_alloc(1, sizeof *table);
  table->alignment = checked_format("%s", alignment);
  table->columns = (int)strlen(alignment);
  return table;
}

static void table_add(Table *table, char *cell) {
  if (table->count == table->capacity) {
    table->capacity = table->capacity ? 2 * table->capacity : 64;
    table->cells = checked_realloc(table->cells, (size_t)table->capacity * sizeof *table->cells);
  }
  table->cells[table->count++] = cell;
}

void table_cell(Table *table, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  table_add(table, checked_format_list(format, arguments));
  va_end(arguments);
}

void table_number(Table *table, double value, int digits) { table_cell(table, "%s", number_text(value, digits).text); }

static int column_width(const Table *table, int column) {
  int widest = 0;
  for (int i = column; i < table->count; i += table->columns) {
    int width = (int)strlen(table->cells[i]);
    if (width > widest) widest = width;
  }
  return widest;
}

/* One row as text, without spaces at its end. */
static char *row_text(const Table *table, int first, const int *widths) {
  char *row = checked_format("%s", "");
  for (int column = 0; column < table->columns && first + column < table->count; column++) {
    int width = table->alignment[column] == 'l' ? -widths[column] : widths[column];
    char *longer = checked_format("%s%s%*s", row, column ? "  " : "", width, table->cells[first + column]);
    free(row);
    row = longer;
  }
  size_t length = strlen(row);
  while (length && row[length - 1] == ' ') row[--length] = '\0';
  return row;
}

/* Columns of the terminal, 0 when standard output is none: there rows keep their full length. */
static size_t terminal_width(void) {
  struct winsize size;
  return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* On a terminal a row that is too long ends in dots instead of wrapping: the last column holds the remarks. */
static void cut_row(char *row, size_t width) {
  if (width < 20 || strlen(row) <= width) return;
  strcpy(row + width - 3, "...");
}

void table_print(Table *table) {
  int *widths = checked_alloc((size_t)table->columns, sizeof *widths);
  for (int column = 0; column < table->columns; column++) widths[column] = column_width(table, column);
  for (int first = 0; first < table->count; first += table->columns) {
    char *row = row_text(table, first, widths);
    cut_row(row, terminal_width());
    if (first == 0)
      print_heading("%s", row);
    else
      puts(row);
    free(row);
  }
  for (int i = 0; i < table->count; i++) free(table->cells[i]);
  free(table->cells);
  free(widths);
  free(table->alignment);
  free(table);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

json_t *json_text(const char *text) {
  json_t *value = text ? json_string(text) : NULL;
  return value ? value : json_null();
}

json_t *json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

void json_put(json_t *object, const char *key, double value) { json_object_set_new(object, key, json_number(value)); }

void json_put_known(json_t *object, const char *key, double value) {
  if (!isnan(value)) json_put(object, key, value);
}

/* The library prints numbers with a fixed number of digits: containers and numbers are written here, the rest by it. */
static void write_value(FILE *stream, const json_t *value, int depth);

static void break_line(FILE *stream, int depth) { fprintf(stream, "\n%*s", 2 * depth, ""); }

static void write_plain(FILE *stream, const json_t *value) {
  if (json_dumpf(value, stream, JSON_ENCODE_ANY) != 0 && !ferror(stream)) out_of_memory();
}

/* A number that is whole keeps a point: it is no integer to programs that tell them apart. */
static void write_real(FILE *stream, double value) {
  const ScreeDigits digits = scree_digits(value);
  fprintf(stream, "%s%s", digits.text, strpbrk(digits.text, ".e") ? "" : ".0");
}

static void write_array(FILE *stream, const json_t *array, int depth) {
  size_t count = json_array_size(array);
  fputc('[', stream);
  for (size_t i = 0; i < count; i++) {
    if (i) fputc(',', stream);
    break_line(stream, depth + 1);
    write_value(stream, json_array_get(array, i), depth + 1);
  }
  if (count) break_line(stream, depth);
  fputc(']', stream);
}

static void write_object(FILE *stream, const json_t *object, int depth) {
  const char *key;
  json_t *value;
  bool first = true;
  fputc('{', stream);
  json_object_foreach((json_t *)object, key, value) {
    if (!first) fputc(',', stream);
    first = false;
    break_line(stream, depth + 1);
    json_t *name = json_string(key);
    if (!name) out_of_memory();
    write_plain(stream, name);
    json_decref(name);
    fputs(": ", stream);
    write_value(stream, value, depth + 1);
  }
  if (!first) break_line(stream, depth);
  fputc('}', stream);
}

static void write_value(FILE *stream, const json_t *value, int depth) {
  if (json_is_object(value))
    write_object(stream, value, depth);
  else if (json_is_array(value))
    write_array(stream, value, depth);
  else if (json_is_real(value))
    write_real(stream, json_real_value(value));
  else
    write_plain(stream, value);
}

void json_write(FILE *stream, const json_t *value) {
  write_value(stream, value, 0);
  fputc('\n', stream);
}

void json_print(json_t *value) {
  if (!value) out_of_memory();
  json_write(stdout, value);
  json_decref(value);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static bool cannot_write(const char *verb, const char *path) {
  failure(verb, "cannot write %s: %s", path, strerror(errno));
  return false;
}

/* A new file beside its destination, with the permissions a plain fopen would give. */
static FILE *open_aside(const char *path, char **aside) {
  *aside = checked_format("%s.XXXXXX", path);
  int descriptor = mkstemp(*aside);
  if (descriptor < 0) return NULL;
  mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, 0666 & ~mask);
  FILE *stream = fdopen(descriptor, "w");
  if (stream) return stream;
  int reason = errno;
  close(descriptor);
  unlink(*aside);
  errno = reason;
  return NULL;
}

static void forget(const OutputFile *file) {
  OutputFile **link = &under_construction;
  while (*link && *link != file) link = &(*link)->next;
  if (*link) *link = file->next;
  free(file->path);
  free(file->aside);
}

bool output_open(OutputFile *file, const char *verb, const char *path) {
  *file = (OutputFile){.path = checked_format("%s", path)};
  struct stat existing;
  if (strcmp(path, "-") == 0)
    file->stream = stdout;
  else if (stat(path, &existing) == 0 && !S_ISREG(existing.st_mode))
    file->stream = fopen(path, "w");
  else
    file->stream = open_aside(path, &file->aside);
  file->next = under_construction;
  under_construction = file;
  if (file->stream) return true;
  cannot_write(verb, path);
  forget(file);
  return false;
}

bool output_commit(OutputFile *file, const char *verb) {
  bool done = true;
  if (file->stream != stdout) {
    bool written = fflush(file->stream) == 0 && !ferror(file->stream);
    if (written && file->aside) written = fsync(fileno(file->stream)) == 0;
    int reason = errno;
    if (fclose(file->stream) != 0 && written) written = false, reason = errno;
    if (written && file->aside && rename(file->aside, file->path) != 0) written = false, reason = errno;
    if (!written && file->aside) unlink(file->aside);
    errno = reason;
    done = written || cannot_write(verb, file->path);
  }
  forget(file);
  return done;
}

void output_drop(OutputFile *file) {
  if (file->stream != stdout) fclose(file->stream);
  if (file->aside) unlink(file->aside);
  forget(file);
}
