/* rims.c: see rims.h. */
#include "cli.h"

#include "rims.h"

#include "io/scene_keys.h"
#include "output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 12, OBJECTS = 100 };
#define ALIKE 1e-6 /* of the length */

/* ---- words ---- */

/* Lengths and areas in millimetres below a metre and a hundredth of a square metre. */
static const char *length_text(double metres, char text[32]) {
  snprintf(text, 32, metres < 1 ? "%.4g mm" : "%.4g m", metres < 1 ? 1e3 * metres : metres);
  return text;
}
static const char *area_text(double area, char text[32]) {
  snprintf(text, 32, area < 0.01 ? "%.4g mm2" : "%.4g m2", area < 0.01 ? 1e6 * area : area);
  return text;
}

/* m: what rounding has left of zero, beside the rim's length, is zero. */
static double clean(double x, double length) { return fabs(x) < 1e-9 * length ? 0 : x; }

char *rim_text(const ScreeRim *r) {
  char text[32];
  if (!r->closed) return checked_format("a chain that ends at edges of three triangles");
  if (!(r->area > 0)) return checked_format("a crack without a width");
  if (!isnan(r->radius)) return checked_format("a circle of %s", length_text(2 * r->radius, text));
  if (r->flat) return checked_format("flat, %s", area_text(r->area, text));
  const double *a = r->low, *b = r->high;
  return checked_format("not flat, from [%.4g, %.4g, %.4g] to [%.4g, %.4g, %.4g] m", clean(a[0], r->length),
                        clean(a[1], r->length), clean(a[2], r->length), clean(b[0], r->length), clean(b[1], r->length),
                        clean(b[2], r->length));
}

char *opening_text(const ScreeScene *scene, const ScreeSceneOutlet *o) {
  const ScreeSceneThrough *t = &o->through;
  const ScreeRim *rim = scree_scene_opening_rim(scene, o);
  char a[32], b[32];
  if (t->form == SCREE_KEY_through_disc) return checked_format("a disc of %s", length_text(2 * t->disc.radius, a));
  if (t->form == SCREE_KEY_through_rectangle) {
    double side[2];
    for (int i = 0; i < 2; i++) {
      const double *s = t->corner.side[i];
      side[i] = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    }
    return checked_format("a rectangle of %s x %s", length_text(side[0], a), length_text(side[1], b));
  }
  if (!rim) return NULL;
  char *words = rim_text(rim), *text = checked_format("rim %lld of %s, %s", (long long)t->rim, t->mesh, words);
  free(words);
  return text;
}

static bool are_alike(const ScreeRim *a, const ScreeRim *b) {
  return a->closed == b->closed && a->flat == b->flat && isnan(a->radius) == isnan(b->radius) && a->edges == b->edges &&
         (a->area > 0) == (b->area > 0) && fabs(a->length - b->length) <= ALIKE * a->length &&
         fabs(a->area - b->area) <= ALIKE * a->length * a->length;
}

static void print_line(const ScreeRims *all, size_t first, size_t count) {
  const ScreeRim *r = &all->rim[first];
  char length[32], *words = rim_text(r), *line;
  length_text(r->length, length);
  if (count > 1)
    line = checked_format("rims %zu ... %zu: %s each, %s", first + 1, first + count, length, words);
  else
    line =
        checked_format("rim %zu: %s around [%.4g, %.4g, %.4g] m, %s", first + 1, length, clean(r->centre[0], r->length),
                       clean(r->centre[1], r->length), clean(r->centre[2], r->length), words);
  print_wrapped("              ", 14, line);
  free(line), free(words);
}

void print_rims(const ScreeRims *all) {
  size_t lines = 0, first = 0, count;
  char length[32];
  for (; first < all->count && lines < LINES; first += count, lines++) {
    for (count = 1; first + count < all->count && are_alike(&all->rim[first], &all->rim[first + count]);) count++;
    print_line(all, first, count);
  }
  if (first < all->count)
    printf("              and %zu more rims, the longest of %s\n", all->count - first,
           length_text(all->rim[first].length, length));
  if (all->count == 0) puts("              no rims: it is closed");
}

/* ---- JSON ---- */

static json_t *vector(const double *v) {
  json_t *array = json_array();
  for (int k = 0; k < 3; k++) json_array_append_new(array, json_number(v[k]));
  return array;
}

static json_t *rim_object(const ScreeRim *r, size_t number) {
  json_t *object = json_object();
  json_object_set_new(object, "number", json_integer((json_int_t)number));
  json_object_set_new(object, "closed", json_boolean(r->closed));
  json_object_set_new(object, "edges", json_integer((json_int_t)r->edges));
  json_put(object, "length", r->length);
  json_object_set_new(object, "centre", vector(r->centre));
  json_object_set_new(object, "low", vector(r->low));
  json_object_set_new(object, "high", vector(r->high));
  json_object_set_new(object, "normal", vector(r->normal));
  json_put(object, "area", r->area);
  json_object_set_new(object, "flat", json_boolean(r->flat));
  json_put(object, "diameter", 2 * r->radius);
  return object;
}

void rims_json(json_t *object, const ScreeRims *all) {
  json_t *rims = json_array();
  for (size_t i = 0; i < all->count && i < OBJECTS; i++) json_array_append_new(rims, rim_object(&all->rim[i], i + 1));
  json_object_set_new(object, "rims", rims);
  json_object_set_new(object, "rim_count", json_integer((json_int_t)all->count));
  json_object_set_new(object, "cracks", json_integer((json_int_t)all->cracks));
  json_object_set_new(object, "chains", json_integer((json_int_t)all->chains));
  json_object_set_new(object, "flipped_edges", json_integer((json_int_t)all->flipped));
  json_object_set_new(object, "pieces", json_integer((json_int_t)all->pieces));
}
