#!/usr/bin/python3
"""test_peers.py SCREE BUILD: the driver of the peers' benchmark, bench/peers, without any peer: what it reads from logs, its
statistics and verdicts, its tables and files; then a small case with scree alone, and with programs that play a peer."""

import collections
import contextlib
import csv
import dataclasses
import io
import itertools
import json
import math
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

PEERS = Path(__file__).resolve().parent.parent.parent / "bench" / "peers"
sys.path.insert(0, str(PEERS))

import cases  # noqa: E402
import codes  # noqa: E402
import grains  # noqa: E402
import meshes  # noqa: E402
import report  # noqa: E402
import run  # noqa: E402
import states  # noqa: E402
import verdict  # noqa: E402
from cases import Bounds  # noqa: E402
from codes import PEERS as KNOWN, Choices, CodeFailed, Mark, Sample, Schedule, Variant  # noqa: E402
from grains import Grain, State  # noqa: E402

SCREE = Path()  # the binary, from the command line

LAMMPS_LOG = """LAMMPS (29 Sep 2021 - Update 2)
Per MPI rank memory allocation (min/avg/max) = 27.10 | 28.50 | 29.10 Mbytes
Loop time of 0.4 on 1 procs for 100 steps with 2000 atoms
99.8% CPU use with 1 MPI tasks x 1 OpenMP threads
Loop time of 0.55 on 1 procs for 200 steps with 2000 atoms
Loop time of 6e-06 on 1 procs for 0 steps with 2000 atoms
Loop time of 0.50 on 1 procs for 200 steps with 1600 atoms
Loop time of 6e-06 on 1 procs for 0 steps with 1600 atoms
"""
LIGGGHTS_LOG = """LIGGGHTS (Version LIGGGHTS-PUBLIC 3.8.0, compiled 2021)
Memory usage per processor = 12.5 Mbytes
Loop time of 0.4 on 2 procs for 100 steps with 2000 atoms, finish time Sun Jan 1
Loop time of 0.5 on 2 procs for 200 steps with 2000 atoms, finish time Sun Jan 1
"""


class Logs(unittest.TestCase):
    schedule = Schedule(100, 200, 2)
    marks = [Mark(1_000_000_000, 500), Mark(1_400_000_000, 600), Mark(9_000_000_000, 650), Mark(9_800_000_000, 700)]

    def test_one_core_counts_the_processors_time_and_the_grains_on_the_way(self):
        sample = codes.parse_peer(LAMMPS_LOG, self.marks, self.schedule, 1)
        self.assertEqual([round(mps, 12) for mps in sample.mps], [2000 * 200 / 0.4e6, 1800 * 200 / 0.8e6])
        self.assertEqual((sample.particles, sample.peak_bytes), (1600, 600 * 1024))
        self.assertAlmostEqual(sample.own_bytes, 28.5 * 2**20 / 1600)

    def test_two_cores_count_the_clocks(self):
        sample = codes.parse_peer(LIGGGHTS_LOG, [], Schedule(100, 200, 1), 2)
        self.assertEqual(sample.mps, [2000 * 200 / 0.5e6])
        self.assertIsNone(sample.peak_bytes)

    def test_what_is_not_what_was_asked_for_fails(self):
        for log, marks, schedule, cores in ((LAMMPS_LOG, self.marks, Schedule(100, 200, 5), 1),
                                            (LAMMPS_LOG, self.marks[:3], self.schedule, 1),
                                            (LAMMPS_LOG, self.marks, self.schedule, 2),
                                            ("ERROR: no such style\nmore", [], self.schedule, 1)):
            with self.assertRaises(CodeFailed):
                codes.parse_peer(log, marks, schedule, cores)
        with self.assertRaisesRegex(CodeFailed, "^ERROR: no such style$"):
            codes.parse_peer("ERROR: no such style\nmore", [], self.schedule, 1)

    def test_memory_as_liggghts_tells_it(self):
        self.assertAlmostEqual(codes.parse_memory(LIGGGHTS_LOG, 1000), 12.5 * 2**20 / 1000)
        self.assertIsNone(codes.parse_memory("nothing", 1000))

    def test_versions(self):
        with tempfile.TemporaryDirectory() as folder:
            for key, log in (("lammps", LAMMPS_LOG), ("liggghts", LIGGGHTS_LOG)):
                Path(folder, f"{key}.out").write_text(log)
            self.assertEqual(codes.version_of(KNOWN["lammps"], Path(folder)), "29 Sep 2021 - Update 2")
            self.assertEqual(codes.version_of(KNOWN["liggghts"], Path(folder)), "LIGGGHTS-PUBLIC 3.8.0")

    def test_a_deck_has_its_variables_its_windows_and_dumps_when_asked(self):
        dumps = [Path("end0.dump"), Path("end1.dump")]
        variables = [("timestep", "1e-5"), *Variant("1e-4", "hertz", "on", grid="1 2 1", more=(("shake", "2"),)).variables()]
        text = codes.deck_text(KNOWN["lammps"], "units si\n", variables, self.schedule, dumps)
        lines = text.splitlines()
        self.assertEqual(lines[:6], ["variable timestep index 1e-5", "variable skin index 1e-4", "variable style index hertz",
                                     "variable newton index on", 'variable grid index "1 2 1"', "variable shake index 2"])
        self.assertEqual(lines.count("run 200 pre no post no"), 2)
        mark, work = "shell ./mark.sh marks", "run 200 pre no post no"
        written = [f"write_dump all custom end{n}.dump {grains.DUMPED} modify format float %.17g" for n in (0, 1)]
        self.assertEqual(lines[-8:], [mark, work, mark, written[0], mark, work, mark, written[1]])
        self.assertNotIn("dump", codes.deck_text(KNOWN["lammps"], "", variables, self.schedule))
        text = codes.deck_text(KNOWN["liggghts"], "", variables, self.schedule, dumps)
        self.assertEqual((text.count("\nrun 0\n"), text.count("\nundump end\n")), (2, 2))

    def test_a_state_is_the_mean_over_the_windows_ends(self):
        ends = [{"contacts_per_particle": c, "kinetic_translation": None, "kinetic_rotation": 1.0, "mean_overlap": 2.0,
                 "particles": n, "mps": 5.0} for c, n in ((4.0, 100), (5.0, 90))]
        whole = {**ends[1], "windows": ends, "peak_bytes": 1.0, "bytes_per_particle": 2.0}
        state = codes.parse_scree(json.dumps(whole)).state
        self.assertEqual(state, {"contacts_per_particle": 4.5, "kinetic_translation": 0.0, "kinetic_rotation": 1.0,
                                 "mean_overlap": 2.0, "particles": 95.0})
        self.assertEqual(codes.parse_scree(json.dumps({**whole, "windows": []})).state["contacts_per_particle"], 5.0)


