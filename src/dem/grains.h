/* grains.h: what lies with the grains, of as many at a time as registers hold: rows loaded whole and transposed. */
#ifndef SCREE_GRAINS_H
#define SCREE_GRAINS_H

#include "engine.h"
#include "vectors.h"

typedef struct Records {
  Vector x, v;
  Real r;
} Records;

INLINE Records load_records(const Record *record, const int32_t *grain) {
  const double *row[WIDTH];
  Real c[8];
  UNROLLED(int l = 0; l < WIDTH; l++) row[l] = record[grain[l]].x;
  columns4(row, 0, c);
  columns4(row, 4, c + 4);
  return (Records){{c[0], c[1], c[2]}, {c[4], c[5], c[6]}, c[3]};
}

/* The same before they are transposed. */
typedef struct RawRecords {
  Real x[4], v[4];
} RawRecords;

INLINE RawRecords load_raw(const Record *record, const int32_t *grain) {
  const double *row[WIDTH];
  RawRecords raw;
  UNROLLED(int l = 0; l < WIDTH; l++) row[l] = record[grain[l]].x;
  rows4(row, 0, raw.x);
  rows4(row, 4, raw.v);
  return raw;
}

/* a - b: the three columns that are a vector. */
INLINE Vector difference_of_rows(const Real *a, const Real *b) {
  Real t[4], c[4];
  UNROLLED(int l = 0; l < 4; l++) t[l] = a[l] - b[l];
  columns_of(t, c);
  return (Vector){c[0], c[1], c[2]};
}

typedef struct Turns {
  Vector u, w;
} Turns;

INLINE Turns load_turns(const Turn *turn, const int32_t *grain) {
  const double *row[WIDTH];
  Real c[6];
  UNROLLED(int l = 0; l < WIDTH; l++) row[l] = turn[grain[l]].v;
  columns4(row, 0, c);
  columns2(row, 4, c + 4);
  return (Turns){{c[0], c[1], c[2]}, {c[3], c[4], c[5]}};
}

#endif
