/* Judge: UDUNITS, a library of units of its own with a database of its own. Every name of its database, and random
 * products of them, must convert to the same bits, be refused as ambiguous, or be unknown; never to another value. */
#define _DEFAULT_SOURCE
#include "io/unit_names.h"
#include "io/units.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <udunits2.h>

/* ---- UDUNITS' answer as a measure ---- */

static ut_system *judge;

static void read_judge(void) {
  ut_set_error_message_handler(ut_ignore);
  judge = ut_read_xml(NULL);
  cr_assert(judge);
}

static const char *const basic[SCREE_BASIC_UNITS] = {"m", "kg", "s", "A", "K", "mol", "cd", "rad"};

static ut_status visit_product(const ut_unit *unit, int count, const ut_unit *const *factor, const int *power,
                               void *measure) {
  (void)unit;
  for (int i = 0; i < count; i++) {
    const char *symbol = ut_get_symbol(factor[i], UT_ASCII);
    int index = 0;
    while (index < SCREE_BASIC_UNITS && (!symbol || strcmp(symbol, basic[index]) != 0)) index++;
    if (index == SCREE_BASIC_UNITS) return UT_BAD_ARG;
    ((ScreeMeasure *)measure)->power[index] += power[i];
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
  if (offset != 0) return UT_BAD_ARG;
  ((ScreeMeasure *)measure)->scale *= scale;
  return ut_accept_visitor(underlying, &collector, measure);
}

static bool judge_measure(const ut_unit *unit, ScreeMeasure *out) {
  *out = (ScreeMeasure){.scale = 1};
  return unit && ut_accept_visitor(unit, &collector, out) == UT_SUCCESS;
}

static bool judge_name(const char *name, ScreeMeasure *out) {
  ut_unit *unit = ut_parse(judge, strcmp(name, "deg") == 0 ? "arc_degree" : name, UT_ASCII);
  bool known = judge_measure(unit, out);
  ut_free(unit);
  return known;
}

/* ---- the names of its database ---- */

static char (*names)[64];
static size_t name_count;

static void add_name(const char *text, size_t length) {
  if (length == 0 || length >= sizeof *names) return;
  for (size_t i = 0; i < length; i++)
    if (!isalpha((unsigned char)text[i]) && text[i] != '_' && text[i] != '%') return;
  names = realloc(names, (name_count + 1) * sizeof *names);
  cr_assert(names);
  snprintf(names[name_count++], sizeof *names, "%.*s", (int)length, text);
}

static void read_names(const char *file) {
  ut_status status;
  const char *main_file = ut_get_path_xml(NULL, &status);
  char path[500];
  static char text[200000];
  snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(main_file, '/') - main_file), main_file, file);
  FILE *stream = fopen(path, "r");
  cr_assert(stream, "%s", path);
  text[fread(text, 1, sizeof text - 1, stream)] = '\0';
  fclose(stream);
  static const char *const tags[] = {"<singular", "<plural", "<symbol"};
  for (int i = 0; i < 3; i++)
    for (const char *at = text; (at = strstr(at, tags[i]));) {
      at = strchr(at, '>') + 1;
      add_name(at, strcspn(at, "<"));
    }
}

static void set_up(void) {
  read_judge();
  read_names("udunits2-base.xml");
  read_names("udunits2-derived.xml");
  read_names("udunits2-accepted.xml");
  read_names("udunits2-common.xml");
  cr_assert(name_count > 400, "%zu", name_count);
}

static void tear_down(void) {
  ut_free_system(judge);
  free(names);
}

/* ---- what differs on purpose ---- */

