#!/usr/bin/python3
"""test_bench.py SCREE [unittest options]: what `scree bench` measures: its numbers, its order, and that it measures what it says.

Speeds of a build with sanitizers say nothing, and take long: there, test_cli.py runs each benchmark once, briefly."""

import csv
import json
import math
import os
import re
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from support import SCREE, ScreeTest, environment, main, parse_json, scree


class BenchOfGrains(ScreeTest):
    def test_size_and_contacts_are_what_is_promised(self):
        # it settles a bed; some hundred steps, until the skin is what the bed wants
        done = scree("bench", "dem", "--largest", "1e4", "--seconds", "5", "--json", seconds=120)
        self.assertEqual(done.code, 0, done.err)
        run = json.loads(done.out)
        self.assertEqual(sorted(run), ["cost_spread", "instruction_set", "sizes", "threads"])
        row = run["sizes"][0]
        self.assertGreaterEqual(row["contacts_per_particle"], 6.0)
        self.assertLessEqual(row["bytes_per_particle"], 400)
        self.assertGreater(row["particle_steps_per_second"], 1e5)
        self.assertLess(row["energy_residual_relative"], 1e-3)


class BenchOfTheEngine(ScreeTest):
    row_keys = ["contacts_per_particle", "limit", "met", "name", "nanoseconds_per_contact_best",
                "nanoseconds_per_contact_median"]

    def assert_sane(self, row, ratio):
        """A row by itself: its keys, its order, and a verdict that is that of its numbers."""
        self.assertEqual(sorted(row), sorted([*self.row_keys, ratio]), row)
        self.assertTrue(0 < row["nanoseconds_per_contact_best"] <= row["nanoseconds_per_contact_median"], row)
        self.assertTrue(4 < row["contacts_per_particle"] < 7, row)
        self.assertTrue(0.01 < row[ratio] < 100, row)
        met = row[ratio] <= row["limit"] if ratio == "cost_ratio" else row[ratio] >= row["limit"]
        self.assertEqual(row["met"], met, row)

    def test_every_law_of_grains_and_every_instruction_set_is_there_once(self):
        catalogue = [law["id"] for law in self.ok_json("models") if law["group"] in ("point", "plastic")]
        with tempfile.TemporaryDirectory() as folder:
            written = Path(folder, "engine.json")
            done = scree("bench", "engine", "--seconds", "0.001", "--json", "--output", written, seconds=120)
            self.assertEqual((done.code, done.err), (0, ""))
            result, kept = parse_json(done.out), parse_json(written.read_text())
            self.assertEqual(os.listdir(folder), ["engine.json"], "nothing is left beside it")
        self.assertEqual(sorted(result), ["instruction_set", "instruction_sets", "laws", "particles", "turns", "version"])
        self.assertEqual([row["name"] for row in result["laws"]], catalogue)
        self.assertGreater(len(catalogue), 45)
        laws = parse_json(scree("bench", "laws", "hooke", "--seconds", "0.001", "--json").out)["laws"]
        sets = {found["set"] for found in laws[0]["sets"]}
        self.assertEqual(sorted([result["instruction_set"], *(row["name"] for row in result["instruction_sets"])]),
                         sorted(sets), "those that the laws' benchmark finds on this machine")
        for rows, ratio in (("laws", "cost_ratio"), ("instruction_sets", "speed_ratio")):
            for row, again in zip(result[rows], kept[rows]):
                self.assert_sane(row, ratio)
                self.near(again[ratio], row[ratio], "what the file says", 1e-4)
        if result["instruction_set"] == "x86-64-v4":
            slowest = next(row for row in result["instruction_sets"] if row["name"] == "x86-64-v2")
            self.assertLess(slowest["speed_ratio"], 0.9, "two numbers at a time instead of eight")
        limits = {row["name"]: row["limit"] for row in result["laws"]}
        self.assertEqual((limits["tsuji"], limits["hooke"], limits["thornton"], set(limits.values())),
                         (1.3, 1.3, 2.5, {1.3, 2.5}))

    def test_a_law_beside_itself_costs_the_same_and_a_dear_one_more(self):
        rows = parse_json(self.ok("bench", "engine", "tsuji", "jian", "--seconds", "0.3", "--json", seconds=120))["laws"]
        self.assertEqual([row["name"] for row in rows], ["tsuji", "jian"])
        self.assertTrue(0.6 < rows[0]["cost_ratio"] < 1.6, rows[0])
        self.assertGreater(rows[1]["cost_ratio"], rows[0]["cost_ratio"])

    def test_the_table_says_what_the_json_says(self):
        text = self.ok("bench", "engine", "hertz", "--seconds", "0.001", seconds=120)
        self.assertRegex(text, r"(?m)^hertz( +\d+\.\d\d){4}  at most 1\.30(: NOT met)?$")
        self.assertNotIn("instruction set", text)


