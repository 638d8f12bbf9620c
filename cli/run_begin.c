/* run_begin.c: see run_begin.h.
 *
 *     RUN is not there    .RUN.scree-begun.XXXXXX is written beside it, synced and renamed to RUN
 *     RUN is there        RUN/.scree-begun.XXXXXX is written in it, synced and renamed to RUN/.scree-begun: from that
 *                         moment on the folder holds the new run. Then
 *                             the files of an old run are removed
 *                             RUN/.scree-begun is renamed to RUN/.scree-begun.clear
 *                             its files move up, and it is removed
 *                         which mend_folder brings to its end from wherever a killed process left it
 *
 * A draft (with six letters in the place of XXXXXX) that no process has locked was left by a killed one: it is removed.
 */
#include "cli.h"

#include "core/checksum.h"
#include "io/aside.h"
#include "io/checkpoint.h"
#include "output.h"
#include "run_begin.h"
#include "run_flow.h"
#include "run_log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char whole[] = DRAFT_NAME, cleared[] = DRAFT_NAME ".clear";

static bool cannot(const char *verb, const char *what, const char *path) {
  failure(verb, "cannot %s %s: %s", what, path, strerror(errno));
  return false;
}

static bool synced(const char *verb, const char *folder) {
  if (scree_sync_folder(folder) == SCREE_OK) return true;
  failure(verb, "%s", scree_last_error());
  return false;
}

/* ---- the scene and its files ---- */

static bool read_whole(const char *verb, const char *path, char **data, size_t *size) {
  struct stat info;
  FILE *stream = fopen(path, "rb");
  if (!stream) return cannot(verb, "read", path);
  *size = fstat(fileno(stream), &info) == 0 && S_ISREG(info.st_mode) ? (size_t)info.st_size : 0;
  *data = checked_alloc(*size + 1, 1);
  *size = fread(*data, 1, *size, stream);
  bool done = !ferror(stream) || cannot(verb, "read", path);
  fclose(stream);
  if (!done) free(*data);
  return done;
}

/* Byte by byte; `content`: the checksum of what the run goes by, where it is known. */
static bool copy_file(const char *verb, const char *from, const char *to, uint64_t content) {
  OutputFile file;
  char *data = NULL;
  size_t size = 0;
  if (!read_whole(verb, from, &data, &size)) return false;
  bool done = content == 0 || scree_checksum(SCREE_CHECKSUM_START, data, size) == content;
  if (!done) failure(verb, "%s was changed while the run began", from);
  done = done && output_open(&file, verb, to);
  if (done) fwrite(data, 1, size, file.stream);
  free(data);
  return done && output_commit(&file, verb);
}

/* Copies that are there already are those of the start, or of another wall with the same mesh. */
static bool copy_files(const RunFolder *f, const char *verb, const ScreeScene *scene) {
  bool done = true;
  for (size_t i = 0; i < scree_scene_inputs(scene) && done; i++) {
    char name[SCREE_SCENE_NAME];
    uint64_t content;
    if (!scree_scene_copy_name(scene, i, name)) continue;
    char *to = checked_format("%s/%s", f->path, name), *from = scree_scene_copy_source(scene, i, &content);
    if (access(to, F_OK) != 0) done = from && copy_file(verb, from, to, content);
    free(to), free(from);
  }
  return done;
}

bool write_scene(const RunFolder *f, const char *verb, const ScreeScene *scene) {
  if (!copy_files(f, verb, scene)) return false;
  char *path = checked_format("%s/scene.yaml", f->path);
  OutputFile file;
  bool done = output_open(&file, verb, path);
  if (done) {
    fprintf(file.stream, SCREE_SCENE_RESOLVED "%s ran it: defaults filled in, units converted to SI.\n",
            scree_version());
    scree_scene_write_beside(scene, file.stream);
    done = output_commit(&file, verb);
  }
  free(path);
  return done;
}

/* ---- folders that are being made ---- */

static void remove_draft(const char *path) {
  DIR *folder = opendir(path);
  if (!folder) return;
  for (struct dirent *entry; (entry = readdir(folder));) unlinkat(dirfd(folder), entry->d_name, 0);
  closedir(folder);
  rmdir(path);
}

/* Removes the drafts of `pattern` in a folder that no process holds. */
static void remove_torn(const char *parent, const char *pattern) {
  DIR *folder = opendir(parent);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    if (fnmatch(pattern, entry->d_name, 0) != 0) continue;
    char *path = checked_format("%s/%s", parent, entry->d_name);
    int lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0) remove_draft(path);
    if (lock >= 0) close(lock);
    free(path);
  }
  if (folder) closedir(folder);
}

