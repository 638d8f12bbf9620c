/* laws.c: `scree-bench laws`: nanoseconds per contact of scree_batch_force for every normal law and instruction set,
 * beside a loop written by hand (hand.c) and compiled with the same flags. Checks on the way that batch, hand loop and
 * scree_law_force give the same bits.
 *
 * A batch is 1024 contacts in arrays of 8 KiB, so that all of a law's arrays stay in the first two cache levels. */
#include "bench.h"
#include "hand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1024 };
static const double allowed_ratio = 1.3;

typedef struct Isa {
  const char *name;
  const HandLoop *hand;
} Isa;

/* Widest first, as in the library. */
static const Isa isas[] = {
#define ISA_ROW(isa, name) {name, hand_loops_##isa},
    SCREE_ISA_LIST(ISA_ROW)
#undef ISA_ROW
};
enum { ISAS = sizeof isas / sizeof *isas };

/* ---- contacts ---- */

typedef struct Contacts {
  _Alignas(64) double d[COUNT], v[COUNT], k[COUNT], chi[COUNT], u[6][COUNT], memory[SCREE_MAX_SLOTS][COUNT],
      force[COUNT];
  double start[SCREE_MAX_SLOTS][COUNT]; /* memory to begin with */
  ScreeLaw law[COUNT];
  ScreeBatch batch;
} Contacts;

/* Numbers in [0, 1): a linear congruential generator (Knuth's MMIX constants), the same on every machine. */
static double next_number(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) * 0x1p-53;
}

/* Pair, deepest overlap and duration of the law's standard case. Laws without a restitution of their own are
 * calibrated; not all of them reach e = 0.5. */
static void standard_case(const ScreeLawInfo *info, ScreeImpactResult *r, double *speed) {
  ScreeImpactDef def = scree_impact_def_default(info->law);
  def.pair = info->group == SCREE_LINE ? scree_pair_def_joint() : scree_pair_def_review();
  if (info->domain != SCREE_E_NONE) def.pair.restitution = 0.5;
  ScreeStatus status = scree_impact_run(&def, r);
  if (status == SCREE_UNREACHABLE) {
    def.pair.restitution = 0.8;
    status = scree_impact_run(&def, r);
  }
  bench_check(status, info->name);
  *speed = def.pair.speed;
}

/* A memory as it is found in the middle of a contact: half of the plastic contacts unload, states that flow are on
 * their way. */
static double memory_of(const ScreeLawInfo *info, const ScreeImpactResult *r, double d, double share) {
  if (info->group == SCREE_PLASTIC) return share < 0.5 ? 0.0 : d * (1.0 + 0.5 * (share - 0.5));
  if (info->law == SCREE_LAW_jian) return share * r->duration;
  return share * pow(d, r->pair.n);
}

static void fill_contacts(const ScreeLawInfo *info, Contacts *c) {
  ScreeImpactResult r;
  double speed;
  uint64_t seed = 1;
  standard_case(info, &r, &speed);
  for (int i = 0; i < COUNT; i++) {
    double memory[SCREE_MAX_SLOTS] = {0.0};
    ScreeLaw law = c->law[i] = scree_law_touch(&r.pair, speed * (0.9 + 0.2 * next_number(&seed)), memory);
    c->d[i] = r.max_overlap * (0.05 + 0.95 * next_number(&seed));
    c->v[i] = speed * (2.0 * next_number(&seed) - 1.0);
    c->k[i] = law.k;
    c->chi[i] = law.chi;
    for (int j = 0; j < 6; j++) c->u[j][i] = law.u[j];
    if (info->slots) memory[0] = memory_of(info, &r, c->d[i], next_number(&seed));
    for (int j = 0; j < SCREE_MAX_SLOTS; j++) c->start[j][i] = memory[j];
  }
  c->batch = (ScreeBatch){.count = COUNT,
                          .n = r.pair.n,
                          .m = r.pair.m,
                          .r = r.pair.r,
                          .d = c->d,
                          .v = c->v,
                          .k = c->k,
                          .chi = c->chi,
                          .force = c->force};
  for (int j = 0; j < 6; j++) c->batch.u[j] = c->u[j];
  for (int j = 0; j < SCREE_MAX_SLOTS; j++) c->batch.memory[j] = c->memory[j];
}

/* ---- bits ---- */

typedef struct Bits {
  double force[COUNT], memory[COUNT];
} Bits;

