#define _DEFAULT_SOURCE
/* Judges: conversions written as the literal they must equal, bit for bit where the factor is a power of ten; the
 * grammar of io/units.c, case by case; texts that no user means well with. */
#include "io/units.h"

#include <criterion/criterion.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double UNTOUCHED = -12345.678;

/* ---- what a text must give ---- */

typedef struct Conversion {
  const char *text, *unit;
  double value;
} Conversion;

static void expect_exact(const Conversion *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    double value = UNTOUCHED;
    ScreeStatus status = scree_parse_quantity(list[i].text, list[i].unit, &value);
    cr_expect(status == SCREE_OK, "\"%s\" in %s: %s", list[i].text, list[i].unit, scree_last_error());
    cr_expect(value == list[i].value, "\"%s\" in %s: %.17g, expected %.17g", list[i].text, list[i].unit, value,
              list[i].value);
  }
}
#define EXPECT_EXACT(list) expect_exact(list, sizeof(list) / sizeof *(list))

static void expect_close(const Conversion *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    double value = UNTOUCHED;
    ScreeStatus status = scree_parse_quantity(list[i].text, list[i].unit, &value);
    cr_expect(status == SCREE_OK, "\"%s\" in %s: %s", list[i].text, list[i].unit, scree_last_error());
    cr_expect(fabs(value - list[i].value) <= 4 * DBL_EPSILON * fabs(list[i].value),
              "\"%s\" in %s: %.17g, expected %.17g", list[i].text, list[i].unit, value, list[i].value);
  }
}
#define EXPECT_CLOSE(list) expect_close(list, sizeof(list) / sizeof *(list))

/* ---- what a text must not give ---- */

typedef struct Refusal {
  const char *text, *unit;
  ScreeStatus status;
  const char *word; /* of the sentence */
} Refusal;

static void expect_sentence(const char *text, const char *word) {
  const char *sentence = scree_last_error();
  cr_expect(strstr(sentence, word), "\"%s\": \"%s\" lacks \"%s\"", text, sentence, word);
  for (const char *c = sentence; *c; c++)
    cr_expect((unsigned char)*c >= 0x20 && *c != 0x7f, "\"%s\": control character %d in the sentence", text, *c);
  cr_expect(strlen(sentence) < 300, "\"%s\": a sentence of %zu characters", text, strlen(sentence));
}

static void expect_refused(const Refusal *list, size_t count) {
  for (size_t i = 0; i < count; i++) {
    double value = UNTOUCHED;
    ScreeStatus status = scree_parse_quantity(list[i].text, list[i].unit, &value);
    cr_expect(status == list[i].status, "\"%s\" in %s: %s, expected %s", list[i].text, list[i].unit,
              scree_status_name(status), scree_status_name(list[i].status));
    cr_expect(value == UNTOUCHED, "\"%s\" in %s left %.17g behind", list[i].text, list[i].unit, value);
    expect_sentence(list[i].text, list[i].word);
  }
}
#define EXPECT_REFUSED(list) expect_refused(list, sizeof(list) / sizeof *(list))

/* ---- numbers ---- */

Test(number, is_read_to_the_last_bit) {
  const Conversion list[] = {{"0", "", 0},
                             {"-0", "", 0},
                             {"1", "", 1},
                             {"+1", "", 1},
                             {"-1.5", "", -1.5},
                             {".5", "", 0.5},
                             {"5.", "", 5},
                             {"1e3", "", 1000},
                             {"1E+3", "", 1000},
                             {"1e-3", "", 1e-3},
                             {" 7\t", "", 7},
                             {"0.1", "", 0.1},
                             {"0.30000000000000004", "", 0.1 + 0.2},
                             {"1.7976931348623157e308", "", DBL_MAX},
                             {"2.2250738585072014e-308", "", DBL_MIN},
                             {"4.9406564584124654e-324", "", 4.9406564584124654e-324},
                             {"0000000000000000000000000000000000000000000000000000000000000012", "", 12}};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    double value = UNTOUCHED;
    cr_expect(scree_parse_number(list[i].text, &value) == SCREE_OK, "\"%s\": %s", list[i].text, scree_last_error());
    cr_expect(value == list[i].value, "\"%s\": %.17g", list[i].text, value);
  }
}

