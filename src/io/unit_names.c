/* unit_names.c: looks names up in unit_names.def. The database is compiled in: there is no file to open, no memory to
 * ask for and nothing to lock. */
#include "io/unit_names.h"

#include "core/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- the table ---- */

#define PI 3.14159265358979323846
#define DEGREE (PI / 180)
#define DAY 86400.0
#define INCH (2.54 * 0.01)
#define MILE (5280 * (12 * INCH))
#define SURVEY_FOOT (1200.0 / 3937)
#define LITRE (0.1 * 0.1 * 0.1)
#define CUBIC_CENTIMETRE (0.01 * 0.01 * 0.01)
#define US_GALLON 0.003785411784
#define UK_GALLON 4.54609e-3
#define GALLONS "US_gallon (3.785411784 l), UK_gallon (4.54609 l) or l"
#define KNOT (1852.0 / 3600)
#define POUND 0.45359237
#define POUND_FORCE 4.4482216152605
#define MERCURY (9.80665 * 13595.1)

/* powers of m, kg, s, A, K, mol, cd, rad */
#define NUMBER                                                                                                         \
  { 0 }
#define LENGTH                                                                                                         \
  { 1 }
#define AREA                                                                                                           \
  { 2 }
#define VOLUME                                                                                                         \
  { 3 }
#define MASS                                                                                                           \
  { 0, 1 }
#define TIME                                                                                                           \
  { 0, 0, 1 }
#define CURRENT                                                                                                        \
  { 0, 0, 0, 1 }
#define TEMPERATURE                                                                                                    \
  { 0, 0, 0, 0, 1 }
#define AMOUNT                                                                                                         \
  { 0, 0, 0, 0, 0, 1 }
#define INTENSITY                                                                                                      \
  { 0, 0, 0, 0, 0, 0, 1 }
#define ANGLE                                                                                                          \
  { 0, 0, 0, 0, 0, 0, 0, 1 }
#define SOLID_ANGLE                                                                                                    \
  { 0, 0, 0, 0, 0, 0, 0, 2 }
#define FREQUENCY                                                                                                      \
  { 0, 0, -1 }
#define ANGULAR_SPEED                                                                                                  \
  { 0, 0, -1, 0, 0, 0, 0, 1 }
#define SPEED                                                                                                          \
  { 1, 0, -1 }
#define ACCELERATION                                                                                                   \
  { 1, 0, -2 }
#define FORCE                                                                                                          \
  { 1, 1, -2 }
#define PRESSURE                                                                                                       \
  { -1, 1, -2 }
#define PRESSURE_GRADIENT                                                                                              \
  { -2, 1, -2 }
#define VISCOSITY                                                                                                      \
  { -1, 1, -1 }
#define DIFFUSIVITY                                                                                                    \
  { 2, 0, -1 }
#define ENERGY                                                                                                         \
  { 2, 1, -2 }
#define POWER                                                                                                          \
  { 2, 1, -3 }
#define DOSE                                                                                                           \
  { 2, 0, -2 }
#define CHARGE                                                                                                         \
  { 0, 0, 1, 1 }
#define VOLTAGE                                                                                                        \
  { 2, 1, -3, -1 }
#define CAPACITANCE                                                                                                    \
  { -2, -1, 4, 2 }
#define RESISTANCE                                                                                                     \
  { 2, 1, -3, -2 }
#define CONDUCTANCE                                                                                                    \
  { -2, -1, 3, 2 }
#define MAGNETIC_FLUX                                                                                                  \
  { 2, 1, -2, -1 }
#define FLUX_DENSITY                                                                                                   \
  { 0, 1, -2, -1 }
#define INDUCTANCE                                                                                                     \
  { 2, 1, -2, -2 }
#define LUMINOUS_FLUX                                                                                                  \
  { 0, 0, 0, 0, 0, 0, 1, 2 }
#define ILLUMINANCE                                                                                                    \
  { -2, 0, 0, 0, 0, 0, 1, 2 }
#define LUMINANCE                                                                                                      \
  { -2, 0, 0, 0, 0, 0, 1 }
#define CATALYSIS                                                                                                      \
  { 0, 0, -1, 0, 0, 1 }

typedef struct Unit {
  const char *symbols, *names; /* separated by spaces */
  double scale;                /* 0: refused */
  const char *remedy;          /* of a name with several meanings, else NULL */
  signed char power[SCREE_BASIC_UNITS];
} Unit;

