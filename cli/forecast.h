/* forecast.h: how deep the impacts of a scene will get, before it runs: the laboratory's answer for the pairs of grains
 * that get deepest, at the expected speed or that of a fall. */
#ifndef SCREE_CLI_FORECAST_H
#define SCREE_CLI_FORECAST_H

#include "cli.h"

#include "io/scene.h"

/* Radii of some grains; low > high: there are none. */
typedef struct Radii {
  double low, high; /* m */
} Radii;

/* The grains of a material, those to come included. */
typedef struct Count {
  size_t grains, fixed;
  double mass, smallest, largest; /* kg, m */
  bool comes;                     /* a stream brings some */
  Radii moving, held;             /* those to come move, fixed ones are held */
} Count;

bool has_grains(const Count *count);

enum { FORECAST_EXPECTED = -1, FORECAST_START = -2 };

/* How fast grains of a material meet others: as expected, or after a fall to the lowest wall or fixed grain. */
typedef struct Approach {
  double speed, height; /* m/s, m */
  long from;            /* a stream, FORECAST_START: where grains start, FORECAST_EXPECTED: no fall */
} Approach;

typedef struct ForecastCase {
  const ScreeScene *scene;
  const Count *of;        /* of each material */
  double expected_speed;  /* m/s */
  double low[3], high[3]; /* m, of the fixed grains, which may be a floor; low > high: there are none */
  Approach *approach;     /* of each material */
} ForecastCase;

/* A world that has just been built, its grains, and their counts by material, which must outlive the case. */
ForecastCase forecast_prepare(const ScreeScene *scene, const ScreeWorld *world, const ScreeGrain *grain,
                              const Count *of);
void forecast_free(ForecastCase *c);

/* Of the grains of a stream. */
Approach forecast_fall(const ForecastCase *c, size_t stream);

typedef struct Forecast {
  double overlap; /* of the smaller radius; NaN: the laboratory has no answer */
  Approach at;
  double radius[2]; /* m, of the two materials; NaN: a wall */
  bool fixed[2];    /* a grain that does not move */
} Forecast;

/* Of grains, walls and fixed grains of two materials: those that get deepest, of the smallest and the largest. */
Forecast forecast_pair(const ForecastCase *c, size_t a, size_t b);

/* From this share of max_overlap on an impact is too deep: what the laboratory sees is one impact of two, and weight, a
 * third grain or friction push a little deeper. */
#define FORECAST_CLOSE 0.8

/* How many times stiffer the materials (or the stiffness that was given) must be for this impact to stay within that
 * share of max_overlap: two digits, rounded up, tried; NaN where stiffness does not help. */
double forecast_stiffer(const ForecastCase *c, size_t a, size_t b, const Forecast *forecast);
/* The overlap of this impact with materials so many times softer; NaN: the laboratory has no answer. */
double forecast_softer(const ForecastCase *c, size_t a, size_t b, const Forecast *forecast, double softer);

#endif
