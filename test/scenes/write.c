/* write.c: a description as a scene file, every number with all of its digits, and as a line of words. */
#include "scene.h"

#include <string.h>

/* ---- names ------------------------------------------------------------------------------------------------------ */

const char *scene_shape_name(const ScreeWallDef *w) {
  bool ends = w->length > 0.0;
  switch (w->shape) {
  case SCREE_WALL_PLANE: return "plane";
  case SCREE_WALL_BOX: return w->inside ? "box" : "block";
  case SCREE_WALL_CYLINDER: return ends ? "pipe" : w->inside ? "cylinder" : "rod";
  case SCREE_WALL_SPHERE: return w->inside ? "sphere" : "ball";
  case SCREE_WALL_CONE: return ends ? "funnel" : "cone";
  case SCREE_WALL_DISC: return w->radius2 > 0.0 ? "ring" : "disc";
  default: return "mesh";
  }
}

const char *scene_motion_name(const ScreeMotionDef *m) {
  bool turns = m->axis[0] != 0.0 || m->axis[1] != 0.0 || m->axis[2] != 0.0;
  switch (m->kind) {
  case SCREE_MOTION_LINEAR: return "velocity";
  case SCREE_MOTION_ROTATION: return "rotation";
  case SCREE_MOTION_OSCILLATION: return turns ? "rocking" : "oscillation";
  case SCREE_MOTION_WAYPOINTS: return turns ? "waypoints of angles" : "waypoints";
  case SCREE_MOTION_SERVO: return "servo";
  default: return "torque_servo";
  }
}

static const char *law_name(ScreeLawId law) { return law == SCREE_LAW_NONE ? "none" : scree_law_info(law)->name; }
static const char *const rolling_names[] = {"none", "constant", "viscous", "spring"};

/* ---- parts of the file ------------------------------------------------------------------------------------------ */

static void put_vector(FILE *f, const char *key, const double *x) {
  fprintf(f, "%s: [%.17g, %.17g, %.17g]", key, x[0], x[1], x[2]);
}
static void put_number(FILE *f, const char *key, double x) {
  if (!isnan(x) && !isinf(x)) fprintf(f, ", %s: %.17g", key, x);
}

static void put_contact(FILE *f, const ScreeContactDef *c) {
  const ScreeLawInfo *laws[] = {scree_law_info(c->normal), scree_law_info(c->tangential)};
  fprintf(f, "{normal: %s, tangential: %s", law_name(c->normal), law_name(c->tangential));
  if (laws[0]->domain != SCREE_E_NONE) put_number(f, "restitution", c->pair.restitution);
  if (c->normal != SCREE_LAW_alizadeh) put_number(f, "friction", c->pair.param[SCREE_PARAM_mu]);
  put_number(f, "stiffness", c->pair.stiffness);
  put_number(f, "exponent", c->pair.exponent);
  fprintf(f, ", min_speed: %.17g, calibrated: %s", c->pair.min_speed, c->calibrated ? "yes" : "no");
  if (c->tangential == SCREE_LAW_coulomb)
    fprintf(f, ", regularisation: %s", c->regularisation == SCREE_TANH ? "tanh" : "sqrt");
  for (int id = 0; id < SCREE_PARAM_COUNT; id++) {
    const char *name = scree_param_name((ScreeParamId)id);
    bool known = scree_law_param(c->normal, name) || (laws[1] && scree_law_param(c->tangential, name));
    if (id != SCREE_PARAM_mu && known) put_number(f, name, c->pair.param[id]);
  }
  if (c->rolling_model == SCREE_ROLLING_NONE)
    fprintf(f, ", rolling: 0");
  else
    fprintf(f, ", rolling: {model: %s, coefficient: %.17g, damping: %.17g}", rolling_names[c->rolling_model],
            c->rolling, c->rolling_damping);
  fprintf(f, ", twisting: %.17g}\n", c->twisting);
}

/* A pair inherits from the default what it does not say itself: with several materials all pairs are given, and the
 * default is the format's. */
static void put_contacts(const Scene *s, FILE *f) {
  fprintf(f, "contacts:\n");
  if (s->materials == 1) {
    fprintf(f, "  default: ");
    put_contact(f, s->has_own[0][0] ? &s->pair[0][0] : &s->contact);
    return;
  }
  for (int a = 0; a < s->materials; a++)
    for (int b = a; b < s->materials; b++) {
      fprintf(f, "  [m%d, m%d]: ", a, b);
      put_contact(f, s->has_own[a][b] ? &s->pair[a][b] : &s->contact);
    }
}

