/* compare_sheet.h: one table, on the terminal or as Markdown. Cells are filled row by row; the first row is the
 * heading. alignment: one letter per column, 'l' or 'r'. */
#ifndef SCREE_CLI_COMPARE_SHEET_H
#define SCREE_CLI_COMPARE_SHEET_H

#include <stdbool.h>

typedef struct Sheet Sheet;
Sheet *sheet_new(const char *alignment, bool markdown);
void sheet_cell(Sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sheet_number(Sheet *sheet, double value, int digits);
/* Prints what is not yet printed and frees. */
void sheet_end(Sheet *sheet);

#endif
