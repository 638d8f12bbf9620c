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
enum { PLACE = 0x07, VELOCITY = 0x70, MOTION = 0x3f };

/* Half a step over the inertia: what a load of one does to velocity and spin. A fixed grain is not moved. */
INLINE Row rate_of(const ScreeWorld *w, double m, double r) {
  Row rate = pick(PLACE, all_of(0.5 * w->dt * w->force_unit), all_of(0.5 * w->dt * w->torque_unit));
  return over(keep(MOTION, rate), pick(PLACE, all_of(m), all_of(0.4 * m * r * r)));
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

INLINE void sweep(ScreeWorld *w, Sweep *s, size_t first, size_t last, bool correct, bool drift, bool sheared,
                  bool paced) {
  Row least = row_of(s->least[0]), most = row_of(s->most[0]), low = row_of(s->low), high = row_of(s->high),
      sum = row_of(still);
  Row rate = row_of(still), least_rest = row_of(s->least_rest[0]), most_rest = row_of(s->most_rest[0]);
  double mass = 0.0, radius = 0.0, dt = w->dt;
  Record *records = w->record; /* what is stored might change the world's own pointers, for all the compiler knows */
  Turn *turns = w->turn;
  Load *loads = w->load;
  const double(*kicks)[8] = s->kick;
  for (size_t i = first; i < last; i++) {
    Record *record = &records[i];
    Turn *turn = &turns[i];
    const double *kick = kicks[turn->material];
    if (record->m != mass || record->r != radius) { /* mostly as the grain before */
      mass = record->m, radius = record->r;
      rate = rate_of(w, mass, radius);
    }
    if (__builtin_expect(isinf(mass), 0)) {
      s->tally->work += (__typeof__(s->tally->work))(correct + drift) * scree_work_of_fixed(w, i);
      kick = still;
    }
    Row r = row_of(record->x), all = row_of(turn->v), t = keep(MOTION, all),
        h = plus(times(six_reals_of(loads[i].force), rate), row_of(kick));
    Row now = correct ? plus(t, h) : pick(PLACE, from_velocity(r), t);
    if (drift) {
      Row middle = plus(now, h);
      uint32_t pace = paced ? turn->anchor >> PACE_SHIFT : 0;
      if (sheared) {
        const double *x = record->x;
        Row field = plus(plus(scaled(x[0], row_of(s->gradient[0])), scaled(x[1], row_of(s->gradient[1]))),
                         scaled(x[2], row_of(s->gradient[2]))),
            rest = minus(middle, field);
        if (__builtin_expect(pace > 0, 0))
          widen(rest, s->least_rest[pace], s->most_rest[pace]);
        else
          least_rest = lesser(rest, least_rest), most_rest = greater(rest, most_rest);
      }
      r = pick(VELOCITY, to_velocity(plus(middle, h)), plus(r, keep(PLACE, scaled(dt, middle))));
      put_row(record->x, r);
      put_row(turn->v, pick(MOTION, middle, all));
      loads[i] = (Load){{0}, {0}};
      sum = plus(sum, middle);
      if (__builtin_expect(pace > 0, 0)) /* few are fast */
        widen(middle, s->least[pace], s->most[pace]);
      else
        least = lesser(middle, least), most = greater(middle, most);
      if (__builtin_expect(((lanes_below(r, low) | ~lanes_below(r, high)) & PLACE) != 0, 0)) scree_wrap(w, i, s->tally);
    } else {
      put_row(record->x, pick(VELOCITY, to_velocity(now), r));
      put_row(turn->v, pick(MOTION & ~PLACE, now, all));
    }
  }
  put_row(s->least[0], least), put_row(s->most[0], most);
  put_row(s->least_rest[0], least_rest), put_row(s->most_rest[0], most_rest);
  s->doubtful = drift && last > first && is_doubtful(s, sum);
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