static void put_waypoints(FILE *f, const SceneMotion *m, bool turns) {
  fprintf(f, "waypoints: {%s: [", turns ? "angles" : "shifts");
  for (size_t i = 0; i < m->def.waypoints; i++) {
    const ScreeWaypoint *p = &m->waypoint[i];
    if (turns)
      fprintf(f, "%s[%.17g, %.17g]", i > 0 ? ", " : "", p->time, p->angle);
    else
      fprintf(f, "%s[%.17g, [%.17g, %.17g, %.17g]]", i > 0 ? ", " : "", p->time, p->shift[0], p->shift[1], p->shift[2]);
  }
  fprintf(f, "], smooth: %s, repeat: %s", m->def.smooth ? "yes" : "no", m->def.repeat ? "yes" : "no");
  if (turns) put_vector(f, ", axis", m->def.axis), put_vector(f, ", point", m->def.point);
  fprintf(f, "}");
}

static void put_motion(FILE *f, const SceneMotion *m) {
  const ScreeMotionDef *d = &m->def;
  bool turns = d->axis[0] != 0.0 || d->axis[1] != 0.0 || d->axis[2] != 0.0;
  fprintf(f, "{");
  switch (d->kind) {
  case SCREE_MOTION_LINEAR: put_vector(f, "velocity", d->velocity); break;
  case SCREE_MOTION_ROTATION:
    put_vector(f, "rotation: {axis", d->axis), put_vector(f, ", point", d->point);
    fprintf(f, ", speed: %.17g}", d->speed);
    break;
  case SCREE_MOTION_OSCILLATION:
    if (turns) {
      put_vector(f, "rocking: {axis", d->axis), put_vector(f, ", point", d->point);
      fprintf(f, ", angle: %.17g", d->angle);
    } else {
      put_vector(f, "oscillation: {amplitude", d->amplitude);
    }
    fprintf(f, ", frequency: %.17g, phase: %.17g}", d->frequency, d->phase);
    break;
  case SCREE_MOTION_WAYPOINTS: put_waypoints(f, m, turns); break;
  default:
    turns = d->kind == SCREE_MOTION_TURN_SERVO;
    put_vector(f, turns ? "torque_servo: {axis" : "servo: {axis", d->axis);
    if (turns) put_vector(f, ", point", d->point);
    put_number(f, turns ? "torque" : "force", d->load);
    put_number(f, turns ? "moment" : "mass", d->inertia);
    put_number(f, "damping", d->damping);
    put_number(f, "max_speed", d->max_speed);
    fprintf(f, "}");
  }
  put_number(f, "start", d->start);
  put_number(f, "stop", d->stop);
  put_number(f, "ramp", d->ramp);
  fprintf(f, "}");
}

static void put_form(FILE *f, const SceneWall *wall, int number) {
  const ScreeWallDef *w = &wall->def;
  switch (w->shape) {
  case SCREE_WALL_PLANE: put_vector(f, "plane: {point", w->point), put_vector(f, ", normal", w->axis); break;
  case SCREE_WALL_BOX:
    put_vector(f, "box: {low", w->low), put_vector(f, ", high", w->high);
    fprintf(f, ", inside: %s", w->inside ? "yes" : "no");
    break;
  case SCREE_WALL_CYLINDER:
    if (w->length > 0.0)
      put_vector(f, "cylinder: {from", w->point), put_vector(f, ", to", wall->end);
    else
      put_vector(f, "cylinder: {point", w->point), put_vector(f, ", axis", w->axis);
    put_number(f, "radius", w->radius);
    if (w->length == 0.0) fprintf(f, ", inside: %s", w->inside ? "yes" : "no");
    break;
  case SCREE_WALL_SPHERE:
    put_vector(f, "sphere: {center", w->point);
    fprintf(f, ", radius: %.17g, inside: %s", w->radius, w->inside ? "yes" : "no");
    break;
  case SCREE_WALL_CONE:
    if (w->length > 0.0) {
      put_vector(f, "cone: {from", w->point), put_vector(f, ", to", wall->end);
      fprintf(f, ", radius: [%.17g, %.17g]", w->radius, w->radius2);
    } else {
      put_vector(f, "cone: {apex", w->point), put_vector(f, ", axis", w->axis);
      put_number(f, "angle", w->angle);
    }
    break;
  case SCREE_WALL_DISC:
    put_vector(f, "disc: {center", w->point), put_vector(f, ", normal", w->axis);
    fprintf(f, ", radius: %.17g, hole: %.17g", w->radius, w->radius2);
    break;
  default: fprintf(f, "mesh: wall_%d.obj, scale: 1, wear: %s", number, w->wear ? "yes" : "no"); return;
  }
  fprintf(f, "}");
}