static void keep(const Contacts *c, Bits *bits) {
  memcpy(bits->force, c->force, sizeof bits->force);
  memcpy(bits->memory, c->memory[0], sizeof bits->memory);
}
static void rewind_memory(Contacts *c) { memcpy(c->memory, c->start, sizeof c->memory); }

static void one_by_one(ScreeLawId law, Contacts *c, Bits *bits) {
  rewind_memory(c);
  for (int i = 0; i < COUNT; i++) {
    double memory[SCREE_MAX_SLOTS] = {c->memory[0][i], c->memory[1][i]};
    c->force[i] = scree_law_force(law, &c->law[i], c->d[i], c->v[i], memory);
    c->memory[0][i] = memory[0];
  }
  keep(c, bits);
}

/* ---- measuring ---- */

typedef struct Measured {
  bool there;                 /* this processor has the instruction set */
  double batch, hand;         /* s per contact, best */
  bool batch_bits, hand_bits; /* those of scree_law_force */
} Measured;

static void run_batch(ScreeLawId law, const ScreeBatch *b, const HandLoop *hand) {
  if (hand)
    hand->run(b);
  else
    scree_batch_force(law, b);
}

static bool same_bits(ScreeLawId law, Contacts *c, const HandLoop *hand, const Bits *expected) {
  Bits got;
  rewind_memory(c);
  run_batch(law, &c->batch, hand);
  keep(c, &got);
  return memcmp(&got, expected, sizeof got) == 0;
}

static double sample(ScreeLawId law, const Contacts *c, const HandLoop *hand, int repeats) {
  double start = bench_clock();
  for (int i = 0; i < repeats; i++) run_batch(law, &c->batch, hand);
  return (bench_clock() - start) / (repeats * COUNT);
}

/* Repeats that take about 50 us, so that the clock's own time does not count. */
static int repeats_of(ScreeLawId law, const Contacts *c) {
  double once = sample(law, c, NULL, 4) * COUNT;
  return once < 50e-6 ? (int)(50e-6 / once) + 1 : 1;
}

static void measure(ScreeLawId law, Contacts *c, double seconds, Measured *m) {
  Bits expected;
  one_by_one(law, c, &expected);
  for (int i = 0; i < ISAS; i++) {
    m[i] = (Measured){.there = scree_batch_use_isa(isas[i].name) == SCREE_OK, .batch = INFINITY, .hand = INFINITY};
    if (!m[i].there) continue;
    m[i].batch_bits = same_bits(law, c, NULL, &expected);
    if (isas[i].hand[law].run) m[i].hand_bits = same_bits(law, c, &isas[i].hand[law], &expected);
  }
  int repeats = repeats_of(law, c);
  double end = bench_clock() + seconds;
  do {
    for (int i = 0; i < ISAS; i++) {
      if (!m[i].there || scree_batch_use_isa(isas[i].name) != SCREE_OK) continue;
      const HandLoop *hand = &isas[i].hand[law];
      m[i].batch = fmin(m[i].batch, sample(law, c, NULL, repeats));
      if (hand->run) m[i].hand = fmin(m[i].hand, sample(law, c, hand, repeats));
    }
  } while (bench_clock() < end);
}

/* ---- printing ---- */

static const char *kind_name(HandKind kind) {
  static const char *const names[] = {[HAND_NONE] = "-", [HAND_SQRT] = "sqrt", [HAND_LIBM] = "libm"};
  return names[kind];
}

static int widest(const Measured *m) {
  int i = 0;
  while (i < ISAS - 1 && !m[i].there) i++;
  return i;
}

/* Of the batch over the loop by hand; 0 where there is none. */
static double ratio_of(const Measured *m) { return m->there && isfinite(m->hand) ? m->batch / m->hand : 0.0; }

static double worst_ratio(const Measured *m) {
  double worst = 0.0;
  for (int i = 0; i < ISAS; i++) worst = fmax(worst, ratio_of(&m[i]));
  return worst;
}

static bool all_bits(const Measured *m) {
  for (int i = 0; i < ISAS; i++)
    if (m[i].there && !(m[i].batch_bits && (m[i].hand_bits || !isfinite(m[i].hand)))) return false;
  return true;
}

static void print_notes(const Measured *m, HandKind kind) {
  double gain = m[ISAS - 1].batch / m[widest(m)].batch, hand_gain = m[ISAS - 1].hand / m[widest(m)].hand;
  if (kind == HAND_NONE) printf("  no loop by hand");
  for (int i = 0; i < ISAS; i++)
    if (ratio_of(&m[i]) > allowed_ratio) printf("  %s: %.2f", isas[i].name, ratio_of(&m[i]));
  if (kind == HAND_SQRT && widest(m) != ISAS - 1 && gain < 0.7 * hand_gain) printf("  not at full width");
  for (int i = 0; i < ISAS; i++) {
    if (m[i].there && !m[i].batch_bits) printf("  BITS of the batch differ (%s)", isas[i].name);
    if (m[i].there && isfinite(m[i].hand) && !m[i].hand_bits)
      printf("  bits of the hand loop differ (%s)", isas[i].name);
  }
  puts("");
}

