#!/usr/bin/python3
"""test_resume.py SCREE [unittest options]: nothing is ever lost. A run that was stopped, killed at any moment, or ran out of disk
goes on to the very end that it would have had: the same hash, log, frames, contacts and picture."""

import json
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path

import h5py
import numpy as np

from support import SCREE, SECONDS, FolderTest, completed, environment, main

RANDOM = random.Random(20240611)

# Two kinds of grains, a fixed grain that moves, friction with rolling springs, a law with memory, a floor that shakes, a lid under a
# load, a shelf that is taken away: all that a state holds.
SCENE = """scree: 1
title: a test
max_overlap: 0.3
materials:
  glass: {{young: 10 MPa, poisson: 0.22, density: 2500 kg/m3}}
  steel: {{young: 30 MPa, poisson: 0.3, density: 7850 kg/m3}}
contacts:
  default: {{restitution: 0.7, friction: 0.4, rolling: 0.05, twisting: 0.02}}
  [glass, steel]: {{normal: {law}, restitution: 0.6, friction: 0.3}}
domain: {{low: [0, 0, 0], high: [30 mm, 30 mm, 60 mm], periodic: [no, yes, no]}}
walls:
  - {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}, material: steel, motion: {{oscillation: {{amplitude: [0, 0, 0.2 mm], frequency: 90 Hz}}}}}}
  - {{plane: {{point: [0, 0, 58 mm], normal: [0, 0, -1]}}, material: steel, motion: {{servo: {{force: 1 N, axis: [0, 0, -1]}}}}}}
  - {{disc: {{center: [5 mm, 5 mm, 3 mm], normal: [0, 0, 1], radius: 3 mm}}, material: steel, remove_at: 7 ms}}
  - {{plane: {{point: [0, 0, 0], normal: [1, 0, 0]}}, material: glass}}
  - {{plane: {{point: [30 mm, 0, 0], normal: [-1, 0, 0]}}, material: glass}}
particles:
  - {{list: [{{position: [15 mm, 15 mm, 3 mm], velocity: [0, 0.3, 0]}}], radius: 2.5 mm, material: steel, fixed: yes}}
  - {{fill: {{box: {{low: [0, 0, 6 mm], high: [30 mm, 30 mm, {top} mm]}}}}, count: {count}, radius: {{uniform: {{min: 1.2 mm, max: 2 mm}}}}, material: glass, velocity: [0, 0, -0.5]}}
run: {{duration: {duration}, log: {{every: {log}}}, output: {output}, checkpoint: {{every: {checkpoint}}}}}
"""


def scene(count=60, duration="20 ms", log="0.5 ms", output="{every: 1 ms, contacts: yes, picture: no}", checkpoint="2 ms",
          law="zhang_sharf"):
    top = 55 if count > 100 else 20
    return SCENE.format(**locals())


def scree(*arguments, cwd, **more):
    return completed(*arguments, seconds=SECONDS, cwd=cwd, **more)


def log_of(run):
    """The log without its last column, which is the speed."""
    return [line.rpartition(",")[0] for line in (run / "log.csv").read_text().splitlines()]


def arrays_of(path):
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
        found["NSteps"] = np.array(file["VTKHDF/Steps"].attrs["NSteps"])
    return found


