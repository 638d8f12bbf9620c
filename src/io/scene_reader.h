/* scene_reader.h: what the files that read a scene share. */
#ifndef SCREE_SCENE_READER_H
#define SCREE_SCENE_READER_H

#include "io/scene_keys.h"

typedef struct ScreeReader {
  ScreeScene *scene;
  ScreeFault *fault;
} ScreeReader;

/* Reads the keys of a map into a section's struct, which has its presets. Bit i of *given: the section's i-th key was
 * given. stray: keys of other names are left to the caller instead of being refused. */
ScreeStatus scree_read_section(ScreeReader *r, const ScreeNode *map, ScreeSectionId section, void *target, bool stray,
                               uint64_t *given);
bool scree_was_given(uint64_t given, ScreeKeyId key);
/* Presets of a section's keys; what may be left out is NaN, NULL, -1. */
ScreeStatus scree_preset_section(ScreeReader *r, ScreeSectionId section, void *target);

/* Is a value within "> 0", ">= 0", "<= 2", "a ... b", or ""? */
bool scree_limit_holds(const char *limits, double value);
/* A number with a unit, within limits ("" for none). name: for the sentence. */
ScreeStatus scree_read_number(ScreeReader *r, const ScreeNode *node, const char *name, const char *unit,
                              const char *limits, double *value);
ScreeStatus scree_read_vector(ScreeReader *r, const ScreeNode *node, const char *name, const char *unit, double *value);
/* One of the words in "a|b|c", as its index. */
ScreeStatus scree_read_word(ScreeReader *r, const ScreeNode *node, const char *name, const char *words, int *index);
/* Refuses a word, offering those near it. `words`: count of them. */
ScreeStatus scree_unknown_word(ScreeReader *r, const ScreeNode *node, const char *what, const char *const *words,
                               size_t count);
/* A new zeroed element; NULL (with the fault set) when memory ran out. */
void *scree_array_add(ScreeReader *r, ScreeArray *array, size_t size);

/* OWN keys: one function each, which finds its place in the section's struct by itself. */
#define SECTION(...)
#define KEY(...)
#define PART(...)
#define FORM(...)
#define ITEMS(...)
#define NAMES(...)
#define OWN(section, name, ...)                                                                                        \
  ScreeStatus scree_read_##section##_##name(ScreeReader *r, const ScreeNode *node, void *target);
#define OWN_FORM OWN
#define LATER(...)
#include "scene_keys.def"

/* What a section must satisfy once its keys are read; sections without conditions have none. */
typedef ScreeStatus ScreeFinish(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given);
ScreeFinish scree_finish_domain, scree_finish_wall, scree_finish_plane, scree_finish_rotate, scree_finish_wall_box,
    scree_finish_wall_cylinder, scree_finish_cone, scree_finish_disc, scree_finish_box, scree_finish_cylinder,
    scree_finish_lattice, scree_finish_inlet_disc, scree_finish_beyond, scree_finish_outlet, scree_finish_stream,
    scree_finish_particles, scree_finish_uniform, scree_finish_normal, scree_finish_lognormal, scree_finish_run,
    scree_finish_motion, scree_finish_axis, scree_finish_waypoints, scree_finish_through, scree_finish_opening_disc,
    scree_finish_rectangle;
/* scene_motion.c */
ScreeStatus scree_check_wall_times(ScreeReader *r, const ScreeNode *map, const ScreeSceneWall *wall);

/* scene_mesh.c: keys of a mesh are for meshes. */
ScreeStatus scree_check_wall_mesh(ScreeReader *r, const ScreeNode *map, const ScreeSceneWall *wall);
/* scene_opening.c: the openings of outlets, once meshes are loaded. */
ScreeStatus scree_find_openings(ScreeScene *scene, ScreeFault *fault);
/* scene_contact.c: the contacts, once materials are known. */
ScreeStatus scree_read_contacts(ScreeReader *r);
/* scene_set.c: applies one `path=value` to the tree. */
ScreeStatus scree_scene_set(ScreeReader *r, const char *setting);
/* The index of a material, by the node that names it. */
ScreeStatus scree_find_material(ScreeReader *r, const ScreeNode *node, const char *name, int *id);

#endif
