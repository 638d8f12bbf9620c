/* Any text as a file of grains: the first byte says which kind. It is understood, and every grain has numbers that make
 * sense, or it is refused with one sentence at a place of the file. */
#include "io/grain_file.h"

#include "bytes.h"

#include <math.h>

static void fail(const char *promise, const char *more) {
  fprintf(stderr, "broken promise: %s: %s\n", promise, more);
  abort();
}

static const char scene_text[] =
    "scree: 1\nmaterials:\n  glass: {young: 1e7, poisson: 0.2, density: 2500}\n  steel: {young: 1e7, poisson: 0.3, "
    "density: "
    "7850}\ndomain: {low: [0, 0, 0], high: [1, 1, 1]}\nparticles:\n"
    "  - {csv: {file: a.csv, length: 1 mm}, radius: 1 mm, material: glass}\n"
    "  - {csv: {file: a.csv, columns: [x, skip, y, z, material]}, radius: 1 mm, material: glass}\n"
    "  - {lammps: {file: a.data, materials: [glass, steel]}, material: glass}\n"
    "  - {lammps: {file: a.data}, material: glass}\nrun: {duration: 1}\n";

static void check_fault(const ScreeFault *f) {
  if (strlen(f->sentence) < 8) fail("a failure has a sentence", f->sentence);
  for (const char *c = f->sentence; *c; c++)
    if ((unsigned char)*c < 0x20) fail("a sentence is one printable line", f->sentence);
  if (!*f->where || f->line < 1 || f->column < 1) fail("a failure has a place", f->sentence);
}

static void check_grains(const ScreeGrainFile *file) {
  if (file->count == 0) fail("a file that is understood has grains", "");
  for (size_t i = 0; i < file->count; i++) {
    const ScreeGrain *g = &file->grain[i].grain;
    bool fine = g->radius > 0 && g->material >= 0 && g->material < 2 && file->grain[i].end <= file->source->length;
    for (int k = 0; k < 3; k++) fine = fine && !isnan(g->position[k]) && !isnan(g->velocity[k]) && !isnan(g->spin[k]);
    if (!fine) fail("a grain's numbers make sense", "");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static ScreeScene *scene;
  ScreeFault fault = {0};
  if (!scene && scree_scene_read_text("scene", scene_text, sizeof scene_text - 1, NULL, 0, &scene, &fault) != SCREE_OK)
    fail("the scene is right", fault.sentence);
  if (size == 0) return 0;
  ScreeGrainFile file = {.source = scree_source_new("grains", (const char *)data + 1, size - 1, false)};
  if (!file.source) return 0;
  if (scree_grain_file_parse(scene, scree_scene_particles(scene, data[0] % 4), &file, &fault) == SCREE_OK)
    check_grains(&file);
  else
    check_fault(&fault);
  scree_grain_file_free(&file);
  return 0;
}
