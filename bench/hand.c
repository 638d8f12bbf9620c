/* hand.c: the force of each form as the loop one would write for it alone: restrict pointers to the arrays it reads,
 * the exponents in the code, no structs. Compiled once per instruction set with the flags of the batch kernels. The
 * order of the operations is that of the laws, so that the bits must agree. */
#include "hand.h"

#include <math.h>

#include "core/special.h"

#define ARRAY(name, from) const double *restrict name = b->from
#define MEMORY double *restrict memory = b->memory[0]
/* The arrays do not overlap. GCC reads restrict on local pointers only as a hint: from five arrays on it gives up. */
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
#define EACH INDEPENDENT for (size_t i = 0; i < count; i++)
#define LOOP(name, ...)                                                                                                \
  static void name(const ScreeBatch *b) {                                                                              \
    size_t count = b->count;                                                                                           \
    double *restrict force = b->force;                                                                                 \
    __VA_ARGS__                                                                                                        \
  }

static inline double larger(double a, double b) { return a > b ? a : b; }

/* ---- K d^n (1 + chi v) ---- */

LOOP(factor_linear, ARRAY(d, d); ARRAY(v, v); ARRAY(k, k); ARRAY(chi, chi);
     EACH force[i] = k[i] * d[i] * (1.0 + chi[i] * v[i]);)
LOOP(factor_hertz, ARRAY(d, d); ARRAY(v, v); ARRAY(k, k); ARRAY(chi, chi);
     EACH force[i] = k[i] * (d[i] * sqrt(d[i])) * (1.0 + chi[i] * v[i]);)
LOOP(factor_power, ARRAY(d, d); ARRAY(v, v); ARRAY(k, k); ARRAY(chi, chi); double n = b->n;
     EACH force[i] = k[i] * pow(d[i], n) * (1.0 + chi[i] * v[i]);)
LOOP(approach_linear, ARRAY(d, d); ARRAY(v, v); ARRAY(k, k); ARRAY(chi, chi);
     EACH force[i] = k[i] * d[i] * (1.0 + chi[i] * larger(v[i], 0.0));)

/* ---- K d^n + chi d^m v ---- */

#define DASHPOT(name, spring, damper)                                                                                  \
  LOOP(name, ARRAY(d, d); ARRAY(v, v); ARRAY(k, k); ARRAY(chi, chi);                                                   \
       EACH force[i] = k[i] * (spring) + chi[i] * (damper)*v[i];)
DASHPOT(dashpot_linear, d[i], 1.0)
DASHPOT(dashpot_constant, d[i] * sqrt(d[i]), 1.0)
DASHPOT(dashpot_quarter, d[i] * sqrt(d[i]), sqrt(sqrt(d[i])))
DASHPOT(dashpot_half, d[i] * sqrt(d[i]), sqrt(d[i]))
DASHPOT(dashpot_one, d[i] * sqrt(d[i]), d[i])
DASHPOT(dashpot_065, d[i] * sqrt(d[i]), pow(d[i], 0.65))
LOOP(approach_quarter, ARRAY(d, d); ARRAY(v, v); ARRAY(k, k); ARRAY(chi, chi);
     EACH force[i] = k[i] * (d[i] * sqrt(d[i])) + chi[i] * sqrt(sqrt(d[i])) * larger(v[i], 0.0);)
LOOP(
    rate_power, ARRAY(d, d); ARRAY(v, v); ARRAY(k, k); ARRAY(chi, chi); EACH {
      double speed = fabs(v[i]);
      force[i] = k[i] * (d[i] * sqrt(d[i])) + chi[i] * d[i] * copysign(speed * sqrt(speed), v[i]);
    })
LOOP(
    floored, ARRAY(d, d); ARRAY(v, v); ARRAY(k, k); ARRAY(chi, chi); ARRAY(floor, u[0]); EACH {
      double power = d[i] * sqrt(d[i]), elastic = k[i] * power;
      force[i] = larger(elastic + chi[i] * power * v[i], floor[i] * elastic);
    })

/* ---- history and time ---- */

LOOP(
    goldsmith, ARRAY(d, d); ARRAY(k, k); ARRAY(chi, chi); ARRAY(dent, u[0]); MEMORY; EACH {
      double deepest = larger(memory[i], d[i]);
      double x = larger(d[i] - dent[i] * deepest, 0.0) * chi[i];
      double y = d[i] < deepest ? x : d[i];
      memory[i] = deepest;
      force[i] = k[i] * (y * sqrt(y));
    })
LOOP(
    hysteretic, ARRAY(d, d); ARRAY(k, k); ARRAY(chi, chi); ARRAY(dent, u[0]); MEMORY; EACH {
      double deepest = larger(memory[i], d[i]);
      double unloading = chi[i] * (d[i] - dent[i] * deepest), loading = k[i] * d[i];
      memory[i] = deepest;
      force[i] = larger(d[i] < deepest ? unloading : loading, 0.0);
    })