# Marks itself before and after some work and some sleep, as decks do; prints the processor's time in between.
MARKED = """
import subprocess, time
held = bytearray(50 << 20)
mark = lambda: subprocess.run(["sh", "-c", "./mark.sh marks; true"], check=True)
mark()
begin = time.process_time()
while time.process_time() - begin < 0.2:
    pass
time.sleep(0.2)
end = time.process_time()
mark()
print(end - begin)
"""


class Marks(unittest.TestCase):
    def test_they_tell_the_callers_time_and_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(PEERS / "mark.sh", folder)
            done = subprocess.run([sys.executable, "-c", MARKED], cwd=folder, capture_output=True, text=True, check=True)
            before, after = codes.read_marks(Path(folder, "marks"))
        spent = 1e-9 * (after.nanoseconds - before.nanoseconds)
        self.assertGreater(spent, float(done.stdout) - 0.002)
        self.assertLess(spent, float(done.stdout) + 0.05, "forks are in it, sleep is not")
        self.assertTrue(50 << 10 < after.kilobytes < 200 << 10, after)

    def test_no_file_is_no_marks(self):
        self.assertEqual(codes.read_marks(Path("/nowhere")), [])


class Verdicts(unittest.TestCase):
    def test_best_and_median_are_over_all_windows(self):
        speed = verdict.speed_of([Sample([1.0, 5.0], 10), Sample([2.0, 3.0], 10)])
        self.assertEqual((speed.best, speed.median, speed.windows), (5.0, 2.5, 4))
        with self.assertRaises(ValueError):
            verdict.speed_of([])

    def states(self, **other):
        ours = {"particles": 1000, "contacts_per_particle": 5.0, "mean_overlap": 1e-6, "kinetic_translation": 2.0,
                "kinetic_rotation": 1.0}
        return ours, {**ours, **other}

    def failed(self, bounds, **other):
        return [check.quantity for check in verdict.compare(*self.states(**other), bounds) if not check.holds]

    def test_each_quantity_can_fail_by_itself_on_either_side(self):
        bounds = Bounds(0.01, 0.02, 0.03, 0.04)
        self.assertEqual(self.failed(bounds), [])
        for key, bound in (("contacts_per_particle", 0.01), ("mean_overlap", 0.02), ("kinetic_translation", 0.03),
                           ("kinetic_rotation", 0.04)):
            value = self.states()[0][key]
            for sign in (-1, 1):
                self.assertEqual(self.failed(bounds, **{key: value * (1 + 0.9 * sign * bound)}), [], key)
                self.assertEqual(self.failed(bounds, **{key: value * (1 + 1.1 * sign * bound)}), [key])
        self.assertEqual(self.failed(bounds, particles=900), ["particles"])

    def test_rest_is_rest_only_where_both_are(self):
        bounds = Bounds(0.01, 0.01, 0.01, 0.01, rest=3e-3)  # J per particle, of 1000
        self.assertEqual(self.failed(bounds, kinetic_translation=2.9), [])
        self.assertEqual(self.failed(bounds, kinetic_translation=3.1), ["kinetic_translation"])

    def test_a_variant_names_what_was_chosen(self):
        self.assertEqual(str(Variant("1e-4", "hertz")), "hertz, newton off, skin 1e-4")
        self.assertEqual(str(Variant("2", None, "on", "omp", "1 2 1")), "omp, newton on, skin 2, grid 1 2 1")
        self.assertEqual(Variant("2", suffix="omp").arguments(), ["-sf", "omp", "-pk", "omp", "1"])
        self.assertEqual(Variant("2").arguments(), [])

    def test_a_choice_at_the_end_of_what_was_tried_is_noticed(self):
        tried = [*(Variant(skin, "a") for skin in "123"), Variant("2", "b")]
        self.assertEqual([verdict.is_outermost(variant, tried) for variant in tried], [True, False, True, False])