/* UDUNITS' database rounds these to four to seven digits or has an older value; ours are the definitions. */
static const struct {
  const char *name;
  double exact, apart; /* how far the judge may be off, relative */
} rounded[] = {
    {"eV", 1.602176634e-19, 5e-7}, /* SI 2019: the elementary charge is exact */
    {"electronvolt", 1.602176634e-19, 5e-7},
    {"electron_volt", 1.602176634e-19, 5e-7},
    {"avoirdupois_ounce", 0.45359237 / 16, 2e-7},
    {"troy_ounce", 480 * 64.79891e-6, 2e-7},
    {"apothecary_ounce", 480 * 64.79891e-6, 2e-7},
    {"apounce", 480 * 64.79891e-6, 2e-7},
    {"troy_pound", 5760 * 64.79891e-6, 2e-7},
    {"apothecary_pound", 5760 * 64.79891e-6, 2e-7},
    {"appound", 5760 * 64.79891e-6, 2e-7},
    {"short_hundredweight", 45.359237, 2e-7},
    {"long_hundredweight", 50.80234544, 2e-7},
    {"slug", 4.4482216152605 / 0.3048, 3e-7},
    {"ounce_force", 4.4482216152605 / 16, 3e-7},
    {"ounces_force", 4.4482216152605 / 16, 3e-7},
    {"force_ounce", 4.4482216152605 / 16, 3e-7},
    {"ozf", 4.4482216152605 / 16, 3e-7},
    {"poundal", 0.45359237 * 0.3048, 4e-7},
    {"shaft_horsepower", 550 * 0.3048 * 4.4482216152605, 1e-7},
    {"metric_horsepower", 75 * 9.80665, 4e-7},
    {"US_liquid_gallon", 231 * 0.0254 * 0.0254 * 0.0254, 1e-7},
    {"US_liquid_quart", 231 * 0.0254 * 0.0254 * 0.0254 / 4, 1e-7},
    {"US_liquid_pint", 231 * 0.0254 * 0.0254 * 0.0254 / 8, 1e-7},
    {"US_liquid_cup", 231 * 0.0254 * 0.0254 * 0.0254 / 16, 1e-7},
    {"US_liquid_gill", 231 * 0.0254 * 0.0254 * 0.0254 / 32, 1e-7},
    {"US_fluid_ounce", 231 * 0.0254 * 0.0254 * 0.0254 / 128, 1e-7},
    {"US_liquid_ounce", 231 * 0.0254 * 0.0254 * 0.0254 / 128, 1e-7},
    {"US_dry_gallon", 268.8025 * 0.0254 * 0.0254 * 0.0254, 1e-7},
};

/* The judge's value, or the definition where the judge rounds. */
static double expected_scale(const char *name, double judged) {
  for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++) {
    if (strcmp(name, rounded[i].name) != 0) continue;
    cr_expect(fabs(rounded[i].exact / judged - 1) < rounded[i].apart, "%s: %.17g, UDUNITS %.17g", name,
              rounded[i].exact, judged);
    return rounded[i].exact;
  }
  return judged;
}

static bool is_rounded(const char *name) {
  for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++)
    if (strcmp(name, rounded[i].name) == 0) return true;
  return false;
}

/* ---- names ---- */

/* Judges one text; true when it is a unit to us. */
static bool judged(const char *text) {
  ScreeMeasure ours, theirs;
  if (scree_unit_named(text, &ours) != SCREE_OK) return false;
  if (!judge_name(text, &theirs)) return true; /* a name of our own, or of more prefixes */
  for (int i = 0; i < SCREE_BASIC_UNITS; i++)
    cr_expect(ours.power[i] == theirs.power[i], "%s: %s^%g, UDUNITS ^%g", text, basic[i], ours.power[i],
              theirs.power[i]);
  double scale = expected_scale(text, theirs.scale);
  if (is_rounded(text))
    cr_expect(fabs(ours.scale / scale - 1) < 1e-14, "%s: %.17g, by definition %.17g", text, ours.scale, scale);
  else
    cr_expect(ours.scale == scale, "%s: %.17g, UDUNITS %.17g", text, ours.scale, theirs.scale);
  return true;
}

