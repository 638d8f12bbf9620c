/* new.c: `scree new`: writes a commented scene. The templates are the scenes of examples/, compiled in. */
#include "cli.h"

#include "core/nearest.h"
#include "output.h"
#include "templates.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char verb[] = "new";

#define TEMPLATE(name, ...) static const unsigned char bytes_##name[] = {__VA_ARGS__};
#include "templates.inc"
#undef TEMPLATE

static const struct {
  const char *name;
  const unsigned char *text;
} templates[] = {
#define TEMPLATE(name, ...) {#name, bytes_##name},
#include "templates.inc"
#undef TEMPLATE
};

int template_count(void) { return (int)(sizeof templates / sizeof *templates); }
const char *template_name(int index) { return templates[index].name; }

void template_title(int index, char *title, size_t size) {
  const char *line = strstr((const char *)templates[index].text, "\ntitle: ");
  if (line) line += strlen("\ntitle: ");
  snprintf(title, size, "%.*s", line ? (int)strcspn(line, "\n") : 0, line ? line : "");
}

typedef struct NewOptions {
  const char *name, *folder;
} NewOptions;

static error_t parse(int key, char *argument, struct argp_state *state) {
  NewOptions *o = state->input;
  if (key != ARGP_KEY_ARG) return ARGP_ERR_UNKNOWN;
  if (o->folder) refuse(state, "one template and one folder are enough: \"%s\" is left over", argument);
  *(o->name ? &o->folder : &o->name) = argument;
  return 0;
}

static const char doc[] =
    "Writes a commented scene to DIR/scene.yaml (DIR: the template's name); without arguments lists the templates.\v"
    "Examples:\n"
    "  scree new box\n"
    "  scree new chute slope\n"
    "  scree check slope\n"
    "  scree run slope";

static int list_templates(void) {
  for (int i = 0; i < template_count(); i++) {
    char title[80];
    template_title(i, title, sizeof title);
    printf("%-8s %s\n", template_name(i), title);
  }
  return EXIT_DONE;
}

static int find_template(const char *name) {
  for (int i = 0; i < template_count(); i++)
    if (strcmp(template_name(i), name) == 0) return i;
  return -1;
}

static int unknown_template(const char *name) {
  char list[200] = "";
  for (int i = 0; i < template_count(); i++) {
    if (scree_is_near(name, template_name(i)))
      return misuse(verb, "there is no template \"%.40s\": did you mean \"%s\"?", name, template_name(i));
    size_t length = strlen(list);
    snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "", template_name(i));
  }
  return misuse(verb, "there is no template \"%.40s\"; there are: %s", name, list);
}

static int write_template(int index, const char *folder) {
  char *path = checked_format("%s/scene.yaml", folder);
  struct stat info;
  OutputFile file;
  int status = EXIT_FAILED;
  if (stat(path, &info) == 0) {
    status = misuse(verb, "%s exists: it stays as it is (name another folder)", path);
  } else if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
    status = failure(verb, "cannot make the folder %s: %s", folder, strerror(errno));
  } else if (output_open(&file, verb, path)) {
    fputs((const char *)templates[index].text, file.stream);
    if (output_commit(&file, verb)) {
      printf("%s is written. Next:\n  scree check %s\n  scree run %s\n", path, path, path);
      status = EXIT_DONE;
    }
  }
  free(path);
  return status;
}

int verb_new(int argc, char **argv) {
  NewOptions o = {0};
  const struct argp argp = {NULL, parse, "TEMPLATE [DIR]", doc, NULL, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  if (!o.name) return list_templates();
  int index = find_template(o.name);
  return index < 0 ? unknown_template(o.name) : write_template(index, o.folder ? o.folder : o.name);
}
