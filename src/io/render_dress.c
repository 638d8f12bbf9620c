/* render_dress.c: see render_parts.h. What stands beside the grains: title, time, colour bar, scale, axes. */
#include "io/render_parts.h"

#include "io/trajectory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int components_of(int column) { return column < 0 ? 3 : scree_fields[column].components; }

static const ScreeColour text_ink = {0.02f, 0.022f, 0.026f}, pale_ink = {0.13f, 0.14f, 0.15f};

static void number_text(double value, char *text, size_t size) {
  snprintf(text, size, "%.3g", value == 0 ? 0.0 : value);
  char *e = strstr(text, "e-0");
  if (!e) e = strstr(text, "e+0");
  if (e) memmove(e + 2, e + 3, strlen(e + 3) + 1);
}

/* A number as near to its neighbours needs: ticks that are steps of `step`. */
static void tick_text(double value, double step, char *text, size_t size) {
  int decimals = (int)fmax(0, -floor(log10(step) + 1e-9));
  if (decimals > 4 || fabs(value) >= 1e5)
    number_text(value, text, size);
  else
    snprintf(text, size, "%.*f", decimals, fabs(value) < step / 1e3 ? 0.0 : value);
}

static void draw_tick(ScreeImage *image, const Picture *p, double x, double y, const char *text) {
  double u = p->unit;
  scree_image_line(image, x, y, x + 6 * u, y, fmax(1.2 * u, 0.8), text_ink);
  scree_image_text(image, x + 12 * u, y + 6 * u, 12.5 * u, SCREE_LEFT, text_ink, text);
}

static void draw_bar_label(ScreeImage *image, const Picture *p, double x, double y) {
  const ScreeRenderDef *d = p->def;
  const char *name = d->column < 0 ? "position" : scree_fields[d->column].name;
  const char *unit = d->column < 0 ? "m" : scree_fields[d->column].unit;
  char label[80], spaced[60];
  snprintf(spaced, sizeof spaced, "%s", d->names ? "material" : name);
  for (char *c = spaced; *c; c++)
    if (*c == '_') *c = ' ';
  bool magnitude = components_of(d->column) == 3 && d->component < 0;
  snprintf(label, sizeof label, "%s%s%s%s%c%s%s%s", magnitude ? "|" : "", spaced, magnitude ? "|" : "",
           d->component >= 0 ? " " : "", d->component >= 0 ? 'x' + d->component : '\0', "", "", "");
  scree_image_text(image, x, y, 13.5 * p->unit, SCREE_LEFT, text_ink, label);
  if (!*unit || d->names) return;
  snprintf(label, sizeof label, "[%s]", unit);
  scree_image_text(image, x, y + 23 * p->unit, 12.5 * p->unit, SCREE_LEFT, text_ink, label);
}

/* The legend has a patch of colour for each name. */
static void draw_names(ScreeImage *image, const Picture *p, double x, double y) {
  double u = p->unit;
  bool seen[64] = {false};
  for (size_t i = 0; i < p->grains->rows; i++) {
    double v = scree_picture_value(p, i);
    if (v >= 0 && v < 64) seen[(int)v] = true;
  }
  for (size_t i = 0; i < p->def->name_count && i < 64; i++) {
    char name[13];
    if (!seen[i]) continue;
    bool cut = strlen(p->def->names[i]) > 11;
    snprintf(name, sizeof name, "%.*s%s", cut ? 9 : 11, p->def->names[i], cut ? ".." : "");
    scree_image_rectangle(image, x, y, 18 * u, 18 * u, scree_colour_of((int)i));
    scree_image_text(image, x + 27 * u, y + 15 * u, 12.5 * u, SCREE_LEFT, text_ink, name);
    y += 28 * u;
  }
}

/* A number of two digits above the value. */
static double round_up(double value) {
  if (!(value > 0)) return 0;
  double power = pow(10, floor(log10(value)) - 1);
  return (floor(value / power) + 1) * power;
}

/* Nearly all grains are at rest: one colour, and what "at rest" means in numbers. */
static void draw_rest(ScreeImage *image, const Picture *p, double x, double y) {
  double u = p->unit;
  char text[2][60], number[32];
  number_text(round_up(p->rest_speed), number, sizeof number);
  snprintf(text[0], sizeof text[0], "99 %% < %s", number);
  number_text(round_up(fmax(fabs(p->def->low), fabs(p->def->high))), number, sizeof number);
  snprintf(text[1], sizeof text[1], "all < %s", number);
  scree_image_rectangle(image, x, y, 18 * u, 18 * u, p->colour[0]);
  scree_image_text(image, x + 27 * u, y + 15 * u, 12.5 * u, SCREE_LEFT, text_ink, "at rest");
  for (int k = 0; k < 2 && (p->def->low != 0 || p->def->high != 0); k++)
    scree_image_text(image, x, y + (46 + 22 * k) * u, 10.5 * u, SCREE_LEFT, pale_ink, text[k]);
}