/* As mkdir would: mkdtemp gives a folder to its owner alone. */
static bool make_draft(RunFolder *draft, const char *verb, const char *path) {
  mode_t mask = umask(0);
  umask(mask);
  if (!mkdtemp(draft->path) || chmod(draft->path, 0777 & ~mask) != 0) return cannot(verb, "make the folder", path);
  draft->lock = open(draft->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (draft->lock >= 0) flock(draft->lock, LOCK_EX | LOCK_NB);
  return draft->lock >= 0 || cannot(verb, "open the folder", draft->path);
}

static bool write_draft(RunFolder *draft, const char *verb, const ScreeScene *scene) {
  bool flows = scree_scene_flows(scene);
  LogLengths lengths;
  if (!write_scene(draft, verb, scene)) return false;
  draft->text = open_log(draft, verb, "log.txt", "w");
  draft->csv = draft->text ? open_log(draft, verb, "log.csv", "w") : NULL;
  draft->flow = draft->csv && flows ? open_log(draft, verb, "flow.csv", "w") : NULL;
  if (!draft->csv || (flows && !draft->flow)) return false;
  log_text_heading(draft->text);
  log_csv_heading(draft->csv);
  if (flows) flow_heading(draft->flow, scene);
  return sync_logs(draft, verb, &lengths) && synced(verb, draft->path);
}

/* ---- taking their places ---- */

static bool move_up(const char *verb, const char *from, const char *to) {
  bool done = true;
  DIR *folder = opendir(from);
  for (struct dirent *entry; folder && done && (entry = readdir(folder));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    char *old = checked_format("%s/%s", from, entry->d_name), *new = checked_format("%s/%s", to, entry->d_name);
    done = rename(old, new) == 0 || cannot(verb, "write", new);
    free(old), free(new);
  }
  if (!folder) return cannot(verb, "read", from);
  closedir(folder);
  return done && synced(verb, to) && (rmdir(from) == 0 || cannot(verb, "remove", from));
}

static bool is_there(const char *folder, const char *name) {
  char *path = checked_format("%s/%s", folder, name);
  bool found = access(path, F_OK) == 0;
  free(path);
  return found;
}

/* From wherever it is. */
static bool take_place(const char *verb, const char *path) {
  char *begun = checked_format("%s/%s", path, whole), *moving = checked_format("%s/%s", path, cleared),
       *checkpoints = checked_format("%s/checkpoint", path);
  bool done = true;
  if (is_there(path, whole)) {
    scree_checkpoint_clear(checkpoints); /* first: without them nothing of the old run is taken up */
    done = clear_folder(path) || cannot(verb, "read the folder", path);
    done = done && synced(verb, path) && (rename(begun, moving) == 0 || cannot(verb, "write", moving));
  }
  if (done && is_there(path, cleared)) done = move_up(verb, moving, path);
  free(begun), free(moving), free(checkpoints);
  return done;
}

bool mend_folder(const char *verb, const char *path) {
  if (!is_there(path, whole) && !is_there(path, cleared)) return true;
  RunFolder f;
  bool done = claim_folder(&f, verb, path) == EXIT_DONE && take_place(verb, path);
  return close_folder(&f, verb) && done;
}

/* "a/b/" is "a/b". */
static char *plain_path(const char *path) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  return checked_format("%.*s", (int)length, path);
}

static bool sync_parent(const char *verb, const char *path) {
  char *parent = plain_path(path), *slash = strrchr(parent, '/');
  if (slash) slash[1] = '\0';
  bool done = synced(verb, slash ? parent : ".");
  free(parent);
  return done;
}

static bool place_draft(const char *verb, const char *draft, const char *path, bool exists) {
  char *to = exists ? checked_format("%s/%s", path, whole) : checked_format("%s", path);
  bool done = rename(draft, to) == 0;
  if (!done && !exists && (errno == ENOTEMPTY || errno == EEXIST))
    failure(verb, "another run has begun in the folder %s: name another with -o, or give --resume or --overwrite",
            path);
  else if (!done)
    cannot(verb, "make the folder", path);
  free(to);
  return done && (exists ? synced(verb, path) && take_place(verb, path) : sync_parent(verb, path));
}

/* The path of the draft, with its X; older drafts are removed. */
static char *draft_path(const char *path, bool exists) {
  char *plain = plain_path(path), *slash = strrchr(plain, '/');
  if (exists) {
    remove_torn(plain, DRAFT_NAME ".??????");
    char *draft = checked_format("%s/" DRAFT_NAME ".XXXXXX", plain);
    return free(plain), draft;
  }
  int parent = slash ? (int)(slash - plain) + 1 : 0;
  char *folder = checked_format("%.*s", parent, plain),
       *pattern = checked_format(".%s" DRAFT_NAME ".??????", plain + parent),
       *draft = checked_format("%s.%s" DRAFT_NAME ".XXXXXX", folder, plain + parent);
  remove_torn(parent ? folder : ".", pattern);
  free(plain), free(folder), free(pattern);
  return draft;
}

bool open_folder(RunFolder *f, const char *verb, const char *path, const ScreeScene *scene, bool overwrite) {
  struct stat info;
  bool exists = stat(path, &info) == 0;
  if (f->lock < 0) {
    forget_folder(f);
    if (claim_folder(f, verb, path) != EXIT_DONE) return false;
  }
  if (exists && !overwrite && !is_free_folder(path)) { /* another run was here since the folder was looked at */
    if (errno) return cannot(verb, "read the folder", path);
    failure(verb, "another run has begun in the folder %s: name another with -o, or give --resume or --overwrite",
            path);
    return false;
  }
  RunFolder draft = {.path = draft_path(path, exists), .lock = -1};
  bool done = make_draft(&draft, verb, path) && write_draft(&draft, verb, scene);
  done = done && place_draft(verb, draft.path, f->path, exists);
  if (!done) remove_draft(draft.path);
  f->text = draft.text, f->csv = draft.csv, f->flow = draft.flow, f->told = draft.told;
  if (f->lock < 0)
    f->lock = draft.lock; /* the folder is that which was locked under its first name */
  else if (draft.lock >= 0)
    close(draft.lock);
  free(draft.path);
  return done;
}
