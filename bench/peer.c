/* peer.c: CVODE as a user who knows it would set it up: memory reused from impact to impact, roots for the turning
 * point and the exit, a restart only where the law has a kink (the turning point of the plastic law). */
#include "peer.h"

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

/* State: x, w; in mapped variables X, w and the time, which is then no longer the independent variable. */
struct Peer {
  PeerForm form;
  PeerSetup setup;
  PeerCase problem;
  bool unloading; /* plastic law: x counts from the dent */
  SUNContext context;
  void *cvode;
  N_Vector y;
  SUNMatrix matrix;
  SUNLinearSolver linear;
  SUNNonlinearSolver nonlinear;
};

/* ---- right-hand sides ---- */

static inline double positive(double x) { return x > 0.0 ? x : 0.0; }

static inline double hertz_force(const Peer *p, double x, double w) {
  (void)p, (void)w;
  return x * sqrt(x);
}
static inline double hunt_crossley_force(const Peer *p, double x, double w) {
  return x * sqrt(x) * (1.0 + p->problem.c * w);
}
static inline double tsuji_force(const Peer *p, double x, double w) {
  double root = sqrt(x);
  return x * root + p->problem.c * sqrt(root) * w;
}
static inline double kuwabara_kono_force(const Peer *p, double x, double w) { return sqrt(x) * (x + p->problem.c * w); }
static inline double goldsmith_force(const Peer *p, double x, double w) {
  (void)w;
  if (p->unloading) x *= p->problem.c;
  return x * sqrt(x);
}
/* linear: needs no domain, and CVODE may step over the exit smoothly */
static inline double kelvin_voigt_force(const Peer *p, double x, double w) { return x + p->problem.c * w; }

/* With r = X the force times dt/ds = 4 X^3 is a polynomial. */
static inline double hertz_mapped(const Peer *p, double r, double w) {
  (void)p, (void)w;
  double r3 = r * r * r;
  return r3 * r3;
}
static inline double hunt_crossley_mapped(const Peer *p, double r, double w) {
  double r3 = r * r * r;
  return r3 * r3 * (1.0 + p->problem.c * w);
}
static inline double tsuji_mapped(const Peer *p, double r, double w) {
  double r2 = r * r;
  return r * (r2 * r2 * r + p->problem.c * w);
}
static inline double kuwabara_kono_mapped(const Peer *p, double r, double w) {
  double r2 = r * r;
  return r2 * (r2 * r2 + p->problem.c * w);
}
static inline double goldsmith_mapped(const Peer *p, double r, double w) {
  (void)w;
  double r3 = r * r * r, stiffer = p->problem.c * sqrt(p->problem.c);
  return (p->unloading ? stiffer : 1.0) * r3 * r3;
}

#define PLAIN(law, DOMAIN)                                                                                             \
  static int law##_rhs(realtype t, N_Vector y, N_Vector dy, void *peer) {                                              \
    (void)t;                                                                                                           \
    const realtype *s = N_VGetArrayPointer(y);                                                                         \
    realtype *ds = N_VGetArrayPointer(dy);                                                                             \
    ds[0] = s[1];                                                                                                      \
    ds[1] = -law##_force(peer, DOMAIN(s[0]), s[1]);                                                                    \
    return 0;                                                                                                          \
  }
#define MAPPED(law)                                                                                                    \
  static int law##_mapped_rhs(realtype t, N_Vector y, N_Vector dy, void *peer) {                                       \
    (void)t;                                                                                                           \
    const realtype *s = N_VGetArrayPointer(y);                                                                         \
    realtype *ds = N_VGetArrayPointer(dy);                                                                             \
    double stretch = 4.0 * s[0] * s[0] * s[0];                                                                         \
    ds[0] = s[1];                                                                                                      \
    ds[1] = -law##_mapped(peer, s[0], s[1]) * stretch;                                                                 \
    ds[2] = stretch;                                                                                                   \
    return 0;                                                                                                          \
  }
PLAIN(hertz, positive)
PLAIN(hunt_crossley, positive)
PLAIN(tsuji, positive)
PLAIN(kelvin_voigt, )
PLAIN(kuwabara_kono, positive)
PLAIN(goldsmith, positive)
MAPPED(hertz)
MAPPED(hunt_crossley)
MAPPED(tsuji)
MAPPED(kuwabara_kono)
MAPPED(goldsmith)

static CVRhsFn const plain_rhs[PEER_FORM_COUNT] = {hertz_rhs,        hunt_crossley_rhs, tsuji_rhs,
                                                   kelvin_voigt_rhs, kuwabara_kono_rhs, goldsmith_rhs};
/* the linear law's map is the identity */
static CVRhsFn const mapped_rhs[PEER_FORM_COUNT] = {
    hertz_mapped_rhs, hunt_crossley_mapped_rhs, tsuji_mapped_rhs, NULL, kuwabara_kono_mapped_rhs, goldsmith_mapped_rhs};

static int events(realtype t, N_Vector y, realtype *g, void *peer) {
  (void)t, (void)peer;
  const realtype *s = N_VGetArrayPointer(y);
  g[0] = s[1]; /* turning point */
  g[1] = s[0]; /* exit */
  return 0;
}

/* ---- set-up ---- */

static void silent(int code, const char *module, const char *function, char *message, void *data) {
  (void)code, (void)module, (void)function, (void)message, (void)data;
}