class Search(unittest.TestCase):
    choices = Choices(("1", "2", "3"), ("a", "b"), suffixes=(None, "omp"))

    def run_with(self, speed, same=lambda variant: True, choices=choices, cores=(1, 2)):
        """A case whose variants are as fast as `speed` says, without any program."""
        case = dataclasses.replace(cases.find("bed32k"), peers={"lammps": choices})
        bench = run.Bench(SCREE, Path(), 1, False, run.Progress())
        found = run.CaseRun(bench, case, Path())

        def tried(_, key, variant, at):
            wrong = verdict.Check("contacts_per_particle", 1.0, 1.0 if same(variant) else 2.0, 0.1)
            mps = speed(variant, at)
            return report.Tried(at, variant, mps, [wrong] if mps else [], "" if mps else "ERROR: not so")

        def again(self, peer, variant, schedule, at, dump):
            return Sample([speed(variant, at)], 10)

        with mock.patch.object(run, "try_variant", tried), mock.patch.object(run, "choices_of", lambda case, key: choices), \
                mock.patch.object(run.CaseRun, "run_peer", again), contextlib.redirect_stderr(io.StringIO()), \
                mock.patch.object(codes, "cores_of", lambda _: cores):
            run.choose(found, "lammps")
        return found

    def test_each_choice_is_found(self):
        wanted = Variant("3", "b", "off", "omp")

        def speed(variant, cores):
            right = sum(getattr(variant, name) == getattr(wanted, name) for name in ("skin", "style", "newton", "suffix"))
            return 1.0 + right + (2 * (variant.grid == "1 1 2") + 2 * (variant.newton == "on") if cores == 2 else 0)

        found = self.run_with(speed)
        self.assertEqual(found.chosen["lammps", 1], [wanted])
        self.assertEqual(found.chosen["lammps", 2], [dataclasses.replace(wanted, grid="1 1 2", newton="on")])
        counts = collections.Counter(one.cores for one in found.tried["lammps"])
        self.assertEqual((counts[1], counts[2]), self.choices.count())

    def test_the_next_is_measured_too_where_it_is_close(self):
        found = self.run_with(lambda variant, _: {"1": 1.0, "2": 0.96, "3": 0.9}[variant.skin] * (0.5 if variant.newton == "off" else 1)
                              * (0.5 if variant.style == "b" or variant.suffix else 1), cores=(1,))
        self.assertEqual([variant.skin for variant in found.chosen["lammps", 1]], ["1", "2"])

    def test_what_is_not_the_same_or_does_not_run_is_not_chosen(self):
        found = self.run_with(lambda variant, _: 0.0 if variant.suffix else 2.0 if variant.newton == "on" else 1.0,
                              lambda variant: variant.newton == "off", cores=(1,))
        self.assertEqual({variant.newton for variant in found.chosen["lammps", 1]}, {"off"})
        self.assertTrue(all(not variant.suffix for variant in found.chosen["lammps", 1]))
        with self.assertRaisesRegex(CodeFailed, "no variant simulates the same"):
            self.run_with(lambda *_: 1.0, lambda _: False)
        with self.assertRaisesRegex(CodeFailed, "ERROR: not so"):
            self.run_with(lambda *_: 0.0)

    def test_a_peer_far_behind_has_one_variant(self):
        found = self.run_with(lambda *_: 1.0, cores=(1,))
        found.chosen["liggghts", 1] = [Variant("1"), Variant("2")]
        for mps, count in ((0.95, 2), (0.85, 1)):
            found.tried["liggghts"] = [report.Tried(1, Variant("1"), mps)]
            run.leave_out_slow_rivals(found)
            self.assertEqual((len(found.chosen["lammps", 1]), len(found.chosen["liggghts", 1])), (2, count))

    def test_a_build_of_the_users_own_stands_beside_the_package(self):
        with mock.patch.dict(os.environ, {"LAMMPS": "some/lmp", "LIGGGHTS": ""}):
            own = codes.own_build(KNOWN["lammps"])
            self.assertEqual((own.key, own.kind, own.name), ("lammps_own", "lammps", "LAMMPS (own build)"))
            self.assertEqual(own.program, str(Path("some/lmp").resolve()))
            none = codes.own_build(KNOWN["liggghts"])
            with mock.patch.dict(KNOWN, {own.key: own, none.key: none}):
                self.assertEqual(codes.peers_of(["lammps", "liggghts"]), ["lammps", "lammps_own", "liggghts"])

    def test_a_suffix_is_tried_where_the_program_has_it(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, words, there in (("with", "gran/hooke/history/omp", (None, "omp")), ("without", "gran/hooke lj/cut/omp", (None,))):
                path = Path(folder, name)
                path.write_text(f"#!/bin/sh\necho '{words}'\n")
                path.chmod(0o755)
                with mock.patch.dict(KNOWN, {"lammps": dataclasses.replace(KNOWN["lammps"], program=str(path))}):
                    self.assertEqual(run.choices_of(cases.find("bed32k"), "lammps").suffixes, there)


class Distances(unittest.TestCase):
    def test_windows_keep_how_far_apart_cores_were(self):
        samples = [Sample([20.0, 30.0], 8, round_trips=[1e-7, None]), Sample([10.0], 8, round_trips=[5e-7])]
        found = [(round(placed.nanoseconds), placed.mps) for placed in verdict.placed(samples)]
        self.assertEqual(found, [(100, 20.0), (500, 10.0)])


class Progresses(unittest.TestCase):
    def test_the_time_left_goes_by_what_the_same_took(self):
        progress = run.Progress(took={"a scree 1": 2.0, "b scree 1": 4.0, "a state": 60.0})
        progress.plan(["a scree 1", "c scree 1", "c state", "d other 1"])
        self.assertEqual([progress.guess(job) for job in progress.ahead], [2.0, 3.0, 60.0, 22.0])
        self.assertEqual(progress.left(), "about 1:27 left")
        progress.drop("c ")
        self.assertEqual(progress.left(), "about 0:24 left")
        self.assertEqual(progress.timed("a scree 1", lambda: 7), 7)
        self.assertEqual(progress.ahead, ["d other 1"])

    def test_before_anything_is_done_the_recorded_run_tells_how_long_it_takes(self):
        progress = run.Progress(recorded={"a scree 1": 10.0, "a state": 50.0})
        progress.plan(["a scree 1", "a state", "a scree 1"])
        self.assertEqual(progress.left(), "about 1:10 left")
        progress.took["a state"] = 100.0  # a slower machine
        progress.drop("a state")
        self.assertEqual(progress.left(), "about 0:40 left")
        progress.took["a scree 1"] = 3.0
        self.assertEqual(progress.left(), "about 0:06 left")

    def test_everything_is_planned(self):
        bench = run.Bench(SCREE, Path(), 5, False, run.Progress())
        with mock.patch.object(codes, "cores_of", lambda _: (1, 2)), mock.patch.object(codes, "has_suffix", lambda *_: False), \
                mock.patch.object(codes, "peers_of", lambda kinds: [*kinds]):
            jobs = collections.Counter(bench.jobs(cases.find("bed32k")))
        self.assertEqual(jobs, {"bed32k state": 1, "bed32k scree trial": 1, "bed32k lammps trial 1": 7, "bed32k lammps trial 2": 4,
                                "bed32k liggghts trial 1": 3, "bed32k liggghts trial 2": 3, "bed32k lammps 1": 5,
                                "bed32k lammps 2": 5, "bed32k liggghts 1": 5, "bed32k liggghts 2": 5, "bed32k scree 1": 5,
                                "bed32k scree 2": 5, "bed32k scree apart": 5, "bed32k lammps usual": 5})


class Exchange(unittest.TestCase):
    two = [Grain(1, 0.5, (0.25, 0.5, 1.0), (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), Grain(2, 0.25, (1.75, 0.1, 0.0))]

    def test_tables_and_dumps_keep_every_digit(self):
        third = Grain(1, 1 / 3, (1 / 3, 2 / 3, 1 / 7), (1e-30, -1 / 9, 0.0), (0.0, 0.0, 1e10 / 3))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "grains.csv")
            grains.write_table(path, [*self.two, third], ["a", "b"])
            self.assertEqual(grains.read_table(path, ["a", "b"]), [*self.two, third])
            grains.write_table(path, [*self.two, third], ["a", "b"], kind=1)
            self.assertEqual(path.read_text().splitlines()[2].split(",")[0], "3", "numbers stay")
            dump = Path(folder, "final.dump")
            rows = [" ".join(f"{v:.17g}" for v in (i, g.kind, g.radius, *g.position, *g.velocity, *g.spin))
                    for i, g in ((2, third), (1, self.two[0]))]
            dump.write_text("ITEM: ATOMS old\n1\nITEM: TIMESTEP\n5\n" + f"ITEM: ATOMS {grains.DUMPED} \n" + "\n".join(rows))
            self.assertEqual(grains.read_dump(dump), [self.two[0], third])
            dump.write_text("ITEM: ATOMS id x\n1 2\n")
            with self.assertRaises(ValueError):
                grains.read_dump(dump)

    def test_a_state_is_repeated_with_its_box(self):
        state = grains.repeat(State(self.two, (0.0, 0.0, -1.0), (2.0, 1.0, 4.0), (1.0, 1.0)), (3, 2, 1))
        self.assertEqual((len(state.grains), state.high), (12, (6.0, 2.0, 4.0)))
        self.assertEqual(state.grains[-2].position, (4.25, 1.5, 1.0))
        self.assertEqual(len({g.position for g in state.grains}), 12)

    def test_grains_that_stray_over_periodic_sides_come_back(self):
        strayed = [dataclasses.replace(self.two[0], position=(-0.5, 1.5, 9.0))]
        box = {"low": (0.0, 0.0, 0.0), "high": (2.0, 1.0, 4.0)}
        self.assertEqual(states.within(strayed, box, (True, True, True))[0].position, (1.5, 0.5, 1.0))
        self.assertEqual(states.within(strayed, box, (True, True, False)), [], "it left")

    def test_loose_grains_do_not_touch(self):
        chute = grains.loose_chute(10, 4, 30.0)
        self.assertEqual(sum(g.kind == 2 for g in chute), 100)
        free = [g for g in chute if g.kind == 1]
        self.assertEqual(len(free), 4 * 81)
        for i, a in enumerate(free):
            for b in chute:
                gap = [abs(p - q) for p, q in zip(a.position, b.position)]
                gap = [min(d, 10 - d) if k < 2 else d for k, d in enumerate(gap)]
                self.assertTrue(a is b or math.hypot(*gap) > 0.999, (a, b))

    def test_a_lattice_without_room_is_an_error(self):
        unit = ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), 0.5, 0.0, 0.1)
        self.assertEqual(len(grains.lattice(*unit, 27, lambda place: True)), 27)
        with self.assertRaises(ValueError):
            grains.lattice(*unit, 28, lambda place: True)

    def test_meshes_are_closed_around_their_axis(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "wall.stl")
            meshes.drum(path)
            text = path.read_text()
        self.assertEqual(text.count("facet normal"), 4000)
        self.assertNotIn("nan", text)
        corners = [tuple(line.split()[1:]) for line in text.splitlines() if line.startswith("vertex")]
        edges = [frozenset(edge) for i in range(0, len(corners), 3) for edge in itertools.combinations(corners[i:i + 3], 2)]
        counts = collections.Counter(collections.Counter(edges).values())
        self.assertEqual(counts, {2: 5900, 1: 200}, "all edges are shared but those of the two rims")

    def test_a_flow_that_still_changes_is_not_steady(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "log.csv")
            log.write_text("kinetic [J]\n" + "\n".join(str(100 + i % 2) for i in range(40)))
            states.steady(log, 0.03)
            log.write_text("kinetic [J]\n" + "\n".join(str(100 + i) for i in range(40)))
            with self.assertRaises(CodeFailed):
                states.steady(log, 0.03)


