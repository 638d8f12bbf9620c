/* scene_parts.c: conditions between the keys of a section, and the keys that need a reader of their own: shapes, groups
 * of grains, the run. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strdup */
#endif
#include "io/scene_reader.h"

#include "core/status.h"
#include "io/trajectory.h"
#include "io/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ScreeNode *value_of(const ScreeNode *map, const char *name) {
  const ScreeNode *node = scree_node_value(map, name, NULL);
  return node ? node : map;
}

/* ---- boxes and directions ---- */

static ScreeStatus check_corners(ScreeReader *r, const ScreeNode *map, const double *low, const double *high) {
  for (int k = 0; k < 3; k++)
    if (!(high[k] > low[k]))
      return scree_blame(r->fault, value_of(map, "high"), SCREE_INVALID,
                         "high must be above low on every axis (%c: %.10g ... %.10g m)", 'x' + k, low[k], high[k]);
  return SCREE_OK;
}

static double length(const double *v) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static ScreeStatus check_direction(ScreeReader *r, const ScreeNode *map, const char *name, const double *v) {
  double size = length(v);
  if (size > 0 && isfinite(size)) return SCREE_OK;
  return scree_blame(r->fault, value_of(map, name), SCREE_INVALID, "%s must be a direction, not [0, 0, 0]", name);
}

static ScreeStatus check_ends(ScreeReader *r, const ScreeNode *map, const double *from, const double *to) {
  double d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]}, size = length(d);
  if (size > 0 && isfinite(size)) return SCREE_OK;
  return scree_blame(r->fault, value_of(map, "to"), SCREE_INVALID, "from and to are the same point");
}

ScreeStatus scree_finish_domain(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  (void)given;
  ScreeSceneDomain *d = target;
  for (int k = 0; k < 3; k++)
    for (int end = 0; end < 2; end++) {
      double x = end ? d->high[k] : d->low[k];
      if (!(fabs(x) <= SCREE_FARTHEST))
        return scree_blame(r->fault, value_of(map, end ? "high" : "low"), SCREE_INVALID,
                           "the domain must lie within %.0e m of the origin (%c: %.10g m)", SCREE_FARTHEST, 'x' + k, x);
    }
  return check_corners(r, map, d->low, d->high);
}

ScreeStatus scree_read_domain_outside(ScreeReader *r, const ScreeNode *node, void *target) {
  return scree_read_word(r, node, "outside", "stop|remove", &((ScreeSceneDomain *)target)->outside);
}

ScreeStatus scree_finish_box(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  (void)given;
  ScreeShape *s = target;
  return check_corners(r, map, s->low, s->high);
}

ScreeStatus scree_finish_wall_box(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  return scree_finish_box(r, map, target, given);
}

ScreeStatus scree_finish_lattice(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  (void)given;
  ScreeLattice *l = target;
  return check_corners(r, map, l->low, l->high);
}

ScreeStatus scree_finish_plane(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  (void)given;
  return check_direction(r, map, "normal", ((ScreeShape *)target)->axis);
}

ScreeStatus scree_finish_cylinder(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  (void)given;
  ScreeShape *s = target;
  return check_ends(r, map, s->from, s->to);
}

ScreeStatus scree_finish_inlet_disc(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  return scree_finish_plane(r, map, target, given);
}

ScreeStatus scree_finish_beyond(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  return scree_finish_plane(r, map, target, given);
}

/* Of two ways to give a shape exactly one, and all of it. */
static ScreeStatus check_either(ScreeReader *r, const ScreeNode *map, const bool *first, const bool *second,
                                size_t count, const char *words) {
  bool any[2] = {false, false}, all[2] = {true, true};
  for (size_t i = 0; i < count; i++) {
    any[0] |= first[i], any[1] |= second[i];
    all[0] &= first[i], all[1] &= second[i];
  }
  if (any[0] != any[1] && (all[0] || all[1])) return SCREE_OK;
  return scree_blame(r->fault, map, SCREE_INVALID, "%s", words);
}

ScreeStatus scree_finish_wall_cylinder(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  ScreeShape *s = target;
  const bool pipe[] = {!isnan(s->from[0]), !isnan(s->to[0])}, endless[] = {!isnan(s->point[0]), !isnan(s->axis[0])};
  SCREE_TRY(check_either(r, map, pipe, endless, 2,
                         "a cylinder needs from and to (a pipe), or point and axis (endless), not some of both"));
  if (!pipe[0]) return check_direction(r, map, "axis", s->axis);
  if (scree_was_given(given, SCREE_KEY_wall_cylinder_inside))
    return scree_blame(r->fault, value_of(map, "inside"), SCREE_INVALID,
                       "a pipe is a shell that grains may touch from both sides: inside is for endless cylinders");
  return check_ends(r, map, s->from, s->to);
}

