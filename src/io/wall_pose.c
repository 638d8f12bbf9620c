/* wall_pose.c: see wall_pose.h. */
#include "io/wall_pose.h"

#include "core/status.h"
#include "io/digits.h"
#include "io/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

ScreePose scree_pose_at_rest(void) { return (ScreePose){.turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .present = true}; }

ScreePose scree_pose_of(const ScreeWallLoad *load) {
  ScreePose pose = {.present = load->present};
  memcpy(pose.home, load->home, sizeof pose.home);
  memcpy(pose.position, load->position, sizeof pose.position);
  memcpy(pose.turn, load->turn, sizeof pose.turn);
  return pose;
}

/* Half a turn has no antisymmetric part: there the axis is a column of turn + 1. */
void scree_pose_rotation(const ScreePose *p, double rotation[3]) {
  double half[3], size = 0, trace = p->turn[0][0] + p->turn[1][1] + p->turn[2][2];
  for (int k = 0; k < 3; k++) {
    int y = (k + 1) % 3, z = (k + 2) % 3;
    half[k] = 0.5 * (p->turn[z][y] - p->turn[y][z]);
    size += half[k] * half[k];
  }
  size = sqrt(size);
  double angle = atan2(size, 0.5 * (trace - 1));
  if (size > 1e-7 || trace > 0) {
    for (int k = 0; k < 3; k++) rotation[k] = size > 0 ? half[k] * (angle / size) : 0;
    return;
  }
  int best = 0;
  for (int k = 1; k < 3; k++)
    if (p->turn[k][k] > p->turn[best][best]) best = k;
  double column[3], length = 0;
  for (int k = 0; k < 3; k++) {
    column[k] = p->turn[k][best] + (k == best);
    length += column[k] * column[k];
  }
  for (int k = 0; k < 3; k++) rotation[k] = angle * column[k] / sqrt(length);
}

/* ---- polygons ---- */

static void carry(const ScreePose *p, double *x) {
  double arm[3] = {x[0] - p->home[0], x[1] - p->home[1], x[2] - p->home[2]};
  for (int k = 0; k < 3; k++)
    x[k] = p->position[k] + p->turn[k][0] * arm[0] + p->turn[k][1] * arm[1] + p->turn[k][2] * arm[2];
}

static bool is_endless(const ScreeWallDef *w) {
  return w->shape == SCREE_WALL_PLANE ||
         ((w->shape == SCREE_WALL_CYLINDER || w->shape == SCREE_WALL_CONE) && !(w->length > 0));
}

/* What is endless is cut at the domain where it is now; the rest is made where it was defined, and carried. */
void scree_surface_add_at(ScreeSurface *s, const ScreeWallDef *wall, const ScreePose *pose, int number,
                          const double *low, const double *high) {
  if (!pose->present) return;
  if (is_endless(wall)) {
    ScreeWallDef moved = *wall;
    for (int k = 0; k < 3; k++)
      moved.axis[k] =
          pose->turn[k][0] * wall->axis[0] + pose->turn[k][1] * wall->axis[1] + pose->turn[k][2] * wall->axis[2];
    carry(pose, moved.point);
    scree_surface_add(s, &moved, number, low, high);
    return;
  }
  size_t points = s->points;
  scree_surface_add(s, wall, number, low, high);
  for (size_t i = points; i < s->points; i++) carry(pose, s->point + 3 * i);
}

/* ---- the file ---- */

enum { NUMBERS = 15 };

void scree_poses_heading(FILE *stream) {
  fputs("frame,step,time,wall,present,home_x,home_y,home_z,x,y,z,xx,xy,xz,yx,yy,yz,zx,zy,zz\n", stream);
}

void scree_poses_row(FILE *stream, long frame, long step, double time, int wall, const ScreePose *p) {
  const double *const vectors[] = {p->home, p->position, p->turn[0], p->turn[1], p->turn[2]};
  fprintf(stream, "%ld,%ld,%s,%d,%d", frame, step, scree_digits(time).text, wall, p->present);
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    fputc(',', stream);
    scree_put_numbers(stream, vectors[i], 3);
  }
  fputc('\n', stream);
}

/* Numbers of a row, in the program's own form whatever the locale; false: no row, or one cut off. */
static bool read_row(FILE *stream, double *number, int count) {
  char line[800];
  if (!fgets(line, sizeof line, stream)) return false;
  if (!strchr(line, '\n')) return false;
  char *at = line;
  for (int i = 0; i < count; i++) {
    char *end = at + strcspn(at, ",\n");
    char after = *end;
    *end = '\0';
    if (scree_parse_number(at, &number[i]) != SCREE_OK) return false;
    *end = after;
    at = end + (after != '\0');
  }
  return true;
}

static ScreeStatus open_rows(const char *path, FILE **stream) {
  char heading[400];
  *stream = fopen(path, "r");
  if (!*stream && errno == ENOENT) return SCREE_OK;
  if (!*stream) return scree_fail(SCREE_FILE, "cannot read %s: %s", path, strerror(errno));
  if (fgets(heading, sizeof heading, *stream)) return SCREE_OK;
  fclose(*stream);
  *stream = NULL;
  return SCREE_OK;
}

ScreeStatus scree_poses_read(const char *path, long frame, ScreePose *poses, size_t walls) {
  FILE *stream;
  for (size_t i = 0; i < walls; i++) poses[i] = scree_pose_at_rest();
  SCREE_TRY(open_rows(path, &stream));
  double n[5 + NUMBERS];
  while (stream && read_row(stream, n, 5 + NUMBERS)) {
    if (n[0] != (double)frame || !(n[3] >= 0 && n[3] < (double)walls)) continue;
    ScreePose *p = &poses[(size_t)n[3]];
    p->present = n[4] != 0;
    memcpy(p->home, n + 5, sizeof p->home);
    memcpy(p->position, n + 8, sizeof p->position);
    for (int k = 0; k < 9; k++) p->turn[k / 3][k % 3] = n[11 + k];
  }
  if (stream) fclose(stream);
  return SCREE_OK;
}

ScreeStatus scree_poses_times(const char *path, double **times, size_t *count) {
  FILE *stream;
  size_t capacity = 64;
  *count = 0;
  *times = malloc(capacity * sizeof **times);
  if (!*times) return scree_fail(SCREE_NO_MEMORY, "no memory for the frames");
  SCREE_TRY(open_rows(path, &stream));
  double n[5 + NUMBERS];
  while (stream && read_row(stream, n, 5 + NUMBERS)) {
    if (n[0] != (double)*count) continue; /* the first wall of the next frame */
    if (*count == capacity) {
      double *more = realloc(*times, 2 * capacity * sizeof *more);
      if (!more) {
        fclose(stream);
        return scree_fail(SCREE_NO_MEMORY, "no memory for the frames");
      }
      *times = more, capacity *= 2;
    }
    (*times)[(*count)++] = n[2];
  }
  if (stream) fclose(stream);
  return SCREE_OK;
}
