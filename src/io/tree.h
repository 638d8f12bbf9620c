/* tree.h: a YAML or JSON text as a tree of nodes that know where they were written, and errors that show the place. */
#ifndef SCREE_TREE_H
#define SCREE_TREE_H

#include "scree/base.h"

/* A text that nodes come from: a file, or the value of an option. */
typedef struct ScreeSource {
  char *name; /* as errors show it: the file's path, "--set run.duration=2s" */
  char *text; /* length bytes, and a terminating zero */
  size_t length;
  bool option; /* errors name no line and column */
} ScreeSource;

typedef enum ScreeNodeKind { SCREE_NODE_SCALAR, SCREE_NODE_LIST, SCREE_NODE_MAP } ScreeNodeKind;

typedef struct ScreeNode ScreeNode;
struct ScreeNode {
  ScreeNodeKind kind;
  char *text;       /* of a scalar, without quotes, on one line */
  ScreeNode *child; /* of a list: its items; of a map: key, value, key, value, ... */
  size_t count, capacity;
  const ScreeSource *source;
  size_t at, end; /* bytes of the source */
};

/* One wrong place: what an error message shows. */
typedef struct ScreeFault {
  char where[512]; /* "scene.yaml:12:18", or the option; "" when there is no place */
  char sentence[480];
  int line, column;     /* from 1; 0: none */
  char excerpt[420];    /* the line, or the part of it around the place */
  int caret, underline; /* columns of the excerpt: from 0, and how many */
} ScreeFault;

/* Limits of a text: more gets a sentence. */
#define SCREE_TREE_MAX_BYTES ((size_t)32 << 20)
#define SCREE_TREE_MAX_NODES 2000000
#define SCREE_TREE_MAX_COPIES 100000 /* of nodes, made by anchors and aliases */
#define SCREE_TREE_MAX_DEPTH 32

/* Reads a whole file; the source is the caller's to free with scree_source_free. */
ScreeStatus scree_source_read(const char *path, ScreeSource **source, ScreeFault *fault);
/* The same for another kind of file, whose name goes into the sentence when it is larger than so many bytes. */
ScreeStatus scree_source_load(const char *path, size_t most, const char *kind, ScreeSource **source, ScreeFault *fault);
/* Copies `length` bytes. */
ScreeSource *scree_source_new(const char *name, const char *text, size_t length, bool option);
void scree_source_free(ScreeSource *source);

/* The tree of the source's text from byte `from` on; the source must outlive it. */
ScreeStatus scree_tree_parse(const ScreeSource *source, size_t from, ScreeNode *root, ScreeFault *fault);
void scree_tree_free(ScreeNode *node); /* its content, not the node itself */

/* The value of a key, NULL when there is none; the key's own node in *key unless that is NULL. */
ScreeNode *scree_node_value(const ScreeNode *map, const char *name, const ScreeNode **key);
/* The same along a path such as "run.log.every" or "particles.0". */
const ScreeNode *scree_node_find(const ScreeNode *root, const char *path);
/* Appends an empty child; NULL when memory ran out. Earlier pointers to children become invalid. */
ScreeNode *scree_node_add(ScreeNode *node);
/* "a list", "a map", "nothing", "text": what a node is, in words. */
const char *scree_node_kind_name(const ScreeNode *node);

/* Fills the fault with the node's place and the sentence; returns status. node may be NULL: no place. */
ScreeStatus scree_blame(ScreeFault *fault, const ScreeNode *node, ScreeStatus status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for the sentence of the last failing call, after "key: " unless key is NULL. */
ScreeStatus scree_blame_last(ScreeFault *fault, const ScreeNode *node, ScreeStatus status, const char *key);

#endif
