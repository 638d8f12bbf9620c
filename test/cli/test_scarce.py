#!/usr/bin/python3
"""test_scarce.py SCREE [unittest options]: every verb with too little memory and too few files. scarce.c makes the n-th allocation
fail, or all from the n-th on, or lets no more than n files be open. The command must then do all the same what it does otherwise,
or end with status 1 or 2 and a sentence that names the cause: no crash, no hang, no other sentence.

SCREE_LONG=1 tries some hundred allocations of each, otherwise some dozen: the first, and a fixed choice of the rest."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import SCREE, environment, main

LONG = os.environ.get("SCREE_LONG") == "1"
FIRST = 150 if LONG else 25  # allocations that are all tried
SAMPLES = 120 if LONG else 15  # of those after
SLOW = {"verify report": 20, "compare plot": 4, "recommend": 2, "recommend json": 2}  # so many times fewer of either
SECONDS = 3600  # guards against hanging only

SCENE = """scree: 1
title: a test
materials:
  glass: {young: 10 MPa, poisson: 0.22, density: 2500 kg/m3}
domain: {low: [0, 0, 0], high: [40 mm, 50 mm, 60 mm], periodic: [no, yes, no]}
walls:
  - {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: glass}
  - {mesh: box.stl, material: glass, scale: 0.001}
particles:
  - {fill: {box: {low: [0, 0, 0], high: [40 mm, 50 mm, 15 mm]}}, count: 12, radius: 2 mm, material: glass}
outlets:
  - {name: side, beyond: {point: [35 mm, 0, 0], normal: [1, 0, 0]}}
