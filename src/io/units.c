/* units.c: the grammar of quantities is ours, the names of units are UDUNITS's.
 *
 *     quantity := number [unit]
 *     unit     := ['/'] factor { (' ' | '*' | '.' | '/') factor }       '/' binds the next factor only, as in UDUNITS
 *     factor   := ( name | '(' unit ')' | '1' ) [ ['^'] real ]
 *
 * Only names (letters, '_' and '%') reach UDUNITS, so that its dates ("s since 1970"), shifts ("K @ 273") and
 * logarithms
 * ("lg(re 1 mW)") cannot be entered, and neither can any other surprise of its parser. Each name becomes a scale and
 * a vector of powers of the basic units; real powers then act on the vector. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strtod_l */
#endif
#include "io/units.h"

#include "core/status.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <udunits2.h>

enum { METRE, KILOGRAM, SECOND, AMPERE, KELVIN, MOLE, CANDELA, RADIAN, BASIC_COUNT };
static const char *const basic_symbol[BASIC_COUNT] = {"m", "kg", "s", "A", "K", "mol", "cd", "rad"};

/* A product of basic units to real powers, times a scale. */
typedef struct Measure {
  double scale;
  double power[BASIC_COUNT];
} Measure;

#define POWER_MAX 12.0
#define POWER_TOLERANCE 1e-9

/* ---- the unit database ------------------------------------------------------------------------------------------ */

static pthread_mutex_t database_lock = PTHREAD_MUTEX_INITIALIZER; /* UDUNITS is not thread safe */
static ut_system *database;

static ScreeStatus load_database(void) {
  if (database) return SCREE_OK;
  ut_set_error_message_handler(ut_ignore);
  database = ut_read_xml(NULL);
  if (!database)
    return scree_fail(SCREE_UNKNOWN,
                      "the unit database of UDUNITS was not found: install libudunits2-data or give plain SI numbers");
  return SCREE_OK;
}

void scree_units_release(void) {
  pthread_mutex_lock(&database_lock);
  if (database) ut_free_system(database);
  database = NULL;
  pthread_mutex_unlock(&database_lock);
}

/* Visitors of a UDUNITS unit: collect its scale and powers in a Measure; anything but a product fails. */
static ut_status visit_basic(const ut_unit *unit, void *measure);

static int basic_index(const ut_unit *unit) {
  const char *symbol = ut_get_symbol(unit, UT_ASCII);
  for (int i = 0; symbol && i < BASIC_COUNT; i++)
    if (strcmp(symbol, basic_symbol[i]) == 0) return i;
  return -1;
}

static ut_status visit_product(const ut_unit *unit, int count, const ut_unit *const *basic, const int *powers,
                               void *measure) {
  (void)unit;
  for (int i = 0; i < count; i++) {
    int index = basic_index(basic[i]);
    if (index < 0) return UT_BAD_ARG;
    ((Measure *)measure)->power[index] += powers[i];
  }
  return UT_SUCCESS;
}

static ut_status visit_basic(const ut_unit *unit, void *measure) {
  const int once = 1;
  return visit_product(unit, 1, &unit, &once, measure);
}

static ut_status visit_scaled(const ut_unit *unit, double scale, const ut_unit *underlying, double offset,
                              void *measure);

static ut_status visit_timestamp(const ut_unit *unit, const ut_unit *base, double origin, void *measure) {
  (void)unit, (void)base, (void)origin, (void)measure;
  return UT_BAD_ARG;
}

static ut_status visit_logarithm(const ut_unit *unit, double base, const ut_unit *reference, void *measure) {
  (void)unit, (void)base, (void)reference, (void)measure;
  return UT_BAD_ARG;
}

static const ut_visitor collector = {visit_basic, visit_product, visit_scaled, visit_timestamp, visit_logarithm};

static ut_status visit_scaled(const ut_unit *unit, double scale, const ut_unit *underlying, double offset,
                              void *measure) {
  (void)unit;
  if (offset != 0) return UT_BAD_ARG; /* degrees Celsius are no product */
  ((Measure *)measure)->scale *= scale;
  return ut_accept_visitor(underlying, &collector, measure);
}

