/* scene_motion.c: motions of walls, and the times at which walls come and go. */
#include "io/scene_reader.h"

#include "core/status.h"
#include "io/digits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ScreeNode *value_of(const ScreeNode *map, const char *name) {
  const ScreeNode *node = scree_node_value(map, name, NULL);
  return node ? node : map;
}

/* ---- reading ---- */

static ScreeStatus read_motion(ScreeReader *r, const ScreeNode *node, ScreeSceneWall *wall) {
  ScreeSceneMotion *motion = scree_array_add(r, &wall->motions, sizeof *motion);
  if (!motion) return SCREE_NO_MEMORY;
  SCREE_TRY(scree_preset_section(r, SCREE_SECTION_motion, motion));
  motion->item.node = node;
  return scree_read_section(r, node, SCREE_SECTION_motion, motion, false, NULL);
}

ScreeStatus scree_read_wall_motion(ScreeReader *r, const ScreeNode *node, void *target) {
  if (node->kind != SCREE_NODE_LIST) return read_motion(r, node, target);
  for (size_t i = 0; i < node->count; i++) SCREE_TRY(read_motion(r, &node->child[i], target));
  return SCREE_OK;
}

ScreeStatus scree_read_motion_velocity(ScreeReader *r, const ScreeNode *node, void *target) {
  return scree_read_vector(r, node, "velocity", "m/s", ((ScreeSceneMotion *)target)->def.velocity);
}

static ScreeStatus read_rows(ScreeReader *r, const ScreeNode *node, ScreeSceneTable *table, const char *name) {
  if (node->kind != SCREE_NODE_LIST || node->count < 2)
    return scree_blame(r->fault, node, SCREE_INVALID, "%s must be a list of two at least, each [time, %s]", name,
                       table->turns ? "angle" : "[x, y, z]");
  for (size_t i = 0; i < node->count; i++) {
    const ScreeNode *row = &node->child[i];
    if (row->kind != SCREE_NODE_LIST || row->count != 2)
      return scree_blame(r->fault, row, SCREE_INVALID, "a row of %s must be [time, %s]", name,
                         table->turns ? "angle" : "[x, y, z]");
    ScreeWaypoint *point = scree_array_add(r, &table->row, sizeof *point);
    if (!point) return SCREE_NO_MEMORY;
    SCREE_TRY(scree_read_number(r, &row->child[0], "time", "s", ">= 0", &point->time));
    if (i > 0 && !(point->time > point[-1].time))
      return scree_blame(r->fault, &row->child[0], SCREE_INVALID, "times must ascend: %.10g s comes after %.10g s",
                         point->time, point[-1].time);
    SCREE_TRY(table->turns ? scree_read_number(r, &row->child[1], "angle", "rad", "", &point->angle)
                           : scree_read_vector(r, &row->child[1], "displacement", "m", point->shift));
    if (i == 0 && (point->angle != 0 || point->shift[0] != 0 || point->shift[1] != 0 || point->shift[2] != 0))
      return scree_blame(r->fault, &row->child[1], SCREE_INVALID,
                         "the first row must be zero: the wall begins where it is");
  }
  return SCREE_OK;
}

static ScreeStatus read_table(ScreeReader *r, const ScreeNode *node, ScreeSceneTable *table, bool turns) {
  if (table->row.count > 0)
    return scree_blame(r->fault, node, SCREE_INVALID, "shifts and angles exclude each other: make two motions of them");
  table->turns = turns;
  return read_rows(r, node, table, turns ? "angles" : "shifts");
}

ScreeStatus scree_read_waypoints_shifts(ScreeReader *r, const ScreeNode *node, void *target) {
  return read_table(r, node, target, false);
}

ScreeStatus scree_read_waypoints_angles(ScreeReader *r, const ScreeNode *node, void *target) {
  return read_table(r, node, target, true);
}

/* ---- conditions ---- */