class ResumeTest(FolderTest):
    def write(self, text, name="a.yaml"):
        return super().write(text, name)

    def ok(self, *arguments, says="", may=()):
        run = scree(*arguments, cwd=self.folder)
        self.assertEqual(run.returncode, 0, f"{arguments}\n{run.stderr}")
        self.assertIn(says, run.stderr)
        if not says:  # but for how far it is, where it takes long, and for threads on few processors
            told = [line for line in run.stderr.splitlines() if " ETA " not in line and " threads on " not in line]
            self.assertEqual([line for line in told if not any(words in line for words in may)], [])
        return run.stdout

    def fails(self, *arguments, code, says):
        before = self.snapshot()
        run = scree(*arguments, cwd=self.folder)
        self.assertEqual(run.returncode, code, f"{arguments}\n{run.stdout}\n{run.stderr}")
        self.assertIn(says, run.stderr)
        self.assertEqual(self.snapshot(), before, "something was changed")
        return run.stderr

    def snapshot(self):
        return {p: p.read_bytes() for p in self.folder.rglob("*") if p.is_file()}

    def whole(self, name="whole"):
        """The run without any interruption."""
        self.ok("run", "a.yaml", "-o", name, "--threads", "1")
        return self.folder / name

    def expect_same(self, run, whole):
        a, b = (json.loads((x / "summary.json").read_text()) for x in (run, whole))
        for key in ("hash", "steps", "time", "frames", "particles", "contacts", "max_overlap", "energy", "error", "interrupted",
                    "energy_residual_relative"):
            self.assertEqual(a[key], b[key], key)
        self.assertEqual(log_of(run), log_of(whole))
        self.assertEqual(len((run / "log.txt").read_text().splitlines()), len((whole / "log.txt").read_text().splitlines()))
        self.assertEqual((run / "final.csv").read_bytes(), (whole / "final.csv").read_bytes())
        names = lambda folder: {p.name for p in folder.iterdir()}
        self.assertEqual(names(run), names(whole))
        for path in whole.glob("*.vtkhdf"):
            x, y = arrays_of(run / path.name), arrays_of(path)
            self.assertEqual(x.keys(), y.keys())
            for name in y:
                np.testing.assert_array_equal(x[name], y[name], f"{path.name}: {name}")
        for pattern in ("*.vtp", "*.pvd", "*.png", "walls.csv", "wall_poses.csv", "flow.csv"):
            for path in whole.glob(pattern):
                self.assertEqual((run / path.name).read_bytes(), path.read_bytes(), path.name)

    def start(self, *arguments, stdout=subprocess.DEVNULL, **more):
        return subprocess.Popen([SCREE, "run", *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=stdout,
                                stderr=subprocess.PIPE, env=environment(), text=True, **more)

    def checkpoints(self, run):
        return sorted((self.folder / run / "checkpoint").glob("*.checkpoint"))

    def stopped(self, at="9 ms", name="part"):
        """A run that ended early, as if it had been stopped there; the scene's own end is later."""
        self.ok("run", "a.yaml", "-o", name, "--until", at)
        return self.folder / name


class Continued(ResumeTest):
    def test_any_number_of_stops_any_threads(self):
        for law, output in (("zhang_sharf", "{every: 1 ms, contacts: yes}"), ("jian", "{every: 0.7 ms, format: vtp, contacts: yes}"),
                            ("thornton", "{format: none}")):
            self.write(scene(law=law, output=output))
            whole = self.whole("whole-" + law)
            part = "part-" + law
            stops = sorted(RANDOM.uniform(0.01, 19.9) for _ in range(6))
            self.ok("run", "a.yaml", "-o", part, "--set", "run.duration=20ms", "--until", f"{stops[0]} ms", "--set",
                    "run.output.every=" + (re.search("every: (.*?ms)", output) or ["", "0.4 ms"])[1])
            for stop in stops[1:]:
                self.ok("run", "--resume", "a.yaml", "-o", part, "--until", f"{stop} ms", "--threads", RANDOM.randint(1, 4))
            self.ok("run", "--resume", "a.yaml", "-o", part, "--threads", "3")
            self.expect_same(self.folder / part, whole)

    def test_the_folder_stands_for_the_run(self):
        self.write(scene())
        whole = self.whole()
        part = self.stopped()
        os.remove(self.folder / "a.yaml")
        out = self.ok("run", "--resume", "part", "--until", "20 ms", "--threads", "1")
        self.assertRegex(out, r"^# goes on from step \d+, (9|8\.99\d*) ms")
        self.assertRegex(out, r"; from step \d+ on [\d.e-]+ million particle-steps per second on 1 thread\n")
        self.expect_same(part, whole)
        summary = json.loads((part / "summary.json").read_text())
        self.assertGreater(summary["resumed"], 0)
        self.assertEqual(summary["checkpoint"], summary["steps"])

    def test_so_does_the_scene_that_it_keeps(self):
        self.write(scene())
        whole = self.whole()
        part = self.stopped()
        os.remove(self.folder / "a.yaml")
        self.assertRegex(self.ok("run", "--resume", "part/scene.yaml", "--until", "15 ms"), r"^# goes on from step \d+")
        out = scree("run", "--resume", "scene.yaml", "--until", "20 ms", cwd=part)
        self.assertRegex(out.stdout, r"^# goes on from step \d+")
        self.expect_same(part, whole)
        self.assertFalse((part / "scene.run").exists(), "no run within the run")

    def test_contacts_are_the_same_for_any_number_of_threads(self):
        """Layers of a lattice that stay in their planes: friction across them is zero, and must be the same zero."""
        self.write("""scree: 1
materials: {g: {young: 10 MPa, poisson: 0.22, density: 2500}}
contacts: {default: {restitution: 0.7, friction: 0.4}}
domain: {low: [0, 0, 0], high: [160 mm, 40 mm, 160 mm], periodic: [no, yes, no]}
walls: [{plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: g}]
particles:
  - {lattice: {low: [0, 15 mm, 0], high: [155 mm, 23 mm, 155 mm], spacing: 4 mm, jitter: 0}, radius: 2 mm, material: g,
     velocity: [0.1, 0, -0.5]}
run: {duration: 6 ms, output: {every: 6 ms, format: vtp, contacts: yes, picture: no}}
""")
        for threads in (1, 2, 3):
            self.ok("run", "a.yaml", "-o", f"of-{threads}", "--threads", threads, "--set", "run.checkpoint.every=none")
            for path in (self.folder / "of-1").glob("contacts_*.vtp"):
                self.assertEqual((self.folder / f"of-{threads}" / path.name).read_bytes(), path.read_bytes(), f"{threads}: {path.name}")

    def test_a_run_that_has_ended_ends_again(self):
        self.write(scene())
        whole = self.whole()
        part = self.whole("part")
        said = (part / "summary.json").read_text()
        for _ in range(2):
            out = self.ok("run", "--resume", "part", says="has ended already, at 20 ms: --until a later time, or --set run.duration, goes on")
            self.assertNotIn("million particle-steps per second on", out, "nothing was computed")
            self.expect_same(part, whole)
            self.assertEqual((part / "summary.json").read_text(), said, "the record stands")
        os.remove(part / "summary.json")
        self.ok("run", "--resume", "part", says="has ended already")
        self.assertEqual(json.loads((part / "summary.json").read_text())["hash"], json.loads(said)["hash"])
        for further in (("--until", "21 ms"), ("--set", "run.duration=22 ms")):
            self.ok("run", "--resume", "part", *further)
        self.assertGreater(json.loads((part / "summary.json").read_text())["time"], 0.0215)

    def test_automatic_intervals_stay_those_of_the_beginning(self):
        self.write(scene(log="auto", output="{every: auto}"))
        part = self.stopped("5 ms")
        self.ok("run", "--resume", "part", "--until", "10 ms")
        lines = [float(line.split(",")[1]) for line in log_of(part)[1:]]
        self.assertEqual(len(lines), 101)
        self.assertEqual(json.loads((part / "summary.json").read_text())["frames"], 26, "every 50 steps of 1233")

    def test_intervals_may_change(self):
        self.write(scene())
        part = self.stopped("5 ms")
        self.ok("run", "--resume", "a.yaml", "-o", "part", "--set", "run.log.every=5ms", "--set", "run.output.every=3ms", "--set",
                "run.checkpoint.every=none", "--set", "run.output.picture=yes", "--set", "title=other")
        times = [round(1e3 * float(line.split(",")[1]), 1) for line in log_of(part)[1:]]
        self.assertEqual(times, [x / 2 for x in range(11)] + [10, 15, 20])
        with h5py.File(part / "trajectory.vtkhdf") as file:
            frames = np.round(1e3 * file["VTKHDF/Steps/Values"][()], 1)
        self.assertEqual(list(frames), [0, 1, 2, 3, 4, 5, 6, 9, 12, 15, 18, 20])
        self.assertIn("title: \"other\"", (part / "scene.yaml").read_text())

    def test_another_scene_is_refused(self):
        self.write(scene())
        self.stopped("5 ms")
        for setting, says in (("gravity=[0,0,-5]", 'differs in gravity: "gravity: [0, 0, -9.81'),
                              ("materials.glass.young=20 MPa", "differs in materials"), ("particles.1.seed=2", "differs in particles"),
                              ("particles.1.count=61", "count: 60"), ("contacts.default.friction=0.41", "differs in contacts"),
                              ("domain.periodic=[no,no,no]", "differs in domain"), ("run.timestep=1e-7", "timestep: auto"),
                              ("walls.0.material=glass", "differs in walls"), ("expected_speed=3", "differs in expected_speed"),
                              ("run.output.contacts=no", "cannot change"), ("run.output.format=vtp", "cannot change")):
            err = self.fails("run", "--resume", "a.yaml", "-o", "part", "--set", setting, code=2, says=says)
            self.assertEqual(len(err.splitlines()), 1)

    def test_another_mesh_of_the_same_name_is_refused(self):
        flat = "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3 4\n"
        (self.folder / "floor.obj").write_text(flat)
        self.write("""scree: 1
materials: {g: {young: 5 MPa, poisson: 0.22, density: 2500}}
contacts: {default: {restitution: 0.8}}
domain: {low: [-0.5, -0.5, -0.1], high: [0.5, 0.5, 1]}
walls: [{mesh: floor.obj, material: g}]
particles: [{list: [{position: [0, 0, 0.11]}], radius: 0.1, material: g}]
run: {duration: 20 ms, log: {every: 5 ms}}
""")
        self.ok("run", "a.yaml", "-o", "part", "--until", "10 ms")
        (self.folder / "floor.obj").write_text(flat.replace("1 0\n", "1 -0.001\n"))
        self.fails("run", "--resume", "a.yaml", "-o", "part", code=2, says="content of walls.0.mesh")
        (self.folder / "floor.obj").write_text(flat)
        self.ok("run", "--resume", "a.yaml", "-o", "part")

    def test_an_end_before_the_checkpoint_is_refused(self):
        self.write(scene())
        self.stopped("9 ms")
        self.fails("run", "--resume", "part", "--until", "3 ms", code=2, says="beyond the end at 3 ms")

    def test_nothing_to_go_on_from(self):
        self.write(scene(duration="3 ms"))
        whole = self.whole()
        self.ok("run", "--resume", "a.yaml", says="a.run holds nothing to go on from: the run begins")
        self.expect_same(self.folder / "a.run", whole)
        self.ok("run", "a.yaml", "-o", "without", "--set", "run.checkpoint.every=none")
        self.assertFalse((self.folder / "without" / "checkpoint").exists())
        self.fails("run", "--resume", "without", code=2, says="holds a run without checkpoints")
        os.mkdir(self.folder / "others")
        (self.folder / "others" / "thesis.tex").write_text("my only copy")
        self.fails("run", "--resume", "a.yaml", "-o", "others", code=2, says="holds other files and no run")
        self.fails("run", "--resume", "nowhere", code=2, says="nowhere")
        self.fails("run", "--resume", "--overwrite", "a.yaml", code=2, says="exclude each other")

    def test_overwriting_takes_old_checkpoints_away(self):
        self.write(scene())
        self.stopped("9 ms")
        self.ok("run", "a.yaml", "-o", "part", "--overwrite", "--until", "1 ms")
        self.assertEqual(len(self.checkpoints("part")), 2)
        self.ok("run", "--resume", "a.yaml", "-o", "part")
        self.expect_same(self.folder / "part", self.whole())

    def test_in_use(self):
        self.write(scene(duration="1000 s", checkpoint="0.2 s wall"))
        process = self.start("a.yaml", "-o", "part")
        self.wait_for(lambda: self.checkpoints("part"))
        for options in ([], ["--resume"], ["--overwrite"]):
            run = scree("run", *options, "a.yaml", "-o", "part", cwd=self.folder)
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertIn("another run is writing to part: name another folder with -o, or wait", run.stderr)
        process.kill()
        process.communicate()
        with open(self.folder / "part/log.csv", "a") as log:
            log.write("99999999,1,0.1,to")  # as if it had been killed in the middle of a line
        said = self.fails("run", "a.yaml", "-o", "part", code=2, says="the folder part holds a run that was left at step ")
        at, last = map(int, re.search(r"at step (\d+) of (\d+): --resume goes on with it, --overwrite", said).groups())
        line = (self.folder / "part/log.csv").read_text().splitlines()[-2].split(",")
        self.assertEqual((at, last), (int(line[0]), round(1000 / float(line[2]))))
        shutil.rmtree(self.folder / "part/checkpoint")
        self.fails("run", "a.yaml", "-o", "part", code=2, says=f"left at step {at} of {last}: --overwrite replaces it")
        for lines in (1, 0):  # headings alone, or not even those
            text = (self.folder / "part/log.csv").read_text().splitlines(keepends=True)
            (self.folder / "part/log.csv").write_text("".join(text[:lines]))
            self.fails("run", "a.yaml", "-o", "part", code=2, says="the folder part holds a run: --overwrite replaces it")

    def test_in_use_until_killed(self):
        self.write(scene(duration="1000 s", checkpoint="0.2 s wall"))
        process = self.start("a.yaml", "-o", "part")
        self.wait_for(lambda: self.checkpoints("part"))
        process.kill()
        process.communicate()
        self.ok("run", "--resume", "a.yaml", "-o", "part", "--until", "0.4 s", says="")

    def wait_for(self, condition):
        deadline = time.monotonic() + SECONDS
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(condition())


class Signals(ResumeTest):
    def test_each_ends_with_a_checkpoint(self):
        self.write(scene(duration="150 ms", checkpoint="60 s wall"))
        whole = self.whole()
        self.ok("run", "a.yaml", "-o", "part", "--until", "0.1 ms", "--set", "run.output.every=1ms")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start("--resume", "a.yaml", "-o", "part", "--threads", RANDOM.randint(1, 3), stdout=subprocess.PIPE)
            self.assertIn("# goes on from step", process.stdout.readline())
            time.sleep(RANDOM.uniform(0, 0.1))
            process.send_signal(number)
            err = process.communicate(timeout=SECONDS)[1]
            if process.returncode == 0:
                continue  # it was at its end already
            self.assertEqual(process.returncode, 1, err)
            self.assertIn("interrupted at step", err)
            self.assertRegex(err, r"scree run --resume part goes on from step \d+")
            summary = json.loads((self.folder / "part" / "summary.json").read_text())
            self.assertTrue(summary["interrupted"])
            self.assertEqual(summary["checkpoint"], summary["steps"])
        self.ok("run", "--resume", "a.yaml", "-o", "part", may=("has ended already",))
        self.expect_same(self.folder / "part", whole)

    def test_a_second_one_of_any_kind_ends_it_at_once(self):
        self.write(scene(duration="10 s"))
        for first, second in ((signal.SIGINT, signal.SIGTERM), (signal.SIGTERM, signal.SIGHUP)):
            process = self.start("a.yaml", "--overwrite", stdout=subprocess.PIPE)
            process.stdout.readline()
            for number in (signal.SIGSTOP, first, second, signal.SIGCONT):  # both wait for it when it goes on
                process.send_signal(number)
            process.communicate(timeout=SECONDS)
            self.assertIn(-process.returncode, (first, second))

    def test_what_was_ignored_stays_ignored(self):
        self.write(scene(duration="100 ms"))
        process = self.start("a.yaml", stdout=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        err = process.communicate(timeout=SECONDS)[1]
        self.assertEqual(process.returncode, 0, err)


class Killed(ResumeTest):
    def chain(self, text, kills, longest):
        """Kills the run again and again, goes on each time, and looks at the end."""
        self.write(text)
        whole = self.whole()
        hit = ended = 0
        command = ["a.yaml", "-o", "part"]
        while hit < kills:
            process = self.start(*command, "--threads", RANDOM.choice([1, 1, 2]))
            try:
                err = process.communicate(timeout=RANDOM.uniform(0, longest))[1]
            except subprocess.TimeoutExpired:
                process.kill()
                err = process.communicate()[1]
                hit += 1
            self.assertIn(process.returncode, (0, -signal.SIGKILL), err)
            command = ["--resume", "a.yaml", "-o", "part"]
            if process.returncode == 0:  # it came to its end: checked, and begun again
                self.expect_same(self.folder / "part", whole)
                shutil.rmtree(self.folder / "part")
                ended += 1
        # the last kill may have come before the first checkpoint, or after the last
        self.ok("run", *command, may=("holds nothing to go on from: the run begins", "has ended already"))
        self.expect_same(self.folder / "part", whole)

    def test_at_thirty_moments(self):
        # so many checkpoints, frames and lines that most kills hit the writing of one
        self.chain(scene(duration="12 ms", log="0.05 ms", output="{every: 0.05 ms, contacts: yes}", checkpoint="0.1 ms"), 16, 0.5)

    def test_large_compressed_frames(self):
        self.chain(scene(count=700, duration="1.5 ms", output="{every: 0.05 ms, contacts: yes}", checkpoint="0.1 ms"), 8, 0.5)

    def test_vtp(self):
        self.chain(scene(duration="6 ms", output="{every: 0.1 ms, format: vtp, contacts: yes}", checkpoint="0.2 ms"), 6, 0.3)


SYNCS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void note(const char *what, const char *path) {
  FILE *log = fopen(getenv("SYNC_LOG"), "a");
  if (log) fprintf(log, "%s %s\n", what, path), fclose(log);
}
int fsync(int fd) {
  char link[40], path[500];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  note("sync", path);
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}
int rename(const char *from, const char *to) {
  note("rename", to);
  return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
}
"""


class Synced(ResumeTest):
    def calls_of_a_run(self):
        """Every sync and rename of a run into a new folder: (what, path)."""
        (self.folder / "syncs.c").write_text(SYNCS)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "syncs.so", "syncs.c", "-ldl"], cwd=self.folder, check=True, timeout=SECONDS)
        self.write(scene(duration="4 ms", checkpoint="1 ms"))
        more = {"LD_PRELOAD": str(self.folder / "syncs.so"), "SYNC_LOG": str(self.folder / "syncs.log")}
        options = environment().get("ASAN_OPTIONS", "")
        more["ASAN_OPTIONS"] = ":".join(filter(None, [options, "verify_asan_link_order=0"]))
        run = subprocess.run([SCREE, "run", "a.yaml", "-o", "run"], cwd=self.folder, capture_output=True, text=True,
                             timeout=SECONDS, env={**environment(), **more})
        self.assertEqual(run.returncode, 0, run.stderr)
        return [line.split(" ", 1) for line in (self.folder / "syncs.log").read_text().splitlines()]

    def test_a_new_folder_is_on_disk_before_it_has_its_name(self):
        calls = [(what, Path(path).name) for what, path in self.calls_of_a_run()]
        named = calls.index(("rename", "run"))
        before = [name for what, name in calls[:named] if what == "sync"]
        for needed in ("log.txt", "log.csv"):
            self.assertIn(needed, before)
        drafts = [name for name in before if name.startswith(".") and "scree-begun" in name]
        self.assertTrue(drafts, f"the folder itself was not synced: {before}")
        self.assertEqual(before[-1], drafts[-1], "the folder is synced after its files")
        self.assertIn(("sync", self.folder.name), calls[named:], "the folder's new name was not synced")

    def test_what_a_checkpoint_builds_on_is_on_disk_before_it(self):
        synced, checked = set(), 0
        for what, path in self.calls_of_a_run():
            name = Path(path).name
            if what == "sync":
                synced.add(name)
            elif name.endswith(".checkpoint") and int(name.split(".")[0].split("-")[-1]) > 0:
                checked += 1
                for needed in ("log.txt", "log.csv", "walls.csv", "wall_poses.csv", "trajectory.vtkhdf"):
                    self.assertIn(needed, synced, f"{name} was put in place before {needed} was on disk")
                self.assertTrue(any("checkpoint" in s for s in synced), "the checkpoint itself was not synced")
                synced = set()
        self.assertGreaterEqual(checked, 3)


class Damage(ResumeTest):
    def damaged(self, change, says, newest=True):
        """A run of two checkpoints, of which one is damaged."""
        run = self.folder / "part"
        if run.exists():
            shutil.rmtree(run)
        shutil.copytree(self.folder / "stopped", run)
        paths = self.checkpoints("part")
        self.assertEqual(len(paths), 2)
        path = paths[-1 if newest else 0]
        path.write_bytes(change(path.read_bytes()))
        done = scree("run", "--resume", "a.yaml", "-o", "part", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        if newest:
            self.assertIn(says, done.stderr)
            self.assertIn("the one before is used", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            kept = list((run / "checkpoint").glob("*.damaged"))
            self.assertEqual([p.name for p in kept], [path.name + ".damaged"])
            shutil.rmtree(run / "checkpoint")
            os.mkdir(run / "checkpoint")
        self.expect_same(run, self.folder / "whole")

    def test_one_damaged_checkpoint_costs_an_interval(self):
        self.write(scene(duration="8 ms", checkpoint="2 ms"))
        self.whole()
        self.stopped("5 ms", "stopped")
        flip = lambda at: lambda data: data[:at] + bytes([data[at] ^ 4]) + data[at + 1:]
        self.damaged(lambda data: b"", "it is empty")
        self.damaged(lambda data: b"PK\3\4" * 1000, "it is no checkpoint of scree")
        self.damaged(lambda data: data[:20], "it is cut off")
        self.damaged(lambda data: data[:-100], "longer or shorter")
        self.damaged(lambda data: data + b"x", "longer or shorter")
        self.damaged(lambda data: data[:8] + struct.pack("<Q", 7) + data[16:], "it has version 7")
        self.damaged(flip(24), "longer or shorter")
        for at in (20, 200, 3000, -1000, -4):
            self.damaged(lambda data: flip(at % len(data))(data), "checksum" if at != 20 else "")
        self.damaged(lambda data: data[::-1], "", newest=False)

    def test_no_checkpoint_is_whole(self):
        self.write(scene(duration="8 ms", checkpoint="2 ms"))
        self.stopped("5 ms")
        for path in self.checkpoints("part"):
            path.write_bytes(path.read_bytes()[:-1])
        self.fails("run", "--resume", "a.yaml", "-o", "part", code=1, says="nothing was changed")
        for path in self.checkpoints("part"):
            path.unlink()
            os.mkdir(path)
        self.fails("run", "--resume", "a.yaml", "-o", "part", code=1, says="nothing was changed")

    def test_a_log_that_was_cut(self):
        self.write(scene(duration="8 ms", checkpoint="2 ms"))
        part = self.stopped("5 ms")
        os.truncate(part / "log.csv", 100)
        run = scree("run", "--resume", "part", cwd=self.folder)
        self.assertEqual(run.returncode, 1)
        self.assertIn("part/log.csv is shorter than it was", run.stderr)

    def test_a_trajectory_that_is_gone(self):
        self.write(scene(duration="8 ms", checkpoint="2 ms"))
        part = self.stopped("5 ms")
        (part / "trajectory.vtkhdf").unlink()
        run = scree("run", "--resume", "part", cwd=self.folder)
        self.assertEqual(run.returncode, 1)
        self.assertIn("cannot go on with part/trajectory.vtkhdf: No such file", run.stderr)

    def test_a_trajectory_full_of_holes_is_mended(self):
        """Everything that the library may write after a checkpoint is put back: here all of it is wrecked."""
        self.write(scene(duration="8 ms", output="{every: 0.5 ms, contacts: yes}"))
        whole = self.whole()
        part = self.stopped("5 ms")
        data = self.checkpoints("part")[-1].read_bytes()
        for name in ("trajectory.vtkhdf", "contacts.vtkhdf"):
            path = part / name
            with open(path, "r+b") as file:
                file.write(b"\xff" * 3000)  # the superblock, the first groups
                file.seek(0, 2)
                file.write(b"torn" * 10000)
        self.ok("run", "--resume", "a.yaml", "-o", "part")
        self.assertEqual(len(data) > 0, True)
        self.expect_same(part, whole)


class NoRoom(ResumeTest):
    def expect_failure(self, run):
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("cannot write", run.stderr)
        self.assertNotIn("Sanitizer", run.stderr)

    def expect_told(self, run, folder):
        """The summary and the log have the sentence that was shown first, and the command says how to go on."""
        shown = [line.removeprefix("scree run: ") for line in run.stderr.splitlines() if "cannot write" in line]
        summary = json.loads((folder / "summary.json").read_text())
        self.assertEqual((summary["error"], summary["interrupted"]), (shown[0], False), run.stderr)
        self.assertIn(f"# stopped: {shown[0]}\n", (folder / "log.txt").read_text())
        self.assertRegex(run.stderr, rf"--resume part goes on from step {summary['checkpoint']}, once there is room")

    def test_a_limit_on_the_size_of_files(self):
        self.write(scene(output="{every: 0.1 ms, contacts: yes}", checkpoint="0.2 ms"))
        whole = self.whole()
        for limit in (150_000, 400_000, 700_000):
            run = scree("run", "a.yaml", "-o", "part", "--overwrite", cwd=self.folder,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.expect_failure(run)
            self.assertIn("File too large", run.stderr)
            self.expect_told(run, self.folder / "part")
            done = scree("run", "--resume", "a.yaml", "-o", "part", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.expect_same(self.folder / "part", whole)

    def test_only_files_that_were_written_are_listed(self):
        self.write(scene(count=2, duration="1 ms", output="{format: none}", checkpoint="none"))
        self.assertRegex(self.ok("run", "a.yaml", "-o", "fits"), r"# fits holds .*, final.csv, summary.json, picture.png\n")
        size = (self.folder / "fits/picture.png").stat().st_size
        self.assertLess((self.folder / "fits/walls.csv").stat().st_size, size // 2, "the picture is the largest file")
        run = scree("run", "a.yaml", "-o", "part", cwd=self.folder,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, size // 2)))
        self.expect_failure(run)
        self.assertRegex(run.stdout, r"# part holds scene.yaml, log.txt, log.csv, walls.csv, final.csv, summary.json\n")
        error = json.loads((self.folder / "part/summary.json").read_text())["error"]
        self.assertEqual(error, "cannot write part/picture.png: File too large")

    def test_a_log_that_cannot_be_written_is_told_once(self):
        text = scene(count=2, duration="4 ms", log="0.01 ms", output="{format: none, picture: no}", checkpoint="none")
        self.write(re.sub(r"walls:\n(  - .*\n)+", "", text))  # whose file would be the first that is too large
        run = scree("run", "a.yaml", "-o", "part", cwd=self.folder,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)))
        self.expect_failure(run)
        self.assertEqual(run.stderr, "scree run: cannot write the log in part: File too large\n")
        summary = json.loads((self.folder / "part/summary.json").read_text())
        self.assertEqual(summary["error"], "cannot write the log in part: File too large")

    def mount(self, *options):
        place = self.folder / "disk"
        place.mkdir(exist_ok=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join(options), "scree-test", place], capture_output=True)
        if done.returncode != 0:
            self.skipTest("no right to mount: the limit on the size of files stands for it")
        self.addCleanup(subprocess.run, ["umount", "-l", place])
        return place

    def test_a_full_disk(self):
        self.write(scene(output="{every: 0.1 ms, contacts: yes}", checkpoint="0.2 ms"))
        whole = self.whole()
        place = self.mount("size=1400k")
        run = scree("run", "a.yaml", "-o", place / "part", cwd=self.folder)
        self.expect_failure(run)
        self.assertIn("No space left on device", run.stderr)
        again = scree("run", "--resume", "a.yaml", "-o", place / "part", cwd=self.folder)  # still no room
        self.expect_failure(again)
        subprocess.run(["mount", "-o", "remount,size=64m", place], check=True)
        done = scree("run", "--resume", "a.yaml", "-o", place / "part", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.expect_same(place / "part", whole)

    def test_a_disk_that_may_only_be_read(self):
        self.write(scene(duration="8 ms"))
        place = self.mount("size=64m")
        shutil.copy(self.folder / "a.yaml", place)
        self.ok("run", place / "a.yaml", "-o", place / "part", "--until", "4 ms")
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        for arguments in (["run", "--resume", place / "part"], ["run", place / "a.yaml"],
                          ["run", place / "a.yaml", "-o", place / "part", "--overwrite"]):
            self.fails(*arguments, code=1, says="Read-only file system")

    def test_a_folder_of_somebody_else(self):
        if os.geteuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("needs root and setpriv")
        self.write(scene(duration="8 ms"))
        self.stopped("4 ms")
        os.chmod(self.folder, 0o755)
        before = self.snapshot()
        for more in (["--resume"], ["--overwrite"]):
            run = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", SCREE, "run", "a.yaml", "-o", "part",
                                  *more], cwd=self.folder, capture_output=True, text=True, timeout=SECONDS, env=environment())
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertIn("Permission denied", run.stderr)
        self.assertEqual(self.snapshot(), before)


class Stopped(ResumeTest):
    """Runs that the engine stops."""

    def test_an_overlap_beyond_the_limit_goes_on_with_a_larger_one(self):
        self.write(scene(duration="30 ms", checkpoint="60 s wall").replace("max_overlap: 0.3", "max_overlap: 0.02"))
        run = scree("run", "a.yaml", "-o", "part", "--threads", "2", cwd=self.folder)
        self.assertEqual(run.returncode, 1, run.stderr)
        said = re.search(r"step (\d+): grain (\d+) at \(.*\) m overlaps .* by ([\d.]+) of the smaller radius \(limit 0.02\)", run.stderr)
        self.assertTrue(said, run.stderr)
        self.assertIn("scree run --resume part --set max_overlap=0.04 goes on", run.stderr)
        part = self.folder / "part"
        summary = json.loads((part / "summary.json").read_text())
        self.assertEqual([summary["steps"], summary["checkpoint"]], [int(said[1])] * 2)
        self.assertAlmostEqual(summary["max_overlap"], float(said[3]), 4)
        self.assertRegex((part / "log.txt").read_text().splitlines()[-1], "^# stopped: step")
        again = scree("run", "--resume", "part", cwd=self.folder)  # the same limit: the same end, a step further
        self.assertEqual(again.returncode, 1)
        self.assertIn("(limit 0.02)", again.stderr)
        self.ok("run", "--resume", "a.yaml", "-o", "part", "--set", "max_overlap=0.3", says="max_overlap was 0.02 and is 0.3 from step")
        self.assertNotIn("stopped", (part / "log.txt").read_text())
        summary = json.loads((part / "summary.json").read_text())
        self.assertIsNone(summary["error"])
        self.assertLess(summary["energy_residual_relative"], 1e-3)
        self.assertIn("max_overlap: 0.3", (part / "scene.yaml").read_text())

    def test_beyond_the_largest_limit_no_other_is_offered(self):
        self.write(scene(duration="30 ms"))
        run = scree("run", "a.yaml", "-o", "part", "--set", "max_overlap=0.5", "--set", "materials.glass.young=0.1 kPa", cwd=self.folder)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("(limit 0.5)", run.stderr)
        self.assertIn("no limit is larger: the material has to be stiffer", run.stderr)
        self.assertNotIn("--set max_overlap", run.stderr)

    def test_a_grain_that_is_lost_keeps_the_last_checkpoint(self):
        grains = "particles:\n  - {list: [{position: [15 mm, 15 mm, 40 mm], velocity: [0, 0, 2]}], radius: 2 mm, material: glass}\nrun:"
        text = re.sub("particles:.*\nrun:", lambda m: grains, scene(duration="100 ms", checkpoint="1 ms"), flags=re.S)
        self.write("\n".join(line for line in text.splitlines() if "servo" not in line))
        run = scree("run", "a.yaml", "-o", "part", cwd=self.folder)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertRegex(run.stderr, r"step \d+: grain 1 left the domain at \(0.015, 0.015, 0.06")
        kept = int(re.search(r"the newest checkpoint in part/checkpoint is of step (\d+)", run.stderr)[1])
        self.assertLess(kept, int(re.search(r"step (\d+): grain", run.stderr)[1]))
        self.assertEqual(int(self.checkpoints("part")[-1].name.split(".")[0]), kept)


    def test_energy_from_nowhere(self):
        """An expected speed that is far too low gives a step that is too long: contacts pump energy into a gas."""
        self.write("""scree: 1
max_overlap: 0.5
expected_speed: 1e-5
gravity: [0, 0, 0]
materials: {glass: {young: 1 GPa, poisson: 0.22, density: 2500 kg/m3}}
contacts: {default: {normal: hertz, friction: 0.5}}
domain: {low: [0, 0, 0], high: [30 mm, 30 mm, 30 mm], periodic: [yes, yes, yes]}
particles:
  - {fill: {box: {low: [0, 0, 0], high: [30 mm, 30 mm, 30 mm]}}, count: 400, radius: 1.5 mm, material: glass, velocity: {random: 0.5}}
run: {duration: 50 ms, log: {every: 50 us}, output: {format: none, picture: no}, checkpoint: {every: 60 s wall}}
""")
        run = scree("run", "a.yaml", "-o", "part", cwd=self.folder)
        self.assertEqual(run.returncode, 1, run.stderr)
        said = re.search(r"step (\d+): ([\d.e-]+) J have come from nowhere, of ([\d.e-]+) J in all; the fastest is grain (\d+) at", run.stderr)
        self.assertTrue(said, run.stderr)
        self.assertGreater(float(said[2]), 0.5 * float(said[3]))
        self.assertIn("expected_speed", run.stderr)
        summary = json.loads((self.folder / "part" / "summary.json").read_text())
        self.assertEqual([summary["steps"], summary["checkpoint"]], [int(said[1])] * 2)
        kinetic = [float(line.split(",")[5]) for line in log_of(self.folder / "part")[1:]]
        self.assertGreater(kinetic[-1], kinetic[0])
        again = scree("run", "--resume", "part", cwd=self.folder)  # the state is whole, but its run is lost
        self.assertEqual(again.returncode, 1, again.stderr)
        self.ok("run", "a.yaml", "-o", "fine", "--set", "expected_speed=1", "--until", "2 ms")


class Scenes(ResumeTest):
    def test_the_key(self):
        for value, written in (("60 s wall", "60 s wall"), ("2 min wall", "120 s wall"), ("0.5 ms", "0.0005"), ("none", "none"),
                               ("3", "3"), ("3 wall", "3 s wall")):
            self.write(scene(duration="1 ms", checkpoint=value))
            self.ok("run", "a.yaml", "--overwrite", "--until", "0.1 ms")
            self.assertIn(f"checkpoint: {{every: {written}}}", (self.folder / "a.run" / "scene.yaml").read_text())
        for value, says in (("0 s wall", "> 0"), ("-1", "> 0"), ("60 s clock", "60 s clock"), ("60 m wall", "s"), ("wall", "wall"),
                            ("never", "never"), ("[1, 2]", "every")):
            self.write(scene(checkpoint=value))
            self.fails("check", "a.yaml", code=2, says=says)

    def test_standard_input(self):
        text = scene(duration="1 ms")
        pipe = lambda *arguments: subprocess.run([SCREE, *arguments], input=text, capture_output=True, text=True, cwd=self.folder,
                                                 timeout=SECONDS, env=environment())
        self.assertEqual(pipe("check", "-").returncode, 0)
        for name in ("-", "/dev/stdin"):
            run = pipe("run", name)
            self.assertEqual(run.returncode, 2)
            self.assertIn("name the run's folder with -o", run.stderr)
            run = pipe("run", name, "-o", "piped" + name.replace("/", ""))
            self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.write(text)
        self.expect_same(self.folder / "piped-", self.whole())
        text = "scree: 2\n"
        run = pipe("check", "-")
        self.assertEqual(run.returncode, 2)
        self.assertIn("standard input:1:8: ", run.stderr)

    def test_messages_are_printable(self):
        self.write("scree: 2\n", "evil\033[31m\nname.yaml")
        run = scree("check", "evil\033[31m\nname.yaml", cwd=self.folder)
        self.assertEqual(run.returncode, 2)
        self.assertNotIn("\033", run.stderr)
        self.assertEqual(len(run.stderr.splitlines()), 3, run.stderr)

    def test_a_setting_of_blanks(self):
        self.write(scene())
        self.fails("check", "a.yaml", "--set", "run.duration= ", code=2, says='there is no value after "="')


if __name__ == "__main__":
    main()