static void print_text(const ScreeLawInfo *info, const Measured *m) {
  int wide = widest(m);
  HandKind kind = isas[wide].hand[info->law].kind;
  printf("%-30s %-5s", info->name, kind_name(kind));
  for (int i = ISAS; i-- > 0;) {
    if (m[i].there)
      printf(" %9.3f", 1e9 * m[i].batch);
    else
      printf(" %9s", "-");
  }
  printf(" %9.3f %7.2f %7.2f", 1e9 * m[wide].hand, m[wide].batch / m[wide].hand, m[ISAS - 1].batch / m[wide].batch);
  print_notes(m, kind);
}

static void print_number(const char *name, double value) {
  if (isfinite(value))
    printf("\"%s\": %.5g", name, value);
  else
    printf("\"%s\": null", name);
}

static void print_json(const ScreeLawInfo *info, const Measured *m, bool first) {
  printf("%s    {\"law\": \"%s\", \"kind\": \"%s\", \"same_bits\": %s, \"sets\": [", first ? "" : ",\n", info->name,
         kind_name(isas[0].hand[info->law].kind), all_bits(m) ? "true" : "false");
  bool comma = false;
  for (int i = ISAS; i-- > 0;) {
    if (!m[i].there) continue;
    printf("%s{\"set\": \"%s\", ", comma ? ", " : "", isas[i].name);
    print_number("batch_ns", 1e9 * m[i].batch);
    printf(", ");
    print_number("hand_ns", 1e9 * m[i].hand);
    printf(", ");
    print_number("ratio", m[i].batch / m[i].hand);
    printf("}");
    comma = true;
  }
  printf("]}");
}

static void print_header(bool json) {
  if (json) {
    printf(
        "{\n  \"benchmark\": \"laws\", \"version\": \"%s\", \"contacts\": %d, \"allowed_ratio\": %g,\n  \"laws\": [\n",
        scree_version(), COUNT, allowed_ratio);
    return;
  }
  printf("Nanoseconds per contact of scree_batch_force, batches of %d; hand and ratio for the widest set; gain of the\n"
         "widest set over the narrowest. Kind sqrt: the law needs no function but sqrt, so its loop vectorises.\n\n",
         COUNT);
  printf("%-30s %-5s", "law", "kind");
  for (int i = ISAS; i-- > 0;) printf(" %9s", isas[i].name);
  printf(" %9s %7s %7s\n", "hand", "ratio", "gain");
}

typedef struct Totals {
  int laws, slow, different;
  double worst;
} Totals;

static void print_totals(const Totals *t, bool json) {
  if (json) {
    printf("\n  ],\n  \"above_allowed_ratio\": %d, \"worst_ratio\": %.4g, \"different_bits\": %d\n}\n", t->slow,
           t->worst, t->different);
    return;
  }
  printf("\n%d laws; the loop by hand is more than %gx faster for %d (worst ratio %.2f over all instruction sets)\n",
         t->laws, allowed_ratio, t->slow, t->worst);
  printf("bits: %s\n",
         t->different ? "they DIFFER for some laws" : "batch, hand loop and scree_law_force agree for every set");
}

int bench_laws(const BenchOptions *options) {
  static Contacts contacts;
  Totals totals = {0};
  print_header(options->json);
  for (int law = 0; law < SCREE_LAW_COUNT; law++) {
    const ScreeLawInfo *info = scree_law_info((ScreeLawId)law);
    if (info->group == SCREE_TANGENTIAL || (options->some && !options->only[law])) continue;
    Measured m[ISAS];
    fill_contacts(info, &contacts);
    measure(info->law, &contacts, options->seconds, m);
    if (options->json)
      print_json(info, m, totals.laws == 0);
    else
      print_text(info, m);
    fflush(stdout);
    totals.laws++;
    totals.slow += worst_ratio(m) > allowed_ratio;
    totals.different += !all_bits(m);
    totals.worst = fmax(totals.worst, worst_ratio(m));
  }
  print_totals(&totals, options->json);
  return totals.different ? EXIT_FAILED : EXIT_DONE;
}
