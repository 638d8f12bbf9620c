/* scene_write.c: a scene as it was understood, every default filled in. Numbers are in SI, with the digits that give
 * the same bits when they are read back. What was left out and has no default stays out. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* realpath */
#endif
#include "io/scene_keys.h"

#include "io/digits.h"
#include "io/grain_file.h"
#include "io/trajectory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Writer {
  FILE *stream;
  const ScreeScene *scene;
  bool first;  /* of a map in braces */
  bool beside; /* files lie beside the scene, under the names of copies */
} Writer;

static void write_flow(Writer *w, ScreeSectionId section, const void *target);

static void put_number(Writer *w, double value) { fputs(scree_digits_compact(value).text, w->stream); }

static void put_vector(Writer *w, const double *v) {
  for (int k = 0; k < 3; k++) {
    fputs(k ? ", " : "[", w->stream);
    put_number(w, v[k]);
  }
  fputc(']', w->stream);
}

static void put_text(Writer *w, const char *text) {
  fputc('"', w->stream);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', w->stream);
    fputc(*text, w->stream);
  }
  fputc('"', w->stream);
}

static void put_key(Writer *w, const char *name) {
  fprintf(w->stream, "%s%s: ", w->first ? "" : ", ", name);
  w->first = false;
}

/* ---- files ---- */

/* One of a scene's inputs: the mesh of a wall, or a group's file of grains; both NULL: there is none. */
typedef struct Input {
  const ScreeSceneWall *wall;
  const ScreeSceneFile *file;
} Input;

size_t scree_scene_inputs(const ScreeScene *s) { return s->walls.count + s->particles.count; }

static Input input_of(const ScreeScene *s, size_t i) {
  if (i < s->walls.count) {
    const ScreeSceneWall *wall = scree_scene_wall(s, i);
    return (Input){.wall = wall->mesh.file ? wall : NULL};
  }
  const ScreeSceneParticles *g = scree_scene_particles(s, i - s->walls.count);
  return (Input){.file = g->form == SCREE_KEY_particles_csv      ? &g->csv
                         : g->form == SCREE_KEY_particles_lammps ? &g->lammps
                                                                 : NULL};
}

/* kind_number_name, once: the name of a copy is its own. The end of a long name is kept, and with it what kind of file
 * it is. */
static void name_copy(const char *kind, size_t number, const char *file, char name[SCREE_SCENE_NAME]) {
  const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
  int prefix = snprintf(name, SCREE_SCENE_NAME, "%s_%zu_", kind, number);
  if (strncmp(base, name, (size_t)prefix) == 0) prefix = 0;
  if (strlen(base) > 120) base += strlen(base) - 120;
  while ((*base & 0xc0) == 0x80) base++; /* not within a letter of UTF-8 */
  snprintf(name + prefix, (size_t)(SCREE_SCENE_NAME - prefix), "%s", base);
  for (unsigned char *c = (unsigned char *)name; *c; c++)
    if (*c < 0x20 || *c == 0x7f) *c = '_';
}

bool scree_scene_copy_name(const ScreeScene *s, size_t i, char name[SCREE_SCENE_NAME]) {
  Input in = input_of(s, i);
  if (in.file) return name_copy("grains", i - s->walls.count, in.file->file, name), true;
  if (!in.wall) return false;
  for (size_t first = 0; first < i; first++) {
    const ScreeSceneMesh *other = &scree_scene_wall(s, first)->mesh;
    if (other->mesh && in.wall->mesh.mesh && other->triangles.content == in.wall->mesh.triangles.content)
      return scree_scene_copy_name(s, first, name);
  }
  return name_copy("mesh", i, in.wall->mesh.file, name), true;
}

char *scree_scene_copy_source(const ScreeScene *s, size_t i, uint64_t *content) {
  Input in = input_of(s, i);
  *content = in.wall && in.wall->mesh.mesh ? in.wall->mesh.triangles.content : 0;
  if (in.file) return scree_grain_file_path(s, in.file->file);
  return in.wall ? strdup(in.wall->mesh.file) : NULL;
}

/* ---- keys with a writer of their own ---- */

static void put_sizes(Writer *w, const ScreeSceneSizes *sizes) {
  if (sizes->form == 0)
    put_number(w, sizes->value);
  else
    write_flow(w, SCREE_SECTION_sizes, sizes);
}

static void put_velocity(Writer *w, const ScreeSceneVelocity *velocity) {
  if (isnan(velocity->random))
    put_vector(w, velocity->vector);
  else
    write_flow(w, SCREE_SECTION_velocity, velocity);
}

