/* compare_output.c: the rows of `scree compare` as text, Markdown, JSON and CSV, all from one table of columns. */
#include "compare.h"

#include "compare_sheet.h"
#include "io/digits.h"
#include "output.h"
#include "result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char verb[] = "compare";

/* ---- columns ---------------------------------------------------------------------------------------------------- */

typedef double ColumnValue(const CompareRow *row);

static double share_of(const CompareRow *row, double energy) { return energy / row->result.energy_initial; }
static double overlap_e(const CompareRow *row) { return row->overlap_e; }
static double clamped_e(const CompareRow *row) { return row->clamped_e; }
static double speed(const CompareRow *row) { return row->speed; }
static double mass(const CompareRow *row) { return row->mass; }
static double reference_speed(const CompareRow *row) { return row->strength.speed; }
static double max_force(const CompareRow *row) { return row->result.max_force; }
static double max_overlap(const CompareRow *row) { return row->result.max_overlap; }
static double duration(const CompareRow *row) { return row->result.duration; }
static double duration_relative(const CompareRow *row) { return row->result.duration / row->hertz_duration; }

/* Of one phase; NaN where only the work of the whole loop is known. */
static double phase_share(const CompareRow *row, double energy) {
  return scree_law_info(row->law)->flags & SCREE_LOOP_WORK ? NAN : share_of(row, energy);
}
static double lost_loading(const CompareRow *row) { return phase_share(row, row->result.energy_dissipated_loading); }
static double lost_unloading(const CompareRow *row) {
  return phase_share(row, row->result.energy_dissipated_unloading);
}

/* What is left behind in a contact that ends before its overlap is lost too (MODELS.md 1.1). */
static double lost(const CompareRow *row) {
  const ScreeImpactResult *r = &row->result;
  return share_of(row, r->energy_dissipated_loading + r->energy_dissipated_unloading + r->energy_stored_exit);
}

static bool is_line_law(ScreeLawId law) { return scree_law_info(law)->group == SCREE_LINE; }

static double force_per_length(const CompareRow *row) {
  return is_line_law(row->result.pair.law) ? row->result.max_force / row->resolved.def.pair.length : NAN;
}

/* When a reader sees a column. Files hold all. */
typedef enum Shown { ALWAYS, NEVER, SPEEDS, MASSES, POINTS, LINES } Shown;

/* For readers lengths and times have the prefix that suits the column, forces per length are in N/mm, losses in per
 * cent, so that a row fits a terminal; files hold SI. */
static const struct Column {
  const char *key, *heading, *unit; /* unit, where there is one: behind the heading */
  ColumnValue *value;
  Shown shown;
  int digits;
  double scale;
} columns[] = {{"restitution", "e", "", overlap_e, ALWAYS, 6, 1.0},
               {"restitution_clamped", "e clamp", "", clamped_e, ALWAYS, 6, 1.0},
               {"speed", "speed", "m/s", speed, SPEEDS, 6, 1.0},
               {"mass", "mass", "kg", mass, MASSES, 6, 1.0},
               {"reference_speed", "", "", reference_speed, NEVER, 6, 1.0},
               {"max_force", "peak", "N", max_force, ALWAYS, 6, 1.0},
               {"max_force_per_length", "peak", "N/mm", force_per_length, LINES, 6, 1e-3},
               {"max_overlap", "depth", "m", max_overlap, ALWAYS, 6, 1.0},
               {"duration", "time", "s", duration, ALWAYS, 6, 1.0},
               {"duration_relative", "/ Hertz", "", duration_relative, POINTS, 4, 1.0},
               {"dissipated_share", "lost %", "", lost, ALWAYS, 4, 100.0},
               {"dissipated_share_loading", "load %", "", lost_loading, ALWAYS, 4, 100.0},
               {"dissipated_share_unloading", "unload %", "", lost_unloading, ALWAYS, 4, 100.0}};
#define COLUMN_COUNT (sizeof columns / sizeof *columns)

