/* sweep.c: velocity Verlet's turnover, one grain a row (sweep.h). Rows need no transposing: force and torque, velocity
 * and spin lie side by side and obey the same rule,
 *
 *   h = load rate + kick,  T = (T + h) + h,  x += u dt,  v = u + h
 *
 * with the same roundings as the halves have, one after the other (motion.c). */
#include "sweep.h"

#include "row.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

/* Lanes of a row, one bit each. */
enum { PLACE = 0x07, MOTION = 0x3f };

/* Half a step over the inertia: what a load of one does to velocity and spin. A fixed grain is not moved. */
INLINE Row rate_of(const ScreeWorld *w, double m, double r) {
  Real2 half_step = {0.5 * w->dt * w->force_unit, 0.5 * w->dt * w->torque_unit};
  return three_each(half_step / (Real2){m, 0.4 * m * r * r});
}

INLINE uint64_t bits_in(const double *x) {
  uint64_t bits;
  memcpy(&bits, x, sizeof bits);
  return bits;
}

/* Was a grain beyond the limits of speed, or was its speed no number? Such a one is in the sum, if not among the
 * extremes. */
INLINE bool is_doubtful(const Sweep *s, Row sum) {
  _Alignas(64) double lane[8];
  bool doubtful = false;
  put_row(lane, sum);
  for (int k = 0; k < 6; k++) {
    double most = 0.0;
    for (int p = 0; p < PACES; p++) most = fmax(most, fmax(-s->least[p][k], s->most[p][k]));
    doubtful |= !isfinite(lane[k]) || most * most > s->limit[k];
  }
  return doubtful;
}

static const _Alignas(64) double still[8];

INLINE void widen(Row a, double *least, double *most) {
  put_row(least, lesser(a, row_of(least)));
  put_row(most, greater(a, row_of(most)));
}
INLINE void widen_half(Half a, double *least, double *most) {
  put_half(least, lesser_half(a, half_of(least)));
  put_half(most, greater_half(a, half_of(most)));
}

/* B x, at a place. */
INLINE Half field_at(const Sweep *s, const double *x) {
  return add_halves(add_halves(scale_half(x[0], half_of(s->gradient[0])), scale_half(x[1], half_of(s->gradient[1]))),
                    scale_half(x[2], half_of(s->gradient[2])));
}

INLINE void sweep(ScreeWorld *w, Sweep *s, size_t first, size_t last, bool correct, bool drift, bool sheared,
                  bool paced) {
  Row least = row_of(s->least[0]), most = row_of(s->most[0]), sum = row_of(still), rate = row_of(still);
  Half low = half_of(s->low), high = half_of(s->high), least_rest = half_of(s->least_rest[0]),
       most_rest = half_of(s->most_rest[0]);
  uint64_t mass = 0, radius = 0; /* their bits: whole numbers are compared beside the pipes that are short */
  bool fixed = false;
  double dt = w->dt;
  Record *records = w->record; /* what is stored might change the world's own pointers, for all the compiler knows */
  Turn *turns = w->turn;
  Loads loads = w->load;
  const double(*kicks)[8] = s->kick;
  for (size_t i = first; i < last; i++) {
    Record *record = &records[i];
    Turn *turn = &turns[i];
    const double *kick = kicks[turn->material];
    if (((bits_in(&record->m) ^ mass) | (bits_in(&record->r) ^ radius)) != 0) { /* mostly as the grain before */
      mass = bits_in(&record->m), radius = bits_in(&record->r);
      rate = rate_of(w, record->m, record->r);
      fixed = scree_is_fixed(record);
    }
    if (__builtin_expect(fixed, 0)) {
      s->work += (__typeof__(s->work))(correct + drift) * scree_work_of_fixed(w, i);
      kick = still;
    }
    Half v = half_of(record->v);
    Row all = row_of(turn->v), t = keep(MOTION, all),
        h = plus(times(six_reals_of(loads.four[i], loads.two[i]), rate), row_of(kick));
    Row now = correct ? plus(t, h) : pick(PLACE, row_from(v), t);
    if (drift) {
      Row middle = plus(now, h);
      Half x = half_of(record->x), u = half_from(middle);
      uint32_t pace = paced ? turn->anchor >> PACE_SHIFT : 0;
      if (sheared) {
        Half rest = subtract_halves(u, field_at(s, record->x));
        if (__builtin_expect(pace > 0, 0))
          widen_half(rest, s->least_rest[pace], s->most_rest[pace]);
        else
          least_rest = lesser_half(rest, least_rest), most_rest = greater_half(rest, most_rest);
      }
      x = vector_of(add_halves(x, scale_half(dt, u)), x);
      put_half(record->x, x);
      put_half(record->v, vector_of(add_halves(u, half_from(h)), v));
      put_row(turn->v, pick(MOTION, middle, all));
      scree_put_load(loads, i, (Load){{0}, {0}});
      sum = plus(sum, middle);
      if (__builtin_expect(pace > 0, 0)) /* few are fast */
        widen(middle, s->least[pace], s->most[pace]);
      else
        least = lesser(middle, least), most = greater(middle, most);
      if (__builtin_expect(!is_within(x, low, high), 0)) scree_wrap(w, i, s); /* a radius has no bounds */
    } else {
      put_half(record->v, vector_of(half_from(now), v));
      put_row(turn->v, pick(MOTION & ~PLACE, now, all));
    }
  }
  put_row(s->least[0], least), put_row(s->most[0], most);
  put_half(s->least_rest[0], least_rest), put_half(s->most_rest[0], most_rest);
  s->doubtful |= drift && last > first && is_doubtful(s, sum);
}

static void drift(ScreeWorld *w, Sweep *s, size_t first, size_t last) {
  if (s->paced)
    sweep(w, s, first, last, false, true, true, true);
  else
    sweep(w, s, first, last, false, true, true, false);
}
static void correct(ScreeWorld *w, Sweep *s, size_t first, size_t last) {
  sweep(w, s, first, last, true, false, false, false);
}
static void turnover(ScreeWorld *w, Sweep *s, size_t first, size_t last) {
  if (s->paced && s->sheared)
    sweep(w, s, first, last, true, true, true, true);
  else if (s->paced)
    sweep(w, s, first, last, true, true, false, true);
  else if (s->sheared)
    sweep(w, s, first, last, true, true, true, false);
  else
    sweep(w, s, first, last, true, true, false, false);
}

extern const SweepKernels JOIN(scree_dem_sweep_, SCREE_ISA);
const SweepKernels JOIN(scree_dem_sweep_, SCREE_ISA) = {drift, correct, turnover};
