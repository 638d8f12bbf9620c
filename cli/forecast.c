/* forecast.c: see forecast.h. */
#include "forecast.h"

#include "core/region.h"
#include "core/sizes.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>

bool has_grains(const Count *count) { return count->grains > 0 || count->comes; }

static bool is_some(Radii r) { return r.low <= r.high; }

/* ---- falls ------------------------------------------------------------------------------------------------------ */

/* How far a round plate of a radius across an axis reaches along k. */
static double reach(const double *axis, double radius, int k) {
  double square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
  return radius * sqrt(fmax(0, 1 - axis[k] * axis[k] / square));
}

static bool across(const double *axis, int k) {
  return fabs(axis[k]) > (1 - 1e-9) * sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
}

static double of_round(const ScreeWallDef *w, int k, double sign) {
  const double *p = w->point, *axis = w->axis;
  if (!(w->length > 0) && w->shape == SCREE_WALL_CONE) return sign * axis[k] < 0 ? sign * p[k] : INFINITY;
  if (!(w->length > 0)) /* an endless cylinder: upright it has no bottom, level it has one, otherwise it leads on */
    return across(axis, k) ? -INFINITY : axis[k] == 0 ? sign * p[k] + w->radius : INFINITY;
  double size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  double first = sign * p[k] + reach(axis, w->radius, k);
  double wide = w->shape == SCREE_WALL_CONE ? w->radius2 : w->radius;
  double second = sign * (p[k] + w->length * axis[k] / size) + reach(axis, wide, k);
  return fmax(first, second);
}

/* How far down a wall reaches that can stop a fall along k, downwards being `sign`; -infinite: it cannot. A plane that
 * is neither across nor along leads on to the end of the domain. */
static double lowest_of(const ScreeSceneWall *wall, int k, double sign) {
  const ScreeWallDef *w = &wall->def;
  const ScreeTriangles *t = &wall->mesh.triangles;
  switch (w->shape) {
  case SCREE_WALL_PLANE:
    if (!(sign * w->axis[k] < 0)) return -INFINITY;
    return across(w->axis, k) ? sign * w->point[k] : INFINITY;
  case SCREE_WALL_BOX: return fmax(sign * w->low[k], sign * w->high[k]);
  case SCREE_WALL_SPHERE: return sign * w->point[k] + w->radius;
  case SCREE_WALL_DISC: return sign * w->point[k] + reach(w->axis, w->radius, k);
  case SCREE_WALL_MESH: return fmax(sign * t->low[k], sign * t->high[k]);
  case SCREE_WALL_CYLINDER:
  case SCREE_WALL_CONE: return of_round(w, k, sign);
  }
  return -INFINITY;
}

/* m/s2 */
static double pull_of(const ScreeScene *s, int material, int k) {
  return s->gravity[k] + s->body_force[k] / scree_scene_material(s, (size_t)material)->material.density;
}

/* The lowest of all walls and fixed grains, downwards being `sign`; -infinite: there is nothing to fall on. */
static double floor_of(const ForecastCase *c, int k, double sign) {
  const ScreeScene *s = c->scene;
  double floor = -INFINITY;
  for (size_t i = 0; i < s->walls.count; i++) floor = fmax(floor, lowest_of(scree_scene_wall(s, i), k, sign));
  if (c->low[k] <= c->high[k]) floor = fmax(floor, fmax(sign * c->low[k], sign * c->high[k]));
  return fmin(floor, fmax(sign * s->domain.low[k], sign * s->domain.high[k]));
}

/* A fall from between two corners: v^2 = v0^2 + 2 g h, along every axis that has an end. */
static Approach fall_from(const ForecastCase *c, int material, const double *low, const double *high, double r,
                          const double *velocity) {
  const ScreeScene *s = c->scene;
  double square = 0, pull2 = 0, gain = 0;
  for (int k = 0; k < 3; k++) {
    double pull = pull_of(s, material, k), sign = pull < 0 ? -1 : 1;
    square += velocity[k] * velocity[k];
    pull2 += pull * pull;
    if (pull == 0 || s->domain.periodic[k]) continue;
    double way = floor_of(c, k, sign) - r - fmin(sign * low[k], sign * high[k]);
    gain += fabs(pull) * fmax(0, way);
  }
  return (Approach){sqrt(square + 2 * gain), pull2 > 0 ? gain / sqrt(pull2) : 0, FORECAST_START};
}