Test(unit_names, mean_what_udunits_means, .init = set_up, .fini = tear_down) {
  size_t known = 0, refused = 0;
  for (size_t i = 0; i < name_count; i++) {
    bool unit = judged(names[i]);
    known += unit;
    refused += !unit && strstr(scree_last_error(), "more than one meaning");
  }
  cr_expect(known >= 250, "%zu of %zu names are known", known, name_count);
  cr_expect(refused >= 50, "%zu of %zu names are refused as ambiguous", refused, name_count);
}

/* A name that is unknown here must not become a prefix and another unit. */
Test(unit_names, take_prefixes_plurals_and_cases_as_udunits_does, .init = set_up, .fini = tear_down) {
  static const char *const before[] = {"",  "k", "m", "M", "u",    "da",   "d",    "c",    "G",    "p",
                                       "f", "a", "y", "h", "kilo", "mega", "Deci", "deka", "MICRO"};
  static const char *const after[] = {"", "s", "es"};
  for (size_t i = 0; i < name_count; i++)
    for (size_t b = 0; b < sizeof before / sizeof *before; b++)
      for (size_t a = 0; a < sizeof after / sizeof *after; a++)
        for (int spelling = 0; spelling < 3; spelling++) {
          char text[100];
          snprintf(text, sizeof text, "%s%s%s", before[b], names[i], after[a]);
          if (spelling == 1)
            for (char *c = text; *c; c++) *c = (char)toupper((unsigned char)*c);
          if (spelling == 2) text[0] = (char)toupper((unsigned char)text[0]);
          /* names of ours that UDUNITS reads as a prefix and a unit: nautical miles, not nanomiles */
          if (strcmp(text, "nmi") == 0 || strcmp(text, "mph") == 0) continue;
          bool from_rounded = is_rounded(names[i]) && strcmp(text, names[i]) != 0;
          if (!from_rounded) judged(text);
        }
}

static const char *const si[] = {"m", "g", "s", "A", "K", "mol", "cd", "rad", "sr", "Hz", "N",  "Pa",  "J", "W", "C",
                                 "V", "F", "S", "T", "H", "Wb",  "lm", "lx",  "Bq", "Gy", "Sv", "kat", "l", "t", "bar"};
static const char *const prefix[] = {"",  "Y", "Z", "E", "P", "T", "G", "M", "k", "h", "da",
                                     "d", "c", "m", "u", "n", "p", "f", "a", "z", "y"};

Test(unit_names, of_si_with_every_prefix_have_udunits_bits, .init = set_up, .fini = tear_down) {
  for (size_t u = 0; u < sizeof si / sizeof *si; u++)
    for (size_t p = 0; p < sizeof prefix / sizeof *prefix; p++) {
      char text[16];
      ScreeMeasure unit;
      snprintf(text, sizeof text, "%s%s", prefix[p], si[u]);
      /* refused: metric ton, knot, pint */
      if (strcmp(text, "mt") == 0 || strcmp(text, "kt") == 0 || strcmp(text, "pt") == 0) continue;
      if (!judge_name(text, &unit)) continue; /* "dacd" and the like */
      cr_expect(judged(text), "%s: %s", text, scree_last_error());
    }
}

/* ---- expressions ---- */

static uint64_t state = 12345;

static size_t below(size_t limit) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (size_t)((state >> 33) % limit);
}

static const char *const factors[] = {
    "mm",  "kg", "g",   "cm",    "um",     "GPa",        "MPa",     "N",       "kN",  "s",    "ms",
    "min", "h",  "deg", "rad",   "rpm",    "rps",        "inch",    "ft",      "lb",  "lbf",  "psi",
    "t",   "l",  "bar", "kPa",   "J",      "mJ",         "W",       "Hz",      "%",   "K",    "tonne",
    "km",  "d",  "atm", "hours", "metres", "kilonewton", "percent", "degrees", "kip", "knot", "acre"};

