/* models.c: `scree models`: the catalogue as a table, Markdown or JSON. */
#include "cli.h"

#include "law.h"
#include "output.h"

#include <string.h>

static const char verb[] = "models";

enum { KEY_JSON = 256, KEY_MARKDOWN, KEY_GROUP };

typedef struct ModelsOptions {
  ScreeGroup group; /* SCREE_GROUP_COUNT: all */
  bool json, markdown;
} ModelsOptions;

static const struct argp_option own_options[] = {
    {"group", KEY_GROUP, "GROUP", 0, "only point, plastic, line or tangential laws", 0},
    {"json", KEY_JSON, NULL, 0, "everything the catalogue knows, as JSON", 0},
    {"markdown", KEY_MARKDOWN, NULL, 0, "a Markdown table with formulas", 0},
    {0},
};

static void take_group(struct argp_state *state, const char *name, ScreeGroup *group) {
  for (int i = 0; i < SCREE_GROUP_COUNT; i++)
    if (strcmp(name, scree_group_name((ScreeGroup)i)) == 0) {
      *group = (ScreeGroup)i;
      return;
    }
  refuse(state, "--group: must be point, plastic, line or tangential (got \"%s\")", name);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
  ModelsOptions *o = state->input;
  switch (key) {
  case KEY_JSON: o->json = true; return 0;
  case KEY_MARKDOWN: o->markdown = true; return 0;
  case KEY_GROUP: take_group(state, argument, &o->group); return 0;
  case ARGP_KEY_ARG: refuse(state, "takes no argument (got \"%s\"; scree show %s?)", argument, argument); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char doc[] = "The contact laws of the catalogue.\v"
                          "Examples:\n"
                          "  scree models\n"
                          "  scree models --group line\n"
                          "  scree models --json";

static const char *yes(bool condition) { return condition ? "yes" : "-"; }

static bool listed(const ScreeLawInfo *info, ScreeGroup group) {
  return group == SCREE_GROUP_COUNT || info->group == group;
}

static void print_json(ScreeGroup group) {
  json_t *array = json_array();
  for (int law = 0; law < SCREE_LAW_COUNT; law++) {
    const ScreeLawInfo *info = scree_law_info((ScreeLawId)law);
    if (listed(info, group)) json_array_append_new(array, law_json(info));
  }
  json_print(array);
}

/* A Markdown cell: bars inside it would end it. */
static void print_cell(const char *text) {
  fputs(" ", stdout);
  for (; *text; text++) printf(*text == '|' ? "\\%c" : "%c", *text);
  fputs(" |", stdout);
}

static void print_markdown(ScreeGroup group) {
  puts("| law | group | n | memory | uses v0 | restitution | attraction | request | formula | reference |\n"
       "|---|---|---|---|---|---|---|---|---|---|");
  for (int law = 0; law < SCREE_LAW_COUNT; law++) {
    const ScreeLawInfo *info = scree_law_info((ScreeLawId)law);
    if (!listed(info, group)) continue;
    printf("| `%s` | %s | %s | %d |", info->name, scree_group_name(info->group), exponent_text(info), info->slots);
    print_cell(yes(info->flags & SCREE_USES_V0));
    print_cell(restitution_text(info));
    print_cell(yes(info->flags & SCREE_ATTRACTIVE));
    print_cell(domain_text(info->domain));
    print_cell(info->formula);
    print_cell(info->reference);
    putchar('\n');
  }
}

static void print_group(ScreeGroup group) {
  Table *table = table_new("lrrlllll");
  const char *const heading[] = {scree_group_name(group), "n",          "memory",  "uses v0",
                                 "restitution",           "attraction", "request", "reference"};
  for (size_t i = 0; i < sizeof heading / sizeof *heading; i++) table_cell(table, "%s", heading[i]);
  for (int law = 0; law < SCREE_LAW_COUNT; law++) {
    const ScreeLawInfo *info = scree_law_info((ScreeLawId)law);
    if (info->group != group) continue;
    table_cell(table, "%s", info->name);
    table_cell(table, "%s", exponent_text(info));
    table_cell(table, "%d", info->slots);
    table_cell(table, "%s", yes(info->flags & SCREE_USES_V0));
    table_cell(table, "%s", restitution_text(info));
    table_cell(table, "%s", yes(info->flags & SCREE_ATTRACTIVE));
    table_cell(table, "%s", domain_text(info->domain));
    table_cell(table, "%s", info->reference);
  }
  table_print(table);
}

static void print_text(ScreeGroup wanted) {
  bool first = true;
  for (int group = 0; group < SCREE_GROUP_COUNT; group++) {
    if (wanted != SCREE_GROUP_COUNT && wanted != (ScreeGroup)group) continue;
    if (!first) putchar('\n');
    first = false;
    print_group((ScreeGroup)group);
  }
  puts("\nn: elastic exponent; memory: numbers a contact carries; request: the restitution a law accepts.\n"
       "scree show LAW tells all about one.");
}

int verb_models(int argc, char **argv) {
  ModelsOptions o = {.group = SCREE_GROUP_COUNT};
  const struct argp argp = {own_options, parse, NULL, doc, NULL, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  if (o.json && o.markdown) return misuse(verb, "--json and --markdown exclude each other");
  if (o.json)
    print_json(o.group);
  else if (o.markdown)
    print_markdown(o.group);
  else
    print_text(o.group);
  return EXIT_DONE;
}