ScreeStatus scree_finish_cone(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  ScreeShape *s = target;
  const bool funnel[] = {!isnan(s->from[0]), !isnan(s->to[0]), scree_was_given(given, SCREE_KEY_cone_radius)},
             endless[] = {!isnan(s->point[0]), !isnan(s->axis[0]), !isnan(s->angle)};
  SCREE_TRY(
      check_either(r, map, funnel, endless, 3,
                   "a cone needs from, to and radius: [r1, r2] (a funnel), or apex, axis and angle (endless), not "
                   "some of both"));
  if (funnel[0]) return check_ends(r, map, s->from, s->to);
  if (!(s->angle < 1.5))
    return scree_blame(r->fault, value_of(map, "angle"), SCREE_INVALID,
                       "angle must be below 1.5 rad (86 degrees; got %.10g)", s->angle);
  return check_direction(r, map, "axis", s->axis);
}

ScreeStatus scree_read_cone_radius(ScreeReader *r, const ScreeNode *node, void *target) {
  ScreeShape *s = target;
  if (node->kind != SCREE_NODE_LIST || node->count != 2)
    return scree_blame(r->fault, node, SCREE_INVALID, "radius of a cone must be two numbers: [at from, at to]");
  SCREE_TRY(scree_read_number(r, &node->child[0], "radius", "m", ">= 0", &s->radius));
  SCREE_TRY(scree_read_number(r, &node->child[1], "radius", "m", ">= 0", &s->radius2));
  if (s->radius + s->radius2 > 0) return SCREE_OK;
  return scree_blame(r->fault, node, SCREE_INVALID, "the radii of a cone cannot both be zero");
}

ScreeStatus scree_finish_disc(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  (void)given;
  ScreeShape *s = target;
  if (!(s->hole < s->radius))
    return scree_blame(r->fault, value_of(map, "hole"), SCREE_INVALID,
                       "the hole must be smaller than the disc (%.10g and %.10g m)", s->hole, s->radius);
  return check_direction(r, map, "normal", s->axis);
}

/* ---- walls ---- */

/* Along the axis from one point to another. */
static void between(ScreeWallDef *def, const ScreeShape *s) {
  double d[3] = {s->to[0] - s->from[0], s->to[1] - s->from[1], s->to[2] - s->from[2]};
  def->length = length(d);
  memcpy(def->point, s->from, sizeof def->point);
  for (int k = 0; k < 3; k++) def->axis[k] = d[k] / def->length;
}

static void along(ScreeWallDef *def, const ScreeShape *s) {
  double size = length(s->axis);
  memcpy(def->point, s->point, sizeof def->point);
  for (int k = 0; k < 3; k++) def->axis[k] = s->axis[k] / size;
}

static void make_wall(const ScreeShape *s, ScreeWallDef *def) {
  *def = (ScreeWallDef){.radius = s->radius, .inside = s->inside};
  switch (s->form) {
  case SCREE_KEY_wall_plane:
    def->shape = SCREE_WALL_PLANE;
    def->radius = 0;
    along(def, s);
    break;
  case SCREE_KEY_wall_box:
    def->shape = SCREE_WALL_BOX;
    def->radius = 0;
    memcpy(def->low, s->low, sizeof def->low);
    memcpy(def->high, s->high, sizeof def->high);
    break;
  case SCREE_KEY_wall_cylinder:
    def->shape = SCREE_WALL_CYLINDER;
    (isnan(s->from[0]) ? along : between)(def, s);
    break;
  case SCREE_KEY_wall_cone:
    def->shape = SCREE_WALL_CONE;
    def->radius2 = s->radius2;
    def->angle = isnan(s->angle) ? 0 : s->angle;
    (isnan(s->from[0]) ? along : between)(def, s);
    break;
  case SCREE_KEY_wall_sphere:
    def->shape = SCREE_WALL_SPHERE;
    memcpy(def->point, s->point, sizeof def->point);
    break;
  case SCREE_KEY_wall_mesh: *def = (ScreeWallDef){.shape = SCREE_WALL_MESH}; break;
  default:
    def->shape = SCREE_WALL_DISC;
    def->radius2 = s->hole;
    along(def, s);
  }
}