static bool is_mapped(const Peer *p) { return p->setup.mapped && mapped_rhs[p->form]; }

static void reset(Peer *p) {
  realtype *s = N_VGetArrayPointer(p->y);
  p->unloading = false;
  s[0] = 0.0;
  s[1] = 1.0;
  if (is_mapped(p)) s[2] = 0.0;
}

static bool attach_solver(Peer *p) {
  if (p->setup.method == PEER_ADAMS_FIXED_POINT) {
    p->nonlinear = SUNNonlinSol_FixedPoint(p->y, 0, p->context);
    return p->nonlinear && CVodeSetNonlinearSolver(p->cvode, p->nonlinear) == CV_SUCCESS;
  }
  sunindextype size = is_mapped(p) ? 3 : 2;
  p->matrix = SUNDenseMatrix(size, size, p->context);
  p->linear = SUNLinSol_Dense(p->y, p->matrix, p->context);
  return p->linear && CVodeSetLinearSolver(p->cvode, p->linear, p->matrix) == CV_SUCCESS;
}

Peer *peer_create(PeerForm form, PeerSetup setup) {
  int directions[2] = {-1, -1};
  Peer *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->form = form;
  p->setup = setup;
  if (SUNContext_Create(NULL, &p->context) != 0) return free(p), NULL;
  p->y = N_VNew_Serial(is_mapped(p) ? 3 : 2, p->context);
  p->cvode = CVodeCreate(setup.method == PEER_BDF_NEWTON ? CV_BDF : CV_ADAMS, p->context);
  reset(p);
  bool ok = CVodeInit(p->cvode, is_mapped(p) ? mapped_rhs[form] : plain_rhs[form], 0.0, p->y) == CV_SUCCESS;
  ok = ok && CVodeSStolerances(p->cvode, 1e-8, 1e-8) == CV_SUCCESS && attach_solver(p);
  ok = ok && CVodeSetUserData(p->cvode, p) == CV_SUCCESS && CVodeRootInit(p->cvode, 2, events) == CV_SUCCESS;
  ok = ok && CVodeSetRootDirection(p->cvode, directions) == CV_SUCCESS;
  CVodeSetNoInactiveRootWarn(p->cvode);
  CVodeSetErrHandlerFn(p->cvode, silent, NULL);
  CVodeSetMaxNumSteps(p->cvode, 1000000);
  if (ok) return p;
  peer_destroy(p);
  return NULL;
}

void peer_destroy(Peer *p) {
  if (!p) return;
  CVodeFree(&p->cvode);
  if (p->nonlinear) SUNNonlinSolFree(p->nonlinear);
  if (p->linear) SUNLinSolFree(p->linear);
  if (p->matrix) SUNMatDestroy(p->matrix);
  N_VDestroy(p->y);
  SUNContext_Free(&p->context);
  free(p);
}

void peer_set_tolerance(Peer *p, double tolerance) { CVodeSStolerances(p->cvode, tolerance, tolerance); }

const char *peer_setup_name(PeerSetup setup) {
  static const char *const names[PEER_METHOD_COUNT][2] = {
      [PEER_ADAMS_FIXED_POINT] = {"Adams", "Adams, mapped"},
      [PEER_ADAMS_NEWTON] = {"Adams, Newton", "Adams, Newton, mapped"},
      [PEER_BDF_NEWTON] = {"BDF", "BDF, mapped"},
  };
  return names[setup.method][setup.mapped];
}

/* ---- one impact ---- */

static long evaluations(const Peer *p) {
  long plain = 0, linear = 0;
  CVodeGetNumRhsEvals(p->cvode, &plain);
  if (p->linear) CVodeGetNumLinRhsEvals(p->cvode, &linear);
  return plain + linear;
}

/* The plastic law unloads along another curve: x now counts from the dent, and CVODE starts anew. */
static int turn_plastic(Peer *p, double t, PeerResult *r) {
  realtype *s = N_VGetArrayPointer(p->y);
  double left = r->max_overlap / p->problem.c;
  s[0] = is_mapped(p) ? sqrt(sqrt(left)) : left;
  s[1] = 0.0;
  p->unloading = true;
  r->evaluations += evaluations(p);
  return CVodeReInit(p->cvode, t, p->y);
}

bool peer_impact(Peer *p, const PeerCase *problem, PeerResult *r) {
  const realtype far = 50.0; /* contacts last 3 to 8 */
  realtype *s = N_VGetArrayPointer(p->y), t = 0.0;
  *r = (PeerResult){0};
  p->problem = *problem;
  reset(p);
  if (CVodeReInit(p->cvode, 0.0, p->y) != CV_SUCCESS) return false;
  for (;;) {
    int roots[2];
    if (CVode(p->cvode, far, p->y, &t, CV_NORMAL) != CV_ROOT_RETURN) return false;
    CVodeGetRootInfo(p->cvode, roots);
    if (roots[1]) break;
    double x = s[0];
    r->max_overlap = is_mapped(p) ? x * x * x * x : x;
    if (p->form == PEER_GOLDSMITH && turn_plastic(p, t, r) != CV_SUCCESS) return false;
  }
  r->restitution = -s[1];
  r->duration = is_mapped(p) ? s[2] : t;
  r->evaluations += evaluations(p);
  return true;
}