static void put_list(Writer *w, const ScreeArray *list) {
  for (size_t i = 0; i < list->count; i++) {
    fputs(i ? ",\n      " : "[\n      ", w->stream);
    write_flow(w, SCREE_SECTION_grain, (const ScreeSceneGrain *)list->at + i);
  }
  fputs("]", w->stream);
}

static void put_table(Writer *w, const ScreeArray *table) {
  const ScreeShare *row = table->at;
  for (size_t i = 0; i < table->count; i++) {
    fputs(i ? ", [" : "[[", w->stream);
    put_number(w, row[i].radius);
    fputs(", ", w->stream);
    put_number(w, row[i].share);
    fputc(']', w->stream);
  }
  fputc(']', w->stream);
}

static void put_law(Writer *w, ScreeLawId law) {
  fputs(law == SCREE_LAW_NONE ? "none" : scree_law_info(law)->name, w->stream);
}

static void put_motions(Writer *w, const ScreeSceneWall *wall) {
  for (size_t i = 0; i < wall->motions.count; i++) {
    fputs(i ? ", " : "[", w->stream);
    write_flow(w, SCREE_SECTION_motion, (const ScreeSceneMotion *)wall->motions.at + i);
  }
  fputc(']', w->stream);
  w->first = false;
}

static void put_waypoints(Writer *w, const ScreeSceneTable *table) {
  for (size_t i = 0; i < table->row.count; i++) {
    const ScreeWaypoint *p = (const ScreeWaypoint *)table->row.at + i;
    fputs(i ? ", [" : "[[", w->stream);
    put_number(w, p->time);
    fputs(", ", w->stream);
    if (table->turns)
      put_number(w, p->angle);
    else
      put_vector(w, p->shift);
    fputc(']', w->stream);
  }
  fputc(']', w->stream);
}

static void put_checkpoint(Writer *w, const ScreeSceneCheckpoint *c) {
  if (isinf(c->every))
    fputs("none", w->stream);
  else
    put_number(w, c->every);
  if (c->wall) fputs(" s wall", w->stream);
}

/* A mesh or a file of grains, by a name that holds wherever the scene is written to; `at`: what the key belongs to. */
static void put_file(Writer *w, const void *at) {
  for (size_t i = 0; i < scree_scene_inputs(w->scene); i++) {
    char name[SCREE_SCENE_NAME];
    const Input in = input_of(w->scene, i);
    if (at != in.wall && at != in.file) continue;
    char *path = scree_scene_copy_source(w->scene, i, &(uint64_t){0}), *full = path ? realpath(path, NULL) : NULL;
    bool copied = w->beside && scree_scene_copy_name(w->scene, i, name);
    put_text(w, copied ? name : full ? full : path ? path : "");
    free(full), free(path);
  }
}

static void put_words(Writer *w, const ScreeArray *words) {
  for (size_t i = 0; i < words->count; i++) {
    fputs(i ? ", " : "[", w->stream);
    put_text(w, ((char *const *)words->at)[i]);
  }
  fputc(']', w->stream);
}

/* Is there anything to write? */
static bool own_present(ScreeKeyId key, const void *target) {
  if (key == SCREE_KEY_particles_radius) {
    const ScreeSceneSizes *sizes = &((const ScreeSceneParticles *)target)->radius;
    return sizes->form != 0 || !isnan(sizes->value);
  }
  if (key == SCREE_KEY_csv_columns || key == SCREE_KEY_lammps_materials)
    return ((const ScreeSceneFile *)target)->words.count > 0;
  if (key == SCREE_KEY_cone_radius) return isnan(((const ScreeShape *)target)->angle);
  if (key == SCREE_KEY_wall_rotate) return ((const ScreeSceneWall *)target)->mesh.turned;
  if (key == SCREE_KEY_wall_motion) return ((const ScreeSceneWall *)target)->motions.count > 0;
  if (key == SCREE_KEY_outlet_through) return ((const ScreeSceneOutlet *)target)->through.form != 0;
  if (key == SCREE_KEY_waypoints_shifts) return !((const ScreeSceneTable *)target)->turns;
  if (key == SCREE_KEY_waypoints_angles) return ((const ScreeSceneTable *)target)->turns;
  return true;
}

