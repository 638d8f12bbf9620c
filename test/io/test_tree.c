/* Trees: every node knows where it was written, and what is no tree gets a sentence at its place. */
#include "io/tree.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Parsed {
  ScreeSource *source;
  ScreeNode root;
  ScreeFault fault;
  ScreeStatus status;
} Parsed;

static Parsed parse_bytes(const char *text, size_t length) {
  Parsed p = {.source = scree_source_new("file.yaml", text, length, false)};
  p.status = scree_tree_parse(p.source, 0, &p.root, &p.fault);
  return p;
}
static Parsed parse(const char *text) { return parse_bytes(text, strlen(text)); }

static void drop(Parsed *p) {
  if (p->status == SCREE_OK) scree_tree_free(&p->root);
  scree_source_free(p->source);
}

/* The source's text of a node. */
static void expect_source(const Parsed *p, const char *path, const char *wanted) {
  const ScreeNode *node = scree_node_find(&p->root, path);
  cr_assert(node, "%s", path);
  size_t length = node->end - node->at;
  cr_expect(length == strlen(wanted) && memcmp(p->source->text + node->at, wanted, length) == 0, "%s: \"%.*s\"", path,
            (int)length, p->source->text + node->at);
}

static void expect_text(const Parsed *p, const char *path, const char *wanted) {
  const ScreeNode *node = scree_node_find(&p->root, path);
  cr_assert(node && node->kind == SCREE_NODE_SCALAR, "%s", path);
  cr_expect_str_eq(node->text, wanted);
}

Test(tree, nodes_know_their_place) {
  Parsed p = parse("a: 1\nb: {x: [1, 2 m], y: 'it''s'}\nc:\n  - d: \"q\\u00e4\\\"\"\n  - one\n    two\n");
  cr_assert_eq(p.status, SCREE_OK, "%s", p.fault.sentence);
  expect_source(&p, "a", "1");
  expect_source(&p, "b.x.1", "2 m");
  expect_text(&p, "b.y", "it's");
  expect_text(&p, "c.0.d", "q\xc3\xa4\"");
  expect_text(&p, "c.1", "one two");
  cr_expect_null(scree_node_find(&p.root, "b.z"));
  cr_expect_null(scree_node_find(&p.root, "c.2"));
  drop(&p);
}

Test(tree, json_is_yaml) {
  Parsed p = parse("{\n\t\"a\": \"1 m\",\n\t\"b\": [1, true, null]\n}\n");
  cr_assert_eq(p.status, SCREE_OK, "%s", p.fault.sentence);
  expect_text(&p, "a", "1 m");
  expect_text(&p, "b.2", "null");
  drop(&p);
}

Test(tree, aliases_are_copies) {
  Parsed p = parse("a: &x {k: [1, 2]}\nb: *x\n");
  cr_assert_eq(p.status, SCREE_OK, "%s", p.fault.sentence);
  const ScreeNode *a = scree_node_find(&p.root, "a.k"), *b = scree_node_find(&p.root, "b.k");
  cr_assert(a && b);
  cr_expect_neq(a->child, b->child);
  expect_text(&p, "b.k.1", "2");
  drop(&p);
}

typedef struct Wrong {
  const char *text;
  int line, column;
  const char *word;
} Wrong;

Test(tree, what_is_no_tree_gets_a_sentence_at_its_place) {
  static const Wrong wrong[] = {
      {"", 1, 1, "empty"},
      {"# c\n", 1, 1, "empty"},
      {"a: [1, 2\nb: 3\n", 2, 5, "not YAML"},
      {"a: 1\nb: *y\n", 2, 5, "anchor"},
      {"a: &x [*x]\n", 1, 9, "anchor"},
      {"a: \x01\n", 1, 4, "0x01"},
      {"a: \xff\n", 1, 4, "0xff"},
      {"\xc3\xa4: \xed\xa0\x80\n", 1, 4, "0xed"}, /* half a surrogate pair */
      {"a: 1\n---\nb: 1\n", 3, 1, "second document"},
      {"a: |\n  b\n  c\n", 2, 1, "on one"},
      {"a: \"\\a\"\n", 1, 5, "backslash"},
      {"a: \"\\u0000\"\n", 1, 5, "backslash"},
      {"a: \"\\n\"\n", 1, 5, "control"},
      {"a: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n", 1, 36, "deep"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    Parsed p = parse(wrong[i].text);
    cr_expect_neq(p.status, SCREE_OK, "%s", wrong[i].text);
    cr_expect(p.fault.line == wrong[i].line && p.fault.column == wrong[i].column, "%s: %s: %s", wrong[i].text,
              p.fault.where, p.fault.sentence);
    cr_expect(strstr(p.fault.sentence, wrong[i].word), "%s: %s", wrong[i].text, p.fault.sentence);
    cr_expect_str_eq(p.fault.sentence, scree_last_error());
    drop(&p);
  }
}

Test(tree, zero_bytes_do_not_end_the_text) {
  Parsed p = parse_bytes("a: 1\n\0b", 7);
  cr_expect_eq(p.status, SCREE_INVALID);
  cr_expect(p.fault.line == 2 && p.fault.column == 1, "%s", p.fault.where);
  drop(&p);
}

Test(tree, a_bomb_of_aliases_gets_a_sentence) {
  char text[4096] = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 15; i++) {
    char line[200];
    snprintf(line, sizeof line, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i, i - 1, i - 1, i - 1, i - 1,
             i - 1, i - 1);
    strcat(text, line);
  }
  Parsed p = parse(text);
  cr_expect_eq(p.status, SCREE_INVALID);
  cr_expect(strstr(p.fault.sentence, "aliases expanded"), "%s", p.fault.sentence);
  drop(&p);
}

Test(tree, a_long_line_is_cut_around_the_place) {
  char *text = malloc(100001);
  memset(text, 'x', 100000);
  memcpy(text, "a: [", 4);
  for (int i = 8; i < 99990; i += 5) memcpy(text + i, "\xc3\xa4, ", 4);
  strcpy(text + 99990, "\x02]\n");
  Parsed p = parse(text);
  cr_expect_eq(p.status, SCREE_INVALID);
  cr_expect(p.fault.caret < 100 && strlen(p.fault.excerpt) < sizeof p.fault.excerpt, "%d", p.fault.caret);
  cr_expect(p.fault.column > 70000 && p.fault.column < 100000, "%d", p.fault.column);
  drop(&p);
  free(text);
}

Test(tree, a_blamed_option_names_no_line) {
  ScreeSource *source = scree_source_new("--set a=b", "a=b", 3, true);
  ScreeNode node = {.source = source, .at = 2, .end = 3};
  ScreeFault fault;
  cr_expect_eq(scree_blame(&fault, &node, SCREE_INVALID, "%d is wrong", 7), SCREE_INVALID);
  cr_expect_str_eq(fault.where, "--set a=b");
  cr_expect_str_eq(fault.sentence, "7 is wrong");
  cr_expect(fault.caret == 2 && fault.underline == 1);
  scree_source_free(source);
}

Test(tree, missing_files_have_no_place) {
  ScreeSource *source = NULL;
  ScreeFault fault;
  cr_expect_eq(scree_source_read("/no/such/file", &source, &fault), SCREE_MISSING);
  cr_expect_str_eq(fault.where, "");
  cr_expect(strstr(fault.sentence, "No such file"), "%s", fault.sentence);
  cr_expect_eq(scree_source_read("/", &source, &fault), SCREE_MISSING);
  cr_expect(strstr(fault.sentence, "folder"), "%s", fault.sentence);
}