/* Writes a random unit and builds UDUNITS' own product of it, factor by factor. */
static ut_unit *random_unit(char *text, size_t size, int depth) {
  ut_unit *product = ut_get_dimensionless_unit_one(judge);
  size_t n = 0, count = 1 + below(3);
  for (size_t i = 0; i < count; i++) {
    static const char *const times[] = {" ", "*", ".", " * "}, *const over[] = {"/", " / "};
    bool divides = i > 0 && below(3) == 0;
    char piece[80];
    ut_unit *factor;
    if (depth > 0 && below(4) == 0) {
      char inner[64];
      factor = random_unit(inner, sizeof inner, depth - 1);
      snprintf(piece, sizeof piece, "(%s)", inner);
    } else {
      const char *name = factors[below(sizeof factors / sizeof *factors)];
      factor = ut_parse(judge, strcmp(name, "deg") == 0 ? "arc_degree" : name, UT_ASCII);
      snprintf(piece, sizeof piece, "%s", name);
    }
    cr_assert(factor, "%s", piece);
    int power = below(2) ? 1 : (int)below(7) - 3;
    if (power == 1)
      n += (size_t)snprintf(text + n, size - n, "%s%s", i ? divides ? over[below(2)] : times[below(4)] : "", piece);
    else
      n += (size_t)snprintf(text + n, size - n, "%s%s%s%d", i ? divides ? "/" : " " : "", piece, below(2) ? "^" : "",
                            power);
    ut_unit *raised = ut_raise(factor, power);
    ut_unit *next = divides ? ut_divide(product, raised) : ut_multiply(product, raised);
    cr_assert(raised && next);
    ut_free(factor), ut_free(raised), ut_free(product);
    product = next;
    if (n >= size) break;
  }
  return product;
}

Test(unit_names, in_random_expressions_agree_with_udunits, .init = set_up, .fini = tear_down) {
  size_t compared = 0;
  for (int i = 0; i < 20000; i++) {
    char unit[64], text[80], si_unit[120] = "1";
    ScreeMeasure theirs;
    ut_unit *product = random_unit(unit, sizeof unit, 1);
    bool known = judge_measure(product, &theirs);
    ut_free(product);
    cr_assert(known, "%s", unit);
    if (snprintf(text, sizeof text, "3 %s", unit) > SCREE_QUANTITY_MAX || strlen(unit) == sizeof unit - 1) continue;
    size_t n = 1;
    bool readable = true;
    for (int k = 0; k < SCREE_BASIC_UNITS; k++) {
      if (theirs.power[k] == 0) continue;
      readable &= fabs(theirs.power[k]) <= 12;
      n += (size_t)snprintf(si_unit + n, sizeof si_unit - n, " %s^%g", basic[k], theirs.power[k]);
    }
    if (!readable) continue;
    double value = 0, wanted = 3 * theirs.scale;
    cr_expect(scree_parse_quantity(text, si_unit, &value) == SCREE_OK, "\"%s\" in \"%s\": %s", text, si_unit,
              scree_last_error());
    cr_expect(fabs(value / wanted - 1) < 1e-13, "\"%s\": %.17g, UDUNITS %.17g", text, value, wanted);
    compared++;
  }
  cr_expect(compared > 15000, "%zu", compared);
}

/* ---- names that are refused, and what is offered ---- */