def made_result(ratio, same=True):
    """A case as if it had been measured: scree `ratio` times as fast as LAMMPS, which is slower by a fifth at its usual skin;
    LIGGGHTS is not there."""
    result = report.CaseResult(cases.find("bed32k"))
    ours, theirs = Verdicts().states(mean_overlap=1e-6 if same else 2e-6)
    chosen = {1: Variant("5e-5", "hertz", "on"), 2: Variant("5e-5", "hertz", grid="2 1 1")}
    peer = report.Measured({1: verdict.Speed(2.0, 1.5, 4), 2: verdict.Speed(3.0, 2.5, 4)}, chosen, Sample([2.0], 1000, 2**20, 700.0, theirs))
    peer.usual, peer.usual_variant = verdict.Speed(1.6, 1.2, 4), Variant("1e-4", "hertz")
    peer.checks = verdict.compare(ours, theirs, Bounds(0.01, 0.01, 0.01, 0.01))
    slower = Variant("5e-5", "granular", "on")
    peer.tried = [report.Tried(1, chosen[1], 1.9, verdict.compare(ours, ours, Bounds(0.01, 0.01, 0.01, 0.01))),
                  report.Tried(1, slower, 0.95, verdict.compare(ours, ours, Bounds(0.01, 0.01, 0.01, 0.01))),
                  report.Tried(1, Variant("1", "new"), missing="ERROR: no such style")]
    peer.finals = [report.Tried(1, chosen[1], 2.0, peer.checks)]
    scree = report.Measured({1: verdict.Speed(2 * ratio, 1.5 * ratio, 4), 2: verdict.Speed(3.8 * ratio, 3.0 * ratio, 4)},
                            {}, Sample([2.0 * ratio], 1000, 2**20, 300.0, ours), apart=verdict.Speed(3.9 * ratio, 3.5 * ratio, 4))
    result.codes = {"lammps": peer, "liggghts": report.Measured(missing="liggghts is not installed"), "scree": scree}
    return result


