/* peer.h: the same collision integrated by SUNDIALS CVODE, in scaled variables and with its own rootfinding. */
#ifndef SCREE_BENCH_PEER_H
#define SCREE_BENCH_PEER_H

#include <stdbool.h>

/* The laws the peer knows, each written out for it. Scaled: x = d/L, w = v/v0, time in L/v0, K L^(n+1) = m v0^2. */
typedef enum PeerForm {
  PEER_HERTZ,         /* x^1.5 */
  PEER_HUNT_CROSSLEY, /* x^1.5 (1 + c w) */
  PEER_TSUJI,         /* x^1.5 + c x^0.25 w */
  PEER_KELVIN_VOIGT,  /* x + c w */
  PEER_KUWABARA_KONO, /* x^1.5 + c x^0.5 w */
  PEER_GOLDSMITH,     /* x^1.5; unloading (c (x - dent))^1.5, dent = (1 - 1/c) x_max */
  PEER_FORM_COUNT
} PeerForm;

typedef struct PeerCase {
  PeerForm form;
  double c;
} PeerCase;

typedef enum PeerMethod { PEER_ADAMS_FIXED_POINT, PEER_ADAMS_NEWTON, PEER_BDF_NEWTON, PEER_METHOD_COUNT } PeerMethod;

/* How CVODE is set up. In mapped variables x = X^4 (X^1 for the linear law) the right-hand sides are polynomials: the
 * change of variables that scree's own integrator makes, lent to the peer to see what the rest is worth. */
typedef struct PeerSetup {
  PeerMethod method;
  bool mapped;
} PeerSetup;

typedef struct PeerResult {
  double restitution, max_overlap, duration; /* scaled */
  long evaluations;
} PeerResult;

typedef struct Peer Peer;

/* NULL when out of memory. */
Peer *peer_create(PeerForm form, PeerSetup setup);
void peer_destroy(Peer *peer);
void peer_set_tolerance(Peer *peer, double tolerance);
/* False when CVODE gave up. */
bool peer_impact(Peer *peer, const PeerCase *problem, PeerResult *result);
const char *peer_setup_name(PeerSetup setup);

#endif