LOOP(
    thornton, ARRAY(d, d); ARRAY(k, k); ARRAY(chi, chi); ARRAY(yield, u[0]); ARRAY(yield_force, u[1]);
    ARRAY(modulus, u[2]); ARRAY(pressure, u[3]); MEMORY; EACH {
      double deepest = larger(memory[i], d[i]);
      memory[i] = deepest;
      bool elastic = deepest <= yield[i];
      double peak = elastic ? k[i] * deepest * sqrt(deepest) : yield_force[i] + chi[i] * (deepest - yield[i]);
      if (d[i] >= deepest) {
        force[i] = peak;
        continue;
      }
      double load = (2.0 * peak + yield_force[i]) / pressure[i];
      double radius = 4.0 / 3.0 * modulus[i] / peak * load * sqrt(load);
      double stiffness = elastic ? k[i] : 4.0 / 3.0 * modulus[i] * sqrt(radius);
      double root = elastic ? 0.0 : cbrt(peak / stiffness);
      double gap = larger(d[i] - (deepest - (elastic ? deepest : root * root)), 0.0);
      force[i] = stiffness * gap * sqrt(gap);
    })
LOOP(
    yigit, ARRAY(d, d); ARRAY(k, k); ARRAY(chi, chi); ARRAY(yield, u[0]); ARRAY(yield_force, u[1]); MEMORY; EACH {
      double deepest = larger(memory[i], d[i]), root = sqrt(deepest);
      double elastic = k[i] * deepest * root, plastic = yield_force[i] + chi[i] * (deepest - yield[i]);
      double shift = k[i] * (d[i] * sqrt(d[i]) - deepest * root);
      memory[i] = deepest;
      force[i] = larger(shift + (deepest <= yield[i] ? elastic : plastic), 0.0);
    })
LOOP(
    yigit_linear, ARRAY(d, d); ARRAY(k, k); ARRAY(ratio, u[0]); MEMORY; EACH {
      double deepest = larger(memory[i], d[i]);
      memory[i] = deepest;
      if (d[i] >= deepest) {
        force[i] = k[i] * d[i];
        continue;
      }
      double root = cbrt(larger(1.0 - ratio[i] / sqrt(larger(deepest, 1e-300)), 0.0));
      double rest = deepest * root * root;
      force[i] = k[i] * deepest / (deepest - rest) * larger(d[i] - rest, 0.0);
    })
LOOP(jian, ARRAY(d, d); ARRAY(v, v); ARRAY(k, k); ARRAY(chi, chi); ARRAY(rate, u[0]); MEMORY;
     EACH force[i] = sqrt(d[i]) * (k[i] * d[i] - chi[i] * expm1(-memory[i] * rate[i]) * v[i]);)
LOOP(
    xiong, ARRAY(d, d); ARRAY(k, k); ARRAY(chi, chi); ARRAY(b1, u[0]); ARRAY(b2, u[1]); MEMORY; EACH {
      double p = d[i] * sqrt(d[i]), a = memory[i];
      force[i] = k[i] * larger(p + chi[i] * (b1[i] + b2[i] * a) * (p - a), 0.0);
    })
LOOP(
    lens, ARRAY(d, d); ARRAY(v, v); ARRAY(k, k); ARRAY(chi, chi); ARRAY(u0, u[0]); ARRAY(u1, u[1]); EACH {
      double x = d[i], r1 = u0[i], r2 = u1[i], sum = r1 + r2, difference = r1 - r2, s = sum - x;
      double volume = 0.26179938779914943654 * x * x * (s * s + 2.0 * s * sum - 3.0 * difference * difference) / s;
      double area = 0.78539816339744830962 * x * (2.0 * r1 - x) * (2.0 * r2 - x) * (2.0 * sum - x) / (s * s);
      force[i] = k[i] * volume + chi[i] * area * v[i];
    })

/* ---- line contacts ---- */

LOOP(
    line_log, ARRAY(d, d); ARRAY(v, v); ARRAY(chi, chi); ARRAY(slope, u[0]); ARRAY(scale, u[1]); ARRAY(length, u[2]);
    EACH {
      double excess = log(slope[i] * scale[i] / d[i]) - 1.0;
      double elastic = length[i] * d[i] / (slope[i] * scree_log_root_upper(excess));
      force[i] = elastic * (1.0 + chi[i] * v[i]);
    })
LOOP(line_liu, ARRAY(d, d); ARRAY(v, v); ARRAY(k, k); ARRAY(chi, chi); ARRAY(clearance, u[0]);
     EACH force[i] = k[i] * d[i] * sqrt(d[i] / (clearance[i] + d[i])) * (1.0 + chi[i] * v[i]);)
LOOP(
    line_persson, ARRAY(d, d); ARRAY(v, v); ARRAY(k, k); ARRAY(chi, chi); ARRAY(clearance, u[0]); EACH {
      double b2 = d[i] / (2.0 * clearance[i] + d[i]);
      double denominator = 2.0 - log1p(b2) - 2.0 * b2 * b2;
      double elastic = denominator > 0.0 ? k[i] * b2 * (b2 + 1.0) / denominator : NAN;
      force[i] = elastic * (1.0 + chi[i] * v[i]);
    })

