/* grain_file.c: see grain_file.h. Both kinds are read line by line, and a line word by word; a word knows its bytes. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/grain_file.h"

#include "core/status.h"
#include "io/scene_reader.h"
#include "io/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((size_t)16 << 30)
#define MOST_WORDS 64 /* of a line */
#define LARGEST_ID 1e15

typedef struct Word {
  size_t at, end; /* bytes; without blanks and quotes */
} Word;

typedef struct Lines {
  const ScreeScene *scene;
  const ScreeSceneParticles *group;
  const ScreeSceneFile *def;
  ScreeGrainFile *file;
  ScreeFault *fault;
  size_t at, end, next; /* of the line, without its end; of the one after it */
  Word word[MOST_WORDS];
  size_t words;
} Lines;

static ScreeNode node_of(const Lines *l, Word word) {
  return (ScreeNode){.source = l->file->source, .at = word.at, .end = word.end};
}

static ScreeStatus blame_word(const Lines *l, Word word, const char *sentence) {
  ScreeNode node = node_of(l, word);
  return scree_blame(l->fault, &node, SCREE_INVALID, "%s", sentence);
}

static Word whole_line(const Lines *l) { return (Word){l->at, l->end}; }

/* ---- lines and words ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* The next line; false at the end. */
static bool next_line(Lines *l) {
  const ScreeSource *s = l->file->source;
  if (l->next >= s->length) return false;
  l->at = l->next;
  const char *stop = memchr(s->text + l->at, '\n', s->length - l->at);
  l->end = stop ? (size_t)(stop - s->text) : s->length;
  l->next = l->end + 1;
  if (l->end > l->at && s->text[l->end - 1] == '\r') l->end--;
  return true;
}

static Word trimmed(const char *text, size_t at, size_t end) {
  while (at < end && is_blank(text[at])) at++;
  while (end > at && is_blank(text[end - 1])) end--;
  if (end - at >= 2 && text[at] == '"' && text[end - 1] == '"') at++, end--;
  return (Word){at, end};
}

/* Splits the line at a separator, or at blanks where it is 0. */
static ScreeStatus split_line(Lines *l, size_t end, char separator) {
  const char *text = l->file->source->text;
  l->words = 0;
  for (size_t at = l->at; at <= end;) {
    size_t stop = at;
    if (separator == 0) {
      while (at < end && is_blank(text[at])) at++;
      if (at == end) break;
      for (stop = at; stop < end && !is_blank(text[stop]);) stop++;
    } else {
      while (stop < end && text[stop] != separator) stop++;
    }
    if (l->words == MOST_WORDS) return blame_word(l, (Word){at, stop}, "this line has more than 64 values");
    l->word[l->words++] = separator ? trimmed(text, at, stop) : (Word){at, stop};
    at = stop + 1;
  }
  return SCREE_OK;
}

/* The word as a text of its own; one that is too long for any use is cut. */
static void copy_word(const Lines *l, Word word, char *out, size_t size) {
  snprintf(out, size, "%.*s", (int)(word.end - word.at < size ? word.end - word.at : size - 1),
           l->file->source->text + word.at);
}

static ScreeStatus read_value(const Lines *l, Word word, const char *name, double *value) {
  char text[100];
  ScreeNode node = node_of(l, word);
  if (word.end == word.at) return scree_blame(l->fault, &node, SCREE_INVALID, "%s is missing here", name);
  copy_word(l, word, text, sizeof text);
  ScreeStatus status = scree_parse_number(text, value);
  if (status == SCREE_OK) return status;
  return scree_blame_last(l->fault, &node, status, name);
}

static ScreeStatus read_id(const Lines *l, Word word, uint64_t *id) {
  double number = 0;
  SCREE_TRY(read_value(l, word, "id", &number));
  if (!(number >= 0 && number <= LARGEST_ID && number == floor(number)))
    return blame_word(l, word, "id must be a whole number in 0 ... 1e15");
  *id = (uint64_t)number;
  return SCREE_OK;
}

static ScreeStatus read_positive(const Lines *l, Word word, const char *name, double *value) {
  SCREE_TRY(read_value(l, word, name, value));
  ScreeNode node = node_of(l, word);
  return *value > 0 ? SCREE_OK
                    : scree_blame(l->fault, &node, SCREE_INVALID, "%s must be > 0 (got %.10g)", name, *value);
}

