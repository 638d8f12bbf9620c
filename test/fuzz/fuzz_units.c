/* Any text as a number or a quantity: a finite value or a sentence, and the value survives printing and reading.
 * The first byte picks the unit that is wanted, the rest is the text. */
#include "io/units.h"

#include "bytes.h"

static const char *const wanted[] = {"1",     "m/s", "kg",     "m",     "Pa",      "kg/m3",  "rad", "rad/s",
                                     "N/m",   "s",   "N s/m",  "N/m^n", "N/m^1.5", "Pa s",   "N",   "1/s",
                                     "N/m^2", "K",   "mol/cd", "A",     "",        "no_unit"};

static void fail(const char *promise, const char *text, const char *unit, double value) {
  fprintf(stderr, "broken promise: %s: \"%s\" in \"%s\" gave %.17g (%s)\n", promise, text, unit, value,
          scree_last_error());
  abort();
}

static bool printable_sentence(const char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < 0x20) return false;
  return true;
}

static void check(ScreeStatus status, const char *text, const char *unit, double value, double before) {
  if (status == SCREE_OK && !isfinite(value)) fail("a value is finite", text, unit, value);
  if (status == SCREE_OK) return;
  if (memcmp(&value, &before, sizeof value) != 0) fail("a failing call leaves the value alone", text, unit, value);
  if (strlen(scree_last_error()) < 8) fail("a failure has a sentence", text, unit, value);
  if (!printable_sentence(scree_last_error())) fail("a sentence is one printable line", text, unit, value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Bytes bytes = {data, size};
  const char *unit = wanted[take_byte(&bytes) % (sizeof wanted / sizeof *wanted)];
  char *text = malloc(bytes.left + 1); /* of its exact size, so that reading past it shows */
  if (bytes.left) memcpy(text, bytes.at, bytes.left);
  text[bytes.left] = '\0';

  const double before = -12345.678;
  double number = before, quantity = before, again = before;
  ScreeStatus plain = scree_parse_number(text, &number);
  check(plain, text, "", number, before);
  ScreeStatus status = scree_parse_quantity(text, unit, &quantity);
  check(status, text, unit, quantity, before);

  if (plain == SCREE_OK && (status != SCREE_OK || quantity != number))
    fail("a plain number is SI whatever the unit", text, unit, quantity);
  if (status == SCREE_OK) {
    char printed[40];
    snprintf(printed, sizeof printed, "%.17g", quantity);
    if (scree_parse_number(printed, &again) != SCREE_OK || again != quantity)
      fail("a value survives printing and reading", printed, unit, again);
  }
  free(text);
  return 0;
}
