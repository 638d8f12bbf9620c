"""support.py: what the tests of the command share: the program, which is their first argument, how it is run, a folder for
each test, and how they end."""

import collections
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

if len(sys.argv) < 2:
    sys.exit(f"usage: {Path(sys.argv[0]).name} SCREE [unittest options]")
SCREE = os.path.abspath(sys.argv.pop(1))


def environment(**more):
    """This one, without what a user may have set for the command."""
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM", "ARGP_HELP_FMT", "POSIXLY_CORRECT")}
    return {**env, "LC_ALL": "C.UTF-8", "TERM": "xterm", **more}


def shown(arguments):
    text = "scree " + " ".join(shlex.quote(a if isinstance(a, str) else repr(a)) for a in arguments)
    return text if len(text) < 300 else text[:300] + "..."


def completed(*arguments, seconds, env=None, **more):
    """Runs the command to its end; a run that hangs fails the test."""
    words = [str(a) if isinstance(a, (Path, int, float)) else a for a in arguments]
    try:
        return subprocess.run([SCREE, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds,
                              env=env or environment(), encoding="utf-8", errors="surrogateescape", **more)
    except subprocess.TimeoutExpired as late:
        raise AssertionError(f"took longer than {seconds} s: {shown(words)}") from late


def refuse_constant(name):
    raise AssertionError(f"{name} is not JSON")


def parse_json(text):
    return json.loads(text, parse_constant=refuse_constant)


def long_numbers(text):
    """The numbers of a table or of JSON that a shorter decimal would read back as: none is longer than Python's repr."""
    found = []
    for word in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", text):
        if re.search("[.e]", word):
            shortest = re.sub(r"\.0$", "", repr(float(word)))
            found += [word] if len(re.sub(r"\.0$", "", word)) > len(shortest) else []
    return found


SECONDS = 1800  # a guard against hanging, on a machine ten times slower too: no test goes by the clock
Run = collections.namedtuple("Run", "code out err")


def scree(*arguments, cwd=None, env=None, seconds=SECONDS):
    done = completed(*arguments, seconds=seconds, cwd=cwd, env=env)
    return Run(done.returncode, done.stdout, done.stderr)


class ScreeTest(unittest.TestCase):
    def ok(self, *arguments, **options):
        run = scree(*arguments, **options)
        self.assertEqual(run.code, 0, f"{shown(arguments)}\n{run.err}")
        return run.out

    def ok_json(self, *arguments):
        return parse_json(self.ok(*arguments, "--json"))

    def near(self, got, want, what, tolerance=1e-8, scale=None):
        self.assertIsNotNone(got, what)
        scale = abs(want) if scale is None else scale
        self.assertLessEqual(abs(got - want), tolerance * scale, f"{what}: {got!r}, expected {want!r}")

    def one_sentence(self, run, arguments, words=(), code=2):
        said = f"{shown(arguments)}\nstatus {run.code}\nstdout {run.out!r}\nstderr {run.err!r}"
        self.assertEqual(run.code, code, said)
        self.assertEqual(run.out, "", said)
        self.assertTrue(run.err.endswith("\n") and run.err.count("\n") == 1, "not exactly one line: " + said)
        self.assertNotRegex(run.err[:-1], r"[\x00-\x1f\x7f]", "control characters: " + said)
        self.assertTrue(run.err.startswith("scree"), said)
        self.assertGreater(len(run.err), 15, said)
        self.assertLess(len(run.err), 600, said)
        for word in words:
            self.assertIn(word.lower(), run.err.lower(), said)


class FolderTest(unittest.TestCase):
    """Each test has a folder of its own."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def write(self, text, name="scene.yaml"):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path


class Result(unittest.TextTestResult):
    """Counts tests, not their parts."""

    def stopTest(self, test):
        super().stopTest(test)
        self.broken = len({str(getattr(t, "test_case", t)) for t, _ in self.failures + self.errors})


def main():
    """Runs the tests of the program that was started, and tells how many passed."""
    program = unittest.main(exit=False, testRunner=unittest.TextTestRunner(resultclass=Result, verbosity=0))
    broken = getattr(program.result, "broken", 0)
    sys.stderr.flush()
    print(f"{program.result.testsRun - broken - len(program.result.skipped)} passed, {broken} failed")
    sys.exit(0 if program.result.wasSuccessful() else 1)