static ScreeStatus find_material(const Lines *l, Word word, int *material) {
  char name[100];
  ScreeReader reader = {.scene = (ScreeScene *)l->scene, .fault = l->fault};
  ScreeNode node = node_of(l, word);
  copy_word(l, word, name, sizeof name);
  node.text = name;
  return scree_find_material(&reader, &node, name, material);
}

static ScreeFileGrain *add_grain(const Lines *l) {
  ScreeGrainFile *f = l->file;
  if (f->count == f->capacity) {
    size_t capacity = f->capacity ? 2 * f->capacity : 1024;
    ScreeFileGrain *grown = realloc(f->grain, capacity * sizeof *grown);
    if (!grown) {
      scree_blame(l->fault, NULL, SCREE_NO_MEMORY, "no memory for %zu grains", capacity);
      return NULL;
    }
    f->grain = grown;
    f->capacity = capacity;
  }
  ScreeFileGrain *g = &f->grain[f->count++];
  *g = (ScreeFileGrain){.at = l->at, .end = l->end};
  g->grain.material = l->group->material_id;
  g->grain.fixed = l->group->fixed;
  g->grain.radius = l->group->radius.value;
  memcpy(g->grain.velocity, l->group->velocity.vector, sizeof g->grain.velocity);
  memcpy(g->grain.spin, l->group->spin, sizeof g->grain.spin);
  return g;
}

/* ---- tables ---- */

#define COLUMNS(X) X(x) X(y) X(z) X(radius) X(diameter) X(vx) X(vy) X(vz) X(wx) X(wy) X(wz) X(id) X(material)

typedef enum Column {
#define COLUMN(name) COLUMN_##name,
  COLUMNS(COLUMN)
#undef COLUMN
      COLUMN_COUNT,
  COLUMN_skip = COLUMN_COUNT,
} Column;

static const char *const column_names[COLUMN_COUNT] = {
#define COLUMN(name) #name,
    COLUMNS(COLUMN)
#undef COLUMN
};

typedef struct Heading {
  Column column[MOST_WORDS];
  size_t count;
  bool has[COLUMN_COUNT + 1];
  char separator;
} Heading;

static ScreeStatus name_column(Lines *l, Heading *h, const ScreeNode *node, const char *name) {
  ScreeReader reader = {.scene = (ScreeScene *)l->scene, .fault = l->fault};
  ScreeNode place = *node;
  int column = strcmp(name, "skip") == 0 ? COLUMN_skip : -1;
  for (int i = 0; i < COLUMN_COUNT && column < 0; i++)
    if (strcmp(column_names[i], name) == 0) column = i;
  place.text = (char *)name;
  if (column < 0) return scree_unknown_word(&reader, &place, "column", column_names, COLUMN_COUNT);
  if (column != COLUMN_skip && h->has[column])
    return scree_blame(l->fault, node, SCREE_INVALID, "the column %s is there twice", name);
  if (h->count == MOST_WORDS)
    return scree_blame(l->fault, node, SCREE_INVALID, "there are more than %d columns", MOST_WORDS);
  h->has[column] = true;
  h->column[h->count++] = (Column)column;
  return SCREE_OK;
}

static char separator_of(const Lines *l) {
  const char *line = l->file->source->text + l->at;
  size_t length = l->end - l->at;
  return memchr(line, ',', length) ? ',' : memchr(line, ';', length) ? ';' : memchr(line, '\t', length) ? '\t' : 0;
}

/* What the columns must tell together. */
static ScreeStatus check_heading(const Lines *l, const Heading *h, const ScreeNode *node) {
  for (int i = COLUMN_x; i <= COLUMN_z; i++)
    if (!h->has[i]) return scree_blame(l->fault, node, SCREE_MISSING, "the table lacks the column %s", column_names[i]);
  if (h->has[COLUMN_radius] && h->has[COLUMN_diameter])
    return scree_blame(l->fault, node, SCREE_INVALID, "radius and diameter exclude each other");
  if (!h->has[COLUMN_radius] && !h->has[COLUMN_diameter] && isnan(l->group->radius.value))
    return scree_blame(l->fault, node, SCREE_MISSING,
                       "the table has no column radius or diameter, and the group gives no radius");
  for (int first = COLUMN_vx; first <= COLUMN_wx; first += 3)
    if (h->has[first] != h->has[first + 1] || h->has[first] != h->has[first + 2])
      return scree_blame(l->fault, node, SCREE_MISSING, "the columns %s, %s and %s belong together",
                         column_names[first], column_names[first + 1], column_names[first + 2]);
  if (h->has[COLUMN_vx] && !isnan(l->group->velocity.random))
    return scree_blame(l->fault, node, SCREE_INVALID, "the group's velocities are random: the table must not give any");
  return SCREE_OK;
}

