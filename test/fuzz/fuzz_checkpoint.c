/* Checkpoints and states that were damaged on purpose: refused with a sentence, or a world that can be stepped,
 * measured and saved. The first byte chooses:
 *
 *     even    the rest are the bytes of a checkpoint file
 *     odd     the rest are changes to a good state: place (2 bytes, in words of 8), kind, value; so every part of it is
 *             reached behind the header, whatever the format is; the checksum at its end is then that of the changed
 *             bytes, unless it is the place of a change
 */
#include "core/checksum.h"
#include "io/checkpoint.h"

#include "bytes.h"

static void *good;
static size_t good_size;

static void must(ScreeStatus status) {
  if (status == SCREE_OK) return;
  fprintf(stderr, "broken promise: %s\n", scree_last_error());
  abort();
}

/* Two materials, a law with memory, rolling springs, a wall that stands, one under a load, a stream, an outlet. */
static ScreeWorld *define(void) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default(), other = contact;
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}},
               lid = {.shape = SCREE_WALL_PLANE, .point = {0, 0, 0.9}, .axis = {0, 0, -1}};
  ScreeMotionDef servo = scree_motion_def_default(SCREE_MOTION_SERVO);
  ScreeStreamDef stream = scree_stream_def_default();
  ScreeRegion outlet = {.shape = SCREE_REGION_SPHERE, .point = {0.9, 0.9, 0.1}, .radius = 0.2};
  ScreeOpeningDef opening = scree_opening_def_default();
  ScreeWorld *w = NULL;
  int id;
  def.periodic[0] = true;
  other.normal = SCREE_LAW_thornton;
  other.pair.param[SCREE_PARAM_sigma_y] = 1e5;
  other.rolling_model = SCREE_ROLLING_SPRING;
  other.rolling = 0.1;
  servo.axis[2] = -1.0, servo.load = 10.0;
  stream.region = (ScreeRegion){.shape = SCREE_REGION_BOX, .low = {0.2, 0.2, 0.5}, .high = {0.8, 0.8, 0.8}};
  stream.number_rate = 1e4;
  stream.sizes = (ScreeSizes){.kind = SCREE_SIZES_ONE, .mean = 0.05};
  must(scree_world_create(&def, &w));
  must(scree_world_add_material(w, (ScreeMaterial){1e7, 0.3, 2000.0}, &id));
  must(scree_world_add_material(w, (ScreeMaterial){2e7, 0.2, 3000.0}, &id));
  must(scree_world_set_contact(w, -1, -1, &contact));
  must(scree_world_set_contact(w, 0, 1, &other));
  must(scree_world_add_wall(w, &floor, NULL));
  must(scree_world_add_wall(w, &lid, &id));
  must(scree_world_move_wall(w, id, &servo));
  must(scree_world_add_stream(w, &stream, NULL));
  opening.point[2] = 0.3, opening.radius = 0.4, opening.normal[2] = 1.0, opening.towards[2] = -1.0;
  must(scree_world_add_outlet(w, &outlet, NULL));
  must(scree_world_set_opening(w, 0, &opening));
  return w;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc, (void)argv;
  ScreeWorld *w = define();
  ScreeGrain g[8];
  for (int i = 0; i < 8; i++)
    g[i] = (ScreeGrain){.id = (uint64_t)i + 1,
                        .position = {0.3 + 0.099 * (i % 2), 0.3 + 0.099 * (i / 2 % 2), 0.05 + 0.0995 * (i / 4)},
                        .velocity = {0, 0.1, -0.2},
                        .spin = {1, 2, 3},
                        .radius = 0.05,
                        .material = i % 2,
                        .fixed = i == 7};
  must(scree_world_add_grains(w, 8, g));
  must(scree_world_start(w));
  must(scree_world_step(w, 70));
  must(scree_world_save(w, &good, &good_size));
  scree_world_destroy(w);
  return 0;
}

static void explained(ScreeStatus status) {
  if (status == SCREE_OK || strlen(scree_last_error()) > 8) return;
  fprintf(stderr, "broken promise: status %s without a sentence\n", scree_status_name(status));
  abort();
}

static void try_state(const void *state, size_t size) {
  ScreeWorld *w = define();
  ScreeMeasure m;
  void *data = NULL;
  ScreeStatus status = scree_world_restore(w, state, size);
  explained(status);
  if (status == SCREE_OK) {
    must(scree_world_measure(w, &m));
    explained(scree_world_step(w, 40));
    explained(scree_world_measure(w, &m));
    explained(scree_world_save(w, &data, &size));
    scree_world_hash(w);
  } else { /* it is as it was */
    must(scree_world_restore(w, good, good_size));
    must(scree_world_step(w, 2));
  }
  free(data);
  scree_world_destroy(w);
}

static void try_file(const uint8_t *bytes, size_t size) {
  void *data = malloc(size + 1);
  ScreeCheckpoint c;
  if (size) memcpy(data, bytes, size);
  ScreeStatus status = scree_checkpoint_unpack(data, size, &c);
  explained(status);
  if (status == SCREE_OK) try_state(c.state, c.state_size);
  scree_checkpoint_free(&c);
}

/* As scree_world_save would have ended it. */
static void seal(unsigned char *state, size_t size) {
  uint64_t sum = scree_checksum(SCREE_CHECKSUM_START, state, size - 8);
  memcpy(state + size - 8, &sum, 8);
}

/* The value: bits that flip, a word of its own, a double that a run might hold, or a small integer. */
static void change(Bytes *b, unsigned char *state, size_t words) {
  size_t place = (size_t)take_bits(b, 2) % words;
  uint8_t kind = take_byte(b) % 4;
  uint64_t word;
  double number;
  memcpy(&word, state + 8 * place, 8);
  if (kind == 0) word ^= (uint64_t)1 << take_byte(b) % 64;
  if (kind == 1) word = take_bits(b, 8);
  if (kind == 2) number = take_number(b, 0.0, 1e-12, 1e12), memcpy(&word, &number, 8);
  if (kind == 3) word = (uint64_t)(int64_t)(int8_t)take_byte(b);
  memcpy(state + 8 * place, &word, 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Bytes b = {data, size};
  if (take_byte(&b) % 2 == 0) {
    try_file(b.at, b.left);
    return 0;
  }
  unsigned char *state = malloc(good_size + 8);
  size_t length = good_size;
  memcpy(state, good, good_size);
  memset(state + good_size, 0, 8);
  for (int i = 0; i < 8 && b.left > 2; i++) change(&b, state, good_size / 8);
  if (b.left) length = (size_t)((int64_t)good_size + (int8_t)take_byte(&b) % 9);
  if (memcmp(state + good_size - 8, (char *)good + good_size - 8, 8) == 0) seal(state, length);
  try_state(state, length);
  free(state);
  return 0;
}
