/* compare_published.c: `scree compare --published`: the restitutions printed in Table 2 of Skrinjar, Slavic & Boltezar
 * 2018 (IJMS 145) beside the true ones. Reasons are MODELS.md 9.1; verdicts follow from the differences. */
#include "compare.h"

#include "compare_sheet.h"
#include "io/digits.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char verb[] = "compare";

/* ---- what was printed ------------------------------------------------------------------------------------------- */

#define COLUMNS 11 /* c_r = 0, 0.1 ... 1 */

static double requested(int column) { return column / 10.0; }

/* The damping factor X of K d^n (1 + X v/v0) that must have been at work in a row whose law was not. */
typedef double Factor(double e);

static double half_hu_guo(double e) { return 3.0 * (1.0 - e) / (4.0 * e); }

static double half_jankowski(double e) { return sqrt(5.0) / (4.0 * M_PI) * (1.0 - e * e) / e; }

/* The misprinted damper chi d v, chi = 2 (-ln e)/(pi^2 + ln^2 e) sqrt(K m), in the review's case. */
static double misprinted_anagnostopoulos(double e) {
  const ScreePairDef review = scree_pair_def_review();
  double logarithm = log(e);
  double ratio = -logarithm / (M_PI * M_PI + logarithm * logarithm);
  return 2.0 * ratio * sqrt(review.mass / review.stiffness) * review.speed;
}

typedef struct Published {
  const char *name;
  ScreeLawId law;
  double e[COLUMNS];
  const char *reason;
  ScreeLawId instead; /* whose chi_hat reproduces the row; SCREE_LAW_NONE: not needed */
  Factor *factor;
  const char *formula;
} Published;

#define LAW(name) SCREE_LAW_##name
#define ITSELF SCREE_LAW_NONE, NULL, NULL

static const char rounding[] = "differs by the rounding to two digits alone";
static const char offset[] = "too high throughout: at c_r = 1 energy is created (e > 1); what made this offset is open";