/* From the scene's list, or from the first line. A heading in the file is passed over where the scene names them. */
static ScreeStatus read_heading(Lines *l, Heading *h) {
  const ScreeNode *map = scree_node_value(l->group->item.node, "csv", NULL),
                  *list = map ? scree_node_value(map, "columns", NULL) : NULL;
  ScreeNode line = node_of(l, whole_line(l));
  h->separator = separator_of(l);
  SCREE_TRY(split_line(l, l->end, h->separator));
  if (l->def->words.count == 0) {
    for (size_t i = 0; i < l->words; i++) {
      char name[100];
      ScreeNode node = node_of(l, l->word[i]);
      copy_word(l, l->word[i], name, sizeof name);
      SCREE_TRY(name_column(l, h, &node, name));
    }
    return check_heading(l, h, &line);
  }
  for (size_t i = 0; i < l->def->words.count; i++)
    SCREE_TRY(name_column(l, h, list && i < list->count ? &list->child[i] : &line, ((char **)l->def->words.at)[i]));
  SCREE_TRY(check_heading(l, h, list ? list : &line));
  double number;
  char first[100];
  size_t at = 0;
  while (at + 1 < h->count && (h->column[at] == COLUMN_skip || h->column[at] == COLUMN_material)) at++;
  if (l->words > at) copy_word(l, l->word[at], first, sizeof first);
  if (l->words > at && scree_parse_number(first, &number) == SCREE_OK) l->next = l->at; /* the first grain */
  return SCREE_OK;
}

static ScreeStatus read_row(Lines *l, const Heading *h) {
  SCREE_TRY(split_line(l, l->end, h->separator));
  if (l->words != h->count) {
    ScreeNode node = node_of(l, whole_line(l));
    return scree_blame(l->fault, &node, SCREE_INVALID, "this line has %zu values, and there are %zu columns", l->words,
                       h->count);
  }
  ScreeFileGrain *row = add_grain(l);
  if (!row) return SCREE_NO_MEMORY;
  ScreeGrain *g = &row->grain;
  const ScreeSceneFile *d = l->def;
  double size = 0;
  for (size_t i = 0; i < h->count; i++) {
    Column column = h->column[i];
    Word word = l->word[i];
    if (column <= COLUMN_z) {
      SCREE_TRY(read_value(l, word, column_names[column], &g->position[column - COLUMN_x]));
      g->position[column - COLUMN_x] *= d->length;
    } else if (column == COLUMN_radius || column == COLUMN_diameter) {
      SCREE_TRY(read_positive(l, word, column_names[column], &size));
      g->radius = size * d->length * (column == COLUMN_diameter ? 0.5 : 1.0);
    } else if (column >= COLUMN_vx && column <= COLUMN_vz) {
      SCREE_TRY(read_value(l, word, column_names[column], &g->velocity[column - COLUMN_vx]));
      g->velocity[column - COLUMN_vx] *= d->velocity;
    } else if (column >= COLUMN_wx && column <= COLUMN_wz) {
      SCREE_TRY(read_value(l, word, column_names[column], &g->spin[column - COLUMN_wx]));
      g->spin[column - COLUMN_wx] *= d->spin;
    } else if (column == COLUMN_id) {
      SCREE_TRY(read_id(l, word, &g->id));
      row->numbered = true;
    } else if (column == COLUMN_material) {
      SCREE_TRY(find_material(l, word, &g->material));
    }
  }
  return SCREE_OK;
}

static bool is_empty(const Lines *l) {
  for (size_t i = l->at; i < l->end; i++)
    if (!is_blank(l->file->source->text[i])) return l->file->source->text[i] == '#';
  return true;
}