/* ---- which law has which loop, at the exponents and parameters of the benchmark ---- */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define ROW(law, loop, kind) [SCREE_LAW_##law] = {loop, kind}

const HandLoop JOIN(hand_loops_, SCREE_ISA)[SCREE_LAW_COUNT] = {
    ROW(hooke, factor_linear, HAND_SQRT),
    ROW(hertz, factor_hertz, HAND_SQRT),
    ROW(hunt_crossley, factor_hertz, HAND_SQRT),
    ROW(herbert_mcwhannell, factor_hertz, HAND_SQRT),
    ROW(lee_wang, factor_hertz, HAND_SQRT),
    ROW(lankarani_nikravesh, factor_hertz, HAND_SQRT),
    ROW(gonthier, factor_hertz, HAND_SQRT),
    ROW(zhang_sharf, factor_hertz, HAND_SQRT),
    ROW(yu, factor_hertz, HAND_SQRT),
    ROW(zhiying_qishao, factor_hertz, HAND_SQRT),
    ROW(gharib_hurmuzlu, factor_hertz, HAND_SQRT),
    ROW(flores, factor_hertz, HAND_SQRT),
    ROW(hu_guo, factor_hertz, HAND_SQRT),
    ROW(zhang_2020, factor_hertz, HAND_SQRT),
    ROW(safaeifar_farshidianfar, factor_hertz, HAND_SQRT),
    ROW(ye_linear, factor_linear, HAND_SQRT),
    ROW(anagnostopoulos_simplified, factor_linear, HAND_SQRT),
    ROW(pant_wijeyewickrema_two_phase, factor_linear, HAND_SQRT),
    ROW(wang, factor_hertz, HAND_SQRT),
    ROW(wang_cubed, factor_hertz, HAND_SQRT),
    ROW(luo_nahon, factor_hertz, HAND_SQRT),
    ROW(kelvin_voigt, dashpot_linear, HAND_SQRT),
    ROW(anagnostopoulos, dashpot_linear, HAND_SQRT),
    ROW(goyal, dashpot_linear, HAND_SQRT),
    ROW(tsuji, dashpot_quarter, HAND_SQRT),
    ROW(power_law_tsuji, dashpot_quarter, HAND_SQRT),
    ROW(falcon, dashpot_quarter, HAND_SQRT),
    ROW(schaefer, dashpot_constant, HAND_SQRT),
    ROW(ristow, dashpot_constant, HAND_SQRT),
    ROW(lee_herrmann, dashpot_constant, HAND_SQRT),
    ROW(empirical_m1, dashpot_one, HAND_SQRT),
    ROW(bordbar_hyppanen, dashpot_065, HAND_LIBM),
    ROW(alizadeh, rate_power, HAND_SQRT),
    ROW(kuwabara_kono, dashpot_half, HAND_SQRT),
    ROW(brilliantov_1996, dashpot_half, HAND_SQRT),
    ROW(zheng, dashpot_half, HAND_SQRT),
    ROW(brilliantov_2015, dashpot_half, HAND_SQRT),
    ROW(hertz_sqrt_damping, dashpot_half, HAND_SQRT),
    ROW(jankowski_simple, approach_quarter, HAND_SQRT),
    ROW(jankowski_refined, approach_quarter, HAND_SQRT),
    ROW(jankowski_exact, approach_quarter, HAND_SQRT),
    ROW(pant_wijeyewickrema, approach_linear, HAND_SQRT),
    ROW(goldsmith_plastic, goldsmith, HAND_SQRT),
    ROW(hysteretic_linear, hysteretic, HAND_SQRT),
    ROW(thornton, thornton, HAND_LIBM),
    ROW(yigit, yigit, HAND_SQRT),
    ROW(yigit_linear, yigit_linear, HAND_LIBM),
    ROW(choi, floored, HAND_SQRT),
    ROW(jian, jian, HAND_LIBM),
    ROW(xiong, xiong, HAND_SQRT),
    ROW(roy_carretero, lens, HAND_SQRT),
    ROW(cyl_hertz, line_log, HAND_LIBM),
    ROW(cyl_johnson, line_log, HAND_LIBM),
    ROW(cyl_radzimovsky, line_log, HAND_LIBM),
    ROW(cyl_goldsmith, line_log, HAND_LIBM),
    ROW(cyl_dubowsky_freudenstein, line_log, HAND_LIBM),
    ROW(cyl_esdu_78035, line_log, HAND_LIBM),
    ROW(cyl_lankarani_nikravesh, factor_hertz, HAND_SQRT),
    ROW(cyl_liu, line_liu, HAND_SQRT),
    ROW(cyl_pereira, factor_power, HAND_LIBM),
    ROW(cyl_persson, line_persson, HAND_LIBM),
};