Test(number, survives_printing_and_reading) {
  unsigned long long bits = 0x9e3779b97f4a7c15ull;
  for (int i = 0; i < 20000; i++) {
    bits = bits * 6364136223846793005ull + 1442695040888963407ull;
    double value, again = UNTOUCHED;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) continue;
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    cr_assert(scree_parse_number(text, &again) == SCREE_OK && again == value, "%s", text);
  }
}

Test(number, that_is_none_is_refused) {
  const char *const list[] = {"",
                              " ",
                              "\t",
                              "e",
                              "e5",
                              ".",
                              "-",
                              "+",
                              "+-1",
                              "--1",
                              "1e",
                              "1e+",
                              "1e-",
                              "0x10",
                              "0x1p3",
                              "nan",
                              "NaN",
                              "-nan",
                              "inf",
                              "-inf",
                              "Inf",
                              "infinity",
                              "nan(1)",
                              "1,5",
                              "1 2",
                              "1.2.3",
                              "1..2",
                              "1_0",
                              "1'0",
                              "1m",
                              "m1",
                              "1 m",
                              "1\n",
                              "\n1",
                              "\v1",
                              "1\r",
                              "\xc2\xa0"
                              "1",
                              "½",
                              "١",
                              "%s%n",
                              "1e5.5",
                              "0b11",
                              "0x",
                              "1f",
                              "1L",
                              "(1)",
                              "=1",
                              "$1"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    double value = UNTOUCHED;
    cr_expect(scree_parse_number(list[i], &value) == SCREE_INVALID, "\"%s\" gave %g", list[i], value);
    cr_expect(value == UNTOUCHED, "\"%s\" left %g behind", list[i], value);
    expect_sentence(list[i], "is not a number");
  }
}

Test(number, beyond_a_double_is_refused_not_infinite) {
  const char *const list[] = {"1e309", "-1e309", "1e999999999", "1.8e308"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    double value = UNTOUCHED;
    cr_expect(scree_parse_number(list[i], &value) == SCREE_INVALID && value == UNTOUCHED, "\"%s\" gave %g", list[i],
              value);
    expect_sentence(list[i], "too large");
  }
}

Test(number, too_small_for_a_double_is_zero) {
  double value = UNTOUCHED;
  cr_expect(scree_parse_number("1e-400", &value) == SCREE_OK && value == 0);
}

/* ---- conversions ---- */

Test(quantity, plain_number_is_si) {
  const Conversion list[] = {
      {"3", "m/s", 3},   {"3", "1", 3},      {"-3.5", "kg/m3", -3.5}, {" 3 ", "N/m^1.5", 3},
      {"3", "N/m^n", 3}, {"1e5", "Pa", 1e5}, {"0", "m", 0},           {"2.5e-7", "rad/s", 2.5e-7}};
  EXPECT_EXACT(list);
}

Test(quantity, powers_of_ten_give_short_numbers_as_typed) {
  const Conversion list[] = {{"10 mm", "m", 0.01},
                             {"10mm", "m", 0.01},
                             {"5 um", "m", 5e-6},
                             {"5 µm", "m", 5e-6},
                             {"5 μm", "m", 5e-6},
                             {"4.75 mm", "m", 4.75e-3},
                             {"2 cm", "m", 0.02},
                             {"1.5 km", "m", 1500},
                             {"70 GPa", "Pa", 70e9},
                             {"210 GPa", "Pa", 210e9},
                             {"0.7 MPa", "Pa", 0.7e6},
                             {"1 N/mm2", "Pa", 1e6},
                             {"7.85 g/cm3", "kg/m3", 7850},
                             {"2.7 g/cm^3", "kg/m3", 2700},
                             {"1 t/m3", "kg/m3", 1000},
                             {"5 g", "kg", 0.005},
                             {"3 mg", "kg", 3e-6},
                             {"2 t", "kg", 2000},
                             {"2000 mm/s", "m/s", 2},
                             {"1 km/s", "m/s", 1000},
                             {"2 us", "s", 2e-6},
                             {"7 ms", "s", 7e-3},
                             {"1 kN/mm", "N/m", 1e6},
                             {"3 kN s/m", "N s/m", 3000},
                             {"50 %", "1", 0.5},
                             {"1 mPa s", "Pa s", 1e-3},
                             {"9.81 m/s2", "m/s2", 9.81},
                             {"1e-3 km", "m", 1},
                             {"1 GHz", "1/s", 1e9}};
  EXPECT_EXACT(list);
}