static ScreeStatus read_table(Lines *l) {
  Heading h = {.count = 0};
  ScreeNode start = {.source = l->file->source, .at = 0, .end = 1};
  if (l->file->source->length >= 3 && memcmp(l->file->source->text, "\xef\xbb\xbf", 3) == 0) l->next = 3;
  for (bool headed = false; next_line(l);) {
    if (is_empty(l)) continue;
    SCREE_TRY(headed ? read_row(l, &h) : read_heading(l, &h));
    headed = true;
  }
  if (l->file->count > 0) return SCREE_OK;
  return scree_blame(l->fault, &start, SCREE_MISSING, "the table has no grains");
}

/* ---- LAMMPS ---- */

typedef struct Data {
  double atoms; /* as the header says; NaN: not yet */
  Word atoms_at;
  bool seen_atoms, seen_velocities;
  size_t moved; /* lines of velocities */
} Data;

/* The line without its comment, in words. */
static ScreeStatus split_data(Lines *l, size_t *end) {
  const char *text = l->file->source->text, *comment = memchr(text + l->at, '#', l->end - l->at);
  *end = comment ? (size_t)(comment - text) : l->end;
  return split_line(l, *end, 0);
}

static bool word_is(const Lines *l, size_t i, const char *text) {
  return i < l->words && l->word[i].end - l->word[i].at == strlen(text) &&
         memcmp(l->file->source->text + l->word[i].at, text, strlen(text)) == 0;
}

