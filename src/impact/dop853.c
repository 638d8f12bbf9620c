/* dop853.c: one step of the explicit Runge-Kutta pair of order 8(5,3) of Dormand & Prince as given by Hairer, Norsett &
 * Wanner (Solving Ordinary Differential Equations I, II.5), for small autonomous systems. */
#include "dop853.h"

#include <math.h>

enum { STAGES = 12 };

/* a[i-1][j]: weight of stage j in the argument of stage i. */
static const double a[STAGES - 1][STAGES - 1] = {
    {5.26001519587677318785587544488e-2},
    {1.97250569845378994544595329183e-2, 5.91751709536136983633785987549e-2},
    {2.95875854768068491816892993775e-2, 0.0, 8.87627564304205475450678981324e-2},
    {2.41365134159266685502369798665e-1, 0.0, -8.84549479328286085344864962717e-1, 9.24834003261792003115737966543e-1},
    {3.7037037037037037037037037037e-2, 0.0, 0.0, 1.70828608729473871279604482173e-1,
     1.25467687566822425016691814123e-1},
    {3.7109375e-2, 0.0, 0.0, 1.70252211019544039314978060272e-1, 6.02165389804559606850219397283e-2, -1.7578125e-2},
    {3.70920001185047927108779319836e-2, 0.0, 0.0, 1.70383925712239993810214054705e-1,
     1.07262030446373284651809199168e-1, -1.53194377486244017527936158236e-2, 8.27378916381402288758473766002e-3},
    {6.24110958716075717114429577812e-1, 0.0, 0.0, -3.36089262944694129406857109825,
     -8.68219346841726006818189891453e-1, 2.75920996994467083049415600797e1, 2.01540675504778934086186788979e1,
     -4.34898841810699588477366255144e1},
    {4.77662536438264365890433908527e-1, 0.0, 0.0, -2.48811461997166764192642586468,
     -5.90290826836842996371446475743e-1, 2.12300514481811942347288949897e1, 1.52792336328824235832596922938e1,
     -3.32882109689848629194453265587e1, -2.03312017085086261358222928593e-2},
    {-9.3714243008598732571704021658e-1, 0.0, 0.0, 5.18637242884406370830023853209, 1.09143734899672957818500254654,
     -8.14978701074692612513997267357, -1.85200656599969598641566180701e1, 2.27394870993505042818970056734e1,
     2.49360555267965238987089396762, -3.0467644718982195003823669022},
    {2.27331014751653820792359768449, 0.0, 0.0, -1.05344954667372501984066689879e1, -2.00087205822486249909675718444,
     -1.79589318631187989172765950534e1, 2.79488845294199600508499808837e1, -2.85899827713502369474065508674,
     -8.87285693353062954433549289258, 1.23605671757943030647266201528e1, 6.43392746015763530355970484046e-1},
};

static const double b[STAGES] = {5.42937341165687622380535766363e-2,
                                 0.0,
                                 0.0,
                                 0.0,
                                 0.0,
                                 4.45031289275240888144113950566,
                                 1.89151789931450038304281599044,
                                 -5.8012039600105847814672114227,
                                 3.1116436695781989440891606237e-1,
                                 -1.52160949662516078556178806805e-1,
                                 2.01365400804030348374776537501e-1,
                                 4.47106157277725905176885569043e-2};

/* Embedded formulas: b - b_hat of order 5, and the three weights of the formula of order 3. */
static const double e5[STAGES] = {0.1312004499419488073250102996e-1,
                                  0.0,
                                  0.0,
                                  0.0,
                                  0.0,
                                  -0.1225156446376204440720569753e+1,
                                  -0.4957589496572501915214079952,
                                  0.1664377182454986536961530415e+1,
                                  -0.3503288487499736816886487290,
                                  0.3341791187130174790297318841,
                                  0.8192320648511571246570742613e-1,
                                  -0.2235530786388629525884427845e-1};
static const double b3_first = 0.244094488188976377952755905512, b3_ninth = 0.733846688281611857341361741547,
                    b3_last = 0.220588235294117647058823529412e-1;

/* Hairer's combination of both estimates, scaled so that 1 is the tolerance. third: the increment less the formula of
 * order 3; fifth: the sum with e5. */
static double error_norm(const ScreeOde *ode, const double *y, const double *next, const double *fifth,
                         const double *third, double h) {
  double sum5 = 0.0, sum3 = 0.0;
  for (int i = 0; i < ode->size; i++) {
    double scale = 1.0 / (ode->tolerance * (ode->floor[i] + fmax(fabs(y[i]), fabs(next[i]))));
    sum5 += (fifth[i] * scale) * (fifth[i] * scale);
    sum3 += (third[i] * scale) * (third[i] * scale);
  }
  double both = sum5 + 0.01 * sum3;
  return both > 0.0 ? fabs(h) * sum5 / sqrt(both * ode->size) : (both == 0.0 ? 0.0 : NAN);
}

/* The step for states of a fixed width, unrolled, so that zero weights vanish and the sums over stages run in vector
 * registers; components beyond the system's size are carried along as zeros. */
static inline __attribute__((always_inline)) double step(ScreeOde *ode, const double *y, const double *slope, double h,
                                                         double *next, int width) {
  double k[STAGES][SCREE_ODE_MAX];
  double at[SCREE_ODE_MAX], sum[SCREE_ODE_MAX] = {0.0}, fifth[SCREE_ODE_MAX], third[SCREE_ODE_MAX];
  for (int i = 0; i < width; i++) k[0][i] = slope[i];
#pragma GCC unroll 12
  for (int s = 1; s < STAGES; s++) {
    for (int i = 0; i < width; i++) sum[i] = 0.0;
#pragma GCC unroll 12
    for (int j = 0; j < s; j++)
      if (a[s - 1][j] != 0.0)
        for (int i = 0; i < width; i++) sum[i] += a[s - 1][j] * k[j][i];
    for (int i = 0; i < width; i++) {
      at[i] = y[i] + h * sum[i];
      k[s][i] = 0.0;
    }
    ode->slope(at, k[s], ode->context);
  }
  ode->evaluations += STAGES - 1;
  for (int i = 0; i < width; i++) sum[i] = fifth[i] = 0.0;
#pragma GCC unroll 12
  for (int s = 0; s < STAGES; s++)
    if (b[s] != 0.0)
      for (int i = 0; i < width; i++) {
        sum[i] += b[s] * k[s][i];
        fifth[i] += e5[s] * k[s][i];
      }
  for (int i = 0; i < width; i++) third[i] = sum[i] - (b3_first * k[0][i] + b3_ninth * k[8][i] + b3_last * k[11][i]);
  for (int i = 0; i < SCREE_ODE_MAX; i++) next[i] = i < width ? y[i] + h * sum[i] : 0.0;
  return error_norm(ode, y, next, fifth, third, h);
}

double scree_ode_step(ScreeOde *ode, const double *y, const double *slope, double h, double *next) {
  return ode->size <= 4 ? step(ode, y, slope, h, next, 4) : step(ode, y, slope, h, next, SCREE_ODE_MAX);
}
