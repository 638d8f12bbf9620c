/* complete.c: `scree __complete WORD...`: what the shells offer for the last WORD, given those before it; the words are
 * those after `scree`. The functions in completion/ call it; people need not.
 *
 * One candidate per line, followed by a tab and what it means where that is known. A line that begins with a colon
 * tells the shell what to do besides: ":files" and ":folders" add names from the disk, ":nospace" leaves the cursor at
 * the candidate's end.
 *
 * Nothing is listed here: verbs come from verbs.def, options from the verb's own parser (it runs until it is about to
 * parse), laws and parameters from the catalogue, words from the functions that print them. */
#include "case.h"

#include "figures.h"
#include "io/scene_keys.h"
#include "io/trajectory.h"
#include "templates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *name, *help;
  int (*run)(int argc, char **argv);
} verbs[] = {
#define VERB(name, help) {#name, help, verb_##name},
#include "verbs.def"
#undef VERB
};
#define VERB_COUNT (sizeof verbs / sizeof *verbs)

/* What is being completed. */
static struct {
  FILE *answer;  /* standard output is closed to the verb that runs */
  char **before; /* the words between the verb and the current one */
  int count;
  const char *verb, *word;
} request;

static void offer(const char *candidate, const char *meaning) {
  if (strncmp(candidate, request.word, strlen(request.word)) != 0) return;
  fprintf(request.answer, *meaning ? "%s\t%s\n" : "%s\n", candidate, meaning);
}

static void tell(const char *instruction) { fprintf(request.answer, ":%s\n", instruction); }

static void offer_verbs(void) {
  for (size_t i = 0; i < VERB_COUNT; i++) offer(verbs[i].name, verbs[i].help);
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

static bool shown(const struct argp_option *option) {
  return option->name && !(option->flags & (OPTION_HIDDEN | OPTION_DOC));
}

static const struct argp_option *end_of(const struct argp_option *option) {
  while (option->name || option->key || option->doc || option->group) option++;
  return option;
}

static void offer_options(const struct argp *argp) {
  if (argp->options)
    for (const struct argp_option *o = argp->options, *end = end_of(o); o < end; o++) {
      char text[64];
      snprintf(text, sizeof text, "--%s", o->name ? o->name : "");
      if (shown(o)) offer(text, o->doc ? o->doc : "");
    }
  for (const struct argp_child *child = argp->children; child && child->argp; child++) offer_options(child->argp);
}

/* The option of that name (without dashes), its length given; NULL when the verb has none. */
static const struct argp_option *find_option(const struct argp *argp, const char *name, size_t length) {
  if (argp->options)
    for (const struct argp_option *o = argp->options, *end = end_of(o); o < end; o++)
      if (shown(o) && strncmp(o->name, name, length) == 0 && !o->name[length]) return o;
  for (const struct argp_child *child = argp->children; child && child->argp; child++) {
    const struct argp_option *found = find_option(child->argp, name, length);
    if (found) return found;
  }
  return NULL;
}

static const struct argp_option *find_letter(const struct argp *argp, char letter) {
  if (argp->options)
    for (const struct argp_option *o = argp->options, *end = end_of(o); o < end; o++)
      if (shown(o) && o->key == letter) return o;
  return NULL;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* Does a law fit where it is asked for: an option's value, or the verb's argument when option is NULL? */
static bool law_fits(const ScreeLawInfo *info, const char *option) {
  if (option && strcmp(option, "tangential") == 0) return info->group == SCREE_TANGENTIAL;
  if (option && strcmp(option, "elastic") == 0) return info->flags & SCREE_ELASTIC;
  if (option && strcmp(option, "damping") == 0) return info->flags & SCREE_FACTOR;
  if (strcmp(request.verb, "line") == 0) return info->group == SCREE_LINE;
  return info->group != SCREE_TANGENTIAL || strcmp(request.verb, "show") == 0;
}

static void offer_laws(const char *option) {
  for (int law = 0; law < SCREE_LAW_COUNT; law++) {
    const ScreeLawInfo *info = scree_law_info((ScreeLawId)law);
    if (law_fits(info, option)) offer(info->name, info->reference);
  }
}

/* The parameters of the laws that were named so far. */
static void offer_settings(void) {
  for (int i = 0; i < request.count; i++) {
    ScreeLawId law = SCREE_LAW_NONE;
    if (scree_law_find(request.before[i], &law) != SCREE_OK) continue;
    const ScreeLawInfo *info = scree_law_info(law);
    for (int j = 0; j < info->param_count; j++) {
      char text[64];
      snprintf(text, sizeof text, "%s=", info->params[j].name);
      offer(text, info->params[j].meaning);
    }
  }
  tell("nospace");
}

/* Paths for --set, as far as they are the same in every scene: keys of the top, and of the maps within. */
static void offer_paths(ScreeSectionId section, const char *prefix) {
  for (int i = 0; i < SCREE_KEY_COUNT; i++) {
    const ScreeKey *key = &scree_keys[i];
    char text[120];
    if (key->section != section) continue;
    snprintf(text, sizeof text, "%s%s%s", prefix, key->name, key->kind == SCREE_KEY_PART ? "." : "=");
    if (key->kind == SCREE_KEY_PART) offer_paths(key->sub, text);
    if (key->kind <= SCREE_KEY_TEXT || (key->kind == SCREE_KEY_OWN && *prefix)) offer(text, key->help);
  }
  tell("nospace");
}

/* The template first, then its folder. */
static void offer_templates(void) {
  bool named = false;
  for (int i = 0; i < request.count; i++) named |= request.before[i][0] != '-';
  if (named) tell("folders");
  for (int i = 0; i < template_count() && !named; i++) {
    char title[80];
    template_title(i, title, sizeof title);
    offer(template_name(i), title);
  }
}

/* "tanh|sqrt": each word by itself. */
static void offer_words(const char *words) {
  for (const char *word = words; *word;) {
    size_t length = strcspn(word, "|");
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)length, word);
    offer(text, "");
    word += length + (word[length] == '|');
  }
}

