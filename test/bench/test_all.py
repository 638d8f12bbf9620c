#!/usr/bin/python3
"""test_all.py SCREE BUILD: what `make bench` runs, bench/all.py, with programs that play its stages; and the tables that pages have
from recorded results, bench/tables.py: docs/performance.md says what bench/results say."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

import all as everything  # noqa: E402
import record  # noqa: E402
import tables  # noqa: E402

SCREE = Path()  # from the command line

RESULTS = {
    "engine": {"instruction_set": "best", "laws": [
        {"name": "a", "cost_ratio": 1.0, "limit": 1.3, "met": True}, {"name": "b", "cost_ratio": 1.4, "limit": 1.3, "met": False},
        {"name": "c", "cost_ratio": 2.0, "limit": 2.5, "met": True}],
        "instruction_sets": [{"name": "other", "speed_ratio": 0.7, "limit": 0.6, "met": True}]},
    "price": {"unit": "million", "particles": 32319, "rounds": 5, "with_all_best": 20.0, "prices": [
        {"promise": "ledger", "without_best": 21.0, "price_percent": 4.76, "price_of_medians_percent": 3.0,
         "limit_percent": 10, "met": True}]},
}


class Tables(unittest.TestCase):
    def page(self, folder, text):
        for name, result in RESULTS.items():
            Path(folder, f"{name}.json").write_text(json.dumps(result))
        path = Path(folder, "page.md")
        path.write_text(text)
        return path

    def run_main(self, *arguments):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            return tables.main([str(word) for word in arguments]), said.getvalue()

    def test_the_manual_says_what_is_recorded(self):
        page = ROOT / "docs" / "performance.md"
        status, said = self.run_main("--check", page)
        self.assertEqual(status, 0, said)
        for name in tables.MAKERS:
            self.assertIn(f"<!-- recorded: {name} -->", page.read_text())

    def test_a_block_is_filled_and_nothing_else_is_touched(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.page(folder, "before\n<!-- recorded: engine -->\nold\n<!-- end -->\nafter\n")
            self.assertEqual(self.run_main("--check", path, "--results", folder)[0], 1)
            self.assertIn("old", path.read_text(), "a check writes nothing")
            self.assertEqual(self.run_main(path, "--results", folder), (0, ""))
            text = path.read_text()
            self.assertTrue(text.startswith("before\n<!-- recorded: engine -->\n\n| beside"), text)
            self.assertTrue(text.endswith("|\n\n<!-- end -->\nafter\n"), text)
            self.assertIn("| 2 laws of roots alone | cost: 1.00 to 1.40 (b), median 1.40 | at most 1.3 | **not met**: b |", text)
            self.assertIn("| 1 laws with powers | cost: 2.00 to 2.00 (c), median 2.00 | at most 2.5 | met |", text)
            self.assertEqual(self.run_main("--check", path, "--results", folder)[0], 0)
            self.assertEqual(self.run_main(path, "--results", folder)[0], 0)
            self.assertEqual(path.read_text(), text)

    def test_prices_and_what_is_not_recorded(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.page(folder, "<!-- recorded: price -->\n<!-- end -->\n<!-- recorded: peers -->\n<!-- end -->\n")
            self.run_main(path, "--results", folder)
            text = path.read_text()
            self.assertIn("| ledger | 21.0 | 4.8 % | 3.0 % | met |", text)
            self.assertIn("bed of 32,319 grains, one core, best of 5", text)
            self.assertIn("Not recorded yet", text)
            path.write_text("<!-- recorded: nothing -->\n<!-- end -->\n")
            with self.assertRaises(KeyError):
                self.run_main(path, "--results", folder)

    def test_the_last_runs_and_how_many_met_their_goals(self):
        runs = [{"run": str(run), "processor": "old", "rules": "newton off", "title": title, "one_core": str(one), "goal": "4", "two_threads": two, "goal_threads": goal}
                for run, one in enumerate([9.0, *[4.1] * 8, 4.2, 3.9], 1)
                for title, two, goal in (("bed", "1.8499" if run == 11 else "1.95", "1.85"), ("gas", "", ""), ("small", "1.2", ""))]
        newer = {**runs[0], "run": "12", "processor": "new", "rules": "searched", "one_core": "5", "two_threads": "1.9"}
        text = tables.history([*runs, newer])
        self.assertTrue(text.startswith("new, every variant of each peer, 1 run:\n\n"), text)
        self.assertIn("\n| bed | 5.00 / **5.00** / 5.00 | 1 of 1 (4) |", text)
        self.assertIn("old, peers with `newton off` alone, 11 runs, the last ten:\n", text)
        rows = text.partition("11 runs")[2].splitlines()[4:]
        self.assertEqual(rows[0], "| bed | 3.90 / **4.10** / 4.20 | 9 of 10 (4) | 1.85 / **1.95** / 1.95 | 9 of 10 (1.85) |")
        self.assertTrue(rows[1].endswith("| - | - |") and rows[2].endswith("| 1.20 / **1.20** / 1.20 | no goal |"), rows)

    def test_the_processor_is_told_by_its_family(self):
        info = "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel name\t: AMD EPYC\nflags\t: sse2 avx512f\n"
        self.assertEqual(record.processor(info), "AMD EPYC (family 25: Zen 4)")
        self.assertEqual(record.processor(info.replace("avx512f", "avx2")), "AMD EPYC (family 25: Zen 3)")
        self.assertEqual(record.processor(info.replace("AuthenticAMD", "Other")), "AMD EPYC (family 25)")
        self.assertEqual(record.processor("model name : X\n"), "X")

    def test_two_threads_by_how_far_apart_the_cores_were(self):
        placed = [{"core_round_trip_ns": ns, "mps": mps} for ns, mps in ((500, 11.0), (110, 19.0), (100, 18.0), (90, 15.0))]
        ours = {"speeds": [{"cores": 1, "mps_best": 10.0}], "placed": placed}
        found = tables.placement([{"title": "bed", "codes": {"scree": ours}}, {"title": "gas", "codes": {}}])
        self.assertEqual(found[1].splitlines()[2:], ["| bed | - | 1.80 (3) | 1.10 (1) |"])
        self.assertEqual(tables.placement([{"title": "old", "codes": {"scree": {"speeds": ours["speeds"]}}}]), [])

    def test_goals_are_told_as_they_are(self):
        self.assertEqual(tables.judged(3.999, 4.0, False), "3.9990 (**not met**: 4)")
        self.assertEqual(tables.judged(3.9, 4.0, False), "3.90 (**not met**: 4)")
        self.assertEqual(tables.judged(4.5, 4.0, True), "4.50 (met: 4)")
        self.assertEqual(tables.judged(1.5, None, None), "1.50 (no goal)")
        self.assertEqual(tables.judged(None, 4.0, None), "- (not measured: 4)")


    def test_a_table_says_which_variant_won(self):
        tried = [{"cores": 1, "variant": variant, "mps": mps, "same": same, "missing": missing} for variant, mps, same, missing in (
            ("on", 4.0, True, None), ("off", 3.0, True, None), ("wrong", 9.0, False, None), ("gone", None, None, "ERROR"))]
        peer = {"speeds": [{"cores": 1, "mps_best": 4.1, "chosen": "on"}], "tried": tried, "measured": [{**tried[0], "mps": 4.1}]}
        found = tables.winners([{"title": "bed", "codes": {"lammps": peer}}, {"title": "old", "codes": {"lammps": {"speeds": []}}}])
        self.assertEqual(found[1].splitlines()[2:], ["| bed | LAMMPS | 1 | on | off (0.75 by short runs) | 2 of 4, 1 did not run |"])
        near = {**peer, "measured": [*peer["measured"], {**tried[1], "mps": 4.0}]}
        self.assertIn("| off (0.98) |", tables.winners([{"title": "bed", "codes": {"lammps": near}}])[1])
        self.assertEqual(tables.winners([{"title": "old", "codes": {"lammps": {"speeds": []}}}]), [])

    def test_a_table_of_earlier_rules_says_so(self):
        found = {"cases": [], "versions": {}, "rounds": 1, "machine": {"processor": "P", "cores": 2, "date": "today"}}
        self.assertIn("older than its rules", tables.peers(found))
        self.assertNotIn("older than its rules", tables.peers({**found, "rules": "searched"}))

    def test_a_build_of_the_users_own_has_a_column_where_there_is_one(self):
        self.assertEqual(tables.shown_codes([{"codes": {"scree": {}, "lammps": {}}}]), ["scree", "lammps", "liggghts"])
        self.assertEqual(tables.shown_codes([{"codes": {"lammps_own": {}}}]), ["scree", "lammps", "lammps_own", "liggghts"])


class Stages(unittest.TestCase):
    """Programs that play scree, scree-bench and the two drivers: each says its name and leaves its file."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.build = Path(self.folder.name, "build")
        self.build.mkdir()
        (self.build / "scree-bench").write_text(
            '#!/bin/sh\necho \'{"name": "\'"$1"\'", "laws": [], "asked": "\'"$*"\'"}\'\n')
        (self.build / "scree").write_text('#!/bin/sh\necho the table\n[ "$3" = --output ] && echo \'{"name": "engine"}\' >"$4"\n')
        for name in ("scree", "scree-bench"):
            (self.build / name).chmod(0o755)
        stages = [everything.Stage(s.name, s.what, s.minutes, s.how, s.command, s.seconds, s.prints_json) for s in everything.STAGES]
        for patch in (mock.patch.object(everything, "STAGES", stages),
                      mock.patch.object(tables, "RESULTS", Path(self.folder.name, "results")),
                      mock.patch.object(tables, "main", lambda pages: self.updated.append(pages))):
            patch.start()
            self.addCleanup(patch.stop)
        self.updated = []

    def run_main(self, *arguments):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as said:
            status = everything.main(["--build", str(self.build), *arguments])
        return status, out.getvalue(), said.getvalue()

    def test_results_are_recorded_with_the_machine_and_the_manual_follows(self):
        status, out, said = self.run_main("--only", "impact", "--only", "engine", "--json")
        self.assertEqual((status, [*json.loads(out)]), (0, ["impact", "engine"]), said)
        results = tables.RESULTS
        self.assertEqual(sorted(os.listdir(results)), ["engine.json", "impact.json", "machine.txt"])
        self.assertEqual(json.loads((results / "impact.json").read_text())["asked"], "impact --json")
        note = (results / "machine.txt").read_text()
        self.assertRegex(note, r"(?m)^impact\.json: scree bench impact on .*, \d+ cores; \d{4}-\d\d-\d\d$")
        self.assertRegex(note, r"(?m)^engine\.json: scree bench engine on ")
        self.assertNotIn(self.folder.name, note)
        self.assertEqual(len(self.updated), 1)
        self.assertIn("1 of 2: impacts", said)

    def test_a_quick_run_records_nothing(self):
        status, _, said = self.run_main("--only", "laws", "--quick")
        self.assertEqual((status, self.updated, tables.RESULTS.exists()), (0, [], False), said)
        self.assertEqual(json.loads((self.build / "bench-results" / "laws.json").read_text())["asked"],
                         "laws --json --seconds 0.002")

    def test_a_stage_that_fails_is_named_and_the_others_run(self):
        (self.build / "scree-bench").write_text("#!/bin/sh\necho '{'\nexit 3\n")
        status, out, said = self.run_main("--only", "laws", "--only", "engine", "--json")
        self.assertEqual((status, [*json.loads(out)]), (1, ["engine"]))
        self.assertIn("laws FAILED (exit status 3)", said)
        self.assertRegex(said, r"; FAILED: laws\n$")
        self.assertFalse((tables.RESULTS / "laws.json").exists())

    def test_a_program_that_is_not_there_is_named(self):
        (self.build / "scree-bench").unlink()
        status, _, said = self.run_main("--only", "impact", "--json")
        self.assertEqual(status, 1)
        self.assertIn("scree-bench cannot be run: No such file", said)

    def test_what_the_real_drivers_are_asked_for(self):
        bench = everything.Bench(Path("/b"), Path("/r"), False, False)
        commands = {stage.name: [Path(word).name if "/" in word and not word.startswith("/b") else word
                                 for word in stage.command(bench)[1:]] for stage in everything.STAGES}
        self.assertEqual(commands["price"], ["price.py", "--build", "/b", "--output", "price.json"])
        self.assertEqual(commands["peers"], ["run.py", "--scree", "/b/scree", "--work", "/b/bench-peers", "--record", "r"])

    def test_wrong_uses(self):
        for arguments in (["--only", "nothing"], ["more"]):
            with self.assertRaises(SystemExit) as end, contextlib.redirect_stderr(io.StringIO()):
                everything.parse_arguments(arguments)
            self.assertEqual(end.exception.code, 2)


class Summaries(unittest.TestCase):
    def test_recorded_results_have_what_they_tell(self):
        for name, tell, word in (("impact", everything.of_impact, "CVODE"), ("laws", everything.of_laws, "by hand")):
            self.assertIn(word, tell(json.loads((ROOT / "bench" / "results" / f"{name}.json").read_text())))


class Others(unittest.TestCase):
    def test_a_busy_machine_is_told_and_a_quiet_one_is_not(self):
        beside = record.Beside()
        beside.begun -= 10.0
        beside.before = tuple(value - more for value, more in zip(record.Beside.read(), (12.0, 1.0, 9.0)))
        self.assertAlmostEqual(beside.cores(), 0.4, delta=0.25)
        self.assertIn("cores busy", beside.remark())
        beside.before = tuple(value - more for value, more in zip(record.Beside.read(), (9.0, 0.0, 9.0)))
        beside.begun -= 1000.0
        self.assertIsNone(beside.remark())


if __name__ == "__main__":
    SCREE, _ = (Path(sys.argv.pop(1)).resolve() for _ in range(2))
    unittest.main(verbosity=1)
