/* Checkpoints: whole or absent, two kept, damage found. */
#define _DEFAULT_SOURCE
#include "io/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/worlds.h"

static char folder[64];

/* ---- the file system's calls, watched: the program's own come before the library's ---- */

static int synced, synced_at_rename, failing_sync;

int fsync(int file) {
  (void)file;
  synced++;
  if (failing_sync) errno = EIO;
  return failing_sync ? -1 : 0;
}

int rename(const char *from, const char *to) {
  synced_at_rename = synced;
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

static ScreeWorld *falling(bool grains) {
  ScreeWorldDef def = scree_world_def_default();
  ScreeContactDef contact = scree_contact_def_default();
  ScreeWallDef floor = {.shape = SCREE_WALL_PLANE, .axis = {0, 0, 1}};
  ScreeGrain g[9];
  for (int i = 0; i < 9; i++)
    g[i] =
        (ScreeGrain){.id = (uint64_t)i, .position = {0.2 + 0.2 * (i % 3), 0.2 + 0.2 * (i / 3), 0.12}, .radius = 0.09};
  ScreeWorld *w = empty_world(&def, &contact, (ScreeMaterial){1e8, 0.3, 2000.0});
  cr_assert_eq(scree_world_add_wall(w, &floor, NULL), SCREE_OK);
  if (grains) start_with(w, 9, g);
  return w;
}

static int files_in(const char *path) {
  int count = 0;
  DIR *dir = opendir(path);
  for (struct dirent *e; dir && (e = readdir(dir));) count += e->d_name[0] != '.';
  if (dir) closedir(dir);
  return count;
}

static void fresh_folder(void) {
  strcpy(folder, "/tmp/scree-checkpoint-XXXXXX");
  cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void) {
  char command[256];
  snprintf(command, sizeof command, "chmod -R u+rwx '%s' && rm -rf '%s'", folder, folder);
  cr_expect_eq(system(command), 0);
}

Test(checkpoint, the_newest_comes_back_and_two_are_kept, .init = fresh_folder, .fini = remove_folder) {
  ScreeWorld *w = falling(true), *again;
  ScreeCheckpoint c;
  for (int i = 0; i < 5; i++) {
    cr_assert_eq(scree_world_step(w, 100), SCREE_OK);
    cr_assert_eq(scree_checkpoint_write(folder, w, "note", (size_t)(i % 5)), SCREE_OK, "%s", scree_last_error());
    cr_expect_eq(files_in(folder), i == 0 ? 1 : 2);
  }
  int skipped = -1;
  cr_assert_eq(scree_checkpoint_read(folder, &c, &skipped), SCREE_OK, "%s", scree_last_error());
  cr_expect(c.step == 500 && c.note_size == 4 && memcmp(c.note, "note", 4) == 0 && skipped == 0);
  again = falling(false);
  cr_assert_eq(scree_world_restore(again, c.state, c.state_size), SCREE_OK, "%s", scree_last_error());
  cr_expect_eq(scree_world_hash(again), scree_world_hash(w));
  scree_checkpoint_free(&c);
  scree_world_destroy(again);
  scree_world_destroy(w);
}

/* Any flipped bit and any missing byte of the newest: the one before is used. */
Test(checkpoint, damage_costs_one_interval, .init = fresh_folder, .fini = remove_folder) {
  ScreeWorld *w = falling(true);
  ScreeCheckpoint c;
  for (int i = 0; i < 2; i++) {
    cr_assert_eq(scree_world_step(w, 10), SCREE_OK);
    cr_assert_eq(scree_checkpoint_write(folder, w, "n", 1), SCREE_OK);
  }
  cr_assert_eq(scree_checkpoint_read(folder, &c, NULL), SCREE_OK);
  char newest[4096];
  strcpy(newest, c.path);
  cr_assert_eq(c.step, 20);
  scree_checkpoint_free(&c);
  FILE *file = fopen(newest, "rb");
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  unsigned char *whole = malloc(size);
  rewind(file);
  cr_assert_eq(fread(whole, 1, size, file), size);
  fclose(file);
  for (size_t i = 0; i < 2 * 97; i++) {
    size_t at = i / 2 * (size / 97);
    bool cut = i % 2;
    file = fopen(newest, "wb");
    whole[at] ^= (unsigned char)(1u << i % 8);
    fwrite(whole, 1, cut ? at : size, file);
    whole[at] ^= (unsigned char)(1u << i % 8);
    fclose(file);
    int skipped = 0;
    cr_assert_eq(scree_checkpoint_read(folder, &c, &skipped), SCREE_OK);
    cr_expect(c.step == 10 && skipped == 1, "byte %zu %s", at, cut ? "cut" : "flipped");
    scree_checkpoint_free(&c);
  }
  free(whole);
  scree_world_destroy(w);
}

Test(checkpoint, what_cannot_be_written_gets_a_sentence_and_leaves_nothing, .init = fresh_folder,
     .fini = remove_folder) {
  ScreeWorld *w = falling(true);
  ScreeCheckpoint c;
  char path[256];
  snprintf(path, sizeof path, "%s/file", folder);
  fclose(fopen(path, "w"));
  cr_expect_neq(scree_checkpoint_write(path, w, NULL, 0), SCREE_OK); /* no folder */
  cr_expect(strstr(scree_last_error(), path), "%s", scree_last_error());
  snprintf(path, sizeof path, "%s/a/b", folder);
  cr_expect_neq(scree_checkpoint_write(path, w, NULL, 0), SCREE_OK); /* no parent */
  cr_expect_eq(scree_checkpoint_read(path, &c, NULL), SCREE_MISSING);
  cr_expect(strstr(scree_last_error(), "no checkpoint"), "%s", scree_last_error());
  cr_expect_eq(scree_checkpoint_write(NULL, w, NULL, 0), SCREE_MISSING);
  cr_expect_eq(files_in(folder), 1);
  scree_world_destroy(w);
}

/* The file is synced before it gets its name, the folder after; a disk that fails keeps what was there. */
Test(checkpoint, is_synced_before_and_after_its_name, .init = fresh_folder, .fini = remove_folder) {
  ScreeWorld *w = falling(true);
  ScreeCheckpoint c;
  synced = 0;
  cr_assert_eq(scree_checkpoint_write(folder, w, NULL, 0), SCREE_OK, "%s", scree_last_error());
  cr_expect(synced_at_rename == 1 && synced == 2, "%d before the rename, %d in all", synced_at_rename, synced);
  cr_assert_eq(scree_world_step(w, 10), SCREE_OK);
  failing_sync = 1;
  cr_expect_neq(scree_checkpoint_write(folder, w, NULL, 0), SCREE_OK);
  cr_expect(strstr(scree_last_error(), "cannot write"), "%s", scree_last_error());
  failing_sync = 0;
  cr_expect_eq(files_in(folder), 1);
  cr_assert_eq(scree_checkpoint_read(folder, &c, NULL), SCREE_OK);
  cr_expect_eq(c.step, 0);
  scree_checkpoint_free(&c);
  scree_world_destroy(w);
}