/* What stands for a value in the help says what it may be. */
static void offer_values(const char *kind, const char *option) {
  if (strchr(kind, '|')) offer_words(kind);
  if (strncmp(kind, "FILE", 4) == 0 || strcmp(kind, "SCENE") == 0) tell("files");
  if (strncmp(kind, "TEMPLATE", 8) == 0) offer_templates();
  if (strcmp(kind, "PATH=VALUE") == 0) offer_paths(SCREE_SECTION_scene, "");
  if (strcmp(kind, "DIR") == 0 || strcmp(kind, "RUN") == 0) tell("folders");
  if (strstr(kind, "LAW")) offer_laws(option);
  if (strcmp(kind, "NAME=VALUE") == 0) offer_settings();
  if (strcmp(kind, "RULE") == 0)
    for (int i = SCREE_AT_OVERLAP; i <= SCREE_CLAMPED; i++) offer(separation_name((ScreeSeparation)i), "");
  if (strcmp(kind, "SHAPE") == 0)
    for (int i = SCREE_SPHERE_SPHERE; i <= SCREE_PLANE_PLANE; i++) offer(geometry_name((ScreeGeometry)i), "");
  if (strcmp(kind, "FIELD") == 0) offer("position", "m");
  if (strcmp(kind, "FIELD") == 0)
    for (int i = 0; i < SCREE_FIELD_COUNT; i++) offer(scree_fields[i].name, scree_fields[i].help);
  if (strcmp(kind, "ID") == 0)
    for (int i = 0; i < figure_count(); i++) offer(figure_info(i)->id, figure_info(i)->title);
  if (strcmp(kind, "GROUP") == 0)
    for (int i = 0; i < SCREE_GROUP_COUNT; i++) offer(scree_group_name((ScreeGroup)i), "");
}

/* ---- one verb --------------------------------------------------------------------------------------------------- */

void (*options_wanted)(const struct argp *argp);

/* `--option=value` in one word, `--option value` in two, an option's name, or the verb's argument. */
static void answer_verb(const struct argp *argp) {
  const char *word = request.word, *last = request.count ? request.before[request.count - 1] : "";
  const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
  const struct argp_option *option = NULL;
  if (equals) {
    option = find_option(argp, word + 2, (size_t)(equals - word - 2));
    request.word = equals + 1;
  } else if (strncmp(last, "--", 2) == 0) {
    option = find_option(argp, last + 2, strlen(last + 2));
  } else if (last[0] == '-' && last[1] && !last[2]) {
    option = find_letter(argp, last[1]);
  }
  if (option && option->arg) {
    offer_values(option->arg, option->name);
  } else if (*word == '-') {
    offer_options(argp);
    offer("--help", "what the verb takes, with examples");
  } else if (argp->args_doc) {
    offer_values(argp->args_doc, NULL);
  }
  fclose(request.answer);
  exit(EXIT_DONE);
}

int complete(int argc, char **argv) {
  static char nothing[] = "", help[] = "--help";
  request.word = argc > 2 ? argv[argc - 1] : nothing;
  request.verb = argc > 3 ? argv[2] : NULL;
  request.before = argv + 3;
  request.count = argc > 4 ? argc - 4 : 0;
  request.answer = fdopen(dup(STDOUT_FILENO), "w");
  if (!request.answer || !freopen("/dev/null", "w", stdout)) return EXIT_FAILED;
  if (!request.verb || strcmp(request.verb, "help") == 0) offer_verbs();
  for (size_t i = 0; request.verb && i < VERB_COUNT; i++) {
    if (strcmp(verbs[i].name, request.verb) != 0) continue;
    options_wanted = answer_verb;
    bool second = request.count > 0 && request.before[0][0] != '-'; /* a verb may have verbs of its own: bench */
    verbs[i].run(second ? 3 : 2, (char *[]){argv[2], second ? request.before[0] : help, second ? help : NULL, NULL});
  }
  return fclose(request.answer) == 0 ? EXIT_DONE : EXIT_FAILED;
}