ScreeStatus scree_finish_wall(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  (void)given;
  ScreeSceneWall *wall = target;
  make_wall(&wall->shape, &wall->def);
  wall->def.wear = wall->mesh.wear;
  SCREE_TRY(scree_check_wall_mesh(r, map, wall));
  return scree_check_wall_times(r, map, wall);
}

/* ---- radii ---- */

ScreeStatus scree_read_particles_radius(ScreeReader *r, const ScreeNode *node, void *target) {
  ScreeSceneSizes *sizes = &((ScreeSceneParticles *)target)->radius;
  sizes->value = NAN;
  if (node->kind == SCREE_NODE_MAP) return scree_read_section(r, node, SCREE_SECTION_sizes, sizes, false, NULL);
  return scree_read_number(r, node, "radius", "m", "> 0", &sizes->value);
}

ScreeStatus scree_finish_uniform(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  (void)given;
  ScreeSceneSizes *s = target;
  if (s->max >= s->min) return SCREE_OK;
  return scree_blame(r->fault, value_of(map, "max"), SCREE_INVALID, "max must not be below min (%.10g and %.10g m)",
                     s->max, s->min);
}

ScreeStatus scree_finish_normal(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  (void)given;
  ScreeSceneSizes *s = target;
  if (3 * s->sd < s->mean) return SCREE_OK;
  return scree_blame(r->fault, value_of(map, "sd"), SCREE_INVALID,
                     "sd must be below a third of the mean, %.6g m, or radii would be negative (a lognormal "
                     "distribution is never)",
                     s->mean / 3);
}

ScreeStatus scree_finish_lognormal(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  (void)given;
  ScreeSceneSizes *s = target;
  if (s->sd <= 2 * s->mean) return SCREE_OK;
  return scree_blame(r->fault, value_of(map, "sd"), SCREE_INVALID, "sd must not exceed twice the mean, %.6g m",
                     2 * s->mean);
}

ScreeStatus scree_read_sizes_by(ScreeReader *r, const ScreeNode *node, void *target) {
  return scree_read_word(r, node, "by", "number|mass", &((ScreeSceneSizes *)target)->by);
}

ScreeStatus scree_read_sizes_table(ScreeReader *r, const ScreeNode *node, void *target) {
  ScreeSceneSizes *sizes = target;
  if (node->kind != SCREE_NODE_LIST || node->count == 0)
    return scree_blame(r->fault, node, SCREE_INVALID, "table must be a list of [radius, share]");
  double total = 0;
  for (size_t i = 0; i < node->count; i++) {
    const ScreeNode *row = &node->child[i];
    if (row->kind != SCREE_NODE_LIST || row->count != 2)
      return scree_blame(r->fault, row, SCREE_INVALID, "a row of the table must be [radius, share]");
    ScreeShare *share = scree_array_add(r, &sizes->table, sizeof *share);
    if (!share) return SCREE_NO_MEMORY;
    SCREE_TRY(scree_read_number(r, &row->child[0], "radius", "m", "> 0", &share->radius));
    SCREE_TRY(scree_read_number(r, &row->child[1], "share", "1", ">= 0", &share->share));
    total += share->share;
  }
  if (total > 0 && isfinite(total)) return SCREE_OK;
  return scree_blame(r->fault, node, SCREE_INVALID, "the shares of the table must have a sum above 0");
}

/* ---- groups of grains ---- */

ScreeStatus scree_read_particles_velocity(ScreeReader *r, const ScreeNode *node, void *target) {
  ScreeSceneVelocity *velocity = &((ScreeSceneParticles *)target)->velocity;
  *velocity = (ScreeSceneVelocity){.random = NAN};
  if (node->kind == SCREE_NODE_MAP) return scree_read_section(r, node, SCREE_SECTION_velocity, velocity, false, NULL);
  return scree_read_vector(r, node, "velocity", "m/s", velocity->vector);
}

ScreeStatus scree_read_particles_list(ScreeReader *r, const ScreeNode *node, void *target) {
  ScreeSceneParticles *group = target;
  if (node->kind != SCREE_NODE_LIST || node->count == 0)
    return scree_blame(r->fault, node, SCREE_INVALID, "list must be a list of grains, like [{position: [0, 0, 1]}]");
  for (size_t i = 0; i < node->count; i++) {
    ScreeSceneGrain *grain = scree_array_add(r, &group->list, sizeof *grain);
    if (!grain) return SCREE_NO_MEMORY;
    SCREE_TRY(scree_preset_section(r, SCREE_SECTION_grain, grain));
    grain->item.node = &node->child[i];
    SCREE_TRY(scree_read_section(r, &node->child[i], SCREE_SECTION_grain, grain, false, NULL));
  }
  return SCREE_OK;
}

