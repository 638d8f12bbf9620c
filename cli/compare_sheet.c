/* compare_sheet.c: see compare_sheet.h. Markdown needs no widths, so its cells are printed as they come. */
#include "cli.h"

#include "compare_sheet.h"
#include "output.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct Sheet {
  Table *table; /* NULL for Markdown */
  const char *alignment;
  size_t columns, cells;
};

Sheet *sheet_new(const char *alignment, bool markdown) {
  Sheet *sheet = checked_alloc(1, sizeof *sheet);
  sheet->alignment = alignment;
  sheet->columns = strlen(alignment);
  sheet->table = markdown ? NULL : table_new(alignment);
  return sheet;
}

static void end_markdown_row(const Sheet *sheet) {
  puts("|");
  if (sheet->cells != sheet->columns) return;
  for (size_t i = 0; i < sheet->columns; i++) fputs(sheet->alignment[i] == 'l' ? "| --- " : "| ---: ", stdout);
  puts("|");
}

static void markdown_cell(Sheet *sheet, const char *text) {
  fputs("| ", stdout);
  for (; *text; text++) fputs(*text == '|' ? "\\|" : (char[]){*text, '\0'}, stdout);
  putchar(' ');
  if (++sheet->cells % sheet->columns == 0) end_markdown_row(sheet);
}

void sheet_cell(Sheet *sheet, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = checked_format_list(format, arguments);
  va_end(arguments);
  if (sheet->table)
    table_cell(sheet->table, "%s", text);
  else
    markdown_cell(sheet, text);
  free(text);
}

void sheet_number(Sheet *sheet, double value, int digits) { sheet_cell(sheet, "%s", number_text(value, digits).text); }

void sheet_end(Sheet *sheet) {
  if (sheet->table) table_print(sheet->table);
  free(sheet);
}