Test(quantity, other_factors_are_right_to_rounding) {
  const Conversion list[] = {{"60 rpm", "rad/s", 6.2831853071795865},
                             {"3.3 nm", "m", 3.3e-9},
                             {"180 deg", "rad", 3.1415926535897932},
                             {"180 °", "rad", 3.1415926535897932},
                             {"180 degree", "rad", 3.1415926535897932},
                             {"1 inch", "m", 0.0254},
                             {"36 km/h", "m/s", 10},
                             {"1 minute", "s", 60},
                             {"1 hour", "s", 3600},
                             {"1 bar", "Pa", 1e5},
                             {"1 lb", "kg", 0.45359237},
                             {"1 psi", "Pa", 6894.7572931683613}};
  EXPECT_CLOSE(list);
}

Test(quantity, powers_may_be_real) {
  const Conversion list[] = {{"5.2e9 N/m^1.5", "N/m^1.5", 5.2e9},
                             {"5.2e9 N m-1.5", "N/m^1.5", 5.2e9},
                             {"5.2e9 N/m1.5", "N/m^1.5", 5.2e9},
                             {"1 N/mm^1.5", "N/m^1.5", 31622.776601683793},
                             {"1 kN/mm^1.5", "N/m^1.5", 31622776.601683793},
                             {"4 N s/m^1.65", "N s/m^1.65", 4},
                             {"1 m^0.5 m^0.5", "m", 1},
                             {"9 (mm2)^0.5", "m", 9e-3},
                             {"2 Pa m^0.5", "N/m^1.5", 2},
                             {"1 N/cm^1.25", "N/m^1.25", 316.22776601683793}};
  EXPECT_CLOSE(list);
}

Test(quantity, grammar_of_products_and_quotients) {
  const Conversion list[] = {
      {"3 N*s/m", "N s/m", 3}, {"3 N.s/m", "N s/m", 3}, {"3 N·s/m", "N s/m", 3},  {"3 kg/s", "N s/m", 3},
      {"3 /s", "1/s", 3},      {"3/s", "1/s", 3},       {"3 1/s", "1/s", 3},      {"3 s-1", "1/s", 3},
      {"3 s^-1", "1/s", 3},    {"3 m/s/s", "m/s2", 3},  {"3 m/(s s)", "m/s2", 3}, {"3 (m/s)/s", "m/s2", 3},
      {"3 m s-2", "m/s2", 3},  {"3 m2.s/m2", "s", 3},   {"3 ((m))", "m", 3},      {"3 kg/m²", "kg/m2", 3},
      {"3 kg/m³", "kg/m3", 3}, {"3 N/m", "kg/s2", 3},   {"3 J/m", "N", 3},        {"3 m/m", "1", 3},
      {"3  m", "m", 3},        {"3\tm", "m", 3},        {"3 m ", "m", 3},         {"3 kg m / s2", "N", 3}};
  EXPECT_EXACT(list);
}

Test(quantity, an_e_may_belong_to_a_unit) {
  double value = UNTOUCHED;
  cr_expect(scree_parse_quantity("1e3eV", "J", &value) == SCREE_OK, "%s", scree_last_error());
  cr_expect(fabs(value / 1.602176634e-16 - 1) < 1e-6, "%.17g", value); /* the database's charge may be an older one */
}

/* ---- refusals ---- */

Test(quantity, of_another_dimension_is_refused) {
  const Refusal list[] = {{"3 kg", "m/s", SCREE_INVALID, "m/s"},
                          {"3 m", "kg", SCREE_INVALID, "kg"},
                          {"3 N/m", "N/m^1.5", SCREE_INVALID, "N/m^1.5"},
                          {"3 N/m^1.49", "N/m^1.5", SCREE_INVALID, "N/m^1.5"},
                          {"3 m", "1", SCREE_INVALID, "pure number"},
                          {"10 Hz", "rad/s", SCREE_INVALID, "rad/s"},
                          {"3 rad", "1", SCREE_INVALID, "pure number"},
                          {"3 %", "m", SCREE_INVALID, "m"},
                          {"3 m^2", "m", SCREE_INVALID, "m"},
                          {"3 m/m", "m", SCREE_INVALID, "m"}};
  EXPECT_REFUSED(list);
}