/* A list's grains have what the group gives wherever they have nothing of their own. */
static ScreeStatus complete_list(ScreeReader *r, ScreeSceneParticles *group) {
  for (size_t i = 0; i < group->list.count; i++) {
    ScreeSceneGrain *grain = (ScreeSceneGrain *)group->list.at + i;
    if (isnan(grain->radius)) grain->radius = group->radius.form == 0 ? group->radius.value : NAN;
    if (isnan(grain->radius))
      return scree_blame(r->fault, grain->item.node, SCREE_MISSING,
                         "this grain lacks a radius, and the group gives none");
    if (!isnan(grain->velocity[0]) && !isnan(group->velocity.random))
      return scree_blame(r->fault, value_of(grain->item.node, "velocity"), SCREE_INVALID,
                         "the group's velocities are random: a grain of it has none of its own");
    if (isnan(grain->velocity[0]) && isnan(group->velocity.random))
      memcpy(grain->velocity, group->velocity.vector, sizeof grain->velocity);
    if (isnan(grain->spin[0])) memcpy(grain->spin, group->spin, sizeof grain->spin);
  }
  return SCREE_OK;
}

/* ---- outlets and streams ---- */

ScreeStatus scree_finish_outlet(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  (void)given;
  ScreeSceneOutlet *o = target;
  int known = !isnan(o->orifice) + !isnan(o->bulk_density) + !isnan(o->grain_diameter);
  if (known != 0 && known != 3)
    return scree_blame(r->fault, map, SCREE_MISSING,
                       "Beverloo's law needs orifice, bulk_density and grain_diameter, all of them");
  if (known == 3 && !(o->orifice > 1.4 * o->grain_diameter))
    return scree_blame(r->fault, value_of(map, "orifice"), SCREE_OUT_OF_RANGE,
                       "nothing flows through an orifice of less than 1.4 grain diameters (%.6g m)",
                       1.4 * o->grain_diameter);
  return SCREE_OK;
}

ScreeStatus scree_finish_stream(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  (void)given;
  ScreeSceneStream *s = target;
  if (isnan(s->rate) == isnan(s->number_rate))
    return scree_blame(r->fault, map, isnan(s->rate) ? SCREE_MISSING : SCREE_INVALID,
                       "a stream needs rate (mass per time) or number_rate (grains per time), one of them");
  if (!isnan(s->until) && !(s->until > s->from))
    return scree_blame(r->fault, value_of(map, "until"), SCREE_INVALID, "until must be after from (%.6g and %.6g s)",
                       s->until, s->from);
  return SCREE_OK;
}

static ScreeStatus check_stream(ScreeReader *r, const ScreeNode *map, const ScreeSceneParticles *group) {
  if (!isnan(group->velocity.random))
    return scree_blame(r->fault, value_of(map, "velocity"), SCREE_INVALID,
                       "the grains of a stream come with one velocity: give a vector");
  if (group->fixed)
    return scree_blame(r->fault, value_of(map, "fixed"), SCREE_INVALID, "the grains of a stream move: leave out fixed");
  return SCREE_OK;
}

/* ---- files of grains ---- */

static ScreeStatus read_words(ScreeReader *r, const ScreeNode *node, const char *name, ScreeArray *words) {
  if (node->kind != SCREE_NODE_LIST || node->count == 0)
    return scree_blame(r->fault, node, SCREE_INVALID, "%s must be a list of words, like [x, y, z]", name);
  for (size_t i = 0; i < node->count; i++) {
    char **word = scree_array_add(r, words, sizeof *word);
    if (!word) return SCREE_NO_MEMORY;
    if (node->child[i].kind != SCREE_NODE_SCALAR || !*node->child[i].text)
      return scree_blame(r->fault, &node->child[i], SCREE_INVALID, "%s must be a list of words, like [x, y, z]", name);
    *word = strdup(node->child[i].text);
    if (!*word) return scree_blame(r->fault, node, SCREE_NO_MEMORY, "no memory for the scene");
  }
  return SCREE_OK;
}

ScreeStatus scree_read_csv_columns(ScreeReader *r, const ScreeNode *node, void *target) {
  return read_words(r, node, "columns", &((ScreeSceneFile *)target)->words);
}

ScreeStatus scree_read_lammps_materials(ScreeReader *r, const ScreeNode *node, void *target) {
  return read_words(r, node, "materials", &((ScreeSceneFile *)target)->words);
}