static void put_walls(const Scene *s, FILE *f) {
  if (s->walls > 0) fprintf(f, "walls:\n");
  for (int i = 0; i < s->walls; i++) {
    const SceneWall *w = &s->wall[i];
    fprintf(f, "  - {material: m%d, ", w->def.material);
    put_form(f, w, i);
    for (int m = 0; m < w->motions; m++) {
      fprintf(f, m == 0 ? ",\n     motion: [" : ", ");
      put_motion(f, &w->motion[m]);
    }
    if (w->motions > 0) fprintf(f, "]");
    put_number(f, "insert_at", w->insert_at);
    put_number(f, "remove_at", w->remove_at);
    fprintf(f, "}\n");
  }
}

static void put_region(FILE *f, const ScreeRegion *r) {
  switch (r->shape) {
  case SCREE_REGION_BOX: put_vector(f, "box: {low", r->low), put_vector(f, ", high", r->high); break;
  case SCREE_REGION_CYLINDER:
    put_vector(f, "cylinder: {from", r->from), put_vector(f, ", to", r->to);
    put_number(f, "radius", r->radius);
    break;
  case SCREE_REGION_SPHERE:
    put_vector(f, "sphere: {center", r->point);
    put_number(f, "radius", r->radius);
    break;
  case SCREE_REGION_DISC:
    put_vector(f, "disc: {center", r->point), put_vector(f, ", normal", r->normal);
    put_number(f, "radius", r->radius);
    break;
  default: put_vector(f, "beyond: {point", r->point), put_vector(f, ", normal", r->normal);
  }
  fprintf(f, "}");
}

/* Grains of a list must not overlap; those of a table may. */
static void put_list(const Scene *s, FILE *f, int material, bool fixed) {
  bool any = false;
  for (int i = 0; i < s->grains; i++) {
    const ScreeGrain *g = &s->grain[i];
    if (g->material != material || g->fixed != fixed) continue;
    if (!any) fprintf(f, "  - material: m%d\n    fixed: %s\n    list:\n", material, fixed ? "yes" : "no");
    any = true;
    fprintf(f, "      - {id: %llu, radius: %.17g, ", (unsigned long long)g->id, g->radius);
    put_vector(f, "position", g->position), put_vector(f, ", velocity", g->velocity), put_vector(f, ", spin", g->spin);
    fprintf(f, "}\n");
  }
}

static bool put_table(const Scene *s, FILE *f, const char *folder, bool fixed) {
  char path[4096];
  FILE *table = NULL;
  snprintf(path, sizeof path, "%s/grains_%s.csv", folder, fixed ? "fixed" : "free");
  for (int i = 0; i < s->grains; i++) {
    const ScreeGrain *g = &s->grain[i];
    if (g->fixed != fixed) continue;
    if (!table) {
      if (!(table = fopen(path, "w"))) return false;
      fprintf(table, "id,material,radius,x,y,z,vx,vy,vz,wx,wy,wz\n");
      fprintf(f, "  - {csv: {file: grains_%s.csv}, material: m0, fixed: %s}\n", fixed ? "fixed" : "free",
              fixed ? "yes" : "no");
    }
    fprintf(table, "%llu,m%d,%.17g", (unsigned long long)g->id, g->material, g->radius);
    for (int k = 0; k < 9; k++)
      fprintf(table, ",%.17g", k < 3 ? g->position[k] : k < 6 ? g->velocity[k - 3] : g->spin[k - 6]);
    fprintf(table, "\n");
  }
  return !table || fclose(table) == 0;
}

static void put_streams(const Scene *s, FILE *f) {
  for (int i = 0; i < s->streams; i++) {
    const ScreeStreamDef *d = &s->stream[i];
    fprintf(f, "  - stream: {region: {");
    put_region(f, &d->region);
    fprintf(f, "}");
    put_number(f, "rate", d->mass_rate);
    put_number(f, "number_rate", d->number_rate);
    put_number(f, "from", d->from);
    put_number(f, "until", d->until);
    fprintf(f, "}\n    material: m%d\n    seed: %llu\n    ", d->material, (unsigned long long)d->seed);
    if (d->sizes.kind == SCREE_SIZES_ONE)
      fprintf(f, "radius: %.17g\n    ", d->sizes.mean);
    else
      fprintf(f, "radius: {uniform: {min: %.17g, max: %.17g}}\n    ", d->sizes.min, d->sizes.max);
    put_vector(f, "velocity", d->velocity);
    fprintf(f, "\n    ");
    put_vector(f, "spin", d->spin);
    fprintf(f, "\n");
  }
}

static bool put_particles(const Scene *s, FILE *f, const char *folder) {
  bool good = true;
  fprintf(f, "particles:\n");
  if (s->pressed)
    good = put_table(s, f, folder, false) && put_table(s, f, folder, true);
  else
    for (int material = 0; material < s->materials; material++)
      for (int fixed = 0; fixed < 2; fixed++) put_list(s, f, material, fixed);
  put_streams(s, f);
  return good;
}

