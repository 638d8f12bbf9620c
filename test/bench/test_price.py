#!/usr/bin/python3
"""test_price.py SCREE BUILD: bench/price.py without its builds: programs with known speeds give known prices, what fails
says so, a real program is measured; and the code without each promise compiles. Results are kept whole or not at all."""

import contextlib
import io
import json
import os
import re
import shlex
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

import price  # noqa: E402
import record  # noqa: E402

SCREE, BUILD = Path(), Path()  # from the command line

# Says one speed after the other, round by round, and what it was asked for.
PRETENDER = """#!/bin/sh
echo "$*" >>"$0.asked"
speed=$(sed -n 1p "$0.speeds") && sed -i 1d "$0.speeds"
echo '{"sizes": [{"particles": 1701, "particle_steps_per_second": '"$speed"'}]}'
"""


def pretend(folder, speeds):
    """Programs that play the builds; speeds by promise."""
    programs = {}
    for name, values in speeds.items():
        path = Path(folder, name.replace(" ", "_"))
        path.write_text(PRETENDER)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        Path(f"{path}.speeds").write_text("".join(f"{value}\n" for value in values))
        programs[name] = path
    return programs


def quietly(act, *arguments):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = act(*arguments)
    return status, out.getvalue(), err.getvalue()


SPEEDS = {price.ALL: [17e6, 18e6, 19e6], "ledger": [20e6, 19e6, 18e6], "order": [19e6, 19e6, 19e6],
          "rounding": [25e6, 10e6, 10e6]}


class Prices(unittest.TestCase):
    def run_main(self, *arguments, speeds=SPEEDS):
        with tempfile.TemporaryDirectory() as folder:
            programs = pretend(folder, speeds)
            with mock.patch.object(price, "make", lambda build: programs):
                ended = quietly(price.main, ["--rounds", "3", *arguments])
            asked = {name: Path(f"{path}.asked").read_text().splitlines() for name, path in programs.items()}
        return (*ended, asked)

    def test_they_are_of_the_best_and_of_the_medians(self):
        status, out, err, asked = self.run_main("--json", "--grains", "5000", "--seconds", "0.25")
        result = json.loads(out)
        self.assertEqual((status, result["rounds"], result["particles"]), (0, 3, 1701))
        self.assertEqual((result["with_all_best"], result["with_all_median"]), (19.0, 18.0))
        rows = {row["promise"]: row for row in result["prices"]}
        self.assertEqual(list(rows), list(price.PROMISES.values()))
        for name, best, median, met in (("energy ledger", 5.0, 100 / 19, True), ("sums of no order", 0.0, 100 / 19, True),
                                        ("no fused multiply-add", 24.0, -80.0, False)):
            self.assertAlmostEqual(rows[name]["price_percent"], best, 9, name)
            self.assertAlmostEqual(rows[name]["price_of_medians_percent"], median, 9, name)
            self.assertIs(rows[name]["met"], met, name)
            self.assertGreaterEqual(rows[name]["without_best"], rows[name]["without_median"])
        for lines in asked.values():
            self.assertEqual(lines, 3 * ["bench dem --smallest 5000 --largest 5000 --seconds 0.25 --json"])
        self.assertIn("round 3 of 3", err)

    def test_the_table_says_the_same(self):
        _, out, _, _ = self.run_main()
        self.assertRegex(out, r"without: energy ledger +20\.00 +price +5\.0 % .*: met\)")
        self.assertRegex(out, r"without: no fused multiply-add +25\.00 +price +24\.0 % .*: NOT met\)")

    def test_a_file_is_written_besides(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "new", "price.json")
            _, out, _, _ = self.run_main("--json", "--output", str(path))
            self.assertEqual(json.loads(path.read_text()), json.loads(out))
            self.assertEqual(os.listdir(path.parent), ["price.json"])

    def test_wrong_uses(self):
        for arguments in (["--rounds", "0"], ["--grains", "10"], ["--grains", "x"], ["--seconds", "0"], ["more"]):
            with self.assertRaises(SystemExit) as end, contextlib.redirect_stderr(io.StringIO()) as said:
                price.parse_arguments(arguments)
            self.assertEqual(end.exception.code, 2)
            self.assertIn(arguments[0].strip("-"), said.getvalue())

    def test_a_build_that_fails_ends_it_with_a_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            cmake = Path(folder, "cmake")
            cmake.write_text("#!/bin/sh\necho 'no compiler' >&2\nexit 1\n")
            cmake.chmod(0o755)
            done = subprocess.run([sys.executable, ROOT / "bench" / "price.py", "--build", Path(folder, "build")],
                                  env={"PATH": f"{folder}:/bin:/usr/bin"}, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"price: cmake --preset release \.\.\. failed: no compiler\n$")
        self.assertNotIn("Traceback", done.stderr)

    def test_a_real_program_is_measured(self):
        found, _, _ = quietly(price.measure, {price.ALL: SCREE, "ledger": SCREE}, 1, 2e3, 0.05)
        self.assertEqual(found.particles, 1701)
        for mps in found.mps.values():
            self.assertTrue(0.01 < mps[0] < 1000, found)