static ScreeStatus check_axis(ScreeReader *r, const ScreeNode *map, const double *axis) {
  if (axis[0] != 0 || axis[1] != 0 || axis[2] != 0) return SCREE_OK;
  return scree_blame(r->fault, value_of(map, "axis"), SCREE_INVALID, "axis must be a direction, not [0, 0, 0]");
}

ScreeStatus scree_finish_axis(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  (void)given;
  return check_axis(r, map, ((ScreeMotionDef *)target)->axis);
}

ScreeStatus scree_finish_waypoints(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  (void)given;
  ScreeSceneTable *table = target;
  if (table->row.count == 0)
    return scree_blame(r->fault, map, SCREE_MISSING, "waypoints lack \"shifts\" or \"angles\": the table");
  if (!table->turns) return SCREE_OK;
  if (isnan(table->axis[0])) return scree_blame(r->fault, map, SCREE_MISSING, "angles need an axis: [x, y, z]");
  return check_axis(r, map, table->axis);
}

static ScreeMotionKind kind_of(int form) {
  switch (form) {
  case SCREE_KEY_motion_rotation: return SCREE_MOTION_ROTATION;
  case SCREE_KEY_motion_oscillation:
  case SCREE_KEY_motion_rocking: return SCREE_MOTION_OSCILLATION;
  case SCREE_KEY_motion_waypoints: return SCREE_MOTION_WAYPOINTS;
  case SCREE_KEY_motion_servo: return SCREE_MOTION_SERVO;
  case SCREE_KEY_motion_torque_servo: return SCREE_MOTION_TURN_SERVO;
  default: return SCREE_MOTION_LINEAR;
  }
}

ScreeStatus scree_finish_motion(ScreeReader *r, const ScreeNode *map, void *target, uint64_t given) {
  (void)given;
  ScreeSceneMotion *m = target;
  ScreeMotionDef *d = &m->def;
  d->kind = kind_of(m->form);
  d->stop = isnan(m->stop) ? INFINITY : m->stop;
  if (!(d->stop > d->start))
    return scree_blame(r->fault, value_of(map, "stop"), SCREE_INVALID,
                       "a motion must stop after it starts (%.10g and %.10g s)", d->stop, d->start);
  if (!(2 * d->ramp <= d->stop - d->start))
    return scree_blame(r->fault, value_of(map, "ramp"), SCREE_INVALID,
                       "the ramp must fit twice between start and stop: at most %.10g s", 0.5 * (d->stop - d->start));
  if (d->kind >= SCREE_MOTION_SERVO && d->ramp > 0)
    return scree_blame(r->fault, value_of(map, "ramp"), SCREE_INVALID,
                       "a servo has no ramp: its inertia makes it start slowly");
  return SCREE_OK;
}

ScreeStatus scree_check_wall_times(ScreeReader *r, const ScreeNode *map, const ScreeSceneWall *wall) {
  if (isnan(wall->insert_at) || isnan(wall->remove_at) || wall->remove_at > wall->insert_at) return SCREE_OK;
  return scree_blame(r->fault, value_of(map, "remove_at"), SCREE_INVALID,
                     "remove_at must be after insert_at (%.10g and %.10g s)", wall->remove_at, wall->insert_at);
}

/* ---- to the engine ---- */

ScreeMotionDef scree_scene_motion_def(const ScreeSceneMotion *m) {
  ScreeMotionDef def = m->def;
  if (def.kind != SCREE_MOTION_WAYPOINTS) return def;
  const ScreeSceneTable *t = &m->table;
  def.waypoint = t->row.at, def.waypoints = t->row.count, def.smooth = t->smooth, def.repeat = t->repeat;
  for (int k = 0; k < 3; k++) def.axis[k] = t->turns ? t->axis[k] : 0, def.point[k] = t->turns ? t->point[k] : 0;
  return def;
}

int scree_scene_wall_number(const ScreeScene *s, size_t index) {
  int number = 0;
  for (size_t i = 0; i < index; i++) {
    const ScreeWallDef *def = &scree_scene_wall(s, i)->def;
    number += (def->shape == SCREE_WALL_BOX && def->inside) || def->shape == SCREE_WALL_MESH ? 6 : 1;
  }
  return number;
}

