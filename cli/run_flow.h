/* run_flow.h: grains that come and go in a run: flow.csv, warnings of streams that fall behind, the summary's part. */
#ifndef SCREE_CLI_RUN_FLOW_H
#define SCREE_CLI_RUN_FLOW_H

#include "io/scene.h"
#include "run_frames.h"

#include <jansson.h>

/* Names for the output: their own, or stream_0, outlet_1, ... Valid until the next call. */
const char *stream_name(const ScreeScene *scene, size_t stream);
const char *outlet_name(const ScreeScene *scene, size_t outlet);

/* What the line before showed: rates are over the interval in between. */
typedef struct FlowState {
  double time;
  double *mass; /* of each outlet, and of the sides of the domain at the end */
  bool *behind; /* of each stream: it was said */
  bool *leaks;  /* of each outlet: the same of grains that came another way than through its opening */
} FlowState;

/* As numbers: what a checkpoint keeps of it. The caller frees the bytes. */
Blob flow_pack(const FlowState *state, const ScreeScene *scene);
/* Leaves the state alone where the bytes are not its own. */
void flow_unpack(FlowState *state, const ScreeScene *scene, Blob bytes);

void flow_start(FlowState *state, const ScreeScene *scene, const ScreeWorld *world, double time);
void flow_end(FlowState *state);

void flow_heading(FILE *stream, const ScreeScene *scene);
void flow_line(FILE *stream, FlowState *state, const ScreeScene *scene, const ScreeWorld *world, const ScreeMeasure *m);
/* A line for each stream that has fallen behind since it was last asked, and for each outlet that the first grains
 * reached another way than through its opening; NULL where a stream is not written to. */
void flow_warn(FILE *text, FILE *terminal, FlowState *state, const ScreeScene *scene, const ScreeWorld *world);
/* A line for each outlet below an orifice, with its rate and, of a run that finished, Beverloo's where it holds, and
 * for each stream that brought less than it should have. */
void flow_print_end(const char *folder, const ScreeScene *scene, const ScreeWorld *world, bool finished);
/* On standard error: outlets that were reached in another way. */
void flow_warn_end(const char *verb, const ScreeScene *scene, const ScreeWorld *world);
/* inserted, removed and their masses, left_domain, outlets, streams */
void flow_json(json_t *object, const char *folder, const ScreeScene *scene, const ScreeWorld *world,
               const ScreeMeasure *m, bool finished);

#endif