static bool starts_with_number(const Lines *l) {
  char c = l->words > 0 ? l->file->source->text[l->word[0].at] : 0;
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

/* "20 atoms", "0 1 xlo xhi": counts of what grains do not have must be zero. */
static ScreeStatus read_header_line(Lines *l, Data *d) {
  double number = 0;
  SCREE_TRY(read_value(l, l->word[0], "number", &number));
  if (l->words == 2 && word_is(l, 1, "atoms")) {
    if (!(number >= 1 && number <= SCREE_SCENE_MAX_GRAINS && number == floor(number)))
      return blame_word(l, l->word[0], "the number of atoms must be a whole number in 1 ... 1e9");
    d->atoms = number;
    d->atoms_at = whole_line(l);
    return SCREE_OK;
  }
  if (word_is(l, 2, "types") || word_is(l, 1, "extra")) return SCREE_OK;
  if (word_is(l, 2, "xlo") || word_is(l, 2, "ylo") || word_is(l, 2, "zlo")) {
    double high = 0;
    SCREE_TRY(read_value(l, l->word[1], "bound", &high));
    return high > number ? SCREE_OK : blame_word(l, whole_line(l), "the bounds of the box must be low, then high");
  }
  if (word_is(l, 3, "xy")) return blame_word(l, whole_line(l), "a tilted box cannot be read: the domain is upright");
  if (l->words == 2 && number == 0) return SCREE_OK;
  return blame_word(l, whole_line(l),
                    "this line of the header is not for grains: atoms, atom types and the bounds of the box are");
}

static ScreeStatus check_density(const Lines *l, Word word, int material) {
  double density = 0, own = scree_scene_material(l->scene, (size_t)material)->material.density;
  ScreeNode node = node_of(l, word);
  SCREE_TRY(read_positive(l, word, "density", &density));
  density *= l->def->density;
  if (fabs(density - own) <= 1e-6 * own) return SCREE_OK;
  return scree_blame(l->fault, &node, SCREE_INVALID,
                     "this atom has a density of %.6g kg/m3 and its material, %.60s, one of %.6g kg/m3: give the "
                     "material that density, or the type another material (materials: [...])",
                     density, scree_scene_material(l->scene, (size_t)material)->item.name, own);
}

static ScreeStatus read_type(const Lines *l, Word word, int *material) {
  double type = 0;
  size_t known = l->def->words.count;
  ScreeNode node = node_of(l, word);
  SCREE_TRY(read_value(l, word, "type", &type));
  if (!(type >= 1 && type <= 1e6 && type == floor(type)))
    return blame_word(l, word, "type must be a whole number from 1 on");
  if (known == 0) return SCREE_OK;
  if (type > (double)known)
    return scree_blame(l->fault, &node, SCREE_UNKNOWN, "type %.0f has no material: materials names %zu", type, known);
  const char *name = ((char **)l->def->words.at)[(size_t)type - 1];
  const ScreeNode *map = scree_node_value(l->group->item.node, "lammps", NULL),
                  *list = map ? scree_node_value(map, "materials", NULL) : NULL;
  bool own = list && list->kind == SCREE_NODE_LIST && (size_t)type <= list->count;
  ScreeReader reader = {.scene = (ScreeScene *)l->scene, .fault = l->fault};
  return scree_find_material(&reader, own ? &list->child[(size_t)type - 1] : &node, name, material);
}

/* id type diameter density x y z, and image flags, which say nothing of where it is in the box */
static ScreeStatus read_atom(Lines *l) {
  double diameter = 0;
  if (l->words != 7 && l->words != 10)
    return blame_word(l, whole_line(l),
                      "an atom of style sphere has 7 values: id type diameter density x y z (and 3 image flags)");
  ScreeFileGrain *row = add_grain(l);
  if (!row) return SCREE_NO_MEMORY;
  row->numbered = true;
  SCREE_TRY(read_id(l, l->word[0], &row->grain.id));
  SCREE_TRY(read_type(l, l->word[1], &row->grain.material));
  SCREE_TRY(read_positive(l, l->word[2], "diameter", &diameter));
  SCREE_TRY(check_density(l, l->word[3], row->grain.material));
  row->grain.radius = 0.5 * diameter * l->def->length;
  for (int k = 0; k < 3; k++) {
    SCREE_TRY(read_value(l, l->word[4 + k], "position", &row->grain.position[k]));
    row->grain.position[k] *= l->def->length;
  }
  return SCREE_OK;
}

static int by_id(const void *a, const void *b) {
  uint64_t x = ((const ScreeFileGrain *)a)->grain.id, y = ((const ScreeFileGrain *)b)->grain.id;
  return x < y ? -1 : x > y;
}

/* id vx vy vz wx wy wz; atoms are in order of their ids by now */
static ScreeStatus read_velocity(Lines *l, Data *d) {
  ScreeFileGrain key = {.numbered = true};
  if (l->words != 7)
    return blame_word(l, whole_line(l), "a velocity of style sphere has 7 values: id vx vy vz wx wy wz");
  SCREE_TRY(read_id(l, l->word[0], &key.grain.id));
  ScreeFileGrain *row = bsearch(&key, l->file->grain, l->file->count, sizeof key, by_id);
  if (!row) return blame_word(l, l->word[0], "there is no atom of this id");
  if (row->moves) return blame_word(l, l->word[0], "this atom has a velocity already");
  row->moves = true;
  for (int k = 0; k < 3; k++) {
    SCREE_TRY(read_value(l, l->word[1 + k], "velocity", &row->grain.velocity[k]));
    SCREE_TRY(read_value(l, l->word[4 + k], "angular velocity", &row->grain.spin[k]));
    row->grain.velocity[k] *= l->def->velocity;
    row->grain.spin[k] *= l->def->spin;
  }
  d->moved++;
  return SCREE_OK;
}

typedef enum Part { HEADER, SKIPPED, ATOMS, VELOCITIES } Part;

/* The style that write_data notes behind the section's name. */
static ScreeStatus check_style(const Lines *l, size_t end) {
  Word style = trimmed(l->file->source->text, end < l->end ? end + 1 : end, l->end);
  char name[40];
  copy_word(l, style, name, sizeof name);
  if (!*name || strcmp(name, "sphere") == 0) return SCREE_OK;
  return blame_word(l, style, "grains are atoms of style sphere: write the data file with atom_style sphere");
}

static ScreeStatus begin_part(Lines *l, Data *d, size_t end, Part *part) {
  bool pair = word_is(l, 0, "Pair") || word_is(l, 0, "PairIJ");
  if (word_is(l, 0, "Masses") || (pair && word_is(l, 1, "Coeffs"))) {
    *part = SKIPPED;
  } else if (word_is(l, 0, "Atoms") && l->words == 1) {
    if (d->seen_atoms) return blame_word(l, l->word[0], "Atoms is there twice");
    d->seen_atoms = true;
    *part = ATOMS;
  } else if (word_is(l, 0, "Velocities") && l->words == 1) {
    if (l->file->count == 0) return blame_word(l, l->word[0], "Velocities must come after Atoms");
    if (d->seen_velocities) return blame_word(l, l->word[0], "Velocities is there twice");
    if (!isnan(l->group->velocity.random))
      return blame_word(l, l->word[0], "the group's velocities are random: the file must not give any");
    d->seen_velocities = true;
    qsort(l->file->grain, l->file->count, sizeof *l->file->grain, by_id);
    *part = VELOCITIES;
  } else {
    return blame_word(l, whole_line(l), "this section is not for grains: Atoms and Velocities are");
  }
  return check_style(l, end);
}

static ScreeStatus check_data(const Lines *l, const Data *d) {
  ScreeNode start = {.source = l->file->source, .at = 0, .end = 1}, atoms = node_of(l, d->atoms_at);
  if (isnan(d->atoms))
    return scree_blame(l->fault, &start, SCREE_MISSING,
                       "this is no LAMMPS data file: its header does not say how many atoms");
  if (!d->seen_atoms) return scree_blame(l->fault, &start, SCREE_MISSING, "the file has no section Atoms");
  if ((double)l->file->count != d->atoms)
    return scree_blame(l->fault, &atoms, SCREE_INVALID, "the header says %.0f atoms, and there are %zu", d->atoms,
                       l->file->count);
  if (d->seen_velocities && d->moved != l->file->count)
    return scree_blame(l->fault, &atoms, SCREE_INVALID, "there are %zu atoms and %zu velocities", l->file->count,
                       d->moved);
  return SCREE_OK;
}

static ScreeStatus read_data(Lines *l) {
  Data d = {.atoms = NAN};
  Part part = HEADER;
  size_t end;
  next_line(l); /* the first is a title */
  while (next_line(l)) {
    SCREE_TRY(split_data(l, &end));
    if (l->words == 0) continue;
    if (!starts_with_number(l))
      SCREE_TRY(begin_part(l, &d, end, &part));
    else if (part == HEADER)
      SCREE_TRY(read_header_line(l, &d));
    else if (part == ATOMS)
      SCREE_TRY(read_atom(l));
    else if (part == VELOCITIES)
      SCREE_TRY(read_velocity(l, &d));
  }
  return check_data(l, &d);
}

/* ---- either ---- */

char *scree_grain_file_path(const ScreeScene *scene, const char *file) {
  const char *slash = strrchr(scene->source->name, '/');
  char *path = NULL;
  int folder = slash && *file != '/' ? (int)(slash - scene->source->name) + 1 : 0;
  return asprintf(&path, "%.*s%s", folder, scene->source->name, file) >= 0 ? path : NULL;
}

ScreeStatus scree_grain_file_parse(const ScreeScene *scene, const ScreeSceneParticles *group, ScreeGrainFile *file,
                                   ScreeFault *fault) {
  bool csv = group->form == SCREE_KEY_particles_csv;
  Lines lines = {
      .scene = scene, .group = group, .def = csv ? &group->csv : &group->lammps, .file = file, .fault = fault};
  return csv ? read_table(&lines) : read_data(&lines);
}

ScreeStatus scree_grain_file_read(const ScreeScene *scene, const ScreeSceneParticles *group, ScreeGrainFile *file,
                                  ScreeFault *fault) {
  bool csv = group->form == SCREE_KEY_particles_csv;
  const ScreeNode *map = scree_node_value(group->item.node, csv ? "csv" : "lammps", NULL),
                  *node = map ? scree_node_value(map, "file", NULL) : NULL;
  char *path = scree_grain_file_path(scene, csv ? group->csv.file : group->lammps.file);
  *file = (ScreeGrainFile){0};
  if (!path) return scree_blame(fault, NULL, SCREE_NO_MEMORY, "no memory for a file of grains");
  ScreeStatus status = scree_source_load(path, MOST_BYTES, "file of grains", &file->source, fault);
  free(path);
  if (status != SCREE_OK) return scree_blame(fault, node, status, "%s", fault->sentence);
  status = scree_grain_file_parse(scene, group, file, fault);
  if (status != SCREE_OK) scree_grain_file_free(file);
  return status;
}

ScreeNode scree_grain_file_place(const ScreeGrainFile *file, size_t grain) {
  return (ScreeNode){.source = file->source, .at = file->grain[grain].at, .end = file->grain[grain].end};
}

void scree_grain_file_free(ScreeGrainFile *file) {
  scree_source_free(file->source);
  free(file->grain);
  *file = (ScreeGrainFile){0};
}