/* Every unit that a remedy names must be one, and of the size that the remedy gives. */
static void check_remedy(const char *sentence) {
  static const char mark[] = "write ";
  const char *at = strstr(sentence, mark);
  cr_assert(at, "%s", sentence);
  int offered = 0;
  for (at += strlen(mark); *at; at += strspn(at, " ")) {
    char word[64];
    size_t length = strcspn(at, " ,;(");
    snprintf(word, sizeof word, "%.*s", (int)length, at);
    ScreeMeasure unit;
    offered += length > 0 && scree_unit_named(word, &unit) == SCREE_OK;
    at += length;
    if (*at == ',' || *at == ';') at++;
    if (*at != '(') continue;
    /* "(907.18474 kg)" must be the unit's own size */
    char size[64], *end;
    snprintf(size, sizeof size, "%.*s", (int)strcspn(at + 1, ")"), at + 1);
    at += strcspn(at, ")") + 1;
    double number = strtod(size, &end), value;
    if (end == size || *end != ' ') continue;
    char one[80];
    snprintf(one, sizeof one, "1 %s", word);
    cr_expect(scree_parse_quantity(one, end + 1, &value) == SCREE_OK, "%s in %s: %s", word, sentence,
              scree_last_error());
    cr_expect(fabs(value / number - 1) < 1e-6 || scree_parse_quantity(size, "1", &value) != SCREE_OK, "%s", word);
  }
}

Test(unit_names, of_several_meanings_are_refused_with_units_that_exist) {
  static const char *const list[] = {
      "ton",        "tons",    "kilotons",      "gallon", "gallons",  "gal",       "quart",     "pint",
      "cup",        "oz",      "ounce",         "ounces", "floz",     "barrel",    "bbl",       "bushel",
      "cwt",        "calorie", "kcal",          "cal",    "Btu",      "BTU",       "hp",        "kilohorsepower",
      "horsepower", "mile",    "miles",         "mi",     "mil",      "gr",        "grain",     "grains",
      "year",       "yr",      "month",         "kt",     "mt",       "cps",       "ton_force", "tonf",
      "therm",      "ppt",     "hundredweight", "dram",   "teaspoon", "tablespoon"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    ScreeMeasure unit;
    cr_expect(scree_unit_named(list[i], &unit) == SCREE_INVALID, "%s", list[i]);
    cr_expect(strstr(scree_last_error(), "more than one meaning"), "%s: %s", list[i], scree_last_error());
    check_remedy(scree_last_error());
  }
}

/* ---- guesses ---- */

Test(unit_names, mistyped_are_answered_with_what_was_meant) {
  static const struct {
    const char *text, *unit, *meant;
  } list[] = {
      {"5 Mpa", "Pa", "MPa"},
      {"5 mpa", "Pa", "mPa or MPa"},
      {"70 Gpa", "Pa", "GPa"},
      {"70 gpa", "Pa", "GPa"},
      {"5 KPa", "Pa", "kPa"},
      {"5 pa", "Pa", "Pa"},
      {"3 KG", "kg", "kg"},
      {"3 Kg", "kg", "kg"},
      {"3 Kg/M3", "kg/m3", "kg/m3"},
      {"3 MM", "m", "mm"},
      {"3 Cm", "m", "cm"},
      {"3 KM", "m", "km"},
      {"3 MS", "s", "ms"},
      {"3 S", "s", "s"},
      {"60 RPM", "rad/s", "rpm"},
      {"3 KN/m", "N/m", "kN/m"},
      {"3 Nm", "N m", "N m"},
      {"3 kNm", "J", "kN m"},
      {"3 Ns/m", "N s/m", "N s/m"},
      {"3 Pas", "Pa s", "Pa s"},
      {"3 hz", "1/s", "Hz"},
      {"3 M/s", "m/s", "m/s"},
      {"3 T", "kg", "t"},
      {"3 Deg", "rad", "deg"},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    double value;
    char meant[60];
    snprintf(meant, sizeof meant, "(did you mean %s?)", list[i].meant);
    cr_expect(scree_parse_quantity(list[i].text, list[i].unit, &value) != SCREE_OK, "%s", list[i].text);
    cr_expect(strstr(scree_last_error(), meant), "%s: %s", list[i].text, scree_last_error());
  }
  double value;
  cr_expect(scree_parse_quantity("3 kg", "m", &value) != SCREE_OK && !strstr(scree_last_error(), "mean"));
  cr_expect(scree_parse_quantity("3 parsnip", "m", &value) != SCREE_OK && !strstr(scree_last_error(), "mean"));
}
