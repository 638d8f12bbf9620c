/* units.c: the grammar of quantities; unit_names.c knows the names.
 *
 *     quantity := number [unit]
 *     unit     := ['/'] factor { (' ' | '*' | '.' | '/') factor }       '/' binds the next factor only, as in UDUNITS
 *     factor   := ( name | '(' unit ')' | '1' ) [ ['^'] real ]
 *
 * A name is letters, '_' and '%': it becomes a scale and a vector of powers of the basic units, and real powers then
 * act on the vector. Nothing here asks for memory, so that a quantity that cannot be read is a fault of its text. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strtod_l */
#endif
#include "io/units.h"

#include "core/status.h"
#include "io/unit_names.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POWER_MAX 12.0
#define POWER_TOLERANCE 1e-9

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
  const char *name; /* the last name that was read, [name, at) */
} UnitReader;

static ScreeStatus read_unit(UnitReader *r, ScreeMeasure *out);

static ScreeStatus malformed(const UnitReader *r) {
  return scree_fail(SCREE_INVALID, "the unit \"%s\" cannot be read (write it like kg/m3, N s/m or N/m^1.5)",
                    quoted(r->text).text);
}

static void multiply(ScreeMeasure *product, const ScreeMeasure *factor, double power) {
  product->scale *= pow(factor->scale, power);
  for (int i = 0; i < SCREE_BASIC_UNITS; i++) product->power[i] += power * factor->power[i];
}