static const Published rows[] = {
    {"Hertz", LAW(hertz), {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, "conservative", ITSELF},
    {"Hunt-Crossley", LAW(hunt_crossley), {.49, .52, .55, .58, .62, .66, .71, .77, .83, .91, 1}, rounding, ITSELF},
    {"Herbert-McWhannell",
     LAW(herbert_mcwhannell),
     {.49, .49, .50, .52, .55, .59, .65, .72, .81, .90, 1},
     rounding,
     ITSELF},
    {"Lee-Wang", LAW(lee_wang), {.66, .69, .71, .74, .77, .80, .83, .87, .91, .95, 1}, rounding, ITSELF},
    {"Anagnostopoulos",
     LAW(anagnostopoulos),
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
     "Table 1 prints the damper without its square root and times the overlap: hardly any damping is left; the law "
     "itself delivers e = c_r",
     LAW(ye_linear),
     misprinted_anagnostopoulos,
     "K d (1 + X v/v0), X = 2 (-ln e)/(pi^2 + ln^2 e) sqrt(m/K) v0"},
    {"Lankarani-Nikravesh",
     LAW(lankarani_nikravesh),
     {.66, .67, .67, .68, .70, .73, .76, .80, .85, .91, 1},
     rounding,
     ITSELF},
    {"Jankowski",
     LAW(jankowski_simple),
     {.07, .44, .63, .74, .80, .85, .89, .91, .94, .96, 1},
     "Table 1 prints another damper (d^(1/2), K/v0, both phases) than Jankowski's (d^(1/4), approach only), and its "
     "numbers follow from neither; the nearest law found is a damping factor of half of his ratio in both phases",
     LAW(hunt_crossley),
     half_jankowski,
     "K d^1.5 (1 + X v/v0), X = sqrt(5)/(4 pi) (1-e^2)/e"},
    {"Zhiying-Qishao", LAW(zhiying_qishao), {.20, .24, .28, .34, .42, .50, .59, .69, .80, .91, 1.01}, offset, ITSELF},
    {"Gonthier et al.", LAW(gonthier), {.03, .12, .22, .32, .42, .51, .59, .68, .78, .89, 1.01}, offset, ITSELF},
    {"Flores et al.", LAW(flores), {0, .09, .17, .27, .38, .49, .59, .70, .80, .91, 1.01}, offset, ITSELF},
    {"Gharib-Hurmuzlu",
     LAW(gharib_hurmuzlu),
     {.03, .12, .21, .30, .37, .43, .48, .52, .55, .58, .61},
     "too high throughout by the offset of three other rows, whose cause is open",
     ITSELF},
    {"Hu-Guo",
     LAW(hu_guo),
     {.01, .15, .31, .45, .56, .66, .75, .82, .89, .95, 1},
     "computed with half the factor that the review prints",
     LAW(hu_guo),
     half_hu_guo,
     "K d^1.5 (1 + X v/v0), X = 3(1-e)/(4e)"},
};
#define ROW_COUNT ((int)(sizeof rows / sizeof *rows))

int compare_review_count(void) { return ROW_COUNT; }
ScreeLawId compare_review_law(int i) { return rows[i].law; }

/* ---- what is true ----------------------------------------------------------------------------------------------- */

typedef enum Verdict { REPRODUCED, BIASED, WRONG_LAW } Verdict;
static const char *const verdict_words[] = {"reproduced", "biased", "wrong law"};

/* Two printed digits round by half a unit of the second. */
#define ROUNDING 0.005
/* Rows of the right law err by less: a wrong factor shows in the first digit. */
#define LARGEST_BIAS 0.05

typedef struct Comparison {
  double e[COLUMNS];
  double max_difference, bias; /* largest |printed - computed|, mean of printed - computed */
} Comparison;

typedef struct Judged {
  const Published *row;
  bool counts[COLUMNS]; /* c_r = 0 is no input of a law with 1/c_r: its limit is shown, not judged */
  Comparison exact, instead;
  Verdict verdict;
} Judged;

/* e of the review's case by the closed form, or by integration where there is none. */
static double restitution_of(ScreeLawId law, double e, double factor) {
  ScreeImpactDef def = scree_impact_def_default(law);
  def.pair = scree_pair_def_review();
  if (scree_law_info(law)->domain != SCREE_E_NONE) def.pair.restitution = e;
  if (!isnan(factor)) {
    def.pair.restitution = NAN;
    def.pair.param[SCREE_PARAM_chi_hat] = factor;
  }
  ScreeImpactResult result;
  bool known = scree_impact_exact(&def, &result) == SCREE_OK || scree_impact_run(&def, &result) == SCREE_OK;
  return known ? result.restitution : NAN;
}

static void compare_values(const double *printed, const bool *counts, Comparison *c) {
  int counted = 0;
  c->max_difference = c->bias = 0;
  for (int i = 0; i < COLUMNS; i++) {
    double difference = printed[i] - c->e[i];
    if (!counts[i]) continue;
    c->max_difference = fmax(c->max_difference, fabs(difference));
    c->bias += difference;
    counted++;
  }
  c->bias /= counted;
}

/* Rounding to two digits moves a number by no more than ROUNDING, apart from the last bit of the decimals. */
static Verdict verdict_of(const Comparison *c) {
  if (c->max_difference <= ROUNDING * (1 + 1e-9)) return REPRODUCED;
  return c->max_difference <= LARGEST_BIAS ? BIASED : WRONG_LAW;
}

static Judged judge(const Published *row) {
  Judged j = {.row = row};
  for (int i = 0; i < COLUMNS; i++) {
    double e = requested(i);
    j.counts[i] = scree_law_accepts(row->law, e) == SCREE_OK || scree_law_info(row->law)->domain == SCREE_E_NONE;
    double input = j.counts[i] ? e : 1e-9; /* all laws without c_r = 0 tend to e = 0 */
    j.exact.e[i] = restitution_of(row->law, input, NAN);
    j.instead.e[i] = row->factor ? restitution_of(row->instead, NAN, row->factor(input)) : NAN;
  }
  compare_values(row->e, j.counts, &j.exact);
  compare_values(row->e, j.counts, &j.instead);
  j.verdict = verdict_of(&j.exact);
  return j;
}

static const char *law_name(ScreeLawId law) { return scree_law_info(law)->name; }

/* ---- output ----------------------------------------------------------------------------------------------------- */

static json_t *values_json(const Judged *j) {
  json_t *array = json_array();
  for (int i = 0; i < COLUMNS; i++) {
    json_t *object = json_object();
    json_put(object, "requested_restitution", requested(i));
    json_put(object, "published", j->row->e[i]);
    json_put(object, "exact", j->exact.e[i]);
    json_put(object, "difference", j->row->e[i] - j->exact.e[i]);
    json_object_set_new(object, "judged", json_boolean(j->counts[i]));
    if (j->row->factor) json_put(object, "reproduced", j->instead.e[i]);
    json_array_append_new(array, object);
  }
  return array;
}

static json_t *judged_json(const Judged *j) {
  json_t *object = json_object();
  json_object_set_new(object, "row", json_string(j->row->name));
  json_object_set_new(object, "law", json_string(law_name(j->row->law)));
  json_object_set_new(object, "verdict", json_string(verdict_words[j->verdict]));
  json_put(object, "max_difference", j->exact.max_difference);
  json_put(object, "bias", j->exact.bias);
  json_object_set_new(object, "reason", json_string(j->row->reason));
  json_object_set_new(object, "values", values_json(j));
  json_t *instead = json_null();
  if (j->row->factor) {
    instead = json_object();
    json_object_set_new(instead, "law", json_string(law_name(j->row->instead)));
    json_object_set_new(instead, "formula", json_string(j->row->formula));
    json_put(instead, "max_difference", j->instead.max_difference);
    json_put(instead, "bias", j->instead.bias);
  }
  json_object_set_new(object, "reproduced_by", instead);
  return object;
}

static void print_json(const Judged *judged) {
  json_t *array = json_array();
  for (int i = 0; i < ROW_COUNT; i++) json_array_append_new(array, judged_json(&judged[i]));
  json_t *all = json_object();
  json_object_set_new(all, "source", json_string("Skrinjar, Slavic & Boltezar 2018, Table 2"));
  json_object_set_new(all, "rows", array);
  json_print(all);
}

static void write_csv(FILE *stream, const Judged *judged) {
  fputs("row,law,requested_restitution,published,exact,difference,judged,reproduced,verdict,max_difference,bias,"
        "reproduced_by,reproduced_max_difference,reason\n",
        stream);
  for (int i = 0; i < ROW_COUNT; i++)
    for (int k = 0; k < COLUMNS; k++) {
      const Judged *j = &judged[i];
      csv_text(stream, j->row->name);
      fprintf(stream, ",%s,", law_name(j->row->law));
      scree_put_numbers(stream, (double[]){requested(k), j->row->e[k], j->exact.e[k], j->row->e[k] - j->exact.e[k]}, 4);
      fprintf(stream, ",%d,", j->counts[k]);
      csv_number(stream, j->instead.e[k]);
      fprintf(stream, ",%s,", verdict_words[j->verdict]);
      scree_put_numbers(stream, (double[]){j->exact.max_difference, j->exact.bias}, 2);
      fputc(',', stream);
      csv_text(stream, j->row->factor ? j->row->formula : "");
      fputc(',', stream);
      if (j->row->factor) csv_number(stream, j->instead.max_difference);
      fputc(',', stream);
      csv_text(stream, j->row->reason);
      fputc('\n', stream);
    }
}

/* One line of the table: eleven restitutions, then what they say. */
static void print_line(Sheet *sheet, const char *name, const double *e, int decimals, const Comparison *c,
                       const char *verdict) {
  sheet_cell(sheet, "%s", name);
  for (int i = 0; i < COLUMNS; i++) sheet_cell(sheet, "%s", fixed_text(e[i], decimals).text);
  sheet_cell(sheet, "%s", c ? fixed_text(c->max_difference, 3).text : "");
  sheet_cell(sheet, "%s", c ? fixed_text(c->bias, 3).text : "");
  sheet_cell(sheet, "%s", verdict);
}

static void print_table(const Judged *judged, bool markdown) {
  Sheet *sheet = sheet_new("lrrrrrrrrrrrrrl", markdown);
  sheet_cell(sheet, "c_r");
  for (int i = 0; i < COLUMNS; i++) sheet_cell(sheet, "%.1f", requested(i));
  sheet_cell(sheet, "max diff");
  sheet_cell(sheet, "bias");
  sheet_cell(sheet, "verdict");
  for (int i = 0; i < ROW_COUNT; i++) {
    const Judged *j = &judged[i];
    print_line(sheet, j->row->name, j->row->e, 2, NULL, "printed");
    print_line(sheet, law_name(j->row->law), j->exact.e, 3, &j->exact, verdict_words[j->verdict]);
    if (j->row->factor) {
      char name[80];
      snprintf(name, sizeof name, "%s, other X", law_name(j->row->instead));
      const char *words = j->instead.max_difference <= ROUNDING ? "gives the printed row" : "nearest found";
      print_line(sheet, name, j->instead.e, 3, &j->instead, words);
    }
  }
  sheet_end(sheet);
}

static void print_reason(const Judged *j, bool markdown) {
  char label[64];
  char *text = checked_format("%s: %s%s%s", verdict_words[j->verdict], j->row->reason, j->row->factor ? "; " : "",
                              j->row->factor ? j->row->formula : "");
  snprintf(label, sizeof label, markdown ? "* %s:" : "%s", j->row->name);
  if (markdown)
    printf("%s %s\n", label, text);
  else
    print_wrapped(label, 21, text);
  free(text);
}

static void print_text(const Judged *judged, bool markdown) {
  if (!markdown)
    puts("Achieved restitution: as printed in Table 2 of Skrinjar, Slavic & Boltezar 2018, and exact\n"
         "max diff, bias: largest and mean difference of the printed numbers; c_r = 0 is the limit, and not judged,\n"
         "for laws that do not take it\n");
  print_table(judged, markdown);
  putchar('\n');
  for (int i = 0; i < ROW_COUNT; i++) print_reason(&judged[i], markdown);
}

int compare_published(const CompareOptions *o) {
  Judged judged[ROW_COUNT];
  for (int i = 0; i < ROW_COUNT; i++) judged[i] = judge(&rows[i]);
  if (o->csv) {
    OutputFile file;
    if (!output_open(&file, verb, o->csv)) return EXIT_FAILED;
    write_csv(file.stream, judged);
    if (!output_commit(&file, verb)) return EXIT_FAILED;
  }
  if (o->json)
    print_json(judged);
  else if (!o->csv || strcmp(o->csv, "-") != 0)
    print_text(judged, o->markdown);
  return EXIT_DONE;
}