/* Names people use that the database lacks. */
static const char *database_name(const char *name) { return strcmp(name, "deg") == 0 ? "arc_degree" : name; }

static ScreeStatus measure_of_name(const char *name, Measure *out) {
  *out = (Measure){.scale = 1};
  pthread_mutex_lock(&database_lock);
  /* UDUNITS reads the numbers of its database and of units with the program's locale: a decimal comma breaks both */
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = uselocale(c_locale);
  ScreeStatus status = load_database();
  ut_unit *unit = status == SCREE_OK ? ut_parse(database, database_name(name), UT_ASCII) : NULL;
  bool plain = unit && ut_accept_visitor(unit, &collector, out) == UT_SUCCESS;
  bool known = unit != NULL;
  ut_free(unit);
  uselocale(before);
  if (c_locale) freelocale(c_locale);
  pthread_mutex_unlock(&database_lock);

  if (status != SCREE_OK) return status;
  if (!known) return scree_fail(SCREE_UNKNOWN, "unknown unit \"%s\"", name);
  if (!plain) return scree_fail(SCREE_INVALID, "the unit \"%s\" is not a product of basic units", name);
  return SCREE_OK;
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '%'; }

static const char *skip_spaces(const char *s) {
  while (*s == ' ' || *s == '\t') s++;
  return s;
}

static const char *skip_digits(const char *s) {
  while (is_digit(*s)) s++;
  return s;
}

/* Past [sign] digits [. digits], NULL when there is no digit. */
static const char *skip_decimal(const char *s) {
  if (*s == '+' || *s == '-') s++;
  const char *whole = skip_digits(s);
  const char *end = whole;
  if (*end == '.') end = skip_digits(end + 1);
  bool has_digit = whole > s || end > whole + 1;
  return has_digit ? end : NULL;
}

/* Past a decimal number with an optional exponent; an 'e' without digits after it is left for the unit. */
static const char *skip_number(const char *s) {
  const char *end = skip_decimal(s);
  if (!end || (*end != 'e' && *end != 'E')) return end;
  const char *digits = end + 1;
  if (*digits == '+' || *digits == '-') digits++;
  return is_digit(*digits) ? skip_digits(digits) : end;
}

/* [start, end) is known to be a number; false when it is too large for a double. */
static bool number_value(const char *start, const char *end, double *value) {
  char copy[SCREE_QUANTITY_MAX + 1];
  size_t length = (size_t)(end - start);
  memcpy(copy, start, length);
  copy[length] = '\0';
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  *value = strtod_l(copy, NULL, c_locale);
  freelocale(c_locale);
  return isfinite(*value);
}

/* What an error message may repeat of a hostile text: its beginning, printable. */
typedef struct Quoted {
  char text[SCREE_QUANTITY_MAX + 4];
} Quoted;

static Quoted quoted(const char *text) {
  Quoted q;
  size_t n = 0;
  for (; text[n] && n < SCREE_QUANTITY_MAX; n++) {
    unsigned char c = (unsigned char)text[n];
    q.text[n] = c < 0x20 || c == 0x7f ? '?' : (char)c;
  }
  strcpy(q.text + n, text[n] ? "..." : "");
  return q;
}

static ScreeStatus check_length(const char *text) {
  if (strnlen(text, SCREE_QUANTITY_MAX + 1) <= SCREE_QUANTITY_MAX) return SCREE_OK;
  return scree_fail(SCREE_INVALID, "\"%s\" is longer than %d characters", quoted(text).text, SCREE_QUANTITY_MAX);
}

static ScreeStatus not_a_number(const char *text) {
  return scree_fail(SCREE_INVALID, "\"%s\" is not a number", quoted(text).text);
}

/* Reads the number at the start of text and says where it ends. */
static ScreeStatus read_number(const char *text, double *value, const char **end) {
  SCREE_TRY(check_length(text));
  const char *start = skip_spaces(text);
  *end = skip_number(start);
  if (!*end) return not_a_number(text);
  if (!number_value(start, *end, value))
    return scree_fail(SCREE_INVALID, "\"%s\" is too large for a number", quoted(text).text);
  return SCREE_OK;
}