Approach forecast_fall(const ForecastCase *c, size_t index) {
  ScreeStreamDef stream = scree_scene_stream_def(scree_scene_stream(c->scene, index));
  double low[3], high[3], r = scree_sizes_smallest(&stream.sizes);
  scree_region_bounds(&stream.region, low, high);
  for (int k = 0; k < 3 && stream.region.shape != SCREE_REGION_DISC; k++) low[k] += r, high[k] -= r; /* of centres */
  Approach fall = fall_from(c, stream.material, low, high, r, stream.velocity);
  fall.from = (long)index;
  return fall;
}

/* The automatic speed is often that of a fall through all of the domain, or of a few diameters: not an expectation,
 * where the grains' places tell how far they can fall. */
static bool is_bound(const ForecastCase *c) {
  const ScreeScene *s = c->scene;
  double most = 0, pull = 0, largest = 0;
  for (size_t m = 0; m < s->materials.count; m++) largest = fmax(largest, c->of[m].largest);
  for (int k = 0; k < 3; k++) {
    double own = 0;
    for (size_t m = 0; m < s->materials.count; m++) own = fmax(own, fabs(pull_of(s, (int)m, k)));
    pull += own * own;
    if (!s->domain.periodic[k]) most = fmax(most, 2 * own * (s->domain.high[k] - s->domain.low[k]));
  }
  most = fmax(most, 20 * sqrt(pull) * largest);
  return isnan(s->expected_speed) && c->expected_speed <= sqrt(most) * (1 + 1e-9);
}

static void take_faster(Approach *known, Approach other) {
  if (other.speed > known->speed) *known = other;
}

static void find_approaches(ForecastCase *c, const ScreeGrain *grain, size_t count) {
  size_t materials = c->scene->materials.count;
  c->approach = checked_alloc(materials, sizeof *c->approach);
  bool bound = is_bound(c);
  for (size_t m = 0; m < materials; m++)
    c->approach[m] = (Approach){bound ? 0 : c->expected_speed, 0, FORECAST_EXPECTED};
  for (size_t i = 0; i < count && bound; i++) {
    const ScreeGrain *g = &grain[i];
    if (!g->fixed)
      take_faster(&c->approach[g->material],
                  fall_from(c, g->material, g->position, g->position, g->radius, g->velocity));
  }
  const ScreeSceneParticles *stream;
  for (size_t i = 0; (stream = scree_scene_stream(c->scene, i)); i++)
    take_faster(&c->approach[stream->material_id], forecast_fall(c, i));
}

ForecastCase forecast_prepare(const ScreeScene *scene, const ScreeWorld *world, const ScreeGrain *grain,
                              const Count *of) {
  ForecastCase c = {.scene = scene, .of = of, .expected_speed = scree_world_expected_speed(world)};
  size_t count = scree_world_count(world);
  for (int k = 0; k < 3; k++) {
    c.low[k] = INFINITY, c.high[k] = -INFINITY;
    for (size_t i = 0; i < count; i++) {
      if (!grain[i].fixed) continue;
      c.low[k] = fmin(c.low[k], grain[i].position[k]);
      c.high[k] = fmax(c.high[k], grain[i].position[k]);
    }
  }
  find_approaches(&c, grain, count);
  return c;
}

void forecast_free(ForecastCase *c) { free(c->approach); }

/* ---- impacts ---------------------------------------------------------------------------------------------------- */

static double mass_of(const ForecastCase *c, size_t material, double radius) {
  return 4.0 / 3.0 * acos(-1.0) * radius * radius * radius * scree_scene_material(c->scene, material)->material.density;
}

/* The deepest overlap over the smaller radius when two meet head on, the force kept from pulling as in a run. */
static double deepest(const ForecastCase *c, size_t a, size_t b, const Forecast *f, double stiffer) {
  const ScreeContactDef *d = &scree_scene_contact_of(c->scene, (int)a, (int)b)->def;
  ScreeImpactDef def = scree_impact_def_default(d->normal);
  ScreeImpactResult result;
  bool wall = isnan(f->radius[0]) || isnan(f->radius[1]);
  int first = isnan(f->radius[0]), second = !first;
  size_t material[] = {a, b};
  def.pair = d->pair;
  def.pair.stiffness *= stiffer;
  if (isnan(def.pair.min_speed)) def.pair.min_speed = scree_pair_def_default().min_speed;
  def.pair.geometry = wall ? SCREE_SPHERE_PLANE : SCREE_SPHERE_SPHERE;
  def.pair.radius[0] = f->radius[first], def.pair.radius[1] = f->radius[second];
  for (int i = 0; i < 2; i++) {
    def.pair.material[i] = scree_scene_material(c->scene, material[i == 0 ? first : second])->material;
    def.pair.material[i].young *= stiffer;
    if (f->fixed[i]) def.pair.mass = mass_of(c, material[!i], f->radius[!i]);
  }
  def.pair.speed = f->at.speed;
  def.separation = SCREE_CLAMPED;
  def.calibrated = d->calibrated;
  return scree_impact_run(&def, &result) == SCREE_OK ? result.max_overlap / fmin(f->radius[0], f->radius[1]) : NAN;
}