bool scree_scene_walls_change(const ScreeScene *s) {
  for (size_t i = 0; i < s->walls.count; i++) {
    const ScreeSceneWall *w = scree_scene_wall(s, i);
    if (w->motions.count > 0 || !isnan(w->insert_at) || !isnan(w->remove_at) || w->mesh.wear) return true;
  }
  return false;
}

void scree_scene_free_wall(ScreeSceneWall *wall) {
  for (size_t i = 0; i < wall->motions.count; i++) free(((ScreeSceneMotion *)wall->motions.at)[i].table.row.at);
  free(wall->motions.at);
}

/* ---- words ---- */

static int put_axis(char *text, size_t size, const ScreeMotionDef *d) {
  return snprintf(text, size, " about [%.4g, %.4g, %.4g] through [%.4g, %.4g, %.4g] m", d->axis[0], d->axis[1],
                  d->axis[2], d->point[0], d->point[1], d->point[2]);
}

static int put_auto(char *text, size_t size, const char *name, double value, const char *unit) {
  if (isnan(value)) return snprintf(text, size, ", %s auto", name);
  return snprintf(text, size, ", %s %.4g %s", name, value, unit);
}

static int put_servo(char *text, size_t size, const ScreeMotionDef *d, bool turns) {
  int at = snprintf(text, size, "%s of %.4g %s", turns ? "torque" : "force", d->load, turns ? "N m" : "N");
  if (turns)
    at += put_axis(text + at, size - (size_t)at, d);
  else
    at += snprintf(text + at, size - (size_t)at, " along [%.4g, %.4g, %.4g]", d->axis[0], d->axis[1], d->axis[2]);
  at += put_auto(text + at, size - (size_t)at, turns ? "moment" : "mass", d->inertia, turns ? "kg m2" : "kg");
  at += put_auto(text + at, size - (size_t)at, "damping", d->damping, turns ? "N m s" : "N s/m");
  return at + put_auto(text + at, size - (size_t)at, "at most", d->max_speed, turns ? "rad/s" : "m/s");
}

void scree_motion_text(const ScreeSceneMotion *m, char *text, size_t size) {
  ScreeMotionDef d = scree_scene_motion_def(m);
  int at = 0;
  switch (m->form) {
  case SCREE_KEY_motion_velocity:
    at = snprintf(text, size, "moves at [%.4g, %.4g, %.4g] m/s", d.velocity[0], d.velocity[1], d.velocity[2]);
    break;
  case SCREE_KEY_motion_rotation:
    at = snprintf(text, size, "turns at %.4g rad/s (%.4g turns per minute)", d.speed, d.speed * 30 / acos(-1.0));
    at += put_axis(text + at, size - (size_t)at, &d);
    break;
  case SCREE_KEY_motion_oscillation:
    at = snprintf(text, size, "oscillates by %s at %.4g Hz", scree_quantities(d.amplitude, "m", 4).text, d.frequency);
    break;
  case SCREE_KEY_motion_rocking:
    at = snprintf(text, size, "rocks by %.4g rad at %.4g Hz", d.angle, d.frequency);
    at += put_axis(text + at, size - (size_t)at, &d);
    break;
  case SCREE_KEY_motion_waypoints:
    at = snprintf(text, size, "follows %zu %s%swaypoints%s", d.waypoints, d.smooth ? "smooth " : "",
                  m->table.turns ? "angular " : "", d.repeat ? ", again and again" : "");
    break;
  default: at = put_servo(text, size, &d, d.kind == SCREE_MOTION_TURN_SERVO); break;
  }
  if (d.start > 0) at += snprintf(text + at, size - (size_t)at, ", from %s", scree_quantity(d.start, "s", 4).text);
  if (isfinite(d.stop)) at += snprintf(text + at, size - (size_t)at, ", until %s", scree_quantity(d.stop, "s", 4).text);
  if (d.ramp > 0) snprintf(text + at, size - (size_t)at, ", ramp %s", scree_quantity(d.ramp, "s", 4).text);
}