static const Unit units[] = {
#define UNIT(dimension, factor, symbol, name) {.symbols = symbol, .names = name, .scale = factor, .power = dimension},
#define OFFSET(symbol, name) {.symbols = symbol, .names = name},
#define MANY(symbol, name, what) {.symbols = symbol, .names = name, .remedy = what},
#include "io/unit_names.def"
};
#define UNIT_COUNT (sizeof units / sizeof *units)

static const struct {
  const char *symbol, *name;
  double scale;
} prefixes[] = {{"Y", "yotta", 1e24},  {"Z", "zetta", 1e21}, {"E", "exa", 1e18},    {"P", "peta", 1e15},
                {"T", "tera", 1e12},   {"G", "giga", 1e9},   {"M", "mega", 1e6},    {"k", "kilo", 1e3},
                {"h", "hecto", 100},   {"da", "deka", 10},   {"d", "deci", 0.1},    {"c", "centi", 0.01},
                {"m", "milli", 1e-3},  {"u", "micro", 1e-6}, {"n", "nano", 1e-9},   {"p", "pico", 1e-12},
                {"f", "femto", 1e-15}, {"a", "atto", 1e-18}, {"z", "zepto", 1e-21}, {"y", "yocto", 1e-24}};
#define PREFIX_COUNT (sizeof prefixes / sizeof *prefixes)

/* ---- words ---- */

/* Not the C library's: that one follows the locale. */
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool same_letters(const char *a, const char *b, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (lower(a[i]) != lower(b[i])) return false;
  return true;
}

/* The next of the words of a list, without its end; false at the list's end. */
typedef struct Word {
  const char *text;
  size_t length;
} Word;

static bool next_word(const char **list, Word *word) {
  *list += strspn(*list, " ");
  *word = (Word){*list, strcspn(*list, " ")};
  *list += word->length;
  return word->length > 0;
}

static bool ends_with(const char *text, size_t length, const char *end) {
  size_t n = strlen(end);
  return length >= n && same_letters(text + length - n, end, n);
}

/* Is the text the regular plural of a name? */
static bool is_plural(const char *text, size_t length, const char *name, size_t stem) {
  bool y = stem > 1 && lower(name[stem - 1]) == 'y' && !strchr("aeiou", lower(name[stem - 2]));
  bool hisses = ends_with(name, stem, "s") || ends_with(name, stem, "x") || ends_with(name, stem, "z") ||
                ends_with(name, stem, "ch") || ends_with(name, stem, "sh");
  const char *ending = y ? "ies" : hisses ? "es" : "s";
  size_t kept = y ? stem - 1 : stem;
  return length == kept + strlen(ending) && same_letters(text, name, kept) && ends_with(text, length, ending);
}

/* A name of the table is "singular" or "singular/plural". */
static bool is_name(const char *text, Word word) {
  size_t length = strlen(text);
  const char *slash = memchr(word.text, '/', word.length);
  size_t stem = slash ? (size_t)(slash - word.text) : word.length;
  if (length == stem && same_letters(text, word.text, stem)) return true;
  if (!slash) return is_plural(text, length, word.text, stem);
  return length == word.length - stem - 1 && same_letters(text, slash + 1, length);
}

static bool is_symbol(const char *text, Word word) {
  return strlen(text) == word.length && memcmp(text, word.text, word.length) == 0;
}

static const Unit *find(const char *text) {
  Word word;
  for (int symbols = 0; symbols < 2; symbols++)
    for (size_t i = 0; i < UNIT_COUNT; i++)
      for (const char *list = symbols ? units[i].symbols : units[i].names; next_word(&list, &word);)
        if (symbols ? is_symbol(text, word) : is_name(text, word)) return &units[i];
  return NULL;
}

/* ---- look-up ---- */

/* The longest prefix at the start of a text: its length, 0 for none. */
static size_t prefix_length(const char *text, bool symbols, double *scale) {
  size_t longest = 0;
  for (size_t i = 0; i < PREFIX_COUNT; i++) {
    const char *prefix = symbols ? prefixes[i].symbol : prefixes[i].name;
    size_t length = strlen(prefix);
    if (length <= longest || strlen(text) < length) continue;
    if (symbols ? strncmp(text, prefix, length) != 0 : !same_letters(text, prefix, length)) continue;
    longest = length;
    *scale = prefixes[i].scale;
  }
  return longest;
}