def bench_box(folder, *arguments):
    """`scree bench scene` of the box template in a folder, as JSON."""
    if not (Path(folder) / "box").exists():
        scree("new", "box", cwd=folder)
    done = scree("bench", "scene", "box", "--json", *arguments, cwd=folder, seconds=60)
    if done.code != 0:
        raise AssertionError(done.err)
    return parse_json(done.out)


def state_of(result):
    return {key: result[key] for key in ("particles", "contacts_per_particle", "wall_contacts", "kinetic_translation",
                                         "kinetic_rotation", "mean_overlap", "mean_overlap_relative")}


class BenchOfAScene(ScreeTest):
    def test_it_ends_in_the_state_of_a_run_of_as_many_steps(self):
        grains = 1200
        few = ("--set", f"particles.0.count={grains}", "--set", "run.timestep=1e-5")
        with tempfile.TemporaryDirectory() as folder:
            result = bench_box(folder, *few, "--warm", "12000", "--steps", "1500", "--windows", "2")
            whole = bench_box(folder, *few, "--warm", "12000", "--steps", "3000", "--windows", "1")
            self.ok("run", "box", *few, "--until", "0.15", "--json", cwd=folder, seconds=60)
            rows = list(csv.DictReader((Path(folder) / "box/scene.run/final.csv").read_text().splitlines()))
            log = list(csv.DictReader((Path(folder) / "box/scene.run/log.csv").read_text().splitlines()))[-1]
        self.assertEqual((result["particles"], int(log["step"])), (grains, 15000))
        rebuilds = [window["rebuilds"] for window in result["windows"]]
        self.assertEqual(sum(rebuilds), whole["windows"][0]["rebuilds"])
        self.assertGreater(min(rebuilds), 0)
        kinetic = result["kinetic_translation"] + result["kinetic_rotation"]
        self.near(kinetic, float(log["kinetic [J]"]), "kinetic energy", 1e-9)
        self.assertGreater(result["kinetic_rotation"], 0)
        contacts = result["contacts_per_particle"] * grains / 2 + result["wall_contacts"]
        self.assertEqual(round(contacts), int(log["contacts"]))
        self.assert_overlaps(result, [[float(r[k]) for k in ("x", "y", "z", "radius")] for r in rows])

    def assert_overlaps(self, result, grains):
        """Every pair again, by brute force."""
        overlaps = []
        for i, (*a, r) in enumerate(grains):
            for *b, s in grains[:i]:
                overlap = r + s - math.dist(a, b)
                if overlap > 0:
                    overlaps.append((overlap, overlap / min(r, s)))
        self.assertGreater(len(overlaps), 100)
        self.near(result["contacts_per_particle"], 2 * len(overlaps) / len(grains), "contacts", 1e-12)
        for key, column in (("mean_overlap", 0), ("mean_overlap_relative", 1)):
            mean = sum(row[column] for row in overlaps) / len(overlaps)
            self.near(result[key], mean, key, 1e-6)

    def test_windows_make_the_summary_and_leave_the_run_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            result = bench_box(folder, "--warm", "10", "--steps", "40", "--windows", "4", "--threads", "1")
            other = bench_box(folder, "--warm", "90", "--steps", "80", "--windows", "1", "--threads", "2")
            none = bench_box(folder, "--warm", "170", "--windows", "0")
            written = os.listdir(Path(folder) / "box")
        speeds = sorted(window["mps"] for window in result["windows"])
        self.assertEqual(len(speeds), 4)
        self.near(result["mps_best"], speeds[-1], "best", 1e-12)
        self.near(result["mps_median"], (speeds[1] + speeds[2]) / 2, "median", 1e-12)
        for window in result["windows"]:
            self.near(window["mps"], window["particles"] * 40e-6 / window["seconds"], "speed", 1e-9)
        self.assertEqual(state_of(result), state_of(result["windows"][-1]))
        self.assertEqual(state_of(result), state_of(other), "170 steps are 170 steps")
        self.assertEqual(state_of(result), state_of(none))
        self.assertEqual((result["clock"], other["clock"]), ("processor", "wall"))
        self.assertEqual((none["windows"], none["mps_best"]), ([], None))
        self.assertEqual(written, ["scene.yaml"], "nothing is written")
        self.assertGreater(result["peak_bytes"], result["bytes_per_particle"] * result["particles"])

    def test_a_state_that_changes_from_the_first_window_to_the_last_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            for warm, steps, changes in ((0, 20, False), (0, 10000, True), (30000, 500, False)):  # flying, falling, at rest
                options = ("--set", "particles.0.count=1000", "--threads", "1", "--warm", warm, "--steps", steps, "--windows", "3")
                ends = [window["contacts_per_particle"] for window in bench_box(folder, *options)["windows"]]
                change = abs(ends[2] - ends[0])
                self.assertEqual(change > 0.2 and change > 0.25 * max(ends), changes, ends)
                told = re.findall(r"^state +still changing, from (\S+) to (\S+) contacts per particle: a larger --warm",
                                  self.ok("bench", "scene", "box", *options, cwd=folder, seconds=60), flags=re.M)
                self.assertEqual(told, [(f"{ends[0]:.4g}", f"{ends[2]:.4g}")] if changes else [])

    def test_fixed_grains_have_no_kinetic_energy_and_overlaps_are_of_the_smaller(self):
        scene = {"scree": 1, "gravity": [0, 0, 0], "expected_speed": 1,
                 "materials": {"m": {"young": 1e7, "poisson": 0.2, "density": 1000}},
                 "domain": {"low": [-1, -1, -1], "high": [1, 1, 1]},
                 "particles": [{"csv": {"file": "free.csv"}, "material": "m"},
                               {"csv": {"file": "fixed.csv"}, "material": "m", "fixed": True}],
                 "run": {"duration": 1}}
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "scene.yaml").write_text(json.dumps(scene))
            Path(folder, "free.csv").write_text("id,x,y,z,radius,vx,vy,vz,wx,wy,wz\n1,0,0,0,0.1,3,0,4,0,0,10\n")
            Path(folder, "fixed.csv").write_text("id,x,y,z,radius,vx,vy,vz\n2,0.299,0,0,0.2,3,0,4\n")
            result = parse_json(self.ok("bench", "scene", folder, "--warm", "0", "--windows", "0", "--json"))
        mass = 1000 * 4 / 3 * math.pi * 1e-3
        self.near(result["kinetic_translation"], 0.5 * mass * 25, "translation", 1e-12)
        self.near(result["kinetic_rotation"], 0.5 * 0.4 * mass * 0.01 * 100, "rotation", 1e-12)
        self.near(result["mean_overlap"], 1e-3, "overlap", 1e-9)
        self.near(result["mean_overlap_relative"], 1e-2, "relative overlap", 1e-9)
        self.assertEqual((result["contacts_per_particle"], result["wall_contacts"]), (1.0, 0))

    def test_grains_that_leave_within_a_window_count_half(self):
        scene = {"scree": 1, "gravity": [0, 0, 0], "materials": {"m": {"young": 1e7, "poisson": 0.2, "density": 1000}},
                 "domain": {"low": [0, 0, 0], "high": [1, 1, 1], "outside": "remove"},
                 "particles": [{"list": [{"position": [0.5, 0.5, 0.5]}, {"position": [0.99, 0.5, 0.5], "velocity": [1, 0, 0]}],
                                "radius": 0.05, "material": "m"}],
                 "run": {"duration": 1, "timestep": 1e-4}}
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "scene.yaml").write_text(json.dumps(scene))
            result = parse_json(self.ok("bench", "scene", folder, "--warm", "0", "--steps", "20000", "--windows", "2",
                                        "--json"))
        first, second = result["windows"]
        self.assertEqual((first["particles"], second["particles"]), (1, 1))
        self.near(first["mps"] * first["seconds"], 1.5 * 0.02, "two, then one", 1e-9)
        self.near(second["mps"] * second["seconds"], 0.02, "one", 1e-9)

    def test_steps_are_chosen_to_fill_about_a_second(self):
        with tempfile.TemporaryDirectory() as folder:
            result = bench_box(folder, "--warm", "0", "--windows", "1", "--threads", "1")
        self.assertGreater(result["steps"], 100)
        self.assertTrue(0.1 < result["windows"][0]["seconds"] < 10, result["windows"])
        self.assertEqual(result["steps"], result["windows"][-1]["steps"])
        self.assertFalse(result["interrupted"])

    def test_windows_of_a_stream_that_has_just_begun_are_as_long_as_others(self):
        # an empty world makes far more steps a second than a full one
        scene = {"scree": 1, "materials": {"m": {"young": 1e8, "poisson": 0.2, "density": 1000}},
                 "domain": {"low": [0, 0, 0], "high": [0.2, 0.2, 0.4]},
                 "walls": [{"box": {"low": [0, 0, 0], "high": [0.2, 0.2, 0.4]}, "material": "m"}],
                 "particles": [{"stream": {"region": {"box": {"low": [0, 0, 0.2], "high": [0.2, 0.2, 0.4]}},
                                           "number_rate": 20000}, "radius": 0.002, "material": "m"}],
                 "run": {"duration": 10}}
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "scene.yaml").write_text(json.dumps(scene))
            result = parse_json(self.ok("bench", "scene", folder, "--windows", "3", "--threads", "1", "--json",
                                        seconds=40))
        grains = [window["particles"] for window in result["windows"]]
        self.assertGreater(grains[0], 1000)
        self.assertGreater(grains[-1], grains[0])
        for window in result["windows"]:
            self.assertTrue(0.7 < window["seconds"] < 2, result["windows"])


