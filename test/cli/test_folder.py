#!/usr/bin/python3
"""test_folder.py SCREE [unittest options]: a run's folder is whole or not there, holds all it needs, and says what is in it."""

import json
import os
import resource
import shutil
import signal
import struct
import subprocess

from support import SCREE, environment, main
from test_resume import SECONDS, ResumeTest, scene, scree

FLOOR = "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3 4\n"

# Two walls of one mesh, another of the same content by another name, one of its own; grains from a file.
MESHES = """scree: 1
materials: {g: {young: 5 MPa, poisson: 0.22, density: 2500}}
contacts: {default: {restitution: 0.8, friction: 0.3}}
domain: {low: [-0.5, -0.5, -0.1], high: [0.5, 0.5, 1]}
walls:
  - {name: floor, mesh: parts/floor.obj, material: g}
  - {name: lid, mesh: parts/floor.obj, translate: [0, 0, 0.5], material: g}
  - {name: shelf, mesh: "parts/same \\"floor\\".obj", translate: [0, 0, 0.7], material: g, motion: {velocity: [0, 0, 1 mm/s]}}
  - {name: plate, mesh: parts/plate.obj, translate: [0, 0, 0.8], material: g}
particles: [{csv: {file: parts/grains.csv}, material: g}]
run: {duration: 20 ms, log: {every: 5 ms}, output: {every: 5 ms}, checkpoint: {every: 5 ms}}
"""

STRIDE = 2  # of the calls at which a process is killed