Test(quantity, where_only_plain_numbers_make_sense) {
  const Refusal list[] = {{"3 N/m", "N/m^n", SCREE_INVALID, "plain number"},
                          {"3 m", "", SCREE_INVALID, "plain number"}};
  EXPECT_REFUSED(list);
}

Test(quantity, with_an_unknown_unit_is_refused) {
  const Refusal list[] = {{"3 parsnips", "m", SCREE_UNKNOWN, "parsnips"},
                          {"3 mmm", "m", SCREE_UNKNOWN, "mmm"},
                          {"3 m/parsnip", "m", SCREE_UNKNOWN, "parsnip"},
                          {"3 ☃", "m", SCREE_UNKNOWN, "unknown unit"},
                          {"3 \xff\xfe", "m", SCREE_UNKNOWN, "unknown unit"},
                          {"3 m\x01", "m", SCREE_UNKNOWN, "unknown unit"},
                          {"3 MPA", "Pa", SCREE_UNKNOWN, "MPA"}};
  EXPECT_REFUSED(list);
}

Test(quantity, whose_unit_is_no_product_is_refused) {
  const Refusal list[] = {{"20 degC", "K", SCREE_INVALID, "degC"},
                          {"20 celsius", "K", SCREE_INVALID, "celsius"},
                          {"20 degF", "K", SCREE_INVALID, "degF"}};
  EXPECT_REFUSED(list);
}

Test(quantity, with_a_malformed_unit_is_refused) {
  const char *const list[] = {"3 m/",    "3 m*",          "3 m^",   "3 (m",      "3 m)",   "3 ()",   "3 //m",
                              "3 m^^2",  "3 m^x",         "3 m 3",  "3 m^2^3 ,", "3 m..s", "3 m*/s", "3 m since 1970",
                              "3 m @ 5", "3 lg(re 1 mW)", "3 m;kg", "3 m#2",     "3 m**2", "3 m^--2"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    double value = UNTOUCHED;
    ScreeStatus status = scree_parse_quantity(list[i], "m", &value);
    cr_expect(status != SCREE_OK && value == UNTOUCHED, "\"%s\" gave %g", list[i], value);
    expect_sentence(list[i], "unit");
  }
}

Test(quantity, whose_number_is_none_is_refused) {
  const char *const list[] = {"",        "mm",    "1e",    "0x10",  "0x",   "nan m", "inf",    "1,5 m", "1.2.3",
                              "1.2.3 m", "1_000", "1 2",   "1 2 m", "0.5x", "--3 m", "3x3",    "3 +",   "3 -",
                              "3 @",     "3 ,",   "1e m^", ". m",   "- m",  "3\n",   "3 \n m", "%n"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    double value = UNTOUCHED;
    cr_expect(scree_parse_quantity(list[i], "m", &value) != SCREE_OK, "\"%s\" gave %g", list[i], value);
    cr_expect(value == UNTOUCHED, "\"%s\" left %g behind", list[i], value);
    expect_sentence(list[i], "\"");
  }
}

Test(quantity, powers_are_bounded) {
  const Refusal list[] = {{"3 m^13", "m", SCREE_INVALID, "power"},
                          {"3 m^-99", "m", SCREE_INVALID, "power"},
                          {"3 m^999999999999", "m", SCREE_INVALID, "power"}};
  EXPECT_REFUSED(list);
}

Test(quantity, that_overflows_in_si_is_refused) {
  const Refusal list[] = {{"1e308 km", "m", SCREE_INVALID, "too large"},
                          {"1e300 Gm", "m", SCREE_INVALID, "too large"},
                          {"1e309 m", "m", SCREE_INVALID, "too large"}};
  EXPECT_REFUSED(list);
}

