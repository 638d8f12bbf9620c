/* output.h: tables, numbers, JSON and files that are either complete or absent. */
#ifndef SCREE_CLI_OUTPUT_H
#define SCREE_CLI_OUTPUT_H

#include "scree/base.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* A bold line on a terminal, a plain one elsewhere or under NO_COLOR. */
void print_heading(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "-" for NaN, "infinite" for infinity, otherwise `digits` significant digits. */
typedef struct NumberText {
  char text[40];
} NumberText;
NumberText number_text(double value, int digits);
/* The same with `decimals` digits after the point. */
NumberText fixed_text(double value, int decimals);

/* A time by the clock with two digits and the unit that suits it: "0.34 s", "12 min", "7.5 h", "3.2 days". */
void time_text(double seconds, char *text, size_t size);

/* Prints text wrapped at 100 columns, the following lines indented. */
void print_wrapped(const char *label, int indent, const char *text);

/* Columns as wide as their widest cell. alignment: one letter per column, 'l' or 'r'. Cells are filled row by row;
 * the first row is the heading. */
typedef struct Table Table;
Table *table_new(const char *alignment);
void table_cell(Table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_number(Table *table, double value, int digits);
/* Prints and frees. */
void table_print(Table *table);

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

/* NULL, and what is no UTF-8 (a path may be anything), become null. */
json_t *json_text(const char *text);
/* NaN and infinity become null. */
json_t *json_number(double value);
void json_put(json_t *object, const char *key, double value);
/* Nothing is added for NaN. */
void json_put_known(json_t *object, const char *key, double value);
/* Writes with the shortest numbers that read back the same, one member per line, and a line's end. */
void json_write(FILE *stream, const json_t *value);
/* Prints so and releases. */
void json_print(json_t *value);

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* A file under construction: written aside, synced and renamed when it is complete. "-" is standard output; what
 * exists and is no regular file (a device, a pipe) is written in place. */
typedef struct OutputFile {
  FILE *stream;
  char *path, *aside; /* aside is NULL when the file is written in place */
  struct OutputFile *next;
} OutputFile;

/* Both return false after printing a sentence on stderr. */
bool output_open(OutputFile *file, const char *verb, const char *path);
bool output_commit(OutputFile *file, const char *verb);
/* Leaves what was there before; frees the rest. */
void output_drop(OutputFile *file);

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* To be called before anything else: JSON without memory ends the program, where jansson would leave values out. */
void output_prepare(void);

/* Says that there is no memory, removes files under construction and ends the program with EXIT_FAILED. */
_Noreturn void out_of_memory(void);
/* Is it SCREE_OK? Want of memory ends the program: it is no answer about a law. */
bool succeeded(ScreeStatus status);
void *checked_alloc(size_t count, size_t size);
void *checked_realloc(void *old, size_t size);
char *checked_format_list(const char *format, va_list arguments);
/* As getline, which cannot tell the end of a file from the end of memory. */
bool checked_line(char **line, size_t *size, FILE *file);
char *checked_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
