/* new.c: `scree new`: writes a commented scene and what it needs. The templates are the folders of examples/, compiled
 * in; a template is a run of files of one folder, of which one is scene.yaml. */
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

#define TEMPLATE_FILE(id, folder, name, ...) static const unsigned char bytes_##id[] = {__VA_ARGS__};
#include "templates.inc"
#undef TEMPLATE_FILE

typedef struct TemplateFile {
  const char *folder, *name;
  const unsigned char *bytes;
  size_t size; /* without the closing zero */
} TemplateFile;

static const TemplateFile files[] = {
#define TEMPLATE_FILE(id, folder, name, ...) {folder, name, bytes_##id, sizeof bytes_##id - 1},
#include "templates.inc"
#undef TEMPLATE_FILE
};
enum { FILES = (int)(sizeof files / sizeof *files) };

static bool is_scene(const TemplateFile *file) { return strcmp(file->name, "scene.yaml") == 0; }

int template_count(void) {
  int count = 0;
  for (int i = 0; i < FILES; i++) count += is_scene(&files[i]);
  return count;
}

/* The scene of the index-th template. */
static const TemplateFile *scene_of(int index) {
  int i = 0;
  while (!is_scene(&files[i]) || index-- > 0) i++;
  return &files[i];
}

const char *template_name(int index) { return scene_of(index)->folder; }

void template_title(int index, char *title, size_t size) {
  const char *line = strstr((const char *)scene_of(index)->bytes, "\ntitle: ");
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
    "Writes a commented scene to DIR/scene.yaml (DIR: the template's name) with the meshes it uses; without arguments "
    "lists the templates.\v"
    "Examples:\n"
    "  scree new box\n"
    "  scree new chute slope\n"
    "  scree check slope\n"
    "  scree run slope";

static int list_templates(void) {
  for (int i = 0; i < template_count(); i++) {
    char title[80];
    template_title(i, title, sizeof title);
    printf("%-18s %s\n", template_name(i), title);
  }
  return EXIT_DONE;
}

static int find_template(const char *name) {
  for (int i = 0; i < template_count(); i++)
    if (strcmp(template_name(i), name) == 0) return i;
  return -1;
}

static int unknown_template(const char *name) {
  char list[400] = "";
  for (int i = 0; i < template_count(); i++) {
    if (scree_is_near(name, template_name(i)))
      return misuse(verb, "there is no template \"%.40s\": did you mean \"%s\"?", name, template_name(i));
    size_t length = strlen(list);
    snprintf(list + length, sizeof list - length, "%s%s", i ? ", " : "", template_name(i));
  }
  return misuse(verb, "there is no template \"%.40s\"; there are: %s", name, list);
}

/* EXIT_MISUSE when a file of the template is there already. */
static int look_around(const char *name, const char *folder) {
  int status = EXIT_DONE;
  for (int i = 0; i < FILES && status == EXIT_DONE; i++) {
    if (strcmp(files[i].folder, name) != 0) continue;
    char *path = checked_format("%s/%s", folder, files[i].name);
    struct stat info;
    if (stat(path, &info) == 0) status = misuse(verb, "%s exists: it stays as it is (name another folder)", path);
    free(path);
  }
  if (status == EXIT_DONE && mkdir(folder, 0777) != 0 && errno != EEXIST)
    status = failure(verb, "cannot make the folder %s: %s", folder, strerror(errno));
  return status;
}

static bool write_file(const TemplateFile *from, const char *folder) {
  char *path = checked_format("%s/%s", folder, from->name);
  OutputFile file;
  bool written = output_open(&file, verb, path);
  if (written) {
    fwrite(from->bytes, 1, from->size, file.stream);
    written = output_commit(&file, verb);
  }
  free(path);
  return written;
}

static int write_template(const char *name, const char *folder) {
  int status = look_around(name, folder);
  if (status != EXIT_DONE) return status;
  for (int i = 0; i < FILES; i++)
    if (strcmp(files[i].folder, name) == 0 && !write_file(&files[i], folder)) return EXIT_FAILED;
  printf("%s/scene.yaml is written. Next:\n  scree check %s\n  scree run %s\n", folder, folder, folder);
  return EXIT_DONE;
}

int verb_new(int argc, char **argv) {
  NewOptions o = {0};
  const struct argp argp = {NULL, parse, "TEMPLATE [DIR]", doc, NULL, NULL, NULL};
  parse_options(&argp, argc, argv, &o);
  if (!o.name) return list_templates();
  int index = find_template(o.name);
  return index < 0 ? unknown_template(o.name) : write_template(o.name, o.folder ? o.folder : o.name);
}