static void put_own(Writer *w, ScreeKeyId key, const void *target) {
  static const char *const models[] = {"none", "constant", "viscous", "spring"};
  const ScreeSceneContact *contact = target;
  const ScreeSceneParticles *group = target;
  switch (key) {
  case SCREE_KEY_contact_normal: put_law(w, contact->def.normal); break;
  case SCREE_KEY_contact_tangential: put_law(w, contact->def.tangential); break;
  case SCREE_KEY_contact_rolling: write_flow(w, SCREE_SECTION_rolling, &contact->rolling); break;
  case SCREE_KEY_contact_regularisation: fputs(contact->regularisation ? "sqrt" : "tanh", w->stream); break;
  case SCREE_KEY_rolling_model: fputs(models[((const ScreeSceneRolling *)target)->model], w->stream); break;
  case SCREE_KEY_output_format: fputs(scree_format_name(((const ScreeSceneOutput *)target)->format), w->stream); break;
  case SCREE_KEY_checkpoint_every: put_checkpoint(w, target); break;
  case SCREE_KEY_particles_radius: put_sizes(w, &group->radius); break;
  case SCREE_KEY_particles_velocity: put_velocity(w, &group->velocity); break;
  case SCREE_KEY_particles_list: put_list(w, &group->list); break;
  case SCREE_KEY_wall_motion: put_motions(w, target); break;
  case SCREE_KEY_wall_mesh: put_file(w, target); break;
  case SCREE_KEY_outlet_through:
    write_flow(w, SCREE_SECTION_through, &((const ScreeSceneOutlet *)target)->through);
    break;
  case SCREE_KEY_through_mesh: put_text(w, ((const ScreeSceneThrough *)target)->mesh); break;
  case SCREE_KEY_wall_rotate:
    write_flow(w, SCREE_SECTION_rotate, &((const ScreeSceneWall *)target)->mesh.rotate);
    break;
  case SCREE_KEY_motion_velocity: put_vector(w, ((const ScreeSceneMotion *)target)->def.velocity); break;
  case SCREE_KEY_waypoints_shifts:
  case SCREE_KEY_waypoints_angles: put_waypoints(w, target); break;
  case SCREE_KEY_sizes_by: fputs(((const ScreeSceneSizes *)target)->by ? "mass" : "number", w->stream); break;
  case SCREE_KEY_domain_outside:
    fputs(((const ScreeSceneDomain *)target)->outside ? "remove" : "stop", w->stream);
    break;
  case SCREE_KEY_csv_columns:
  case SCREE_KEY_lammps_materials: put_words(w, &((const ScreeSceneFile *)target)->words); break;
  case SCREE_KEY_sizes_table: put_table(w, &((const ScreeSceneSizes *)target)->table); break;
  case SCREE_KEY_cone_radius:
    fputc('[', w->stream);
    put_number(w, ((const ScreeShape *)target)->radius);
    fputs(", ", w->stream);
    put_number(w, ((const ScreeShape *)target)->radius2);
    fputc(']', w->stream);
    break;
  default: break;
  }
}

/* ---- keys by kind ---- */

static bool present(ScreeKeyId id, const void *target) {
  const ScreeKey *key = &scree_keys[id];
  const void *member = (const char *)target + key->offset;
  long form = scree_sections[key->section].form;
  if (key->form) return *(const int *)((const char *)target + form) == (int)id;
  if (id == SCREE_KEY_wall_wear) return ((const ScreeSceneWall *)target)->mesh.file != NULL;
  /* a pipe touches from both sides: `inside` is not for it */
  if (id == SCREE_KEY_wall_cylinder_inside) return isnan(((const ScreeShape *)target)->from[0]);
  switch (key->kind) {
  case SCREE_KEY_NUMBER:
  case SCREE_KEY_VECTOR: return !isnan(*(const double *)member);
  case SCREE_KEY_WHOLE: return *(const int64_t *)member >= 0;
  case SCREE_KEY_TEXT: return *(char *const *)member != NULL;
  case SCREE_KEY_OWN: return own_present(id, target);
  case SCREE_KEY_LATER: return false;
  default: return true;
  }
}