class Reports(unittest.TestCase):
    def test_goals_are_met_or_not(self):
        self.assertIn("4.50 (goal 4: met)", report.ratio_table([made_result(4.5)]))
        self.assertIn("3.50 (goal 4: NOT met)", report.ratio_table([made_result(3.5)]))
        self.assertIn("1.90 (goal 1.85: met)", report.ratio_table([made_result(3.5)]))

    def test_both_skins_are_told_apart_and_the_fastest_is_what_counts(self):
        heading, row = (re.split("  +", line) for line in report.ratio_table([made_result(3.5)]).splitlines())
        shown = dict(zip(heading, row))
        self.assertEqual((shown["its fastest variant"], shown["usual skin"]), ("3.50 (goal 4: NOT met)", "4.38 (goal 4: met)"))
        self.assertEqual((shown["the peer's"], shown["two lone runs over 1"]), ("1.50", "1.95"))
        case = report.case_json(made_result(3.5))
        self.assertEqual((case["ratio_best"], case["goal_met"], case["ratio_usual_best"], case["goal_met_usual"]),
                         (3.5, False, 4.375, True))
        self.assertEqual(report.verdicts([made_result(3.5)]), "Goals met: 1 of 2; NOT met: bed of 32,000, one core.")
        self.assertEqual(report.verdicts([made_result(4.5)]), "Goals met: 2 of 2.")

    def test_the_table_says_which_variant_won_and_what_was_tried(self):
        rows = [re.split("  +", line) for line in report.tried_table([made_result(4.0)]).splitlines()]
        shown = dict(zip(rows[0], rows[1]))
        self.assertEqual((shown["fastest"], shown["the next"], shown["slower by"]),
                         ("hertz, newton on, skin 5e-5", "granular, newton on, skin 5e-5", "50 %"))
        self.assertEqual((shown["tried"], shown["not the same"], shown["did not run"]), ("3", "0", "1"))
        peer = report.case_json(made_result(4.0))["codes"]["lammps"]
        self.assertEqual([speed["chosen"] for speed in peer["speeds"]],
                         ["hertz, newton on, skin 5e-5", "hertz, newton off, skin 5e-5, grid 2 1 1"])
        self.assertEqual([one["missing"] for one in peer["tried"]], [None, None, "ERROR: no such style"])

    def test_a_variant_that_is_not_the_same_is_named(self):
        failed, _ = run.problems([made_result(4.0, same=False)])
        self.assertEqual(failed, ["NOT THE SAME: bed of 32,000: LAMMPS: mean_overlap (hertz, newton on, skin 5e-5)"])

    def test_what_two_cores_give_is_told_of_every_code(self):
        codes_of = report.case_json(made_result(4.0))["codes"]
        self.assertEqual((codes_of["lammps"]["cores_2_over_1"], codes_of["scree"]["cores_2_over_1"]), (1.5, 1.9))
        self.assertIsNone(codes_of["liggghts"]["cores_2_over_1"])
        self.assertEqual(report.case_json(made_result(4.0))["apart_2_over_1"], 1.95)
        self.assertEqual(report.plot_data([made_result(4.0)]).split()[-5:], ["1.500", "-", "1.900", "1.85", "1.950"])

    def test_ratios_are_to_the_fastest_peer(self):
        for speed, name, ratio in ((1.0, "LAMMPS", "4.00"), (4.0, "LIGGGHTS", "2.00")):
            result = made_result(4.0)
            result.codes["liggghts"] = report.Measured({1: verdict.Speed(speed, speed, 4)})
            row = report.ratio_table([result]).splitlines()[1]
            self.assertRegex(row, f" {name}  +{ratio} ")

    def test_the_table_names_what_is_missing_and_what_is_not_the_same(self):
        text = report.text([made_result(4.0, same=False)], {"lammps": "1"})
        self.assertIn("liggghts is not installed", text)
        self.assertEqual(text.count("NOT THE SAME"), 1)
        self.assertNotIn("NOT THE SAME", report.text([made_result(4.0)], {}))

    def test_json_and_csv_hold_the_same_numbers(self):
        result = made_result(4.0)
        whole = json.loads(json.dumps(report.as_json([result], {"lammps": "1"}, 5)))
        row = whole["cases"][0]
        self.assertEqual((row["ratio_best"], row["ratio_median"], row["goal_met"], row["same"]), (4.0, 4.0, True, True))
        self.assertEqual(row["fastest_peer"], "lammps")
        self.assertFalse(json.loads(json.dumps(report.case_json(made_result(4.0, same=False))))["same"])
        lines = list(csv.DictReader(io.StringIO(report.as_csv([result]))))
        self.assertEqual([(r["code"], r["cores"], r["skin"], float(r["mps_best"])) for r in lines],
                         [("lammps", "1", "fastest", 2.0), ("lammps", "2", "fastest", 3.0), ("lammps", "1", "usual", 1.6),
                          ("scree", "1", "own", 8.0), ("scree", "2", "own", 15.2)])
        self.assertEqual([r["cores_2_over_1"] for r in lines], ["", "1.500", "", "", "1.900"])
        self.assertEqual((lines[2]["chosen"], float(lines[2]["scree_over_it"])), ("hertz, newton off, skin 1e-4", 5.0))
        self.assertEqual(float(lines[0]["scree_over_it"]), 4.0)

    def test_the_plot_is_drawn_or_the_reason_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = made_result(4.0)
            for found in alone.codes.values():
                found.speed.pop(2, None)
            problem = report.plot([alone], Path(folder))
            self.assertTrue(problem is None or "gnuplot is not installed" in problem, problem)
            problem = report.plot([made_result(4.0)], Path(folder))
            self.assertIn('"4.00x"', Path(folder, "peers.dat").read_text())
            if problem is None:
                self.assertIn("</svg>", Path(folder, "peers.svg").read_text())
            else:
                self.assertIn("gnuplot", problem)

    def test_every_recorded_run_is_remembered(self):
        case = {"case": "bed1k", "title": "bed of 1,000", "ratio_best": 4.5, "goal": 2.0, "threads_2_over_1": None, "goal_threads": None}
        whole = {"machine": {"date": "today", "processor": "P, Q"}, "rules": "searched", "cases": [case, {**case, "title": "a, b", "threads_2_over_1": 1.84996, "goal_threads": 1.85}]}
        once = report.history_with("", whole)
        self.assertEqual(once.splitlines()[1:], ["1,today,\"P, Q\",searched,bed1k,\"bed of 1,000\",4.5,2.0,,", "1,today,\"P, Q\",searched,bed1k,\"a, b\",4.5,2.0,1.84996,1.85"])
        twice = report.history_with(once, whole)
        self.assertTrue(twice.startswith(once))
        self.assertEqual([line[0] for line in twice.splitlines()[3:]], ["2", "2"])

    def test_a_record_replaces_its_own_line_about_the_machine(self):
        with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as kept:
            Path(here, "peers.json").write_text("{}")
            Path(kept, "machine.txt").write_text("machine: one\npeers.json, peers.csv, peers.svg: old\n")
            run.keep(Path(here), Path(kept), {"machine": {"processor": "P", "cores": 2, "date": "today"}, "rules": "searched", "cases": []})
            lines = Path(kept, "machine.txt").read_text().splitlines()
            self.assertEqual([line.split(":")[0] for line in lines], ["machine", "peers.json, peers.csv, peers.svg"])
            self.assertIn("P, 2 cores; today", lines[1])