static bool write_mesh(const SceneMesh *m, const char *folder, int number) {
  char path[4096];
  snprintf(path, sizeof path, "%s/wall_%d.obj", folder, number);
  FILE *f = fopen(path, "w");
  if (!f) return false;
  for (size_t i = 0; i < m->vertices; i++)
    fprintf(f, "v %.17g %.17g %.17g\n", m->vertex[i][0], m->vertex[i][1], m->vertex[i][2]);
  for (size_t i = 0; i < m->triangles; i++)
    fprintf(f, "f %u %u %u\n", m->triangle[i][0] + 1, m->triangle[i][1] + 1, m->triangle[i][2] + 1);
  return fclose(f) == 0;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static void put_head(const Scene *s, FILE *f) {
  const ScreeWorldDef *d = &s->def;
  fprintf(f, "scree: 1\ntitle: random scene %llu\n", (unsigned long long)s->seed);
  put_vector(f, "gravity", d->gravity);
  fprintf(f, "\n");
  put_vector(f, "body_force", d->body_force);
  fprintf(f, "\nmax_overlap: %.17g\n", d->max_overlap);
  if (!isnan(d->expected_speed)) fprintf(f, "expected_speed: %.17g\n", d->expected_speed);
  fprintf(f, "materials:\n");
  for (int i = 0; i < s->materials; i++)
    fprintf(f, "  m%d: {young: %.17g, poisson: %.17g, density: %.17g}\n", i, s->material[i].young,
            s->material[i].poisson, s->material[i].density);
  put_contacts(s, f);
  put_vector(f, "domain: {low", d->low), put_vector(f, ", high", d->high);
  fprintf(f, ", periodic: [%s, %s, %s], outside: %s}\n", d->periodic[0] ? "yes" : "no", d->periodic[1] ? "yes" : "no",
          d->periodic[2] ? "yes" : "no", d->outside == SCREE_OUTSIDE_STOP ? "stop" : "remove");
}

bool scene_write(const Scene *s, const char *folder) {
  char path[4096];
  snprintf(path, sizeof path, "%s/scene.yaml", folder);
  FILE *f = fopen(path, "w");
  if (!f) return false;
  put_head(s, f);
  put_walls(s, f);
  bool good = put_particles(s, f, folder);
  if (s->outlets > 0) fprintf(f, "outlets:\n");
  for (int i = 0; i < s->outlets; i++) {
    fprintf(f, "  - {");
    put_region(f, &s->outlet[i]);
    fprintf(f, "}\n");
  }
  /* the duration is set by `scree run --until` to as many steps as the scene has */
  fprintf(f, "run: {duration: %.17g, ", s->time);
  if (!isnan(s->def.timestep)) fprintf(f, "timestep: %.17g, ", s->def.timestep);
  fprintf(f, "output: {format: none, picture: no}, checkpoint: {every: none}}\n");
  for (int i = 0; i < s->walls && good; i++)
    if (s->wall[i].def.shape == SCREE_WALL_MESH) good = write_mesh(&s->wall[i].mesh, folder, i);
  return fclose(f) == 0 && good;
}

static void print_contact(const ScreeContactDef *c, FILE *f) {
  fprintf(f, "%s/%s/%s%s%s", law_name(c->normal), law_name(c->tangential), rolling_names[c->rolling_model],
          c->twisting > 0.0 ? "/twisting" : "", c->calibrated ? "/calibrated" : "");
}

void scene_print(const Scene *s, FILE *f) {
  fprintf(f, "%d grains%s, %ld steps, ", s->grains, s->pressed ? " (pressed)" : "", s->steps);
  print_contact(&s->contact, f);
  for (int a = 0; a < s->materials; a++)
    for (int b = a; b < s->materials; b++)
      if (s->has_own[a][b]) fprintf(f, " [%d %d] ", a, b), print_contact(&s->pair[a][b], f);
  for (int i = 0; i < s->walls; i++) {
    fprintf(f, ", %s", scene_shape_name(&s->wall[i].def));
    for (int m = 0; m < s->wall[i].motions; m++) fprintf(f, " + %s", scene_motion_name(&s->wall[i].motion[m].def));
  }
  for (int k = 0; k < 3; k++)
    if (s->def.periodic[k]) fprintf(f, ", periodic in %c", "xyz"[k]);
  if (s->streams > 0) fprintf(f, ", %d streams", s->streams);
  if (s->outlets > 0) fprintf(f, ", %d outlets", s->outlets);
  fprintf(f, "\n");
}