static ScreeStatus read_name(UnitReader *r, ScreeMeasure *out) {
  char name[SCREE_QUANTITY_MAX + 1];
  size_t n = 0;
  r->name = r->at;
  while (is_name_char(*r->at) && n < SCREE_QUANTITY_MAX) name[n++] = *r->at++;
  name[n] = '\0';
  return scree_unit_named(name, out);
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

static ScreeStatus read_factor(UnitReader *r, ScreeMeasure *out) {
  if (*r->at == '1' && !is_digit(r->at[1])) {
    r->at++;
    *out = (ScreeMeasure){.scale = 1};
    return SCREE_OK;
  }
  ScreeMeasure base = {.scale = 1};
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
  *out = (ScreeMeasure){.scale = 1};
  multiply(out, &base, power);
  return SCREE_OK;
}

/* Reads up to the end or a closing parenthesis. Depth is bounded by the length of the text. */
static ScreeStatus read_unit(UnitReader *r, ScreeMeasure *out) {
  *out = (ScreeMeasure){.scale = 1};
  double sign = 1;
  r->at = skip_spaces(r->at);
  if (*r->at == '/') {
    sign = -1;
    r->at = skip_spaces(r->at + 1);
  }
  for (;;) {
    ScreeMeasure factor = {.scale = 1};
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

static ScreeStatus read_whole_unit(UnitReader *r, const char *text, ScreeMeasure *out) {
  *r = (UnitReader){.at = text, .text = text};
  SCREE_TRY(read_unit(r, out));
  return *r->at == '\0' ? SCREE_OK : malformed(r);
}

static ScreeStatus measure_of_text(const char *text, ScreeMeasure *out) {
  UnitReader reader;
  return read_whole_unit(&reader, text, out);
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

/* ---- what an unknown unit was meant as ---- */

#define UNIT_TEXT_MAX (2 * SCREE_QUANTITY_MAX)

static bool same_dimension(const ScreeMeasure *a, const ScreeMeasure *b) {
  for (int i = 0; i < SCREE_BASIC_UNITS; i++)
    if (!(fabs(a->power[i] - b->power[i]) < POWER_TOLERANCE)) return false;
  return true;
}

/* A search for a text that reads as a unit that is wanted (as any, where wanted is NULL), but for one (NULL: none). */
typedef struct Suggestion {
  const ScreeMeasure *wanted;
  const char *other_than;
  char text[UNIT_TEXT_MAX + 1];
} Suggestion;

static bool suggest(Suggestion *s, const char *text, int depth);

/* Puts the guesses for the name that was read last in its place, one by one, until one gives a unit that is wanted. */
static bool suggest_for_name(Suggestion *s, const UnitReader *r, int depth) {
  char name[UNIT_TEXT_MAX + 1], guess[SCREE_UNIT_GUESS_MAX], changed[UNIT_TEXT_MAX + 1];
  int before = (int)(r->name - r->text), length = (int)(r->at - r->name);
  snprintf(name, sizeof name, "%.*s", length, r->name);
  for (size_t i = 0; length < SCREE_UNIT_GUESS_MAX && scree_unit_guess(name, i, guess); i++) {
    int made = snprintf(changed, sizeof changed, "%.*s%s%s", before, r->text, guess, r->at);
    if (made < (int)sizeof changed && suggest(s, changed, depth)) return true;
  }
  return false;
}

/* Mends one name at a time, at most depth of them. A unit of one name that is known but does not fit ("5 pa") counts as
 * mistyped too, where it stands as it was typed. */
static bool suggest(Suggestion *s, const char *text, int depth) {
  UnitReader reader;
  ScreeMeasure measure;
  ScreeStatus status = read_whole_unit(&reader, text, &measure);
  if (status == SCREE_OK && (!s->wanted || same_dimension(&measure, s->wanted))) {
    snprintf(s->text, sizeof s->text, "%s", text);
    return !s->other_than || strcmp(text, s->other_than) != 0;
  }
  bool one_name = status == SCREE_OK && reader.name == text && (size_t)(reader.at - text) == strlen(text);
  return (status == SCREE_UNKNOWN || one_name) && depth > 0 && suggest_for_name(s, &reader, one_name ? 0 : depth - 1);
}

static bool has(const char *text, char from, char to) {
  for (; *text; text++)
    if (*text >= from && *text <= to) return true;
  return false;
}

/* " (did you mean MPa or mPa?)": two where the text is all in capitals or all in small letters, and so tells nothing.
 */
static void write_hint(const char *unit, const ScreeMeasure *wanted, char *hint, size_t size) {
  Suggestion first = {.wanted = wanted}, second = {.wanted = wanted, .other_than = first.text};
  *hint = '\0';
  if (!suggest(&first, unit, 3)) return;
  bool both = !(has(unit, 'a', 'z') && has(unit, 'A', 'Z')) && suggest(&second, unit, 3);
  snprintf(hint, size, " (did you mean %s%s%s?)", first.text, both ? " or " : "", both ? second.text : "");
}

/* The failure of a unit that cannot be read or does not fit, with what was meant where that can be told. */
static ScreeStatus refuse_unit(const char *text, const char *unit, const char *si_unit, const ScreeMeasure *wanted) {
  UnitReader reader;
  ScreeMeasure measure;
  char hint[2 * UNIT_TEXT_MAX + 40];
  write_hint(unit, wanted, hint, sizeof hint);
  ScreeStatus status = read_whole_unit(&reader, unit, &measure);
  if (status == SCREE_UNKNOWN)
    return scree_fail(status, "unknown unit \"%.*s\"%s", (int)(reader.at - reader.name), reader.name, hint);
  if (status != SCREE_OK) return status;
  return scree_fail(SCREE_INVALID, "\"%s\" cannot be converted to %s%s", quoted(text).text,
                    strcmp(si_unit, "1") == 0 ? "a pure number" : si_unit, hint);
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

  char unit_ascii[UNIT_TEXT_MAX + 1];
  ScreeMeasure unit, wanted;
  SCREE_TRY(spell_in_ascii(unit_text, unit_ascii));
  bool plain_only = measure_of_text(si_unit, &wanted) != SCREE_OK;
  if (measure_of_text(unit_ascii, &unit) != SCREE_OK || (!plain_only && !same_dimension(&unit, &wanted)))
    return refuse_unit(text, unit_ascii, si_unit, plain_only ? NULL : &wanted);
  if (plain_only)
    return scree_fail(SCREE_INVALID, "\"%s\": this value takes a plain number in SI units (%s)", quoted(text).text,
                      si_unit);
  double converted = scaled(number, unit.scale / wanted.scale);
  if (!isfinite(converted)) return scree_fail(SCREE_INVALID, "\"%s\" is too large for a number", quoted(text).text);
  *value = converted;
  return SCREE_OK;
}