/* Prefixes by name as many as there are, one by symbol; the longest each time. */
static const Unit *find_with_prefix(const char *name, double *scale) {
  bool symbol_seen = false;
  *scale = 1;
  while (*name) {
    const Unit *unit = find(name);
    if (unit) return unit;
    double factor = 1;
    size_t length = prefix_length(name, false, &factor);
    if (length == 0 && !symbol_seen) {
      length = prefix_length(name, true, &factor);
      symbol_seen = true;
    }
    if (length == 0) return NULL;
    *scale *= factor;
    name += length;
  }
  return NULL;
}

ScreeStatus scree_unit_named(const char *name, ScreeMeasure *out) {
  double prefix = 1;
  const Unit *unit = find_with_prefix(name, &prefix);
  if (!unit) return scree_fail(SCREE_UNKNOWN, "unknown unit \"%s\"", name);
  if (unit->remedy)
    return scree_fail(SCREE_INVALID, "the unit \"%s\" has more than one meaning: write %s", name, unit->remedy);
  if (unit->scale == 0)
    return scree_fail(SCREE_INVALID, "the unit \"%s\" has a zero of its own: give the temperature in K", name);
  out->scale = prefix * unit->scale;
  if (fabs(out->scale - 1) < 4 * DBL_EPSILON) out->scale = 1; /* a kilolitre is a cubic metre */
  for (int i = 0; i < SCREE_BASIC_UNITS; i++) out->power[i] = unit->power[i];
  return SCREE_OK;
}

/* ---- guesses ---- */

/* Places at which two words of one length, that differ by case at most, differ; -1 for other words. */
static int case_changes(const char *a, const char *b) {
  size_t length = strlen(a);
  if (strlen(b) != length || !same_letters(a, b, length)) return -1;
  int changes = 0;
  for (size_t i = 0; i < length; i++) changes += a[i] != b[i];
  return changes;
}

typedef struct Guesses {
  const char *name;
  size_t wanted, seen;
  int changes; /* of the guesses that are collected in this pass */
  char *guess;
} Guesses;

/* True when this is the guess that is wanted. */
static bool take_guess(Guesses *g, const char *prefix, Word symbol) {
  char text[SCREE_UNIT_GUESS_MAX];
  size_t n = strlen(prefix);
  if (n + symbol.length >= sizeof text) return false;
  memcpy(text, prefix, n);
  memcpy(text + n, symbol.text, symbol.length);
  text[n + symbol.length] = '\0';
  if (case_changes(g->name, text) != g->changes || g->seen++ != g->wanted) return false;
  strcpy(g->guess, text);
  return true;
}

/* A megametre, a gigasecond and a teragram are hardly meant. */
static bool is_likely(const Unit *unit, double prefix) {
  int powers = 0;
  for (int i = 0; i < SCREE_BASIC_UNITS; i++) powers += unit->power[i] != 0;
  return prefix <= 1e3 || powers > 1;
}

static bool guess_case(Guesses *g) {
  Word symbol;
  for (size_t i = 0; i < UNIT_COUNT; i++)
    for (const char *list = units[i].symbols; units[i].scale != 0 && next_word(&list, &symbol);) {
      if (take_guess(g, "", symbol)) return true;
      for (size_t p = 0; p < PREFIX_COUNT; p++)
        if (is_likely(&units[i], prefixes[p].scale) && take_guess(g, prefixes[p].symbol, symbol)) return true;
    }
  return false;
}

static bool is_unit(const char *name) {
  double prefix;
  const Unit *unit = find_with_prefix(name, &prefix);
  return unit && unit->scale != 0;
}

static bool guess_product(Guesses *g) {
  size_t length = strlen(g->name);
  for (size_t split = 1; split < length && length + 2 < SCREE_UNIT_GUESS_MAX; split++) {
    char first[SCREE_UNIT_GUESS_MAX];
    memcpy(first, g->name, split);
    first[split] = '\0';
    if (!is_unit(first) || !is_unit(g->name + split) || g->seen++ != g->wanted) continue;
    strcpy(g->guess, first);
    g->guess[split] = ' ';
    strcpy(g->guess + split + 1, g->name + split);
    return true;
  }
  return false;
}

bool scree_unit_guess(const char *name, size_t index, char guess[SCREE_UNIT_GUESS_MAX]) {
  Guesses g = {.name = name, .wanted = index, .guess = guess};
  int longest = (int)strlen(name);
  for (g.changes = 1; g.changes <= longest && g.changes <= 4; g.changes++)
    if (guess_case(&g)) return true;
  return guess_product(&g);
}