/* Scales beyond a double must not turn 0 times infinity into a value. */
Test(quantity, extreme_scales_give_a_finite_value_or_a_sentence) {
  const char *const list[] = {"0 ((Ym^12)^12)^12/((Ym^12)^12)^12 m", "1 ((Ym^12)^12)/((Ym^12)^12) m",
                              "1 ((ym^12)^12)/((ym^12)^12) m", "1 (Ym^12)/(Ym^12) m", "0 (Ym^12)^12 (m^-12)^12 m"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    double value = UNTOUCHED;
    ScreeStatus status = scree_parse_quantity(list[i], "m", &value);
    cr_expect(status == SCREE_OK ? isfinite(value) : value == UNTOUCHED, "\"%s\" gave %g", list[i], value);
  }
}

/* ---- hostile texts ---- */

Test(quantity, longer_than_the_limit_is_refused_without_reading_on) {
  for (size_t length = SCREE_QUANTITY_MAX - 2; length < 100000; length = length < 70 ? length + 1 : 3 * length) {
    char *text = malloc(length + 1); /* exactly as long as it is, for the address sanitizer */
    memset(text, '9', length);
    text[length] = '\0';
    double value = UNTOUCHED;
    ScreeStatus number = scree_parse_number(text, &value);
    cr_expect((number == SCREE_OK) == (length <= SCREE_QUANTITY_MAX), "%zu nines: %s", length,
              scree_status_name(number));
    memset(text + 1, 'm', length - 1);
    value = UNTOUCHED;
    cr_expect(scree_parse_quantity(text, "m", &value) != SCREE_OK && value == UNTOUCHED);
    cr_expect(strlen(scree_last_error()) < 300);
    memset(text + 1, '(', length - 1);
    cr_expect(scree_parse_quantity(text, "m", &value) != SCREE_OK && value == UNTOUCHED);
    free(text);
  }
}

Test(quantity, every_byte_after_a_number_is_survived) {
  for (int byte = 1; byte < 256; byte++) {
    const char *const shapes[] = {"3%c", "3 %c", "3 m%c", "3 m%c2", "%c3 m", "3 m/%cs", "3e%c", "3 (%c)"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
      char text[16];
      snprintf(text, sizeof text, shapes[i], byte);
      double value = UNTOUCHED;
      ScreeStatus status = scree_parse_quantity(text, "m", &value);
      cr_expect(status == SCREE_OK ? isfinite(value) : value == UNTOUCHED, "byte %d in \"%s\"", byte, shapes[i]);
      if (status != SCREE_OK) expect_sentence(text, "\"");
    }
  }
}

/* ---- surroundings ---- */

Test(quantity, does_not_depend_on_the_locale) {
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "sl_SI.UTF-8", "de_DE", "fr_FR", "nl_NL.UTF-8"};
  const char *found = NULL;
  /* not from the environment: libraries that ask for a locale when they are loaded leak a copy of this path */
  setenv("LOCPATH", SCREE_TEST_LOCALE, 1);
  for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++) found = setlocale(LC_ALL, names[i]);
  cr_assert(found, "no locale with a decimal comma: the build makes one (LOCPATH)");
  cr_assert(localeconv()->decimal_point[0] == ',');
  double value = UNTOUCHED;
  cr_expect(scree_parse_number("0.5", &value) == SCREE_OK && value == 0.5);
  cr_expect(scree_parse_number("0,5", &value) == SCREE_INVALID);
  cr_expect(scree_parse_quantity("7.85 g/cm3", "kg/m3", &value) == SCREE_OK && value == 7850);
  cr_expect(scree_parse_quantity("1.5 N/m^1.5", "N/m^1.5", &value) == SCREE_OK && value == 1.5);
}

static void *convert_often(void *failures) {
  for (int i = 0; i < 200; i++) {
    double value = UNTOUCHED;
    char text[32];
    snprintf(text, sizeof text, "%d mm", i);
    if (scree_parse_quantity(text, "m", &value) != SCREE_OK || value != i / 1000.0) ++*(int *)failures;
    if (scree_parse_quantity("1 parsnip", "m", &value) != SCREE_UNKNOWN) ++*(int *)failures;
  }
  return NULL;
}

Test(quantity, may_be_read_by_many_threads) {
  enum { THREADS = 8 };
  pthread_t threads[THREADS];
  int failures[THREADS] = {0};
  for (int i = 0; i < THREADS; i++) cr_assert(pthread_create(&threads[i], NULL, convert_often, &failures[i]) == 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++) cr_expect(failures[i] == 0, "thread %d: %d failures", i, failures[i]);
}