static bool is_shown(const CompareOptions *o, Shown shown) {
  switch (shown) {
  case ALWAYS: return true;
  case NEVER: break;
  case SPEEDS: return o->speeds.count > 0;
  case MASSES: return o->masses.count > 0;
  case POINTS: return !o->line;
  case LINES: return o->line;
  }
  return false;
}

static double column_value(const CompareRow *row, const struct Column *column) {
  bool of_case = column->value == speed || column->value == mass; /* known of a law that cannot run too */
  return row->ran || of_case ? column->value(row) : NAN;
}

/* ---- JSON and CSV ----------------------------------------------------------------------------------------------- */

static bool is_calibrated(const CompareRow *row) { return row->ran && row->strength.parameter < SCREE_PARAM_COUNT; }

static json_t *row_json(const CompareRow *row) {
  json_t *object = json_object();
  json_object_set_new(object, "law", json_string(scree_law_info(row->law)->name));
  json_put(object, "requested_restitution", row->requested);
  for (size_t k = 0; k < COLUMN_COUNT; k++) json_put(object, columns[k].key, column_value(row, &columns[k]));
  json_object_set_new(object, "calibrated", json_boolean(is_calibrated(row)));
  json_object_set_new(object, "calibration",
                      is_calibrated(row) ? strength_json(&row->strength, row->law) : json_null());
  json_object_set_new(object, "ran", json_boolean(row->ran));
  json_object_set_new(object, "note", json_string(row->note));
  json_object_set_new(object, "damping", row->ran ? case_damping_json(&row->result.pair) : json_null());
  if (row->ran) json_object_set_new(object, "case", case_json(&row->resolved, &row->result.pair));
  return object;
}

static void print_json(const CompareOptions *o, const CompareRow *rows, int count) {
  json_t *array = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(array, row_json(&rows[i]));
  json_t *all = json_object();
  json_object_set_new(all, "separation", json_string(separation_name(o->collision.separation)));
  json_put(all, "reference_speed", o->reference);
  json_object_set_new(all, "rows", array);
  json_print(all);
}

void csv_number(FILE *stream, double value) {
  if (isfinite(value)) scree_put_number(stream, value);
}

void csv_text(FILE *stream, const char *text) {
  fputc('"', stream);
  for (; *text; text++) fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, stream);
  fputc('"', stream);
}

static void write_csv(FILE *stream, const CompareRow *rows, int count) {
  fputs("law,requested_restitution", stream);
  for (size_t k = 0; k < COLUMN_COUNT; k++) fprintf(stream, ",%s", columns[k].key);
  fputs(",note\n", stream);
  for (int i = 0; i < count; i++) {
    fprintf(stream, "%s,", scree_law_info(rows[i].law)->name);
    csv_number(stream, rows[i].requested);
    for (size_t k = 0; k < COLUMN_COUNT; k++) {
      fputc(',', stream);
      csv_number(stream, column_value(&rows[i], &columns[k]));
    }
    fputc(',', stream);
    csv_text(stream, rows[i].note);
    fputc('\n', stream);
  }
}

/* ---- text and Markdown ------------------------------------------------------------------------------------------ */

/* The collision the rows share: that of the first point law and of the first line law that ran. The unit of the
 * stiffness is each law's own, so its exponent is left open. */
static void print_cases(const CompareRow *rows, int count) {
  bool shown[2] = {false, false};
  for (int i = 0; i < count; i++) {
    bool line = is_line_law(rows[i].law);
    if (!rows[i].ran || shown[line]) continue;
    ScreePair pair = rows[i].result.pair;
    for (int k = i; k < count; k++)
      if (rows[k].ran && is_line_law(rows[k].law) == line && rows[k].result.pair.n != pair.n) pair.n = NAN;
    case_print(&rows[i].resolved, &pair);
    shown[line] = true;
  }
}

static bool holds_strengths(const CompareOptions *o, const CompareRow *rows, int count) {
  for (int i = 0; i < count && !isnan(o->reference); i++)
    if (is_calibrated(&rows[i])) return true;
  return false;
}