/* A tip beyond the end of the bar: some grains lie there. */
static void draw_tip(ScreeImage *image, const Picture *p, double x, double y, double width, int up,
                     ScreeColour colour) {
  double u = p->unit, thick = fmax(1.0 * u, 0.8);
  int rows = (int)fmax(round(16 * u), 2);
  for (int i = 0; i < rows; i++) {
    double s = (i + 0.5) / rows;
    scree_image_rectangle(image, x + s * width / 2, up > 0 ? y - i - 1 : y + i, width * (1 - s), 1, colour);
  }
  for (int side = 0; side < 2; side++)
    scree_image_line(image, x + side * width, y, x + width / 2, y - up * rows, thick, pale_ink);
}

static void draw_colours(ScreeImage *image, const Picture *p, double x, double top, double width, double height,
                         bool flat) {
  double u = p->unit, thick = fmax(1.0 * u, 0.8);
  int rows = (int)fmax(height, 1);
  for (int i = 0; i < rows; i++)
    scree_image_rectangle(image, x, top + i * height / rows, width, height / rows,
                          scree_colour_map(!flat ? 1 - (i + 0.5) / rows : 0.5));
  if (p->above) draw_tip(image, p, x, top, width, 1, scree_colour_map(flat ? 0.5 : 1));
  if (p->below) draw_tip(image, p, x, top + height, width, -1, scree_colour_map(flat ? 0.5 : 0));
  scree_image_line(image, x, top, x, top + height, thick, pale_ink);
  scree_image_line(image, x + width, top, x + width, top + height, thick, pale_ink);
  if (!p->above) scree_image_line(image, x, top, x + width, top, thick, pale_ink);
  if (!p->below) scree_image_line(image, x, top + height, x + width, top + height, thick, pale_ink);
}

/* The number of an end of the bar: as the ticks between are, where it is one of them. */
static void end_text(double value, double step, char *text, size_t size) {
  double steps = value / step;
  if (fabs(steps - round(steps)) < 1e-6)
    tick_text(value, step, text, size);
  else
    number_text(value, text, size);
}

static void draw_bar(ScreeImage *image, const Picture *p) {
  double u = p->unit, x = image->width - 148 * u, top = round(160 * u), height = round(image->height - 290 * u),
         width = 20 * u;
  double low = p->def->low, high = p->def->high, span = high - low;
  bool flat = !(span > 1e-9 * fmax(fabs(low), fabs(high))); /* between such numbers there are no round ones */
  char text[40];
  if (p->grains->rows == 0) return;
  draw_bar_label(image, p, x, top - 56 * u);
  if (p->def->names) {
    draw_names(image, p, x, top - 30 * u);
    return;
  }
  if (p->def->at_rest) {
    draw_rest(image, p, x, top - 10 * u);
    return;
  }
  draw_colours(image, p, x, top, width, height, flat);
  if (flat) {
    number_text(high, text, sizeof text);
    draw_tick(image, p, x + width, top + height / 2, text);
    return;
  }
  double step = scree_round_down(span / 4), apart = 20 * u / height, first = ceil(low / step);
  end_text(high, step, text, sizeof text);
  draw_tick(image, p, x + width, top, text);
  end_text(low, step, text, sizeof text);
  draw_tick(image, p, x + width, top + height, text);
  for (int n = 0; (first + n) * step < high; n++) {
    double v = (first + n) * step, t = (v - low) / span;
    if (t < apart || t > 1 - apart) continue;
    tick_text(v, step, text, sizeof text);
    draw_tick(image, p, x + width, top + (1 - t) * height, text);
  }
}