ScreeStatus scree_parse_number(const char *text, double *value) {
  const char *end = NULL;
  double number = 0;
  SCREE_TRY(read_number(text, &number, &end));
  if (*skip_spaces(end)) return not_a_number(text);
  *value = number;
  return SCREE_OK;
}

/* ---- units ------------------------------------------------------------------------------------------------------ */

typedef struct UnitReader {
  const char *at;   /* next character */
  const char *text; /* the whole unit, for messages */
} UnitReader;

static ScreeStatus read_unit(UnitReader *r, Measure *out);

static ScreeStatus malformed(const UnitReader *r) {
  return scree_fail(SCREE_INVALID, "the unit \"%s\" cannot be read (write it like kg/m3, N s/m or N/m^1.5)",
                    quoted(r->text).text);
}

static void multiply(Measure *product, const Measure *factor, double power) {
  product->scale *= pow(factor->scale, power);
  for (int i = 0; i < BASIC_COUNT; i++) product->power[i] += power * factor->power[i];
}

static ScreeStatus read_name(UnitReader *r, Measure *out) {
  char name[SCREE_QUANTITY_MAX + 1];
  size_t n = 0;
  while (is_name_char(*r->at) && n < SCREE_QUANTITY_MAX) name[n++] = *r->at++;
  name[n] = '\0';
  return measure_of_name(name, out);
}

static ScreeStatus read_power(UnitReader *r, double *power) {
  *power = 1;
  bool caret = *r->at == '^';
  const char *start = caret ? r->at + 1 : r->at;
  const char *end = skip_decimal(start);
  if (!end) return caret ? malformed(r) : SCREE_OK;
  if (end[-1] == '.') end--; /* "m2.s": the dot is a product */
  if (end == start || !number_value(start, end, power)) return malformed(r);
  if (fabs(*power) > POWER_MAX)
    return scree_fail(SCREE_INVALID, "the unit \"%s\" has a power beyond %g", quoted(r->text).text, POWER_MAX);
  r->at = end;
  return SCREE_OK;
}

static ScreeStatus read_factor(UnitReader *r, Measure *out) {
  if (*r->at == '1' && !is_digit(r->at[1])) {
    r->at++;
    *out = (Measure){.scale = 1};
    return SCREE_OK;
  }
  Measure base = {.scale = 1};
  if (*r->at == '(') {
    r->at++;
    SCREE_TRY(read_unit(r, &base));
    if (*r->at != ')') return malformed(r);
    r->at++;
  } else if (is_name_char(*r->at)) {
    SCREE_TRY(read_name(r, &base));
  } else {
    return malformed(r);
  }
  double power = 1;
  SCREE_TRY(read_power(r, &power));
  *out = (Measure){.scale = 1};
  multiply(out, &base, power);
  return SCREE_OK;
}

/* Reads up to the end or a closing parenthesis. Depth is bounded by the length of the text. */
static ScreeStatus read_unit(UnitReader *r, Measure *out) {
  *out = (Measure){.scale = 1};
  double sign = 1;
  r->at = skip_spaces(r->at);
  if (*r->at == '/') {
    sign = -1;
    r->at = skip_spaces(r->at + 1);
  }
  for (;;) {
    Measure factor = {.scale = 1};
    SCREE_TRY(read_factor(r, &factor));
    multiply(out, &factor, sign);
    r->at = skip_spaces(r->at);
    sign = *r->at == '/' ? -1 : 1;
    if (*r->at == '/' || *r->at == '*' || *r->at == '.')
      r->at = skip_spaces(r->at + 1);
    else if (*r->at == '\0' || *r->at == ')')
      return SCREE_OK;
  }
}

static ScreeStatus measure_of_text(const char *text, Measure *out) {
  UnitReader reader = {.at = text, .text = text};
  SCREE_TRY(read_unit(&reader, out));
  return *reader.at == '\0' ? SCREE_OK : malformed(&reader);
}

