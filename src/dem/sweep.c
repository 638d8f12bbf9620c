/* sweep.c: velocity Verlet's turnover, one grain a row (sweep.h). Rows need no transposing: force and torque, velocity
 * and spin lie side by side and obey the same rule,
 *
 *   h = load rate + kick,  T = (T + h) + h,  x += u dt,  v = u + h
 *
 * with the same roundings as the halves have, one after the other (motion.c). */
#include "sweep.h"

#include "lanes.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define INLINE static inline __attribute__((always_inline))

/* Lanes of a row, one bit each. */
enum { PLACE = 0x07, VELOCITY = 0x70, MOTION = 0x3f };

/* Integers to the nearest doubles, as a cast does. */
INLINE Real8 real_of(Int8 x) {
#if defined(__AVX512DQ__)
  return __builtin_convertvector(x, Real8);
#else
  /* Halves of 32 bits, put where 2^84 + 2^32 high and 2^52 + low have their last places: the first difference is
   * exact, so the sum is the only rounding. The sign's bit, turned over, adds 2^63. */
  typedef uint64_t Bits8 __attribute__((vector_size(64)));
  Bits8 bits = (Bits8)x ^ 0x8000000000000000u, high = bits >> 32 | 0x4530000000000000u,
        low = (bits & 0xffffffffu) | 0x4330000000000000u;
  return ((Real8)high - splat(0x1p84 + 0x1p63 + 0x1p52)) + (Real8)low;
#endif
}

INLINE Real8 lesser(Real8 a, Real8 b) {
#if defined(__AVX512DQ__)
  return (Real8)_mm512_min_pd((__m512d)a, (__m512d)b);
#else
  return choose(a < b, a, b);
#endif
}
INLINE Real8 greater(Real8 a, Real8 b) {
#if defined(__AVX512DQ__)
  return (Real8)_mm512_max_pd((__m512d)a, (__m512d)b);
#else
  return choose(a > b, a, b);
#endif
}

/* One bit per lane. */
#if !defined(__AVX512DQ__)
INLINE unsigned lanes_of(Int8 mask) {
#if defined(__AVX__)
  __m256d half[2];
  memcpy(half, &mask, sizeof half);
  return (unsigned)(_mm256_movemask_pd(half[0]) | _mm256_movemask_pd(half[1]) << 4);
#elif defined(__SSE2__)
  __m128d part[4];
  memcpy(part, &mask, sizeof part);
  return (unsigned)(_mm_movemask_pd(part[0]) | _mm_movemask_pd(part[1]) << 2 | _mm_movemask_pd(part[2]) << 4 |
                    _mm_movemask_pd(part[3]) << 6);
#else
  return bits_of(mask);
#endif
}
#endif

/* The lanes in which a < b; those in which not a <= b. */
INLINE unsigned below(Real8 a, Real8 b) {
#if defined(__AVX512DQ__)
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
#else
  return lanes_of(a < b);
#endif
}
INLINE unsigned beyond(Real8 a, Real8 b) {
#if defined(__AVX512DQ__)
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_NLE_UQ);
#else
  return lanes_of(~(a <= b));
#endif
}

/* A load is shorter than a row. The rest is not used, but behind the thread's last grain it is another thread's. */
INLINE Int8 load_of(const ScreeWorld *w, size_t i, size_t last) {
#if defined(__AVX512DQ__)
  (void)last;
  return (Int8)_mm512_maskz_loadu_epi64(MOTION, &w->load[i]);
#else
  Int8 load = {0};
  if (i + 1 < last)
    memcpy(&load, &w->load[i], sizeof load);
  else
    memcpy(&load, &w->load[i], sizeof(Load));
  return load;
#endif
}

INLINE Real8 to_velocity(Real8 x) { return __builtin_shufflevector(x, x, 0, 1, 2, 3, 0, 1, 2, 3); }
INLINE Real8 from_velocity(Real8 x) { return __builtin_shufflevector(x, x, 4, 5, 6, 7, 4, 5, 6, 7); }