/* The law whose factor damps the line laws, and the laws that have another's. */
static void print_damping(const CompareRow *rows, int count) {
  ScreeLawId most = SCREE_LAW_NONE, last = SCREE_LAW_NONE;
  for (int i = 0; i < count; i++) {
    ScreeLawId damper = rows[i].ran ? rows[i].result.pair.damping : SCREE_LAW_NONE;
    if (damper == SCREE_LAW_NONE || damper == most || rows[i].law == last) continue;
    if (most == SCREE_LAW_NONE)
      printf("damping of cylinder laws: the factor of %s", scree_law_info(most = damper)->name);
    else
      printf("; of %s: %s", scree_law_info(last = rows[i].law)->name, scree_law_info(damper)->name);
  }
  if (most != SCREE_LAW_NONE) puts(" (--damping LAW for another's)");
}

static void print_legend(const CompareOptions *o, const CompareRow *rows, int count) {
  if (holds_strengths(o, rows, count))
    printf("calibrated at %.6g m/s and held at the other speeds (--reference-speed, --calibrate-each);\n"
           "laws that use v0 (scree models) take each impact's own speed and keep their e\n",
           o->reference);
  print_damping(rows, count);
  printf("e: contact ends at zero overlap; e clamp: force kept >= 0; lost: per cent of the initial energy%s;\n"
         "separation of the other columns: %s\n\n",
         o->line ? "" : ";\n/ Hertz: duration over that of K d^1.5 with the same number K, mass and speed",
         separation_name(o->collision.separation));
}

/* The prefix of a column's lengths or times. */
static ScreePrefix column_prefix(const struct Column *column, const CompareRow *rows, int count) {
  double *values = checked_alloc((size_t)count, sizeof *values);
  for (int i = 0; i < count; i++) values[i] = column_value(&rows[i], column);
  const ScreePrefix prefix = scree_prefix_of_all(values, (size_t)count, column->unit);
  free(values);
  return prefix;
}

static void print_table(const CompareOptions *o, const CompareRow *rows, int count) {
  ScreePrefix prefix[COLUMN_COUNT];
  char alignment[COLUMN_COUNT + 4] = "lr";
  for (size_t k = 0; k < COLUMN_COUNT; k++)
    if (is_shown(o, columns[k].shown)) strcat(alignment, "r");
  strcat(alignment, "l");
  Sheet *sheet = sheet_new(alignment, o->markdown);
  sheet_cell(sheet, "law");
  sheet_cell(sheet, "asked");
  for (size_t k = 0; k < COLUMN_COUNT; k++) {
    if (!is_shown(o, columns[k].shown)) continue;
    prefix[k] = column_prefix(&columns[k], rows, count);
    const char *unit = prefix[k].unit;
    sheet_cell(sheet, *unit ? "%s [%s]" : "%s", columns[k].heading, unit);
  }
  sheet_cell(sheet, "note");
  for (int i = 0; i < count; i++) {
    sheet_cell(sheet, "%s", scree_law_info(rows[i].law)->name);
    sheet_number(sheet, rows[i].requested, 4);
    for (size_t k = 0; k < COLUMN_COUNT; k++)
      if (is_shown(o, columns[k].shown))
        sheet_number(sheet, column_value(&rows[i], &columns[k]) * columns[k].scale * prefix[k].factor,
                     columns[k].digits);
    sheet_cell(sheet, "%s", rows[i].note);
  }
  sheet_end(sheet);
}

int compare_write(const CompareOptions *o, const CompareRow *rows, int count) {
  if (o->csv) {
    OutputFile file;
    if (!output_open(&file, verb, o->csv)) return EXIT_FAILED;
    write_csv(file.stream, rows, count);
    if (!output_commit(&file, verb)) return EXIT_FAILED;
  }
  if (o->json) {
    print_json(o, rows, count);
  } else if (!o->csv || strcmp(o->csv, "-") != 0) {
    if (!o->markdown) {
      print_cases(rows, count);
      print_legend(o, rows, count);
    }
    print_table(o, rows, count);
  }
  return EXIT_DONE;
}