static void try_one(const ForecastCase *c, size_t a, size_t b, Forecast try, Forecast *worst) {
  try.overlap = deepest(c, a, b, &try, 1);
  if (isnan(worst->overlap) || try.overlap > worst->overlap) *worst = try;
}

/* Grains of two sizes: a large one drives a small one in deeper than its like would; one that is fixed, deeper still.
 */
static void try_sizes(const ForecastCase *c, size_t a, size_t b, Radii first, Radii second, Forecast at,
                      Forecast *worst) {
  for (int i = 0; i < 4 && is_some(first) && is_some(second); i++) {
    at.radius[0] = i & 1 ? first.high : first.low;
    at.radius[1] = i & 2 ? second.high : second.low;
    try_one(c, a, b, at, worst);
  }
}

static void try_grains(const ForecastCase *c, size_t a, size_t b, Forecast at, Forecast *worst) {
  const Count *first = &c->of[a], *second = &c->of[b];
  try_sizes(c, a, b, first->moving, second->moving, at, worst);
  at.fixed[1] = true;
  try_sizes(c, a, b, first->moving, second->held, at, worst);
  at.fixed[0] = true, at.fixed[1] = false;
  if (a != b) try_sizes(c, a, b, first->held, second->moving, at, worst);
}

static bool has_wall(const ScreeScene *s, size_t material) {
  for (size_t i = 0; i < s->walls.count; i++)
    if (scree_scene_wall(s, i)->material_id == (int)material) return true;
  return false;
}

/* Of one size and a wall. side: which of the two materials is the grain's. */
static void try_wall(const ForecastCase *c, size_t a, size_t b, int side, Forecast at, Forecast *worst) {
  size_t grain = side == 0 ? a : b, wall = side == 0 ? b : a;
  Radii radii = c->of[grain].moving;
  if (!is_some(radii) || !has_wall(c->scene, wall)) return;
  for (int i = 0; i < 2; i++) {
    at.radius[side] = i ? radii.high : radii.low;
    at.radius[!side] = NAN;
    try_one(c, a, b, at, worst);
  }
}

Forecast forecast_pair(const ForecastCase *c, size_t a, size_t b) {
  Forecast at = {.overlap = NAN, .at = c->approach[a]};
  take_faster(&at.at, c->approach[b]);
  if (!(at.at.speed > 0)) at.at = (Approach){c->expected_speed, 0, FORECAST_EXPECTED};
  Forecast worst = at;
  worst.radius[0] = worst.radius[1] = NAN;
  try_grains(c, a, b, at, &worst);
  try_wall(c, a, b, 0, at, &worst);
  if (a != b) try_wall(c, a, b, 1, at, &worst);
  return worst;
}

/* Two digits, rounded up. */
static double rounded_up(double value) {
  double unit = pow(10, floor(log10(value)) - 1);
  return ceil(value / unit - 1e-9) * unit;
}

double forecast_stiffer(const ForecastCase *c, size_t a, size_t b, const Forecast *f) {
  /* K d^(n+1) is what the impact stores: overlaps go with the root of order n + 1 of K, and K with the moduli */
  const ScreeContactDef *d = &scree_scene_contact_of(c->scene, (int)a, (int)b)->def;
  double law = scree_law_info(d->normal)->exponent, n = !isnan(d->pair.exponent) ? d->pair.exponent : law;
  double limit = FORECAST_CLOSE * c->scene->max_overlap, factor = pow(f->overlap / limit, (isnan(n) ? 1.5 : n) + 1);
  for (int i = 0; i < 4; i++, factor *= 1.5) {
    factor = rounded_up(factor);
    if (deepest(c, a, b, f, factor) < limit) return factor;
  }
  return NAN;
}

double forecast_softer(const ForecastCase *c, size_t a, size_t b, const Forecast *f, double softer) {
  return deepest(c, a, b, f, 1 / softer);
}