run: {duration: 0.2 ms, output: {every: 0.1 ms}, checkpoint: {every: 0.1 ms}}
"""
MESH = """solid a
facet normal 0 0 1
outer loop
vertex 0 0 20
vertex 10 0 20
vertex 0 10 20
endloop
endfacet
endsolid a
"""

IMPACT = "--restitution 0.6 --radius 5mm --young 70GPa --poisson 0.2 --density 2500kg/m3 --speed 1".split()
COMMANDS = {
    "models": ["models"],
    "models json": ["models", "--json"],
    "show": ["show", "tsuji"],
    "show json": ["show", "tsuji", "--json"],
    "show all": ["show", "--all", "--markdown"],
    "impact": ["impact", "tsuji", *IMPACT],
    "impact json": ["impact", "tsuji", *IMPACT, "--json"],
    "impact csv": ["impact", "tsuji", *IMPACT, "--csv", "out.csv"],
    "impact plot": ["impact", "zhang_sharf", "--restitution", "0.5", "--plot", "out.svg"],
    "impact oblique": ["impact", "tsuji", *IMPACT, "--angle", "30", "--friction", "0.1"],
    "compare": ["compare", "flores", "hu_guo", "--restitution", "0.3:0.9:0.3"],
    "compare markdown": ["compare", "flores", "hu_guo", "--markdown"],
    "compare csv": ["compare", "flores", "hu_guo", "--csv", "out.csv"],
    "compare json": ["compare", "flores", "hu_guo", "--json"],
    "compare published": ["compare", "--published"],
    "compare line": ["compare", "--line", "--restitution", "0.7"],
    "compare plot": ["compare", "flores", "--figure", "restitution", "--plot", "out"],
    "recommend": ["recommend", "--restitution", "0.5"],
    "recommend json": ["recommend", "--restitution", "0.5", "--json"],
    "exact": ["exact", "--restitution", "0.5"],
    "exact json": ["exact", "--restitution", "0.5", "--json"],
    "calibrate": ["calibrate", "tsuji", "--restitution", "0.5"],
    "calibrate json": ["calibrate", "tsuji", "--restitution", "0.5", "--json"],
    "line": ["line", "cyl_johnson", "--force", "2 kN"],
    "line json": ["line", "cyl_johnson", "--force", "2 kN", "--json"],
    "new": ["new", "hopper", "out"],
    "check": ["check", "scene.yaml"],
    "check json": ["check", "scene.yaml", "--json"],
    "check keys": ["check", "--keys"],
    "run": ["run", "scene.yaml", "-o", "out", "--threads", "1"],
    "run threads": ["run", "scene.yaml", "-o", "out", "--threads", "2", "--json"],
    "run resume": ["run", "--resume", "out", "--until", "0.25 ms", "--threads", "1"],
    "export csv": ["export", "kept", "--to", "csv", "-o", "-"],
    "export lammps": ["export", "kept", "--to", "lammps-dump", "-o", "out"],
    "render": ["render", "kept", "-o", "out.png"],
    "verify": ["verify", "exact"],
    "verify json": ["verify", "line", "--json"],
    "verify report": ["verify", "exact", "--report", "out.html"],
    "bench": ["bench", "scene", "scene.yaml", "--steps", "5", "--warm", "0", "--windows", "1", "--threads", "1"],
    "complete": ["__complete", "impact", ""],
}
# they print times
MEASURES = {"check", "check json", "run", "run threads", "run resume", "bench", "recommend", "recommend json", "verify", "verify json", "verify report"}
BEFORE = {"run resume": "rm -rf out* && cp -r kept out"}

MEMORY = re.compile(r"memory", re.I)
FILES = re.compile(r"too many open files|gnuplot failed", re.I)  # gnuplot has as few, and says itself what it could not open


def chosen(name, count):
    """All of the first allocations, and of the rest a sample by a rule that does not change."""
    slow = SLOW.get(name, 1)
    first = min(count, FIRST // slow + 1)
    rest = range(first + 1, count + 1)
    return [*range(1, first + 1), *rest[:: max(1, len(rest) * slow // SAMPLES)]]


class ScarceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.top = Path(holder.name)
        cls.library = cls.top / "scarce.so"
        source = Path(__file__).with_name("scarce.c")
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", cls.library, source, "-ldl"], check=True, timeout=SECONDS)
        cls.folder = cls.top / "work"
        cls.folder.mkdir()
        (cls.folder / "scene.yaml").write_text(SCENE)
        (cls.folder / "box.stl").write_text(MESH)
        subprocess.run([SCREE, "run", "scene.yaml", "-o", "kept", "--threads", "1"], cwd=cls.folder, check=True, timeout=SECONDS,
                       stdout=subprocess.DEVNULL)

    def run_scarce(self, name, what, numbers):
        """{n: (status as of wait, standard output, standard error)} and the number of allocations of an unharmed run."""
        with tempfile.TemporaryDirectory(dir=self.top) as results:
            env = environment(LD_PRELOAD=str(self.library), SCARCE_WHAT=what, SCARCE_LIST=" ".join(map(str, numbers)),
                              SCARCE_RESULTS=results, SCARCE_BEFORE=BEFORE.get(name, "rm -rf out*"))
            done = subprocess.run([SCREE, *COMMANDS[name]], cwd=self.folder, env=env, stdin=subprocess.DEVNULL, timeout=SECONDS)
            self.assertEqual(done.returncode, 0, name)
            read = lambda n, ending: (Path(results) / f"{n}.{ending}").read_text(errors="replace")
            got = {n: (int(read(n, "status")), read(n, "out"), read(n, "err")) for n in numbers}
            count = int(read(0, "count")) if 0 in numbers and what != "files" else 0
        return got, count

    def judge(self, name, what, n, result, unharmed, cause):
        status, out, err = result
        said = f"scree {' '.join(COMMANDS[name])}: {what} {n}: status {status:#x}\n{err}"
        self.assertFalse(os.WIFSIGNALED(status), "ended by signal " + said)
        code = os.WEXITSTATUS(status)
        self.assertIn(code, (0, 1, 2), said)
        if code == 0 and what == "files" and ('.gp" line' in err or name == "verify report"):
            return  # gnuplot, which says itself what it could not open; a report goes without the figures it names
        if code == 0:
            self.assertEqual(err, unharmed[2], said)
            if name not in MEASURES:
                self.assertEqual(out, unharmed[1], "another result: " + said)
        else:
            if name == "complete":  # for the shells, which show nothing
                return
            # verify's table names the cause of a check that could not be made
            self.assertRegex(out + err if name.startswith("verify") else err, cause, said)
            if "gnuplot" not in err:
                self.assertLessEqual(err.count("\n"), 5, said)  # a run says which of its files are missing

    def left_behind(self, name):
        """Files under construction: their names end in six letters or digits of mkstemp."""
        return [str(p) for p in self.folder.rglob("*") if re.search(r"\.(csv|gp|html|png|svg|json)\.\w{6}$", p.name)]

    def try_memory(self, name, what):
        unharmed, count = self.run_scarce(name, what, [0])
        self.assertEqual(unharmed[0][0], 0, unharmed[0][2])
        numbers = chosen(name, count)
        got, _ = self.run_scarce(name, what, numbers)
        for n in numbers:
            with self.subTest(name=name, n=n):
                self.judge(name, what, n, got[n], unharmed[0], MEMORY)

    def test_each_allocation_fails_once(self):
        for name in COMMANDS:
            with self.subTest(name=name):
                self.try_memory(name, "memory")
                self.assertEqual(self.left_behind(name), [])

    def test_memory_ends(self):
        for name in COMMANDS:
            with self.subTest(name=name):
                self.try_memory(name, "memory-on")
                self.assertEqual(self.left_behind(name), [])

    def test_little_space(self):
        """The system's own limit: here HDF5 and libfyaml, whose calls are spared elsewhere, have as little as the rest."""
        for name in ("check", "run", "run resume", "export csv", "render"):
            with self.subTest(name=name):
                numbers = [0, *range(256, 24 * 1024, 512 if LONG else 1536)]
                got, _ = self.run_scarce(name, "space", numbers)
                for n in numbers:
                    with self.subTest(n=n):
                        self.judge(name, "space", n, got[n], got[0], MEMORY)

    def test_files_are_scarce(self):
        for name in COMMANDS:
            with self.subTest(name=name):
                unharmed, _ = self.run_scarce(name, "files", [0])
                numbers = [3, 4, 5, 6, 8] if name in SLOW else list(range(3, 12))
                got, _ = self.run_scarce(name, "files", numbers)
                for n in numbers:
                    with self.subTest(n=n):
                        self.judge(name, "files", n, got[n], unharmed[0], FILES)


if __name__ == "__main__":
    main()