/* Half a step over the inertia: what a load of one does to velocity and spin. A fixed grain is not moved. */
INLINE Real8 rate_of(const ScreeWorld *w, double m, double r) {
  double push = 0.5 * w->dt * w->force_unit / m, twist = 0.5 * w->dt * w->torque_unit / (0.4 * m * r * r);
  return (Real8){push, push, push, twist, twist, twist, 0.0, 0.0};
}

static const _Alignas(64) double still[8];

INLINE void sweep(ScreeWorld *w, Sweep *s, size_t first, size_t last, bool correct, bool drift, bool sheared) {
  Int8 place = mask_of(PLACE), velocity = mask_of(VELOCITY), motion = mask_of(MOTION);
  Real8 least = get(s->least), most = get(s->most), limit = get(s->limit), low = get(s->low), high = get(s->high);
  Real8 rate = splat(0.0), least_rest = get(s->least_rest), most_rest = get(s->most_rest);
  double mass = 0.0, radius = 0.0;
  unsigned doubtful = 0;
  for (size_t i = first; i < last; i++) {
    Record *record = &w->record[i];
    Turn *turn = &w->turn[i];
    const double *kick = s->kick[turn->material];
    if (record->m != mass || record->r != radius) { /* mostly as the grain before */
      mass = record->m, radius = record->r;
      rate = rate_of(w, mass, radius);
    }
    if (__builtin_expect(isinf(mass), 0)) {
      s->tally->work += (__typeof__(s->tally->work))(correct + drift) * scree_work_of_fixed(w, i);
      kick = still;
    }
    Real8 r = get(record->x), all = get(turn->v), t = only(motion, all);
    Real8 h = real_of(load_of(w, i, last)) * rate + get(kick);
    Real8 now = correct ? t + h : choose(place, from_velocity(r), t);
    if (drift) {
      Real8 middle = now + h, way = only(place, middle * w->dt), speed2 = middle * middle;
      if (sheared) {
        const double *x = record->x;
        Real8 rest = middle - (get(s->gradient[0]) * x[0] + get(s->gradient[1]) * x[1] + get(s->gradient[2]) * x[2]);
        least_rest = lesser(rest, least_rest), most_rest = greater(rest, most_rest);
      }
      r = choose(velocity, to_velocity(middle + h), r + way);
      put(record->x, r);
      put(turn->v, choose(motion, middle, all));
      w->load[i] = (Load){{0}, {0}};
      doubtful |= beyond(speed2, limit);
      least = lesser(middle, least), most = greater(middle, most);
      if (__builtin_expect(((below(r, low) | ~below(r, high)) & PLACE) != 0, 0)) scree_wrap(w, i, s->tally);
    } else {
      put(record->x, choose(velocity, to_velocity(now), r));
      put(turn->v, choose(motion & ~place, now, all));
    }
  }
  put(s->least, least), put(s->most, most);
  put(s->least_rest, least_rest), put(s->most_rest, most_rest);
  s->doubtful = doubtful != 0;
}

static void drift(ScreeWorld *w, Sweep *s, size_t first, size_t last) {
  if (s->sheared)
    sweep(w, s, first, last, false, true, true);
  else
    sweep(w, s, first, last, false, true, false);
}
static void correct(ScreeWorld *w, Sweep *s, size_t first, size_t last) {
  sweep(w, s, first, last, true, false, false);
}
static void turnover(ScreeWorld *w, Sweep *s, size_t first, size_t last) {
  if (s->sheared)
    sweep(w, s, first, last, true, true, true);
  else
    sweep(w, s, first, last, true, true, false);
}

extern const SweepKernels JOIN(scree_dem_sweep_, SCREE_ISA);
const SweepKernels JOIN(scree_dem_sweep_, SCREE_ISA) = {drift, correct, turnover};