# Kills the process at one of the calls that change what a folder holds.
KILL = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/types.h>
static void count(void) {
  static long calls;
  if (++calls == atol(getenv("KILL_AT"))) raise(SIGKILL);
}
#define CALL(result, name, types, ...)                            \
  count();                                                        \
  return ((result(*) types)dlsym(RTLD_NEXT, #name))(__VA_ARGS__)
int fsync(int fd) { CALL(int, fsync, (int), fd); }
int rename(const char *from, const char *to) { CALL(int, rename, (const char *, const char *), from, to); }
int rmdir(const char *path) { CALL(int, rmdir, (const char *), path); }
int mkdir(const char *path, mode_t mode) { CALL(int, mkdir, (const char *, mode_t), path, mode); }
int unlink(const char *path) { CALL(int, unlink, (const char *), path); }
int unlinkat(int fd, const char *path, int flags) { CALL(int, unlinkat, (int, const char *, int), fd, path, flags); }
char *mkdtemp(char *path) { CALL(char *, mkdtemp, (char *), path); }
int mkstemp(char *path) { CALL(int, mkstemp, (char *), path); }
"""


class FolderOfRunTest(ResumeTest):
    def write_meshes(self, folder="scene"):
        parts = self.folder / folder / "parts"
        parts.mkdir(parents=True)
        for name in ("floor.obj", 'same "floor".obj'):
            (parts / name).write_text(FLOOR)
        (parts / "plate.obj").write_text(FLOOR.replace("1 0\n", "1 0.01\n"))
        (parts / "grains.csv").write_text("x,y,z,radius\n0,0,0.11,0.1\n0.25,0,0.12,0.1\n")
        return self.write(MESHES, f"{folder}/scene.yaml")

    def hash_of(self, run):
        return json.loads((self.folder / run / "summary.json").read_text())["hash"]


class Killed(FolderOfRunTest):
    def prepare(self):
        (self.folder / "kill.c").write_text(KILL)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "kill.so", "kill.c", "-ldl"], cwd=self.folder, check=True, timeout=SECONDS)
        self.more = {"LD_PRELOAD": str(self.folder / "kill.so")}
        self.more["ASAN_OPTIONS"] = ":".join(filter(None, [environment().get("ASAN_OPTIONS", ""), "verify_asan_link_order=0"]))
        path = self.write_meshes()
        path.write_text(MESHES.replace("every: 5 ms}, checkpoint", "format: none, picture: no}, checkpoint").replace("20 ms", "5 ms"))
        self.ok("run", "scene", "-o", "whole", "--threads", "1")

    def kill(self, call, *arguments):
        """True: killed at that call; False: there were not so many until the first checkpoint had its name."""
        done = subprocess.run([SCREE, "run", *arguments, "--threads", "1"], cwd=self.folder, capture_output=True, text=True, timeout=SECONDS,
                              env={**environment(), **self.more, "KILL_AT": str(call)})
        self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
        return not list((self.folder / "part").glob("checkpoint/*.checkpoint"))

    def names(self, run):
        return sorted(str(p.relative_to(self.folder / run)) for p in (self.folder / run).rglob("*") if p.parent.name != "checkpoint")

    def expect_whole(self, call):
        done = scree("run", "--resume", "part", "--threads", "1", cwd=self.folder)
        self.assertEqual(done.returncode, 0, f"killed at call {call}: {done.stderr}")
        self.assertEqual(self.hash_of("part"), self.hash_of("whole"), f"killed at call {call}")
        self.assertEqual(self.names("part"), self.names("whole"), f"killed at call {call}")

    def test_a_new_folder_is_whole_or_not_there(self):
        self.prepare()
        absent = begun = call = 0
        while self.kill(call := call + STRIDE, "scene", "-o", "part"):
            if (self.folder / "part").exists():
                begun += 1
                self.expect_whole(call)
                shutil.rmtree(self.folder / "part")
            else:
                absent += 1
                for draft in self.folder.glob(".part*"):
                    shutil.rmtree(draft)
        self.assertGreater(min(absent, begun), 2, (absent, begun))

    def test_a_draft_of_a_killed_process_is_removed(self):
        self.prepare()
        self.kill(5, "scene", "-o", "part")
        self.assertEqual(len(list(self.folder.glob(".part.scree-begun.*"))), 1)
        self.ok("run", "scene", "-o", "part", "--threads", "1")
        self.assertEqual(self.names("part"), self.names("whole"))
        self.assertEqual(list(self.folder.glob(".*")), [])

    def test_an_empty_folder_is_whole_or_still_free(self):
        self.prepare()
        free = begun = call = 0
        (self.folder / "part").mkdir()
        inode = (self.folder / "part").stat().st_ino
        while self.kill(call := call + STRIDE, "scene", "-o", "part"):
            names = self.names("part")
            if (self.folder / "part/.scree-begun").exists() or "scene.yaml" in names:
                begun += 1
                self.expect_whole(call)
                for path in (self.folder / "part").iterdir():
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            else:
                free += 1
        self.assertGreater(min(free, begun), 1)
        self.assertEqual((self.folder / "part").stat().st_ino, inode, "the folder is that of the user")

    def test_an_old_run_is_there_until_the_new_one_is(self):
        self.prepare()
        self.ok("run", "scene", "-o", "old", "--threads", "1", "--set", "gravity=[0, 0, -2]")
        (self.folder / "old" / "notes.txt").write_text("mine")
        (self.folder / "whole" / "notes.txt").write_text("mine")
        before = {p: p.read_bytes() for p in (self.folder / "old").rglob("*") if p.is_file() and p.name != "summary.json"}
        old = new = call = 0
        while True:
            shutil.copytree(self.folder / "old", self.folder / "part")
            self.kill(call := call + STRIDE, "scene", "-o", "part", "--overwrite")
            again = scree("run", "--resume", "part", "--threads", "1", cwd=self.folder)
            self.assertEqual(again.returncode, 0, f"killed at call {call}: {again.stderr}")
            self.assertEqual((self.folder / "part" / "notes.txt").read_text(), "mine")
            self.assertEqual([p.name for p in (self.folder / "part").glob(".scree-begun") if new], [])
            if "has ended already" in again.stderr and self.hash_of("part") == self.hash_of("old"):
                old += 1
                for path, data in before.items():
                    self.assertEqual((self.folder / "part" / path.relative_to(self.folder / "old")).read_bytes(), data, path.name)
            else:
                new += 1
                self.assertEqual(self.hash_of("part"), self.hash_of("whole"), f"killed at call {call}")
                self.assertEqual(self.names("part"), self.names("whole"), f"killed at call {call}")
                if "goes on from step" in again.stdout:
                    break
            shutil.rmtree(self.folder / "part")
        self.assertGreater(min(old, new), 2)


class BeforeTheFirstCheckpoint(FolderOfRunTest):
    def test_no_room_for_it(self):
        """The disk is full when the trajectory is made, or at the first checkpoint; nothing was computed: the run begins again."""
        for form, limit, says in (("vtkhdf", 2500, "trajectory.vtkhdf"), ("none", 5000, "000000000000.checkpoint")):
            self.write(scene(duration="2 ms", output=f"{{format: {form}, picture: no}}"))
            self.ok("run", "a.yaml", "-o", f"whole-{form}", "--threads", "1")
            run = scree("run", "a.yaml", "-o", form, cwd=self.folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertIn(f"{says}: File too large", run.stderr)
            os.rename(self.folder / "a.yaml", self.folder / "gone.yaml")
            self.ok("run", "--resume", form, "--threads", "1", says=f"{form} holds nothing to go on from: the run begins")
            self.expect_same(self.folder / form, self.folder / f"whole-{form}")
        self.assertIn("scree run --resume none begins the run again, once there is room", run.stderr)

    def test_no_room_for_the_folder(self):
        self.write(scene())
        run = scree("run", "a.yaml", "-o", "part", cwd=self.folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)))
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("scene.yaml: File too large", run.stderr)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["a.yaml"])


class Kept(FolderOfRunTest):
    def test_a_mesh_is_kept_once_per_content(self):
        self.write_meshes()
        self.ok("run", "scene", "-o", "part")
        kept = (self.folder / "part" / "scene.yaml").read_text()
        self.assertEqual(sorted(p.name for p in (self.folder / "part").glob("mesh_*")), ["mesh_0_floor.obj", "mesh_3_plate.obj"])
        self.assertEqual(kept.count('mesh: "mesh_0_floor.obj"'), 3)
        self.assertEqual(kept.count('mesh: "mesh_3_plate.obj"'), 1)
        self.assertIn('file: "grains_0_grains.csv"', kept)
        self.assertNotIn(str(self.folder), kept)
        for copy, path in (("mesh_0_floor.obj", "floor.obj"), ("grains_0_grains.csv", "grains.csv")):
            self.assertEqual((self.folder / "part" / copy).read_bytes(), (self.folder / "scene/parts" / path).read_bytes())

    def test_a_folder_that_was_moved_goes_on_and_is_read(self):
        self.write_meshes()
        self.ok("run", "scene", "-o", "whole")
        self.ok("run", "scene", "-o", "scene/part", "--until", "12 ms")
        table = self.ok("export", "scene/part", "--to", "csv", "-o", "-")
        self.ok("render", "scene/part", "-o", "before.png")
        (self.folder / "archive").mkdir()
        shutil.move(self.folder / "scene/part", self.folder / "archive/part")
        shutil.rmtree(self.folder / "scene")
        self.assertEqual(self.ok("export", "archive/part", "--to", "csv", "-o", "-"), table)
        self.ok("render", "archive/part", "-o", "after.png")
        self.assertEqual((self.folder / "after.png").read_bytes(), (self.folder / "before.png").read_bytes())
        for end in ("16 ms", "20 ms"):
            self.ok("run", "--resume", "archive/part", "--until", end)
            shutil.move(self.folder / "archive/part", self.folder / "archive/other")
            shutil.move(self.folder / "archive", self.folder / "shelf")
            shutil.move(self.folder / "shelf/other", self.folder / "shelf/part")
            shutil.move(self.folder / "shelf", self.folder / "archive")
        self.expect_same(self.folder / "archive/part", self.folder / "whole")
        self.ok("run", "archive/part", "-o", "again")
        self.assertEqual(self.hash_of("again"), self.hash_of("whole"))

    def test_a_scene_that_was_moved_with_its_files_is_the_same(self):
        self.write_meshes()
        self.ok("run", "scene", "-o", "part", "--until", "12 ms")
        shutil.move(self.folder / "scene", self.folder / "moved")
        os.rename(self.folder / "moved/parts/plate.obj", self.folder / "moved/parts/renamed.obj")
        scene = self.folder / "moved/scene.yaml"
        scene.write_text(scene.read_text().replace("plate.obj", "renamed.obj"))
        self.ok("run", "--resume", "moved", "-o", "part")
        self.assertEqual(sorted(p.name for p in (self.folder / "part").glob("mesh_*"))[0], "mesh_0_floor.obj")

    def test_an_older_folder_goes_on_where_its_meshes_are(self):
        """It names them by their paths, in its scene and in its checkpoints, and keeps no copies."""
        self.write_meshes()
        self.ok("run", "scene", "-o", "whole")
        self.ok("run", "scene", "-o", "part", "--until", "12 ms")
        part, parts = self.folder / "part", os.path.realpath(self.folder / "scene/parts")
        kept = part / "scene.yaml"
        for copy, path in (("mesh_0_floor.obj", "floor.obj"), ("mesh_3_plate.obj", "plate.obj")):
            kept.write_text(kept.read_text().replace(copy, f"{parts}/{path}"))
            (part / copy).unlink()
        for path in self.checkpoints("part"):
            path.write_bytes(with_paths(path.read_bytes(), f"{parts}/floor.obj".encode()))
        self.ok("run", "--resume", "part", "--until", "20 ms")
        self.expect_same(part, self.folder / "whole")
        self.assertIn("mesh_0_floor.obj", kept.read_text())

    def test_a_mesh_that_changes_while_the_run_begins_is_noticed(self):
        """The mesh's name leads to another file the second time that it is opened."""
        (self.folder / "swap.c").write_text(r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
FILE *fopen(const char *path, const char *mode) {
  FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");
  return real(strstr(path, "plate.obj") && *mode == 'r' ? "scene/parts/floor.obj" : path, mode);
}
""")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "swap.so", "swap.c", "-ldl"], cwd=self.folder, check=True, timeout=SECONDS)
        self.write_meshes()
        options = ":".join(filter(None, [environment().get("ASAN_OPTIONS", ""), "verify_asan_link_order=0"]))
        run = scree("run", "scene", "-o", "part", cwd=self.folder, env=environment(LD_PRELOAD=str(self.folder / "swap.so"), ASAN_OPTIONS=options))
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("plate.obj was changed while the run began", run.stderr)
        self.assertFalse((self.folder / "part").exists())


def checksum(h, data):
    """As core/checksum.c has it."""
    mask = (1 << 64) - 1
    for at in range(0, len(data), 8):
        word = data[at : at + 8]
        h = (h ^ int.from_bytes(word, "little")) * 0x9E3779B97F4A7C15 & mask
        h = ((h << 29 | h >> 35) & mask) + len(word) & mask
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93 & mask
    return h ^ h >> 32


def with_paths(data, path):
    """A checkpoint whose note names the meshes by a path."""
    note_size, state_size = struct.unpack_from("<QQ", data, 24)
    note, state = data[40 : 40 + note_size], data[40 + note_size : 40 + note_size + state_size]
    begin = note.index(b"# As scree") if b"# As scree" in note else note.index(b"scree: 1")
    size_at = begin - 8
    size = struct.unpack_from("<Q", note, size_at)[0]
    text = note[begin : begin + size].replace(b'mesh: ""', b'mesh: "' + path + b'"')
    assert len(text) > size
    note = note[:size_at] + struct.pack("<Q", len(text)) + text + note[begin + size :]
    header = data[:24] + struct.pack("<QQ", len(note), len(state))
    return header + note + state + struct.pack("<Q", checksum(checksum(checksum(1, header), note), state))


class Named(FolderOfRunTest):
    """A run's folder in the place of a scene."""

    def test_without_resume_it_is_refused(self):
        self.write(scene(duration="4 ms"))
        self.ok("run", "a.yaml", "-o", "part", "--until", "2 ms")
        for name in ("part", "part/", "./part"):
            said = self.fails("run", name, "--until", "3 ms", code=2, says="part that has ended, at step")
            self.assertRegex(said, r"scree run --resume (\./)?part/? --until '3 ms' goes on with the run")
            self.assertIn(f"scree run {name} -o NEW --until '3 ms' computes all of it again", said)
        self.assertIn("--resume part --until LATER", self.fails("run", "part", code=2, says="is the scene of the run"))
        run = scree("run", ".", cwd=self.folder / "part")
        self.assertEqual((run.returncode, (self.folder / "part/scene.run").exists()), (2, False), run.stderr)
        self.ok("run", "part/scene.yaml", "--overwrite", "--until", "1 ms")  # a scene like any other
        self.assertTrue((self.folder / "part/scene.run").exists())
        shutil.rmtree(self.folder / "part/scene.run")
        self.ok("run", "--resume", "part", "--until", "3 ms")
        self.ok("run", "part", "-o", "new", "--until", "3 ms")
        self.assertEqual(self.hash_of("part"), self.hash_of("new"))

    def test_with_overwrite_it_begins_anew(self):
        self.write_meshes()
        self.ok("run", "scene", "-o", "whole")
        self.ok("run", "scene", "-o", "part", "--until", "7 ms")
        shutil.rmtree(self.folder / "scene")
        self.ok("run", "part", "--overwrite", "--until", "20 ms")
        self.expect_same(self.folder / "part", self.folder / "whole")

    def test_a_scene_that_no_run_wrote_is_not_replaced(self):
        self.write(scene(), "own/scene.yaml")
        (self.folder / "own/log.csv").write_text("mine")
        self.fails("run", "own", "--overwrite", code=2, says="holds the scene itself")


class Told(FolderOfRunTest):
    def listed(self, line):
        """The names of the last line, and how many of each."""
        words = line.split(" holds ", 1)[1].split(", ")
        return {w.split(" (")[0]: int(w.split(" (")[1].split()[0]) if " (" in w else 1 for w in words}

    def test_the_last_line_lists_every_file(self):
        self.write_meshes()
        for options in ([], ["--set", "run.output={every: 5 ms, format: vtp, contacts: yes}"], ["--set", "run.output={format: none}"],
                        ["--set", "walls.0.wear=yes"], ["--set", "run.checkpoint.every=none", "--set", "run.output.picture=no"]):
            line = self.ok("run", "scene", "-o", "part", "--overwrite", *options).splitlines()[-1]
            self.assertTrue(line.startswith("# part holds scene.yaml, "), line)
            listed, there = self.listed(line), {p.name for p in (self.folder / "part").iterdir()}
            found = set()
            for name, count in listed.items():
                paths = {p.name for p in (self.folder / "part").glob(name.rstrip("/"))}
                if "*" in name:
                    self.assertEqual(len(paths), count, line)
                elif name == "checkpoint/":
                    self.assertEqual(len(self.checkpoints("part")), count, line)
                self.assertTrue(paths, f"{name} is not there: {line}")
                found |= paths
            self.assertEqual(found, there, line)

    def test_files_of_others_are_not_listed(self):
        self.write(scene(duration="1 ms"))
        self.ok("run", "a.yaml", "-o", "part")
        (self.folder / "part/notes.txt").write_text("mine")
        self.assertNotIn("notes", self.ok("run", "--resume", "part", "--until", "2 ms"))


class Unread(FolderOfRunTest):
    """Whoever reads standard output has gone."""

    def piped(self, *arguments, lines, **more):
        """The run's standard output is read so far, then closed."""
        process = self.start(*arguments, stdout=subprocess.PIPE, **more)
        for _ in range(lines):
            process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        return process.wait(timeout=SECONDS), err

    def test_the_run_goes_on_without_it(self):
        self.write(scene(log="0.05 ms"))
        whole = self.whole()
        for lines in (0, 1, 3):
            status, err = self.piped("a.yaml", "-o", f"part-{lines}", "--threads", "1", lines=lines)
            self.assertEqual((status, err), (0, f"scree run: nobody reads standard output any more: the run goes on, and its log in "
                                                f"part-{lines}/log.txt\n"))
            self.expect_same(self.folder / f"part-{lines}", whole)

    def test_no_summary_is_lost_without_a_word(self):
        self.write(scene(duration="1 ms"))
        status, err = self.piped("a.yaml", "-o", "part", "--json", lines=0)
        self.assertEqual((status, err), (1, "scree: standard output could not be written: Broken pipe\n"))
        self.assertFalse(json.loads((self.folder / "part/summary.json").read_text())["interrupted"])


if __name__ == "__main__":
    main()
