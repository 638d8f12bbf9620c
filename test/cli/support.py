"""support.py: what the tests of the command share: the program, which is their first argument, how it is run, a folder for
each test, and how they end."""

import json
import os
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