class Table(unittest.TestCase):
    def test_every_case_has_its_files_and_at_least_one_peer(self):
        self.assertEqual(len({case.name for case in cases.CASES}), len(cases.CASES))
        for case in cases.CASES:
            self.assertTrue((PEERS / "cases" / case.folder / "scene.yaml").exists(), case.name)
            self.assertIn(case.state, states.MAKERS)
            for key in case.peers:
                self.assertTrue((PEERS / "cases" / case.decks.get(key, case.folder) / KNOWN[key].deck).exists(), case.name)
            self.assertGreater(float(case.usual), 0)
            self.assertGreater(case.schedule.warm, 0, case.name)  # loops of no steps are those that write a state
            self.assertTrue(0 < case.bounds.contacts <= 0.1 and 0 < case.bounds.overlap <= 0.1, case.name)

    def test_no_deck_has_a_tangential_dashpot(self):
        """scree's mindlin and tangential_linear have none: nor have the peers, and walls as little as pairs."""
        for deck in sorted((PEERS / "cases").glob("*/*.in")):
            text = re.sub("#.*", "", deck.read_text())
            laws = [line for line in text.splitlines() if re.search(r"pair_style gran |pair_coeff \* \* h|granular h|gran/h|history \$|linear_history|model hertz", line)]
            self.assertTrue(laws, deck)
            for line in laws:
                self.assertRegex(line, r"tangential_damping off|mindlin_rescale/force \$\{Kt\} 0\.0 |linear_history \$\{kt\} 0\.0 | 0\.5 0\b", deck)

    def test_granular_has_the_dashpot_of_tsuji(self):
        """LAMMPS' polynomial of the number in the deck is Tsuji's coefficient for the restitution of the case."""
        for folder, restitution in (("bed", 0.5), ("hopper", 0.5), ("gas", 0.9)):
            found = set(re.findall(r" hertz \$\{Kn\} (\S+) tangential", (PEERS / "cases" / folder / "lammps.in").read_text()))
            self.assertEqual(len(found), 1, folder)
            e, logarithm = float(found.pop()), math.log(restitution)
            polynomial = sum(c * e**n for n, c in enumerate((1.2728, -4.2783, 11.087, -22.348, 27.467, -18.022, 4.8218)))
            self.assertAlmostEqual(polynomial, -math.sqrt(5) * logarithm / math.hypot(logarithm, math.pi), delta=2e-5)
            self.assertIn(f"restitution: {restitution}", (PEERS / "cases" / folder / "scene.yaml").read_text())

    def test_every_deck_takes_newton_and_the_grid(self):
        for deck in (PEERS / "cases").glob("*/*.in"):
            self.assertIn("newton ${newton}\n", deck.read_text(), deck)
            self.assertIn("processors ${grid}\n", deck.read_text(), deck)

    def test_wrong_uses_are_refused(self):
        for arguments in (["--only", "nothing"], ["--rounds", "0"], ["--scree", "/no/such/program"]):
            with self.assertRaises(SystemExit) as end, contextlib.redirect_stderr(io.StringIO()) as said:
                run.parse_arguments(["--scree", str(SCREE), *arguments])
            self.assertEqual(end.exception.code, 2)
            self.assertTrue(said.getvalue())
        nowhere = dataclasses.replace(KNOWN["lammps"], key="lammps_own", program="/no/such/lmp")
        with mock.patch.dict(KNOWN, {"lammps_own": nowhere}), self.assertRaises(SystemExit), \
                contextlib.redirect_stderr(io.StringIO()) as said:
            run.parse_arguments(["--scree", str(SCREE)])
        self.assertIn("no program /no/such/lmp, which the environment names as a build of LAMMPS", said.getvalue())


# A program that plays LAMMPS: it keeps the state, moved up by SHIFT, and takes some processor's time for each run.
PRETENDER = """#!/usr/bin/python3
import os, re, subprocess, sys
if sys.argv[1] == "-h":
    sys.exit(print("gran/hertz/history"))
script = open(sys.argv[2]).read()
rows = open("state.data").read().split("Atoms\\n\\n")[1].split("\\n\\nVelocities")[0].splitlines()
print("LAMMPS (as played)")
for line in script.splitlines():
    if line.startswith("run "):
        sum(range(200000))
        print(f"Loop time of 0.01 on {os.environ.get('PROCS', 1)} procs for {line.split()[1]} steps with {len(rows)} atoms")
    if line.startswith("shell "):
        subprocess.run(["sh", "-c", line[6:]], check=True)
for name, columns in re.findall(r"write_dump all custom (\\S+) (id.*?) modify", script):
    with open(name, "w") as out:
        out.write("ITEM: ATOMS " + columns + "\\n")
        for row in rows:
            number, kind, diameter, _, x, y, z = row.split()
            out.write(f"{number} {kind} {float(diameter) / 2!r} {x} {y} {float(z) + SHIFT!r} 0 0 0 0 0 0\\n")
"""


