/* bytes.h: turns a fuzzer's bytes into numbers and definitions. A number is one selector byte and what it asks for, so
 * that an input can hold any double there is and still reach the depths of the library with sensible ones. */
#ifndef SCREE_FUZZ_BYTES_H
#define SCREE_FUZZ_BYTES_H

#include "scree/scree.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Bytes {
  const uint8_t *at;
  size_t left;
} Bytes;

/* Zero once the input is used up. */
static inline uint8_t take_byte(Bytes *b) {
  if (!b->left) return 0;
  b->left--;
  return *b->at++;
}

static inline uint64_t take_bits(Bytes *b, int bytes) {
  uint64_t bits = 0;
  for (int i = 0; i < bytes; i++) bits |= (uint64_t)take_byte(b) << (8 * i);
  return bits;
}

/* Selector 0: the value that stands for "not given"; 1: eight bytes as they are; otherwise two bytes, evenly in the
 * logarithm between low and high (both > 0). */
static inline double take_number(Bytes *b, double absent, double low, double high) {
  uint8_t selector = take_byte(b);
  if (selector == 0) return absent;
  if (selector == 1) {
    uint64_t bits = take_bits(b, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  return low * pow(high / low, (double)take_bits(b, 2) / 65535.0);
}

/* Evenly between 0 and 1, or any double. */
static inline double take_fraction(Bytes *b, double absent) {
  uint8_t selector = take_byte(b);
  if (selector == 0) return absent;
  if (selector > 1) return (double)take_bits(b, 2) / 65535.0;
  b->at--; /* read the selector again: raw bits */
  b->left++;
  return take_number(b, absent, 1, 1);
}

static inline ScreeLawId take_law(Bytes *b) { return (ScreeLawId)(take_byte(b) % (SCREE_LAW_COUNT + 1)); }

/* Some of the law's own parameters, and now and then one it does not have. */
static inline void take_parameters(Bytes *b, ScreeLawId law, ScreePairDef *pair) {
  const ScreeLawInfo *info = scree_law_info(law);
  int count = take_byte(b) % 5;
  for (int i = 0; i < count; i++) {
    uint8_t which = take_byte(b);
    if (info && info->param_count && which < 240) {
      const ScreeParamInfo *param = &info->params[which % info->param_count];
      double low = fmin(fmax(param->low, 1e-9), 1e12), high = fmax(fmin(param->high, 1e12), low);
      pair->param[param->id] = take_number(b, NAN, low, high);
    } else {
      pair->param[which % SCREE_PARAM_COUNT] = take_number(b, NAN, 1e-9, 1e9);
    }
  }
}

/* ---- a violated promise: the definition, in decimal and exactly, then a trap for the fuzzer to catch ---- */

static inline void print_double(const char *name, double value) {
  if (!isnan(value)) fprintf(stderr, "  %s = %.17g (%a)\n", name, value, value);
}

static inline void print_definition(const ScreeImpactDef *def) {
  const ScreePairDef *p = &def->pair;
  const ScreeLawInfo *info = scree_law_info(def->law);
  fprintf(stderr, "  law = %s, separation = %d, calibrated = %d, tolerance = %g, max_evaluations = %d\n",
          info ? info->name : "none", (int)def->separation, (int)def->calibrated, def->tolerance, def->max_evaluations);
  fprintf(stderr, "  geometry = %d, damping = %d, elastic = %d, variant = %s\n", (int)p->geometry, (int)p->damping,
          (int)p->elastic, p->variant ? p->variant : "NULL");
  print_double("restitution", p->restitution);
  print_double("speed", p->speed);
  print_double("mass", p->mass);
  print_double("stiffness", p->stiffness);
  print_double("exponent", p->exponent);
  print_double("min_speed", p->min_speed);
  print_double("length", p->length);
  print_double("half_width", p->half_width);
  for (int i = 0; i < 2; i++) {
    fprintf(stderr, "  body %d:\n", i + 1);
    print_double("radius", p->radius[i]);
    print_double("young", p->material[i].young);
    print_double("poisson", p->material[i].poisson);
    print_double("density", p->material[i].density);
  }
  for (int i = 0; i < SCREE_PARAM_COUNT; i++) print_double(scree_param_name((ScreeParamId)i), p->param[i]);
}

#define PROMISE(condition, def, ...)                                                                                   \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "broken promise: %s: ", #condition);                                                             \
      fprintf(stderr, __VA_ARGS__);                                                                                    \
      fputc('\n', stderr);                                                                                             \
      print_definition(def);                                                                                           \
      abort();                                                                                                         \
    }                                                                                                                  \
  } while (0)

/* A failing call explains itself: a sentence of at least a few words. */
#define EXPLAINED(status, def)                                                                                         \
  PROMISE((status) == SCREE_OK || strlen(scree_last_error()) > 8, def, "status %s without a sentence",                 \
          scree_status_name(status))

#endif