class Builds(unittest.TestCase):
    """Of promises that are left out."""

    def test_each_has_its_folder_and_its_option(self):
        commands = []
        with mock.patch.object(price, "execute", lambda command: commands.append(command) or ""):
            programs, _, said = quietly(price.make, Path("/b"))
        self.assertEqual([str(path) for path in programs.values()],
                         ["/b/scree", "/b/price-ledger/scree", "/b/price-order/scree", "/b/price-rounding/scree"])
        without = [word for command in commands for word in command if word.startswith("-DSCREE_WITHOUT=")]
        self.assertEqual(without, [f"-DSCREE_WITHOUT={name}" for name in ("", *price.PROMISES)])
        self.assertEqual(said.count("building"), 4)

    def test_cmake_knows_these_promises_and_no_others(self):
        known = re.search(r"set\(promises ([\w ]+)\)", (ROOT / "CMakeLists.txt").read_text())[1].split()
        self.assertEqual(known, list(price.PROMISES))
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-DSCREE_WITHOUT=sense"], capture_output=True,
                                  text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"SCREE_WITHOUT[\s\S]*sense")

    def test_the_code_without_them_compiles_and_is_other_code(self):
        lines = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "scree"], capture_output=True, text=True,
                               check=True).stdout.splitlines()
        line = next(line for line in lines if re.search(r"-c \S*/src/dem/kernels\.c$", line) and "SCREE_ISA" in line)
        words = [word for word in shlex.split(line) if word not in ("-MD", "-Werror")]
        words = words[:words.index("-MT")] + words[words.index("-c"):] if "-MT" in words else words
        texts = set()
        for promise in ("", "LEDGER", "ORDER"):
            define = [f"-DSCREE_WITHOUT_{promise}=1"] if promise else []
            checked = subprocess.run([*words, "-fsyntax-only", "-Wall", "-Werror", *define], cwd=BUILD, capture_output=True,
                                     text=True, check=False)
            self.assertEqual(checked.returncode, 0, checked.stderr[-2000:])
            texts.add(subprocess.run([*words[:words.index("-c")], "-E", "-P", words[-1], *define], cwd=BUILD,
                                     capture_output=True, text=True, check=True).stdout)
        self.assertEqual(len(texts), 3, "each promise switches something")


class Records(unittest.TestCase):
    def test_a_file_is_whole_or_as_before(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "a.json")
            record.write(path, "one")
            with mock.patch.object(os, "replace", side_effect=OSError("no")), self.assertRaises(OSError):
                record.write(path, "two")
            self.assertEqual((path.read_text(), os.listdir(folder)), ("one", ["a.json"]))

    def test_a_note_replaces_its_own_line(self):
        about = {"processor": "P", "cores": 2, "date": "today"}
        with tempfile.TemporaryDirectory() as folder:
            for how in ("one way", "another"):
                record.note(Path(folder), ["b.json"], how, about)
                record.note(Path(folder), ["a.json", "a.csv"], how, about)
            lines = Path(folder, record.NOTE).read_text().splitlines()
        self.assertEqual(lines, ["b.json: another on P, 2 cores; today", "a.json, a.csv: another on P, 2 cores; today"])

    def test_the_machine_is_described_without_names_of_it(self):
        about = record.machine()
        self.assertEqual(sorted(about), ["cores", "date", "processor", "system"])
        self.assertNotIn(os.uname().nodename, json.dumps(about["processor"]) if os.uname().nodename else "")


if __name__ == "__main__":
    SCREE, BUILD = (Path(sys.argv.pop(1)).resolve() for _ in range(2))
    unittest.main(verbosity=1)