class Driver(unittest.TestCase):
    """A bed of a thousand grains, a few steps of it."""

    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.bin = Path(cls.work.name, "bin")
        cls.bin.mkdir()
        short = dataclasses.replace(cases.find("bed1k"), schedule=Schedule(5, 20, 2),
                                    bounds=Bounds(0.05, 0.1, 0.1, 0.1, rest=1e-9))
        cls.patched = [mock.patch.object(cases, "CASES", [short]),
                       mock.patch.dict(os.environ, {"PATH": f"{cls.bin}:/nowhere"})]
        for patch in cls.patched:
            patch.start()

    @classmethod
    def tearDownClass(cls):
        for patch in cls.patched:
            patch.stop()
        cls.work.cleanup()

    def play(self, text):
        path = self.bin / "lmp"
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        for tool in ("sh", "cat", "cut", "awk"):
            found = next(Path(folder, tool) for folder in ("/bin", "/usr/bin") if Path(folder, tool).exists())
            if not (self.bin / tool).exists():
                (self.bin / tool).symlink_to(found)

    def drive(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = run.main(["--scree", str(SCREE), "--work", self.work.name, *arguments])
        return status, out.getvalue(), err.getvalue()

    def tearDown(self):
        (self.bin / "lmp").unlink(missing_ok=True)

    def test_without_peers_scree_is_measured_alone(self):
        status, out, err = self.drive("--rounds", "2", "--json")
        case = json.loads(out)["cases"][0]
        self.assertEqual((status, case["ratio_best"], case["goal_met"], case["same"]), (0, None, None, True))
        self.assertEqual(case["codes"]["lammps"]["missing"], "lmp is not installed")
        speeds = case["codes"]["scree"]["speeds"]
        self.assertEqual([(s["cores"], s["windows"]) for s in speeds], [(cores, 4) for cores in codes.cores_of("scree")])
        self.assertTrue(all(s["mps_best"] >= s["mps_median"] > 0 for s in speeds))
        if len(speeds) > 1:
            self.assertEqual(case["codes"]["scree"]["apart"]["windows"], 4)
            placed = case["codes"]["scree"]["placed"]
            self.assertLessEqual(len(placed), 4, "none where other programs have the cores")
            self.assertTrue(all(10 < window["core_round_trip_ns"] < 1e4 for window in placed), placed)
            self.assertGreater(case["apart_2_over_1"], 0.5)
        self.assertIn("left", err)
        results = Path(self.work.name, "results")
        whole = json.loads((results / "peers.json").read_text())
        self.assertEqual(whole["rounds"], 2)
        self.assertIn("bed1k scree 1", whole["seconds"])
        self.assertIn("bed1k,scree,1,processor", (results / "peers.csv").read_text())

    def test_every_case_has_its_turn_before_any_has_its_second(self):
        two = [cases.CASES[0], dataclasses.replace(cases.CASES[0], title="the same again")]
        with mock.patch.object(cases, "CASES", two):
            status, _, err = self.drive("--rounds", "2", "--json")
        turns = [line.partition("  ")[2].partition(":")[0] for line in err.splitlines() if ", round " in line]
        self.assertEqual((status, turns), (0, [f"{case.title}, round {n} of 2" for n in (1, 2) for case in two]))

    def test_a_peer_that_does_the_same_is_compared(self):
        self.play(PRETENDER.replace("SHIFT", "0.0"))
        status, out, err = self.drive("--quick", "--json")
        whole = json.loads(out)
        peer = whole["cases"][0]["codes"]["lammps"]
        self.assertEqual((status, whole["versions"]), (0, {"lammps": "as played"}), err)
        self.assertTrue(peer["checks"] and all(check["same"] for check in peer["checks"]))
        self.assertGreater(whole["cases"][0]["ratio_best"], 0)
        self.assertGreater(peer["peak_bytes"], 2**20)
        self.assertEqual([one["variant"] for one in peer["measured"]], ["hertz, newton on, skin 5e-5", "hertz, newton on, skin 1e-4"])
        self.assertIn(peer["chosen"], [one["variant"] for one in peer["measured"]])
        self.assertEqual(peer["usual"]["chosen"], "hertz, newton on, skin 1e-4")
        self.assertEqual((peer["usual"]["windows"], whole["cases"][0]["usual_peer"]), (2, "lammps"))
        self.assertGreater(whole["cases"][0]["ratio_usual_best"], 0)

    def test_only_a_whole_run_with_every_peer_is_recorded(self):
        one = dataclasses.replace(cases.CASES[0], peers={"lammps": Choices(("1e-4",), ("hertz",), ("on",))})
        with tempfile.TemporaryDirectory() as kept, mock.patch.object(cases, "CASES", [one]):
            status, _, err = self.drive("--rounds", "1", "--record", kept)
            self.assertEqual((status, os.listdir(kept)), (1, []))
            self.assertIn("peers: bed of 1,000: LAMMPS: lmp is not installed", err)
            self.assertIn("not recorded: 0 failures, 1 peers missing", err)
            self.play(PRETENDER.replace("SHIFT", "0.0"))
            for less in (["--quick"], ["--only", "bed1k"]):
                self.assertEqual((self.drive("--rounds", "1", "--record", kept, *less)[0], os.listdir(kept)), (0, []))
            with mock.patch.object(run.record.Beside, "cores", lambda _: 0.6):
                status, _, err = self.drive("--rounds", "1", "--record", kept)
            self.assertEqual((status, os.listdir(kept)), (1, []))
            self.assertIn("peers: not recorded: others kept 0.6 cores busy, more than 0.5", err)
            with mock.patch.object(run.record.Beside, "cores", lambda _: 0.4):
                status, _, err = self.drive("--rounds", "1", "--record", kept)
            self.assertEqual(status, 0, err)
            names = {"peers.json", "peers.csv", "history.csv", "machine.txt"} | ({"peers.svg"} if shutil.which("gnuplot") else set())
            self.assertEqual(set(os.listdir(kept)), names)
            whole = "".join(Path(kept, name).read_text() for name in names)
            for place in (self.work.name, str(PEERS), str(SCREE), kept):
                self.assertNotIn(place, whole, "nothing tells where it was made")
            case = json.loads(Path(kept, "peers.json").read_text())["cases"][0]
            self.assertEqual(case["ratio_usual_best"], case["ratio_best"], "the usual skin is the one that was chosen")

    def test_a_peer_that_does_something_else_fails_loudly(self):
        self.play(PRETENDER.replace("float(z) + SHIFT", "float(z) * 1.003"))
        status, out, err = self.drive("--quick")
        self.assertEqual(status, 1)
        self.assertIn("NOT THE SAME", out)
        self.assertIn("peers: NOT THE SAME: bed of 1,000: LAMMPS: contacts_per_particle", err)

    def variants_played(self, text, *arguments):
        """One case with two newtons and two skins; what is tried of each."""
        one = dataclasses.replace(cases.CASES[0], peers={"lammps": Choices(("1e-4", "2e-4"), ("hertz",))})
        self.play(text)
        with mock.patch.object(cases, "CASES", [one]):
            status, out, err = self.drive("--rounds", "1", "--json", *arguments)
        return status, json.loads(out)["cases"][0]["codes"]["lammps"], err

    def test_the_state_of_every_variant_is_checked(self):
        moved = PRETENDER.replace("float(z) + SHIFT", "float(z) * (1.003 if 'newton index on' in script else 1)")
        status, peer, err = self.variants_played(moved)
        self.assertEqual(status, 1)
        self.assertRegex(err, r"peers: NOT THE SAME: bed of 1,000: LAMMPS: contacts_per_particle \(hertz, newton on, skin 1e-4\)")
        self.assertEqual([(one["variant"].split(", ")[1], one["same"]) for one in peer["tried"]],
                         [("newton on", False), ("newton off", True), ("newton off", True)])
        self.assertIn("newton off", peer["chosen"])

    def test_a_variant_that_does_not_run_is_named_and_the_others_are_measured(self):
        refused = PRETENDER.replace("print(\"LAMMPS", "if 'newton index on' in script:\n    sys.exit('ERROR: newton')\nprint(\"LAMMPS")
        status, peer, err = self.variants_played(refused.replace("SHIFT", "0.0"))
        self.assertEqual(status, 0, err)
        self.assertEqual([one["missing"] for one in peer["tried"]], ["lmp: ERROR: newton", None, None])
        self.assertIn("newton off", peer["chosen"])

    def test_two_ranks_have_every_grid_and_both_newtons(self):
        mpirun = self.bin / "mpirun"
        mpirun.write_text('#!/bin/sh\nwhile [ "$1" != lmp ]; do shift; done\nPROCS=2 exec "$@"\n')
        mpirun.chmod(0o755)
        self.addCleanup(mpirun.unlink)
        with mock.patch.object(codes, "cores_of", lambda key: (1,) if key == "scree" else (1, 2)):
            status, peer, err = self.variants_played(PRETENDER.replace("SHIFT", "0.0"))
        self.assertEqual(status, 0, err)
        two = [one for one in peer["tried"] if one["cores"] == 2]
        self.assertEqual(len({one["variant"] for one in two}), 4)
        self.assertTrue(all(one["same"] for one in two))

    def test_a_build_of_the_users_own_is_measured_beside_the_package(self):
        self.play(PRETENDER.replace("SHIFT", "0.0"))
        own = self.bin / "lmp_own"
        shutil.copy(self.bin / "lmp", own)
        self.addCleanup(own.unlink)
        with mock.patch.dict(os.environ, {"LAMMPS": str(own)}), \
                mock.patch.dict(KNOWN, {"lammps_own": codes.own_build(KNOWN["lammps"])}):
            status, out, err = self.drive("--quick", "--json")
        whole = json.loads(out)
        self.assertEqual((status, sorted(whole["versions"])), (0, ["lammps", "lammps_own"]), err)
        self.assertEqual(whole["rules"], "searched, own builds")
        self.assertGreater(whole["cases"][0]["codes"]["lammps_own"]["speeds"][0]["mps_best"], 0)
        self.assertNotIn(str(own), out)

    def test_a_peer_whose_end_cannot_be_read_ends_the_benchmark(self):
        self.play(PRETENDER.replace("SHIFT", "0.0").replace("{float(diameter) / 2!r}", "-1"))
        with self.assertRaises(CodeFailed):
            self.drive("--quick")

    def test_a_peer_that_fails_is_named(self):
        self.play("#!/bin/sh\necho 'ERROR: it is raining'\nexit 1\n")
        status, out, err = self.drive("--quick")
        self.assertEqual(status, 1, "a benchmark without its peer has not done its work")
        self.assertIn("failed: lmp: ERROR: it is raining", out)
        self.assertIn("peers: bed of 1,000: LAMMPS: failed: lmp: ERROR: it is raining", err)

    def test_a_state_is_settled_again_when_its_scene_changes(self):
        maker = states.Maker(SCREE, Path(self.work.name))
        arguments = ("bed/settle.yaml", "small", "particles.0.count=20", "run.duration=0.001")
        run_folder = maker.run(*arguments)
        before = (run_folder / "final.csv").stat().st_mtime_ns
        maker.run(*arguments)
        self.assertEqual((run_folder / "final.csv").stat().st_mtime_ns, before)
        maker.run(*arguments, "particles.0.seed=2")
        self.assertNotEqual((run_folder / "final.csv").stat().st_mtime_ns, before)

    def test_two_cores_take_mpirun(self):
        with mock.patch.object(os, "sched_getaffinity", lambda _: {0, 1}):
            self.assertEqual((codes.cores_of("lammps"), codes.cores_of("scree")), ((1,), (1, 2)))
        with mock.patch.object(os, "sched_getaffinity", lambda _: {0}):
            self.assertEqual(codes.cores_of("scree"), (1,))
        with self.assertRaisesRegex(CodeFailed, "mpirun cannot be run"):
            codes.execute([*codes.mpi_prefix(2), "true"], Path(self.work.name))

    def test_a_state_is_made_once(self):
        self.drive("--quick")
        kept = Path(self.work.name, "bed1k", "state.data")
        before = kept.stat().st_mtime_ns
        self.drive("--quick")
        self.assertEqual(kept.stat().st_mtime_ns, before)
        with mock.patch.object(states, "stamp", lambda *_: "another"):
            self.drive("--quick")
        self.assertNotEqual(kept.stat().st_mtime_ns, before)

    def test_a_state_that_was_interrupted_is_made_again(self):
        maker = states.Maker(SCREE, Path(self.work.name))
        states.make(maker, "bed1k", "bed")
        self.assertTrue(states.is_made(maker, "bed1k", "bed"))
        with mock.patch.object(grains, "write_data", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            states.make(maker, "bed1k", "bed")
        self.assertFalse(states.is_made(maker, "bed1k", "bed"))
        status, _, err = self.drive("--quick")
        self.assertEqual(status, 0)
        self.assertIn("its state is being made", err)


if __name__ == "__main__":
    SCREE, _ = (Path(sys.argv.pop(1)).resolve() for _ in range(2))
    unittest.main(verbosity=1)