static void put_value(Writer *w, ScreeKeyId id, const void *target) {
  const ScreeKey *key = &scree_keys[id];
  const void *member = (const char *)target + key->offset;
  const bool *flags = member;
  double number;
  switch (key->kind) {
  case SCREE_KEY_NUMBER:
  case SCREE_KEY_AUTO:
    memcpy(&number, member, sizeof number);
    if (isnan(number))
      fputs("auto", w->stream);
    else
      put_number(w, number);
    break;
  case SCREE_KEY_VECTOR: put_vector(w, member); break;
  case SCREE_KEY_FLAG: fputs(*flags ? "yes" : "no", w->stream); break;
  case SCREE_KEY_FLAGS:
    for (int k = 0; k < 3; k++) fprintf(w->stream, "%s%s", k ? ", " : "[", flags[k] ? "yes" : "no");
    fputc(']', w->stream);
    break;
  case SCREE_KEY_WHOLE: fprintf(w->stream, "%lld", (long long)*(const int64_t *)member); break;
  case SCREE_KEY_TEXT:
    if (id == SCREE_KEY_csv_file || id == SCREE_KEY_lammps_file)
      put_file(w, target);
    else
      put_text(w, *(char *const *)member);
    break;
  case SCREE_KEY_PART: write_flow(w, key->sub, member); break;
  case SCREE_KEY_OWN: put_own(w, id, target); break;
  default: break;
  }
}

/* {key: value, ...} */
static void write_flow(Writer *w, ScreeSectionId section, const void *target) {
  w->first = true;
  fputc('{', w->stream);
  for (int i = 0; i < SCREE_KEY_COUNT; i++) {
    if (scree_keys[i].section != section || !present((ScreeKeyId)i, target)) continue;
    put_key(w, scree_keys[i].name);
    put_value(w, (ScreeKeyId)i, target);
    w->first = false;
  }
  if (section != SCREE_SECTION_contact) fputc('}', w->stream);
}

/* ---- the scene ---- */

static void write_contact(Writer *w, const ScreeSceneContact *contact) {
  const ScreeScene *s = w->scene;
  if (contact->a < 0) {
    fputs("  default: ", w->stream);
  } else {
    fputs("  [", w->stream);
    put_text(w, scree_scene_material(s, (size_t)contact->a)->item.name);
    fputs(", ", w->stream);
    put_text(w, scree_scene_material(s, (size_t)contact->b)->item.name);
    fputs("]: ", w->stream);
  }
  ScreeSceneContact keys = *contact;
  bool viscous = scree_law_param(contact->def.normal, "mu"); /* then mu is no coefficient of friction */
  if (viscous) keys.def.pair.param[SCREE_PARAM_mu] = NAN;
  write_flow(w, SCREE_SECTION_contact, &keys);
  for (int i = 0; i < SCREE_PARAM_COUNT; i++) {
    if ((i == SCREE_PARAM_mu && !viscous) || isnan(contact->def.pair.param[i])) continue;
    put_key(w, scree_param_name((ScreeParamId)i));
    put_number(w, contact->def.pair.param[i]);
  }
  fputs("}\n", w->stream);
}

static void write_entries(Writer *w, const ScreeKey *key, const ScreeArray *array) {
  fprintf(w->stream, "%s:%s\n", key->name, array->count ? "" : " []");
  for (size_t i = 0; i < array->count; i++) {
    const void *item = (const char *)array->at + i * scree_sections[key->sub].size;
    if (key->kind == SCREE_KEY_NAMES) {
      fputs("  ", w->stream);
      put_text(w, ((const ScreeItem *)item)->name);
      fputs(": ", w->stream);
    } else {
      fputs("  - ", w->stream);
    }
    write_flow(w, key->sub, item);
    fputc('\n', w->stream);
  }
}

static void write_scene(Writer w);

void scree_scene_write(const ScreeScene *s, FILE *stream) { write_scene((Writer){.stream = stream, .scene = s}); }

void scree_scene_write_beside(const ScreeScene *s, FILE *stream) {
  write_scene((Writer){.stream = stream, .scene = s, .beside = true});
}

static void write_scene(Writer w) {
  const ScreeScene *s = w.scene;
  FILE *stream = w.stream;
  for (int i = 0; i < SCREE_KEY_COUNT && scree_keys[i].section == SCREE_SECTION_scene; i++) {
    const ScreeKey *key = &scree_keys[i];
    if (!present((ScreeKeyId)i, s)) continue;
    if (key->kind == SCREE_KEY_ITEMS || key->kind == SCREE_KEY_NAMES) {
      write_entries(&w, key, (const ScreeArray *)((const char *)s + key->offset));
    } else if (i == SCREE_KEY_scene_contacts) {
      fputs("contacts:\n", stream);
      for (size_t j = 0; j < s->contacts.count; j++) write_contact(&w, scree_scene_contact(s, j));
    } else {
      fprintf(stream, "%s: ", key->name);
      put_value(&w, (ScreeKeyId)i, s);
      fputc('\n', stream);
    }
  }
}
