#define _GNU_SOURCE
/* Judges: the C library, by trying every number of digits from one on with both neighbours of each cut; literals. */
#include "io/digits.h"

#include <criterion/criterion.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count_digits(const char *text) {
  int count = 0, zeros = 0;
  for (const char *c = text; *c && *c != 'e'; c++) {
    if (*c < '0' || *c > '9' || (count == 0 && *c == '0')) continue;
    zeros = *c == '0' ? zeros + 1 : 0;
    count++;
  }
  return count - zeros;
}

/* Fewest digits that read back, of the nearest decimal and its neighbours. */
static int fewest(double value) {
  for (int n = 1; n < 17; n++) {
    char text[40];
    snprintf(text, sizeof text, "%.*e", n - 1, value);
    long power = strtol(strchr(text, 'e') + 1, NULL, 10) - (n - 1);
    *strchr(text, 'e') = '\0';
    if (n > 1) memmove(text + 1, text + 2, strlen(text + 1));
    long long digits = strtoll(text, NULL, 10);
    for (int side = -1; side <= 1; side++) {
      char near[48];
      snprintf(near, sizeof near, "%llde%ld", digits + side, power);
      if (strtod(near, NULL) == value) return n;
    }
  }
  return 17;
}

static void expect_shortest(double value) {
  ScreeDigits d = scree_digits(value);
  char *end;
  double back = strtod(d.text, &end);
  cr_expect(*end == '\0' && back == value, "%.17g became %s", value, d.text);
  cr_expect(count_digits(d.text) == fewest(fabs(value)), "%.17g became %s; %d digits are enough", value, d.text,
            fewest(fabs(value)));
}

Test(digits, read_as_people_write_them) {
  static const struct {
    double value;
    const char *text;
  } rows[] = {{0.2, "0.2"},
              {0.1 + 0.2, "0.30000000000000004"},
              {-2.5e-7, "-2.5e-07"},
              {1e-4, "0.0001"},
              {1.5e-5, "1.5e-05"},
              {0.0, "0"},
              {-0.0, "-0"},
              {100, "100"},
              {123456.789, "123456.789"},
              {1e15, "1000000000000000"},
              {1e16, "1e+16"},
              {9007199254740993.0, "9007199254740992"},
              {6.02214076e23, "6.02214076e+23"},
              {1e100, "1e+100"},
              {5e-324, "5e-324"},
              {DBL_MAX, "1.7976931348623157e+308"},
              {DBL_MIN, "2.2250738585072014e-308"},
              {0x1p-44, "5.684341886080802e-14"}, /* the nearest decimal of sixteen digits, ...801, is another double */
              {0x1p-1022 * 3, "6.675221575521604e-308"},
              {0.99999999999999989, "0.9999999999999999"},
              {INFINITY, "inf"},
              {-INFINITY, "-inf"},
              {NAN, "nan"},
              {-NAN, "nan"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    cr_expect_str_eq(scree_digits(rows[i].value).text, rows[i].text, "%.17g became %s, expected %s", rows[i].value,
                     scree_digits(rows[i].value).text, rows[i].text);
}

Test(digits, may_be_compact) {
  cr_expect_str_eq(scree_digits(7e10).text, "70000000000");
  cr_expect_str_eq(scree_digits_compact(7e10).text, "7e+10");
  cr_expect_str_eq(scree_digits_compact(-1e6).text, "-1e+06");
  cr_expect_str_eq(scree_digits_compact(100000).text, "100000");
  cr_expect_str_eq(scree_digits_compact(1234567).text, "1234567");
  cr_expect_str_eq(scree_digits_compact(0.2).text, "0.2");
}

Test(digits, are_the_fewest_of_every_power_of_two) {
  for (int power = -1074; power <= 1023; power++) {
    expect_shortest(ldexp(1, power));
    expect_shortest(nextafter(ldexp(1, power), INFINITY));
    if (power > -1074) expect_shortest(nextafter(ldexp(1, power), 0));
  }
}

Test(digits, are_the_fewest_of_decimals_and_of_any_bits) {
  uint64_t state = 1;
  for (int i = 0; i < 20000; i++) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t bits = state ^ state >> 29;
    double any;
    memcpy(&any, &bits, sizeof any);
    if (isfinite(any) && fabs(any) > 1e-290) expect_shortest(any);
    expect_shortest((double)(bits >> 40) / 1000.0);
    expect_shortest((double)(bits >> 11) * 0x1p-53);
  }
}

Test(digits, do_not_depend_on_the_locale) {
  setenv("LOCPATH", SCREE_TEST_LOCALE, 1);
  cr_assert(setlocale(LC_ALL, "de_DE.UTF-8") && localeconv()->decimal_point[0] == ',');
  cr_expect_str_eq(scree_digits(0.30000000000000004).text, "0.30000000000000004");
  cr_expect_str_eq(scree_digits(0.2).text, "0.2");
  cr_expect_str_eq(scree_digits(2.5e-310).text, "2.5e-310");
  char printed[16];
  snprintf(printed, sizeof printed, "%g", 0.5);
  cr_expect_str_eq(printed, "0,5", "the program's own locale is left as it was");
}

/* ---- for people ---- */

Test(quantity, has_the_prefix_that_suits) {
  static const struct {
    double value;
    const char *unit, *text;
  } rows[] = {{0.252982, "m", "252.982 mm"},
              {1, "m", "1 m"},
              {1234, "m", "1234 m"},
              {1e-3, "m", "1 mm"},
              {0.9999999999e-3, "m", "1 mm"},
              {2e-6, "s", "2 us"},
              {-3.5e-8, "s", "-35 ns"},
              {4e-13, "m", "0.4 pm"},
              {0, "m", "0 m"},
              {0.001, "kg", "0.001 kg"},
              {2.5e-7, "m/s", "2.5e-07 m/s"},
              {0.5, "", "0.5"},
              {NAN, "m", "-"},
              {INFINITY, "s", "infinite"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ScreeQuantity q = scree_quantity(rows[i].value, rows[i].unit, 6);
    cr_expect_str_eq(q.text, rows[i].text, "%g %s became %s", rows[i].value, rows[i].unit, q.text);
  }
  cr_expect_str_eq(scree_quantities((double[]){-0.07, 0, 0.3}, "m", 6).text, "[-70, 0, 300] mm");
  cr_expect_str_eq(scree_quantities((double[]){0, 0, 0}, "m", 6).text, "[0, 0, 0] m");
  cr_expect_str_eq(scree_box_text((double[]){0, 0, 0}, (double[]){0.04, 0.04, 0.06}, "m", 6).text,
                   "[0, 0, 0] ... [40, 40, 60] mm");
}

Test(quantity, of_a_column_has_the_prefix_of_its_middle) {
  cr_expect_str_eq(scree_prefix_of_all((double[]){2e-5, NAN, 0, 2e-4}, 4, "m").unit, "um");
  cr_expect_str_eq(scree_prefix_of_all((double[]){2e-5, 2}, 2, "s").unit, "ms");
  cr_expect_str_eq(scree_prefix_of_all((double[]){0, INFINITY}, 2, "s").unit, "s");
  cr_expect_str_eq(scree_prefix_of_all((double[]){2e-5, 2}, 2, "kg").unit, "kg");
}

Test(digits, a_row_has_commas_between) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  scree_put_numbers(stream, (double[]){0.2, -1, 1e-9}, 3);
  fclose(stream);
  cr_expect_str_eq(text, "0.2,-1,1e-09");
  free(text);
}