/* A length that is a round number. */
static void draw_scale(ScreeImage *image, const Picture *p) {
  double u = p->unit, length = scree_round_down((p->right - p->left) / p->scale * 0.26), size = length * p->scale;
  double x = p->right - size, y = image->height - 38 * u, thick = fmax(1.6 * u, 0.9);
  char text[40], number[32];
  double shown = length >= 1 ? length : length >= 1e-3 ? length * 1e3 : length * 1e6;
  number_text(shown, number, sizeof number);
  snprintf(text, sizeof text, "%s %s", number, length >= 1 ? "m" : length >= 1e-3 ? "mm" : "um");
  scree_image_line(image, x, y, x + size, y, thick, text_ink);
  scree_image_line(image, x, y - 5 * u, x, y + 5 * u, thick, text_ink);
  scree_image_line(image, x + size, y - 5 * u, x + size, y + 5 * u, thick, text_ink);
  scree_image_text(image, x + size / 2, y + 24 * u, 12.5 * u, SCREE_CENTRE, text_ink, text);
}

static void draw_axes(ScreeImage *image, const Picture *p) {
  static const char *const names[] = {"x", "y", "z"};
  double u = p->unit, x = 62 * u, y = image->height - 56 * u, size = 34 * u;
  for (int k = 0; k < 3; k++) {
    double dx = p->axis[0][k], dy = -p->axis[1][k], long2 = dx * dx + dy * dy;
    ScreeColour colour = scree_colour_of(k == 0 ? 3 : k == 1 ? 2 : 0);
    if (long2 < 0.01) continue; /* towards the eye */
    scree_image_line(image, x, y, x + size * dx, y + size * dy, fmax(2 * u, 1), colour);
    double beyond = size + 11 * u / sqrt(long2);
    scree_image_text(image, x + beyond * dx, y + beyond * dy + 4.5 * u, 11 * u, SCREE_CENTRE, text_ink, names[k]);
  }
}

/* Cut to the room there is. */
static void fit_text(char *text, double size, double room) {
  size_t length = strlen(text);
  while (length > 2 && scree_text_width(text, size) > room) {
    do length--;
    while (length > 2 && ((unsigned char)text[length] & 0xC0) == 0x80);
    strcpy(text + length - 2, "..");
  }
}

static void draw_heading(ScreeImage *image, const Picture *p) {
  double u = p->unit, y = 42 * u;
  char title[200], caption[80], time[32];
  number_text(p->grains->time, time, sizeof time);
  snprintf(caption, sizeof caption, "t = %s s", time);
  double room = image->width - 84 * u - scree_text_width(caption, 15 * u);
  snprintf(title, sizeof title, "%s", p->def->title ? p->def->title : "");
  fit_text(title, 17 * u, room);
  scree_image_text(image, 28 * u, y, 17 * u, SCREE_LEFT, text_ink, title);
  scree_image_text(image, image->width - 28 * u, y, 15 * u, SCREE_RIGHT, text_ink, caption);
  snprintf(caption, sizeof caption, "%zu grain%s", p->grains->rows, p->grains->rows == 1 ? "" : "s");
  scree_image_text(image, 28 * u, y + 27 * u, 12 * u, SCREE_LEFT, pale_ink, caption);
}

/* The rightmost point of an outline. */
typedef struct Anchor {
  const Picture *p;
  double x, y; /* samples */
} Anchor;

static void look_right(void *context, const double *a, const double *b) {
  Anchor *anchor = context;
  for (int end = 0; end < 2; end++) {
    double x[3];
    scree_picture_project(anchor->p, end ? b : a, x);
    if (x[0] > anchor->x) anchor->x = x[0], anchor->y = x[1];
  }
}

/* Beside where grains come and go its name; in the picture, and nothing where it would stand outside. */
static void draw_gates(ScreeImage *image, const Picture *p) {
  double u = p->unit, size = 10.5 * u;
  for (size_t i = 0; p->room && i < p->room->gates; i++) {
    Anchor anchor = {.p = p, .x = -INFINITY};
    char name[60];
    if (!scree_gate_outline(p, &p->room->gate[i].region, look_right, &anchor)) continue;
    const ScreeRenderGate *gate = &p->room->gate[i];
    snprintf(name, sizeof name, "%s%s%s", gate->kind, gate->name ? ": " : "", gate->name ? gate->name : "");
    double x = anchor.x / RENDER_SAMPLES + 7 * u, y = anchor.y / RENDER_SAMPLES + 5 * u;
    fit_text(name, size, 150 * u);
    x = fmin(x, image->width - 160 * u - scree_text_width(name, size));
    if (x > p->left && y > p->top - 20 * u && y < p->bottom + 20 * u)
      scree_image_text(image, x, y, size, SCREE_LEFT, pale_ink, name);
  }
}

void scree_picture_dress(const Picture *p, ScreeImage *image) {
  draw_heading(image, p);
  draw_gates(image, p);
  draw_bar(image, p);
  draw_scale(image, p);
  draw_axes(image, p);
}