class BenchInterrupted(ScreeTest):
    """Windows are told as they come, and those that were measured are not lost."""

    def start(self, *arguments):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.ok("new", "box", cwd=holder.name)
        child = subprocess.Popen([SCREE, "bench", "scene", "box", "--set", "particles.0.count=200", *arguments],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 cwd=holder.name, env=environment())
        self.addCleanup(child.kill)
        return child

    def end(self, child, number):
        child.send_signal(number)
        out, err = child.communicate(timeout=1800)
        self.assertEqual(child.returncode, -number, err)
        return out, err

    def test_each_window_is_printed_when_it_is_measured(self):
        child = self.start("--windows", "1000", "--steps", "10000")
        for line in child.stdout:
            if line.split()[:1] == ["2"]:
                break
        out, err = self.end(child, signal.SIGINT)
        self.assertRegex(out, r"\nbest [\d.]+, median [\d.]+ million particle-steps per second\ncontacts ")
        window = re.search(r"^scree bench scene: interrupted in window (\d+) of 1000\n$", err)
        self.assertTrue(window, err)
        self.assertLess(int(window[1]), 30, "the second window was seen when it was there")

    def test_a_window_that_was_cut_short_counts_with_its_steps(self):
        child = self.start("--windows", "2", "--steps", "1000000000", "--warm", "0", "--json")
        time.sleep(1)
        out, err = self.end(child, signal.SIGTERM)
        result = parse_json(out)
        window, = result["windows"]
        self.assertTrue(result["interrupted"])
        self.assertTrue(0 < window["steps"] < 1e9, window)
        self.near(window["mps"], 200e-6 * window["steps"] / window["seconds"], "speed", 1e-9)
        self.assertIn("interrupted in window 1 of 2", err)

    def test_before_the_first_window(self):
        child = self.start("--warm", "1000000000", "--json")
        time.sleep(1)
        out, err = self.end(child, signal.SIGINT)
        result = parse_json(out)
        self.assertEqual((result["windows"], result["mps_best"], result["particles"]), ([], None, 200))
        self.assertIn("interrupted before the first window", err)


if __name__ == "__main__":
    main()