/* The signs of Unicode that people type in units, as ASCII. */
static const struct {
  const char *sign, *ascii;
} spelling[] = {
    {"\u00b5", "u"}, {"\u03bc", "u"}, {"\u00b2", "^2"}, {"\u00b3", "^3"}, {"\u00b7", "."}, {"\u00b0", "deg"},
};

static ScreeStatus spell_in_ascii(const char *unit, char out[2 * SCREE_QUANTITY_MAX + 1]) {
  size_t n = 0;
  for (const char *s = unit; *s;) {
    const char *piece = NULL;
    size_t length = 1;
    for (size_t i = 0; i < sizeof spelling / sizeof *spelling; i++)
      if (strncmp(s, spelling[i].sign, strlen(spelling[i].sign)) == 0) {
        piece = spelling[i].ascii;
        length = strlen(spelling[i].sign);
      }
    if (!piece && ((unsigned char)*s >= 0x80 || (unsigned char)*s < 0x20))
      return scree_fail(SCREE_UNKNOWN, "unknown unit \"%s\"", quoted(unit).text);
    if (piece)
      n += (size_t)sprintf(out + n, "%s", piece);
    else
      out[n++] = *s;
    s += length;
  }
  out[n] = '\0';
  return SCREE_OK;
}

static bool same_dimension(const Measure *a, const Measure *b) {
  for (int i = 0; i < BASIC_COUNT; i++)
    if (!(fabs(a->power[i] - b->power[i]) < POWER_TOLERANCE)) return false;
  return true;
}

/* number * ratio; where the ratio is meant to be a power of ten the result is the number as typed: 5 um is 5e-6. */
static double scaled(double number, double ratio) {
  double exponent = round(log10(ratio));
  if (!(fabs(exponent) <= 22)) return number * ratio; /* powers up to 1e22 are exact */
  double ten = pow(10, fabs(exponent));
  double power = exponent < 0 ? 1 / ten : ten;
  if (fabs(ratio / power - 1) > 1e-14) return number * ratio;
  return exponent < 0 ? number / ten : number * ten;
}

/* "1.2.3", "1,5", "0x10" and "1_000" are meant as numbers. A digit begins a unit only after a space ("5 1/s"). */
static bool begins_unit(const char *s, bool after_space) {
  if (*s == '1') return after_space;
  if (*s == '_' || (!after_space && (*s == 'x' || *s == 'X') && (is_digit(s[1]) || s[1] == '\0'))) return false;
  return (unsigned char)*s >= 0x80 || is_name_char(*s) || *s == '(' || *s == '/';
}

ScreeStatus scree_parse_quantity(const char *text, const char *si_unit, double *value) {
  const char *end = NULL;
  double number = 0;
  SCREE_TRY(read_number(text, &number, &end));
  const char *unit_text = skip_spaces(end);
  if (!*unit_text) {
    *value = number;
    return SCREE_OK;
  }
  if (!begins_unit(unit_text, unit_text > end)) return not_a_number(text);

  char unit_ascii[2 * SCREE_QUANTITY_MAX + 1];
  Measure unit, wanted;
  SCREE_TRY(spell_in_ascii(unit_text, unit_ascii));
  SCREE_TRY(measure_of_text(unit_ascii, &unit));
  if (measure_of_text(si_unit, &wanted) != SCREE_OK)
    return scree_fail(SCREE_INVALID, "\"%s\": this value takes a plain number in SI units (%s)", quoted(text).text,
                      si_unit);
  if (!same_dimension(&unit, &wanted))
    return scree_fail(SCREE_INVALID, "\"%s\" cannot be converted to %s", quoted(text).text,
                      strcmp(si_unit, "1") == 0 ? "a pure number" : si_unit);
  double converted = scaled(number, unit.scale / wanted.scale);
  if (!isfinite(converted)) return scree_fail(SCREE_INVALID, "\"%s\" is too large for a number", quoted(text).text);
  *value = converted;
  return SCREE_OK;
}