/* ---- groups ---- */

/* How many: keys that do not go with the form, or are missing. */
static ScreeStatus check_amount(ScreeReader *r, const ScreeNode *map, const ScreeSceneParticles *group) {
  bool fill = group->form == SCREE_KEY_particles_fill, stream = group->form == SCREE_KEY_particles_stream,
       lattice = group->form == SCREE_KEY_particles_lattice;
  const char *form = scree_keys[group->form].name;
  int amounts = (group->count >= 0) + !isnan(group->mass) + !isnan(group->fraction);
  if (group->count >= 0 && !fill && !lattice && !stream)
    return scree_blame(r->fault, value_of(map, "count"), SCREE_INVALID, "count does not go with a %s: the %s says it",
                       form, form);
  if (!isnan(group->mass) && !fill && !stream)
    return scree_blame(r->fault, value_of(map, "mass"), SCREE_INVALID,
                       "mass does not go with a %s: it is for fill and stream", form);
  if (!isnan(group->fraction) && !fill)
    return scree_blame(r->fault, value_of(map, "fraction"), SCREE_INVALID,
                       "fraction does not go with a %s: it is for fill", form);
  if (fill && amounts == 0)
    return scree_blame(r->fault, map, SCREE_MISSING,
                       "a fill lacks \"count\": how many grains (or \"mass\", or \"fraction\" of the volume)");
  if (fill && amounts > 1)
    return scree_blame(r->fault, map, SCREE_INVALID, "count, mass and fraction exclude each other");
  return SCREE_OK;
}

ScreeStatus scree_finish_particles(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  ScreeSceneParticles *group = target;
  bool sized = scree_was_given(given, SCREE_KEY_particles_radius);
  bool listed = group->form == SCREE_KEY_particles_list || group->form == SCREE_KEY_particles_csv ||
                group->form == SCREE_KEY_particles_lammps;
  if (!sized) group->radius.value = NAN;
  SCREE_TRY(check_amount(r, map, group));
  if (listed && group->radius.form != 0)
    return scree_blame(r->fault, value_of(map, "radius"), SCREE_INVALID,
                       "the grains of a %s have one radius, or each its own: no distribution",
                       scree_keys[group->form].name);
  if (group->form == SCREE_KEY_particles_list) return complete_list(r, group);
  if (group->form == SCREE_KEY_particles_lammps && sized)
    return scree_blame(r->fault, value_of(map, "radius"), SCREE_INVALID, "a LAMMPS data file has the diameters itself");
  if (listed) return SCREE_OK;
  if (!sized)
    return scree_blame(r->fault, map, SCREE_MISSING,
                       "a group of grains lacks \"radius\": one radius, or a distribution [m]");
  return group->form == SCREE_KEY_particles_stream ? check_stream(r, map, group) : SCREE_OK;
}

/* ---- the run ---- */

ScreeStatus scree_read_output_format(ScreeReader *r, const ScreeNode *node, void *target) {
  return scree_read_word(r, node, "format", scree_format_words(), &((ScreeSceneOutput *)target)->format);
}

/* "60 s wall": the number in front of the word. */
ScreeStatus scree_read_checkpoint_every(ScreeReader *r, const ScreeNode *node, void *target) {
  ScreeSceneCheckpoint *c = target;
  if (node->kind == SCREE_NODE_SCALAR && strcmp(node->text, "none") == 0)
    return *c = (ScreeSceneCheckpoint){.every = INFINITY}, SCREE_OK;
  static const char word[] = " wall";
  size_t length = node->kind == SCREE_NODE_SCALAR ? strlen(node->text) : 0, tail = sizeof word - 1;
  char number[SCREE_QUANTITY_MAX + 1];
  ScreeNode shorter = *node;
  bool wall = length > tail && length - tail < sizeof number && strcmp(node->text + length - tail, word) == 0;
  if (wall) {
    snprintf(number, sizeof number, "%.*s", (int)(length - tail), node->text);
    shorter.text = number;
  }
  SCREE_TRY(scree_read_number(r, &shorter, "every", "s", "> 0", &c->every));
  c->wall = wall;
  return SCREE_OK;
}

ScreeStatus scree_finish_run(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  (void)given;
  ScreeSceneRun *run = target;
  if (isnan(run->timestep) || run->timestep <= run->duration) return SCREE_OK;
  return scree_blame(r->fault, value_of(map, "timestep"), SCREE_INVALID,
                     "the time step is longer than the run (%.6g and %.6g s)", run->timestep, run->duration);
}
