/* tree.c: libfyaml's events become a tree of our own. Its document would not tell where a map or a list begins, shares
 * what aliases name, and expands an alias bomb; here every node has a place and aliases are copies, counted. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "io/tree.h"

#include "core/status.h"

#include <errno.h>
#include <libfyaml.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- errors that show the place ---- */

#define EXCERPT_WIDTH 100

/* Length of the character of UTF-8 at s, 0 when there is none. */
static size_t utf8_length(const unsigned char *s, size_t left) {
  static const struct {
    unsigned char mask, lead;
    unsigned long least;
  } form[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
  for (size_t n = 1; n <= 4 && n <= left; n++) {
    if ((s[0] & form[n - 1].mask) != form[n - 1].lead) continue;
    unsigned long code = s[0] & (unsigned char)~form[n - 1].mask;
    for (size_t i = 1; i < n; i++) {
      if ((s[i] & 0xc0) != 0x80) return 0;
      code = code << 6 | (s[i] & 0x3f);
    }
    bool surrogate = code >= 0xd800 && code < 0xe000;
    return code >= form[n - 1].least && code <= 0x10ffff && !surrogate ? n : 0;
  }
  return 0;
}

/* Past one character, or one byte that belongs to none. */
static const char *next_character(const char *c, const char *stop) {
  size_t n = utf8_length((const unsigned char *)c, (size_t)(stop - c));
  return c + (n ? n : 1);
}

static int characters(const char *from, const char *to) {
  int count = 0;
  for (; from < to; from = next_character(from, to)) count++;
  return count;
}

/* The line around [at, end), cut to a window when it is long; what would disturb a terminal becomes a space. */
static void show_excerpt(ScreeFault *fault, const char *line, const char *at, const char *end) {
  const char *stop = line + strcspn(line, "\r\n"), *from = line;
  int before = characters(line, at), shown = 0;
  if (characters(line, stop) > EXCERPT_WIDTH)
    for (; before > EXCERPT_WIDTH * 2 / 3; before--) from = next_character(from, at);
  size_t n = 0;
  for (const char *c = from, *next; c < stop && shown < EXCERPT_WIDTH && n + 5 < sizeof fault->excerpt;
       c = next, shown++) {
    size_t length = utf8_length((const unsigned char *)c, (size_t)(stop - c));
    next = next_character(c, stop);
    if (length > 1)
      memcpy(fault->excerpt + n, c, length);
    else
      fault->excerpt[n] = length == 0 ? '?' : (unsigned char)*c < 0x20 || *c == 0x7f ? ' ' : *c;
    n += length ? length : 1;
  }
  fault->excerpt[n] = '\0';
  if (end > stop) end = stop;
  fault->caret = before;
  fault->underline = end > at ? characters(at, end) : 1;
  if (before + fault->underline > shown) fault->underline = shown - before;
  if (fault->underline < 1) fault->underline = 1;
}

static void place_fault(ScreeFault *fault, const ScreeSource *source, size_t at, size_t end) {
  if (at > source->length) at = source->length;
  if (end > source->length) end = source->length;
  /* a place past the last line is shown at its end */
  while (at > 0 && at == source->length && (source->text[at - 1] == '\n' || source->text[at - 1] == '\r')) at--;
  const char *text = source->text, *line = text + at;
  while (line > text && line[-1] != '\n') line--;
  fault->line = 1;
  for (const char *c = text; c < line; c++) fault->line += *c == '\n';
  fault->column = characters(line, text + at) + 1;
  if (source->option)
    snprintf(fault->where, sizeof fault->where, "%s", source->name);
  else
    snprintf(fault->where, sizeof fault->where, "%s:%d:%d", source->name, fault->line, fault->column);
  show_excerpt(fault, line, text + at, text + end);
}

/* One line, whatever a hostile text put into it. */
static void one_line(char *sentence) {
  for (unsigned char *c = (unsigned char *)sentence; *c; c++)
    if (*c < 0x20 || *c == 0x7f) *c = '?';
}

static ScreeStatus fault_list(ScreeFault *fault, const ScreeNode *node, ScreeStatus status, const char *format,
                              va_list arguments) {
  ScreeFault made = {0}; /* the arguments may point into the old one */
  vsnprintf(made.sentence, sizeof made.sentence, format, arguments);
  one_line(made.sentence);
  if (node && node->source && status != SCREE_NO_MEMORY) place_fault(&made, node->source, node->at, node->end);
  *fault = made;
  return scree_fail(status, "%s", made.sentence);
}

ScreeStatus scree_blame(ScreeFault *fault, const ScreeNode *node, ScreeStatus status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fault_list(fault, node, status, format, arguments);
  va_end(arguments);
  return status;
}

ScreeStatus scree_blame_last(ScreeFault *fault, const ScreeNode *node, ScreeStatus status, const char *key) {
  char sentence[400];
  if (status == SCREE_NO_MEMORY) key = NULL;
  snprintf(sentence, sizeof sentence, "%s", scree_last_error());
  return scree_blame(fault, node, status, "%s%s%s", key ? key : "", key ? ": " : "", sentence);
}

/* ---- sources ---- */

ScreeSource *scree_source_new(const char *name, const char *text, size_t length, bool option) {
  ScreeSource *source = calloc(1, sizeof *source);
  if (!source) return NULL;
  *source = (ScreeSource){.name = strdup(name), .text = malloc(length + 1), .length = length, .option = option};
  if (!source->name || !source->text) {
    scree_source_free(source);
    return NULL;
  }
  if (length) memcpy(source->text, text, length);
  source->text[length] = '\0';
  return source;
}

void scree_source_free(ScreeSource *source) {
  if (!source) return;
  free(source->name);
  free(source->text);
  free(source);
}

static ScreeStatus cannot_read(ScreeFault *fault, const char *path, const char *reason) {
  return scree_blame(fault, NULL, SCREE_MISSING, "cannot read %.300s: %s", path, reason);
}

static ScreeStatus read_stream(FILE *stream, const char *path, size_t most, const char *kind, char **text,
                               size_t *length, ScreeFault *fault) {
  size_t capacity = 0;
  *text = NULL;
  *length = 0;
  for (;;) {
    if (*length + 65536 > capacity) {
      capacity = 2 * capacity + 65536;
      char *grown = realloc(*text, capacity);
      if (!grown) return scree_blame(fault, NULL, SCREE_NO_MEMORY, "no memory to read %.300s", path);
      *text = grown;
    }
    size_t got = fread(*text + *length, 1, capacity - *length, stream);
    *length += got;
    if (got == 0) return ferror(stream) ? cannot_read(fault, path, strerror(errno)) : SCREE_OK;
    if (*length > most)
      return scree_blame(fault, NULL, SCREE_INVALID, "%.300s is larger than %zu MiB: that is no %s", path, most >> 20,
                         kind);
  }
}

ScreeStatus scree_source_read(const char *path, ScreeSource **source, ScreeFault *fault) {
  return scree_source_load(path, SCREE_TREE_MAX_BYTES, "scene", source, fault);
}

ScreeStatus scree_source_load(const char *path, size_t most, const char *kind, ScreeSource **source,
                              ScreeFault *fault) {
  struct stat info;
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return cannot_read(fault, path, "it is a folder");
  FILE *stream = fopen(path, "rb");
  if (!stream) return cannot_read(fault, path, strerror(errno));
  char *text = NULL;
  size_t length = 0;
  ScreeStatus status = read_stream(stream, path, most, kind, &text, &length, fault);
  fclose(stream);
  if (status == SCREE_OK) {
    *source = scree_source_new(path, text, length, false);
    if (!*source) status = scree_blame(fault, NULL, SCREE_NO_MEMORY, "no memory to read %.300s", path);
  }
  free(text);
  return status;
}

static ScreeStatus check_text(const ScreeSource *source, size_t from, ScreeFault *fault) {
  const unsigned char *text = (const unsigned char *)source->text;
  for (size_t i = from; i < source->length;) {
    size_t n = utf8_length(text + i, source->length - i);
    bool control = text[i] < 0x20 && text[i] != '\n' && text[i] != '\r' && text[i] != '\t';
    if (n == 0 || control || text[i] == 0x7f) {
      ScreeNode place = {.source = source, .at = i, .end = i + 1};
      return scree_blame(fault, &place, SCREE_INVALID,
                         "byte 0x%02x is no text: a scene is YAML or JSON, written in UTF-8", text[i]);
    }
    i += n;
  }
  return SCREE_OK;
}

/* ---- nodes ---- */

void scree_tree_free(ScreeNode *node) {
  for (size_t i = 0; i < node->count; i++) scree_tree_free(&node->child[i]);
  free(node->child);
  free(node->text);
  *node = (ScreeNode){0};
}

ScreeNode *scree_node_add(ScreeNode *node) {
  if (node->count == node->capacity) {
    size_t capacity = node->capacity ? 2 * node->capacity : 4;
    ScreeNode *child = realloc(node->child, capacity * sizeof *child);
    if (!child) return NULL;
    node->child = child;
    node->capacity = capacity;
  }
  ScreeNode *added = &node->child[node->count++];
  *added = (ScreeNode){.source = node->source, .at = node->at, .end = node->end};
  return added;
}

ScreeNode *scree_node_value(const ScreeNode *map, const char *name, const ScreeNode **key) {
  if (map->kind != SCREE_NODE_MAP) return NULL;
  for (size_t i = 0; i + 1 < map->count; i += 2) {
    if (map->child[i].kind != SCREE_NODE_SCALAR || strcmp(map->child[i].text, name) != 0) continue;
    if (key) *key = &map->child[i];
    return &map->child[i + 1];
  }
  return NULL;
}

const ScreeNode *scree_node_find(const ScreeNode *root, const char *path) {
  const ScreeNode *node = root;
  while (node && *path) {
    char part[64];
    size_t length = strcspn(path, ".");
    snprintf(part, sizeof part, "%.*s", (int)length, path);
    path += length + (path[length] == '.');
    if (node->kind == SCREE_NODE_LIST) {
      size_t index = strtoul(part, NULL, 10);
      node = index < node->count ? &node->child[index] : NULL;
    } else {
      node = scree_node_value(node, part, NULL);
    }
  }
  return node;
}

const char *scree_node_kind_name(const ScreeNode *node) {
  switch (node->kind) {
  case SCREE_NODE_LIST: return "a list";
  case SCREE_NODE_MAP: return "a map of keys";
  default: return *node->text ? "text" : "nothing";
  }
}

/* ---- events to nodes ---- */

typedef struct Anchor {
  char *name;
  ScreeNode node;
} Anchor;

typedef struct Parser {
  struct fy_parser *events;
  struct fy_diag *diag;
  const ScreeSource *source;
  ScreeFault *fault;
  size_t from, nodes, copies;
  Anchor *anchor;
  size_t anchors;
} Parser;

static ScreeStatus no_memory(Parser *p) {
  return scree_blame(p->fault, NULL, SCREE_NO_MEMORY, "no memory for the scene");
}

static ScreeNode place_of(const Parser *p, struct fy_event *event) {
  const struct fy_mark *start = fy_event_start_mark(event), *end = fy_event_end_mark(event);
  ScreeNode place = {.source = p->source};
  place.at = p->from + (start ? start->input_pos : 0);
  place.end = p->from + (end ? end->input_pos : 0);
  return place;
}

/* The next event, NULL at the end and where the text or memory fails. */
static struct fy_event *next_event(Parser *p) {
  errno = 0; /* libfyaml does not tell the two failures apart */
  return fy_parser_parse(p->events);
}

/* libfyaml's own sentence, at its place. */
static ScreeStatus syntax_error(Parser *p) {
  if (errno == ENOMEM) return no_memory(p);
  void *previous = NULL;
  struct fy_diag_error *error = fy_diag_errors_iterate(p->diag, &previous);
  ScreeNode place = {.source = p->source, .at = p->from, .end = p->from};
  const char *text = p->source->text;
  for (int line = 1; error && line < error->line; line++) {
    const char *next = strchr(text + place.at, '\n');
    if (!next) break;
    place.at = (size_t)(next + 1 - text);
  }
  for (int column = 1; error && column < error->column && text[place.at] && text[place.at] != '\n'; column++)
    place.at = (size_t)(next_character(text + place.at, text + p->source->length) - text);
  place.end = place.at + 1;
  return scree_blame(p->fault, &place, SCREE_INVALID, "this is not YAML: %.200s",
                     error && error->msg ? error->msg : "the text ends too early");
}

static ScreeStatus count_node(Parser *p, const ScreeNode *place) {
  if (++p->nodes <= SCREE_TREE_MAX_NODES) return SCREE_OK;
  return scree_blame(p->fault, place, SCREE_INVALID, "the scene has more than %d values", SCREE_TREE_MAX_NODES);
}

static ScreeStatus copy_node(Parser *p, const ScreeNode *from, ScreeNode *to, const ScreeNode *place) {
  if (++p->copies > SCREE_TREE_MAX_COPIES)
    return scree_blame(p->fault, place, SCREE_INVALID, "aliases expanded, the scene has more than %d values of them",
                       SCREE_TREE_MAX_COPIES);
  *to = (ScreeNode){.kind = from->kind, .source = from->source, .at = from->at, .end = from->end};
  if (from->text && !(to->text = strdup(from->text))) return no_memory(p);
  for (size_t i = 0; i < from->count; i++) {
    ScreeNode *child = scree_node_add(to);
    if (!child) return no_memory(p);
    SCREE_TRY(copy_node(p, &from->child[i], child, place));
  }
  return SCREE_OK;
}

static char *token_text(struct fy_token *token) {
  size_t length = 0;
  const char *text = token ? fy_token_get_text(token, &length) : "";
  return text ? strndup(text, length) : strdup("");
}

static ScreeStatus expand_alias(Parser *p, struct fy_event *event, ScreeNode *node) {
  ScreeNode place = place_of(p, event);
  char *name = token_text(event->alias.anchor);
  if (!name) return no_memory(p);
  ScreeStatus status = SCREE_UNKNOWN;
  size_t i = p->anchors;
  while (i > 0 && strcmp(p->anchor[i - 1].name, name) != 0) i--;
  if (i > 0)
    status = copy_node(p, &p->anchor[i - 1].node, node, &place);
  else
    scree_blame(p->fault, &place, status, "no anchor &%.60s stands before this alias", name);
  free(name);
  return status;
}

static ScreeStatus keep_anchor(Parser *p, struct fy_token *token, const ScreeNode *node) {
  if (!token) return SCREE_OK;
  Anchor *anchor = realloc(p->anchor, (p->anchors + 1) * sizeof *anchor);
  if (!anchor) return no_memory(p);
  p->anchor = anchor;
  p->anchor[p->anchors] = (Anchor){.name = token_text(token)};
  if (!p->anchor[p->anchors].name) return no_memory(p);
  return copy_node(p, node, &p->anchor[p->anchors++].node, node);
}

/* ---- scalars: from the source itself, because libfyaml 0.7.12 leaks where a text has many pieces ---- */

/* Appends a character as UTF-8. */
static char *put_character(char *out, unsigned long code) {
  if (code < 0x80) {
    *out++ = (char)code;
  } else if (code < 0x800) {
    *out++ = (char)(0xc0 | code >> 6);
    *out++ = (char)(0x80 | (code & 0x3f));
  } else {
    *out++ = (char)(0xe0 | code >> 12);
    *out++ = (char)(0x80 | (code >> 6 & 0x3f));
    *out++ = (char)(0x80 | (code & 0x3f));
  }
  return out;
}

/* The escape after a backslash, as JSON and YAML both know them; NULL when it is another. */
static const char *unescape(const char *c, const char *end, char **out) {
  static const char names[] = "\"\\/ntrbf", values[] = "\"\\/\n\t\r\b\f";
  const char *name = c < end ? strchr(names, *c) : NULL;
  size_t digits = c < end && *c == 'u' ? 4 : c < end && *c == 'x' ? 2 : 0;
  if (name && *name) {
    *(*out)++ = values[name - names];
    return c + 1;
  }
  unsigned long code = 0;
  if (digits == 0 || (size_t)(end - c) < digits + 1) return NULL;
  for (size_t i = 1; i <= digits; i++) {
    static const char hex[] = "0123456789abcdef";
    const char *digit = c[i] ? strchr(hex, c[i] | 0x20) : NULL;
    if (!digit) return NULL;
    code = code << 4 | (unsigned long)(digit - hex);
  }
  if (code == 0 || (code >= 0xd800 && code < 0xe000)) return NULL; /* the end of the text, half a character */
  *out = put_character(*out, code);
  return c + digits + 1;
}

/* A line break within a scalar, with the spaces around it, is one space. */
static const char *fold(const char *c, const char *end, const char *start, char **out) {
  while (*out > start && (*out)[-1] == ' ') (*out)--;
  while (c < end && strchr(" \t\r\n", *c)) c++;
  *(*out)++ = ' ';
  return c;
}

static bool decode(const char *c, const char *end, enum fy_scalar_style style, char *out) {
  const char *start = out;
  while (c && c < end) {
    if (*c == '\n' || *c == '\r')
      c = fold(c, end, start, &out);
    else if (*c == '\\' && style == FYSS_DOUBLE_QUOTED)
      c = unescape(c + 1, end, &out);
    else if (*c == '\'' && style == FYSS_SINGLE_QUOTED)
      *out++ = '\'', c += 2; /* two of them are one */
    else
      *out++ = *c++;
  }
  *out = '\0';
  return c != NULL;
}

static ScreeStatus read_scalar(Parser *p, struct fy_event *event, ScreeNode *node) {
  enum fy_scalar_style style = event->scalar.value ? fy_token_scalar_style(event->scalar.value) : FYSS_PLAIN;
  const char *text = p->source->text;
  node->kind = SCREE_NODE_SCALAR;
  if (node->end > p->source->length) node->end = p->source->length;
  if (node->at > node->end) node->at = node->end;
  node->text = malloc(node->end - node->at + 2);
  if (!node->text) return no_memory(p);
  if (style == FYSS_LITERAL || style == FYSS_FOLDED)
    return scree_blame(p->fault, node, SCREE_INVALID, "a text of several lines has no use in a scene: write it on one");
  if (!decode(text + node->at, text + node->end, style, node->text))
    return scree_blame(p->fault, node, SCREE_INVALID, "a backslash in double quotes stands before a letter it cannot");
  for (const char *c = node->text; *c; c++)
    if ((unsigned char)*c < 0x20 && *c != '\t')
      return scree_blame(p->fault, node, SCREE_INVALID, "a value holds a control character");
  return keep_anchor(p, event->scalar.anchor, node);
}

static ScreeStatus read_node(Parser *p, struct fy_event *event, ScreeNode *node, int depth);

/* Children up to the end of the collection. */
static ScreeStatus read_children(Parser *p, ScreeNode *node, enum fy_event_type last, int depth) {
  for (;;) {
    struct fy_event *event = next_event(p);
    if (!event) return syntax_error(p);
    bool ends = event->type == last;
    ScreeNode *child = ends ? NULL : scree_node_add(node);
    ScreeStatus status = ends ? SCREE_OK : child ? read_node(p, event, child, depth + 1) : no_memory(p);
    if (child && child->at <= p->from && node->count > 1) /* a key without a value: libfyaml knows no place for it */
      child->at = child->end = child[-1].end;
    fy_parser_event_free(p->events, event);
    if (ends || status != SCREE_OK) return status;
  }
}

static ScreeStatus read_node(Parser *p, struct fy_event *event, ScreeNode *node, int depth) {
  *node = place_of(p, event);
  SCREE_TRY(count_node(p, node));
  if (depth > SCREE_TREE_MAX_DEPTH)
    return scree_blame(p->fault, node, SCREE_INVALID, "lists and maps are nested more than %d deep",
                       SCREE_TREE_MAX_DEPTH);
  struct fy_token *anchor = NULL;
  ScreeStatus status = SCREE_OK;
  switch (event->type) {
  case FYET_ALIAS: return expand_alias(p, event, node);
  case FYET_SCALAR: return read_scalar(p, event, node);
  case FYET_SEQUENCE_START:
    node->kind = SCREE_NODE_LIST;
    anchor = event->sequence_start.anchor;
    status = read_children(p, node, FYET_SEQUENCE_END, depth);
    break;
  case FYET_MAPPING_START:
    node->kind = SCREE_NODE_MAP;
    anchor = event->mapping_start.anchor;
    status = read_children(p, node, FYET_MAPPING_END, depth);
    break;
  default: return syntax_error(p);
  }
  return status == SCREE_OK ? keep_anchor(p, anchor, node) : status;
}

/* The first document's node; a second document is refused. */
static ScreeStatus read_document(Parser *p, ScreeNode *root) {
  bool done = false;
  for (;;) {
    struct fy_event *event = next_event(p);
    if (!event) return fy_parser_get_stream_error(p->events) || !done ? syntax_error(p) : SCREE_OK;
    ScreeStatus status = SCREE_OK;
    enum fy_event_type type = event->type;
    bool content =
        type == FYET_ALIAS || type == FYET_SCALAR || type == FYET_SEQUENCE_START || type == FYET_MAPPING_START;
    if (content && done) {
      ScreeNode place = place_of(p, event);
      status = scree_blame(p->fault, &place, SCREE_INVALID, "a second document begins here: a scene is one");
    } else if (content) {
      status = read_node(p, event, root, 0);
      done = true;
    }
    fy_parser_event_free(p->events, event);
    if (status != SCREE_OK) return status;
    if (type == FYET_STREAM_END) break;
  }
  if (done) return SCREE_OK;
  ScreeNode place = {.source = p->source};
  return scree_blame(p->fault, &place, SCREE_INVALID,
                     "the file is empty: `scree new box` writes a scene to begin with");
}

/* fy_parser_set_string of libfyaml 0.7.12 does not look whether there was memory for its record and for its name. What
 * is given back here serves both: the C library keeps small blocks for the next that ask. */
static bool give_text(Parser *p) {
  enum { STEP = 16, BLOCKS = 32 };
  void *block[BLOCKS];
  size_t count = 0;
  while (count < BLOCKS && (block[count] = malloc((count + 1) * STEP))) count++;
  bool got = count == BLOCKS;
  while (count > 0) free(block[--count]);
  return got && fy_parser_set_string(p->events, p->source->text + p->from, p->source->length - p->from) == 0;
}

ScreeStatus scree_tree_parse(const ScreeSource *source, size_t from, ScreeNode *root, ScreeFault *fault) {
  *root = (ScreeNode){.source = source};
  if (source->length - from >= 3 && memcmp(source->text + from, "\xef\xbb\xbf", 3) == 0) from += 3;
  SCREE_TRY(check_text(source, from, fault));
  struct fy_diag_cfg quiet;
  fy_diag_cfg_default(&quiet);
  quiet.fp = NULL;
  quiet.colorize = false;
  Parser p = {.source = source, .fault = fault, .from = from, .diag = fy_diag_create(&quiet)};
  if (!p.diag) return no_memory(&p);
  fy_diag_set_collect_errors(p.diag, true);
  struct fy_parse_cfg configuration = {.flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 |
                                                FYPCF_SLOPPY_FLOW_INDENTATION | FYPCF_JSON_NONE, /* JSON is YAML */
                                       .diag = p.diag};
  p.events = fy_parser_create(&configuration);
  ScreeStatus status = SCREE_OK;
  if (!p.events || !give_text(&p))
    status = no_memory(&p);
  else
    status = read_document(&p, root);
  for (size_t i = 0; i < p.anchors; i++) {
    free(p.anchor[i].name);
    scree_tree_free(&p.anchor[i].node);
  }
  free(p.anchor);
  if (p.events) fy_parser_destroy(p.events);
  fy_diag_destroy(p.diag);
  if (status != SCREE_OK) scree_tree_free(root);
  return status;
}
