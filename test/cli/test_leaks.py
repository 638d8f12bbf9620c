#!/usr/bin/python3
"""test_leaks.py SCREE [unittest options]: grains outside a vessel and those that leak from it, as a user meets them: the rims
of a mesh, warnings of check and run, and the opening that an outlet names."""

import csv
import json
import re
from math import cos, hypot, pi, sin
from pathlib import Path

from support import SECONDS, FolderTest, completed, main

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"

HEAD = """scree: 1
materials:
  glass: {young: 1 MPa, poisson: 0.22, density: 2500 kg/m3}
  steel: {young: 1 MPa, poisson: 0.3, density: 7850 kg/m3}
contacts:
  default: {normal: tsuji, restitution: 0.4, friction: 0.3}
expected_speed: 1 m/s
max_overlap: 0.4
domain: {low: [-60 mm, -60 mm, -60 mm], high: [60 mm, 60 mm, 90 mm], outside: remove}
"""
RUN = "run: {duration: 2 ms, log: {every: 1 ms}, output: {format: none, picture: no}}\n"


def revolve(outline, around):
    """Triangles of the surface that a line of (radius, height) sweeps around the z axis, from its lower end upwards."""
    ring = [[(r * cos(2 * pi * a / around), r * sin(2 * pi * a / around), z) for a in range(around + 1)] for r, z in outline]
    for r in ring:
        r[-1] = r[0]
    return [t for p, q in zip(ring, ring[1:]) for a in range(around)
            for t in ((p[a], p[a + 1], q[a + 1]), (p[a], q[a + 1], q[a]))]


def square(half, cells, z, out=()):
    """A plate of cells x cells squares; those whose place is in `out` are left out."""
    def at(i):
        return -half + 2 * half * i / cells
    return [t for i in range(cells) for j in range(cells) if (i, j) not in out
            for a, b, c, d in [((at(i), at(j), z), (at(i + 1), at(j), z), (at(i + 1), at(j + 1), z), (at(i), at(j + 1), z))]
            for t in ((a, b, c), (a, c, d))]


def tower(outline):
    """A square vessel: half widths and heights."""
    def corners(a, z):
        return [(-a, -a, z), (a, -a, z), (a, a, z), (-a, a, z)]
    return [t for (a, z), (b, y) in zip(outline, outline[1:]) for i in range(4)
            for p, q in [(corners(a, z), corners(b, y))]
            for t in ((p[i], p[(i + 1) % 4], q[(i + 1) % 4]), (p[i], q[(i + 1) % 4], q[i]))]


def obj(triangles):
    point = {}
    for t in triangles:
        for p in t:
            point.setdefault(p, len(point) + 1)
    return "".join("v %.17g %.17g %.17g\n" % p for p in point) + "".join("f %d %d %d\n" % tuple(point[p] for p in t) for t in triangles)


AROUND = 24
HOPPER = revolve([(12, 0), (18, 6), (24, 12), (30, 18), (30, 40), (30, 70)], AROUND)  # mm: a cone of 45 degrees below a bin
HOLE = 2 * AROUND + 8  # in the cone's second row
LEAKY = HOPPER[:HOLE] + HOPPER[HOLE + 4:]
VESSEL = "{name: hopper, mesh: hopper.obj, scale: 1 mm, material: steel}"
INSIDE = "{fill: {cylinder: {radius: 28 mm, from: [0, 0, 19 mm], to: [0, 0, 68 mm]}}, count: 500, radius: 1.8 mm, material: glass}"
BELOW = "beyond: {point: [0, 0, -20 mm], normal: [0, 0, -1]}"


def scene(walls=(VESSEL,), fill=INSIDE, outlets="", run=RUN, head=HEAD):
    return (head + "walls:\n" + "".join(f"  - {w}\n" for w in walls) + f"particles:\n  - {fill}\n" +
            (f"outlets:\n  - {{name: hole, {BELOW}{outlets}}}\n" if outlets is not None else "") + run)


class LeakTest(FolderTest):
    def scree(self, *arguments):
        done = completed(*arguments, seconds=SECONDS, cwd=self.folder)
        return done.returncode, done.stdout, done.stderr

    def files(self, text, **meshes):
        for name, triangles in {"hopper": HOPPER, **meshes}.items():
            self.write(obj(triangles), f"{name}.obj")
        self.write(text)

    def check(self, text, *arguments, **meshes):
        """What check warns of, and its report."""
        self.files(text, **meshes)
        code, out, err = self.scree("check", "scene.yaml", "--json", *arguments)
        self.assertEqual(code, 0, err)
        report = json.loads(out)
        warnings = [line for line in err.splitlines() if "warning: " in line]
        self.assertEqual([w.split("warning: ")[1] for w in warnings], [l["sentence"] for l in report["leaks"]])
        return report["leaks"], report

    def clean(self, text, **meshes):
        self.assertEqual(self.check(text, **meshes)[0], [])

    def warned(self, text, *words, **meshes):
        leaks, _ = self.check(text, **meshes)
        self.assertEqual(len(leaks), 1, leaks)
        for word in words:
            self.assertIn(word, leaks[0]["sentence"])
        return leaks[0]


class Rims(LeakTest):
    def test_check_shows_them(self):
        _, report = self.check(scene())
        mesh = report["walls"][0]["mesh"]
        self.assertEqual((mesh["rim_count"], mesh["pieces"], mesh["cracks"], mesh["chains"], mesh["flipped_edges"]), (2, 1, 0, 0, 0))
        for rim, radius, z in zip(mesh["rims"], (0.03, 0.012), (0.07, 0)):
            self.assertTrue(rim["closed"] and rim["flat"])
            self.assertAlmostEqual(rim["diameter"], 2 * radius, places=9)
            self.assertAlmostEqual(rim["length"], 2 * AROUND * radius * sin(pi / AROUND), places=9)
            self.assertAlmostEqual(rim["centre"][2], z, places=9)
        out = self.scree("check", "scene.yaml")[1]
        self.assertRegex(out, r"rim 1: 188 mm around \[0, 0, 0\.07\] m, a circle of 60 mm\n")
        self.assertRegex(out, r"rim 2: 75\.18 mm around \[0, 0, 0\] m, a circle of 24 mm\n")

    def test_many_that_are_alike_share_a_line(self):
        self.files(scene(), hopper=square(40, 16, 0, [(i, j) for i in range(1, 15, 2) for j in range(1, 15, 2)]))
        out = self.scree("check", "scene.yaml")[1]
        self.assertRegex(out, r"rim 1: 320 mm around \[0, 0, 0\] m, flat, 6400 mm2\n")
        self.assertRegex(out, r"rims 2 \.\.\. 50: 20 mm each, flat, 25 mm2\n")


class Warnings(LeakTest):
    def test_a_whole_hopper_is_clean(self):
        self.clean(scene())

    def test_a_region_below_the_cone_is_told_with_the_grains_on_either_side(self):
        deep = INSIDE.replace("from: [0, 0, 19 mm]", "from: [0, 0, -25 mm]")
        leak = self.warned(scene(fill=deep), "lie on both sides of the mesh \"hopper\"")
        self.scree("run", "scene.yaml", "-o", "out", "--until", "1 us", "--set", "run.timestep=1 us")
        with open(self.folder / "out/final.csv", newline="") as file:
            rows = [tuple(1e3 * float(r[k]) for k in "xyz") for r in csv.DictReader(file)]
        inside = sum(z > 0 and hypot(x, y) < min(30, 12 + z) for x, y, z in rows)
        self.assertGreater(len(rows) - inside, 50)
        self.assertEqual(sorted(leak["sides"]), sorted((inside, len(rows) - inside)))
        code, _, err = self.scree("run", "scene.yaml", "-o", "again", "--until", "1 us", "--set", "run.timestep=1 us")
        self.assertEqual(code, 0)
        self.assertRegex(err, r"scene\.yaml:\d+:\d+: warning: the grains of this fill lie on both sides")

    def test_grains_beside_the_bin_but_not_those_above_it(self):
        wide = "{fill: {box: {low: [-45 mm, -45 mm, 20 mm], high: [45 mm, 45 mm, 85 mm]}}, count: 900, radius: 1.8 mm, material: glass}"
        self.warned(scene(fill=wide), "both sides")
        self.clean(scene(fill=INSIDE.replace("to: [0, 0, 68 mm]", "to: [0, 0, 89 mm]")))

    def test_a_lattice_too(self):
        self.warned(scene(fill="{lattice: {low: [-28 mm, -28 mm, 0], high: [28 mm, 28 mm, 60 mm], jitter: 0.1 mm}, radius: 1.8 mm, "
                               "material: glass, count: 2000}").replace("mesh: hopper.obj, scale: 1 mm", "mesh: tube.obj, scale: 1 mm, translate: [0.45 mm, 0.35 mm, 0]"),
                    "the grains of this lattice", tube=revolve([(15.4, -20), (15.4, 80)], 48))

    def test_missing_triangles_wherever_they_are(self):
        for at in (0, 6, 2 * AROUND + 10, HOLE, 6 * AROUND + 4, 8 * AROUND + 12):
            with self.subTest(at):
                self.warned(scene(), "is a gap in its surface", "hopper", hopper=HOPPER[:at] + HOPPER[at + 4:])
        with self.subTest("one alone"):
            self.warned(scene(), "is a gap in its surface", hopper=HOPPER[:HOLE] + HOPPER[HOLE + 1:])
        code, _, err = self.scree("run", "scene.yaml", "-o", "out")
        self.assertEqual(code, 0)
        self.assertRegex(err, r"scene\.yaml:\d+:\d+: warning: rim 3 of the mesh \"hopper\"")

    def test_of_a_slot_over_the_whole_height(self):
        """The segment that comes first in the template's file: both circles and the slot are one rim."""
        self.warned(scene(), "rim 1 ", hopper=[t for i, t in enumerate(HOPPER) if i % (2 * AROUND) >= 2])

    def test_what_is_closed_otherwise_is_no_gap(self):
        plug = "{disc: {center: [21 mm, 0, 9 mm], normal: [-1, 0, 1], radius: 14 mm}, material: steel}"
        first = 2 * AROUND  # the segment beside the x axis
        hopper = [t for i, t in enumerate(HOPPER) if i not in (first, first + 1, first + 46, first + 47)]
        self.warned(scene(), "gap", hopper=hopper)
        self.clean(scene(walls=(VESSEL, plug)), hopper=hopper)

    def test_openings_that_are_meant(self):
        box = INSIDE.replace("cylinder: {radius: 28 mm, from: [0, 0, 19 mm], to: [0, 0, 68 mm]}", "box: {low: [-20 mm, -20 mm, 21 mm], high: [20 mm, 20 mm, 68 mm]}")
        low = box.replace("21 mm]", "1 mm]").replace("[-20 mm, -20 mm", "[-9 mm, -9 mm").replace("[20 mm, 20 mm", "[9 mm, 9 mm").replace("500", "150")
        pyramid = tower([(10, 0), (30, 20), (30, 70)])
        sheets = {
            "a square outlet": (box, pyramid),
            "grains right above it": (low, pyramid),
            "legs below it": (box, pyramid + tower([(30, 20), (30, -40)])),
            "a square hole in a flat bottom": (low, tower([(30, 0), (30, 70)]) + square(30, 5, 0, [(2, 2)])),
            "a sieve for a bottom": (box, tower([(30, 0), (30, 70)]) + square(30, 15, 0, [(i, j) for i in range(1, 15, 2) for j in range(1, 15, 2)])),
        }
        for name, (fill, mesh) in sheets.items():
            with self.subTest(name):
                self.clean(scene(fill=fill), hopper=mesh)
        with self.subTest("one triangle of the flat bottom"):
            self.warned(scene(fill=low), "gap", hopper=tower([(30, 0), (30, 70)]) + (lambda t: t[:12] + t[13:])(square(30, 5, 0, [(2, 2)])))

    def test_two_meshes_are_one_vessel(self):
        parts = {"cone": revolve([(12, 0), (30, 18)], 20), "bin": revolve([(30, 18), (30, 70)], 32)}
        walls = [f"{{name: {name}, mesh: {name}.obj, scale: 1 mm, material: steel}}" for name in parts]
        low = "{fill: {cylinder: {radius: 17 mm, from: [0, 0, 7 mm], to: [0, 0, 60 mm]}}, count: 300, radius: 1.8 mm, material: glass}"
        self.clean(scene(walls=walls, fill=low), **parts)
        self.warned(scene(walls=walls, fill=low.replace("7 mm]", "-20 mm]")), "\"cone\"", **parts)

    def test_grains_around_a_machine_are_together(self):
        fill = "{fill: {box: {low: [-40 mm, -40 mm, 0], high: [40 mm, 40 mm, 80 mm]}}, count: 1200, radius: 2 mm, material: glass}"
        helix = [(12 * k % 360, k) for k in range(91)]
        turn = [[(r * cos(pi * a / 180), r * sin(pi * a / 180), 0.8 * k + 4) for r in (1, 25)] for a, k in helix]
        flight = [t for (a, b), (c, d) in zip(turn, turn[1:]) for t in ((a, b, d), (a, d, c))]
        paddle = [((-20, 0, 20), (20, 0, 20), (20, 10, 50)), ((-20, 0, 20), (20, 10, 50), (-20, 10, 50))]
        for name, mesh in (("a screw", flight), ("a paddle", paddle), ("a plate", square(15, 4, 40)), ("a sieve in a tube", square(30, 9, 40, [(4, 4)])[:40])):
            with self.subTest(name):
                self.clean(scene(walls=["{name: part, mesh: part.obj, scale: 1 mm, material: steel, motion: {rotation: {axis: [0, 0, 1], speed: 1}}}"],
                                 fill=fill, outlets=None), part=mesh)

    def test_templates_with_meshes_are_clean(self):
        for name in ("hopper", "mixer", "shear-cell", "screw", "vibrating-screen"):
            with self.subTest(name):
                code, out, err = self.scree("check", EXAMPLES / name, "--json")
                self.assertEqual((code, err), (0, ""))
                self.assertEqual(json.loads(out)["leaks"], [])


LONG = "run: {duration: 0.4 s, log: {every: 20 ms}, output: {format: none, picture: no}}\n"
RIM = ", through: {mesh: hopper, rim: 2}"


class Openings(LeakTest):
    def run_scene(self, text, folder, *arguments, **meshes):
        self.files(text, **meshes)
        code, out, err = self.scree("run", "scene.yaml", "-o", folder, "--json", *arguments)
        self.assertEqual(code, 0, err)
        return json.loads(out), err

    def test_what_leaks_is_counted_apart(self):
        plain, _ = self.run_scene(scene(run=LONG), "plain", hopper=LEAKY)
        apart, err = self.run_scene(scene(run=LONG, outlets=RIM), "apart", hopper=LEAKY)
        self.assertEqual(plain["hash"], apart["hash"])
        all_out, hole = plain["outlets"][0], apart["outlets"][0]
        self.assertIsNone(all_out["leaked"])
        self.assertGreater(hole["leaked"]["particles"], 8)
        self.assertGreater(hole["particles"], 50)
        self.assertEqual(hole["particles"] + hole["leaked"]["particles"], all_out["particles"])
        self.assertAlmostEqual(hole["mass"] + hole["leaked"]["mass"], all_out["mass"], places=12)
        self.assertRegex(err, r"scree run: warning: outlet hole: %d of %d grains, [0-9.e-]+ kg, did not come through its opening "
                              r"\(rim 2 of hopper, a circle of 24 mm\)" % (hole["leaked"]["particles"], all_out["particles"]))
        with open(self.folder / "apart/flow.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(int(rows[-1]["hole_leaked"]), hole["leaked"]["particles"])
        self.assertAlmostEqual(float(rows[-1]["hole_leaked_mass"]), hole["leaked"]["mass"], places=12)
        self.assertEqual(int(rows[-1]["hole_particles"]), hole["particles"])
        log = (self.folder / "apart/log.txt").read_text()
        self.assertEqual(len(re.findall("did not come through its opening", log)), 1)
        self.assertNotIn("leaked", (self.folder / "plain/flow.csv").read_text())
        whole, err = self.run_scene(scene(run=LONG, outlets=RIM), "whole", hopper=HOPPER)
        self.assertEqual(whole["outlets"][0]["leaked"]["particles"], 0)
        self.assertEqual(err, "")

    def test_a_disc_and_a_rectangle_say_the_same(self):
        counts = []
        for opening in ("mesh: hopper, rim: 2", "disc: {center: [0, 0, 0], normal: [0, 0, 1], radius: 12 mm}",
                        "disc: {center: [0, 0, 0], normal: [0, 0, -3], radius: 12 mm}, towards: [0, 0, -1]",
                        "rectangle: {corner: [-12 mm, -12 mm, 0], first: [24 mm, 0, 0], second: [0, 24 mm, 0]}"):
            out, _ = self.run_scene(scene(run=LONG, outlets=f", through: {{{opening}}}"), f"out{len(counts)}", hopper=LEAKY)
            counts.append((out["outlets"][0]["particles"], out["outlets"][0]["leaked"]["particles"]))
        self.assertEqual(len(set(counts)), 1, counts)

    def test_a_run_that_goes_on_and_its_own_scene_count_the_same(self):
        text = scene(run=LONG, outlets=RIM)
        whole, _ = self.run_scene(text, "whole", hopper=LEAKY)
        self.run_scene(text, "part", "--until", "0.17 s", hopper=LEAKY)
        code, out, err = self.scree("run", "--resume", "part", "--until", "0.4 s", "--json")
        self.assertEqual(code, 0, err)
        self.assertEqual(json.loads(out)["outlets"], whole["outlets"])
        self.assertEqual(len(re.findall("did not come through", (self.folder / "part/log.txt").read_text())), 1)
        code, out, err = self.scree("run", "whole/scene.yaml", "-o", "again", "--json")
        self.assertEqual(code, 0, err)
        again = json.loads(out)
        self.assertEqual((again["outlets"], again["hash"]), (whole["outlets"], whole["hash"]))

    def test_check_tells_the_opening(self):
        _, report = self.check(scene(outlets=RIM))
        self.assertEqual(report["outlets"][0]["through"], "rim 2 of hopper, a circle of 24 mm")
        self.assertIsNone(self.check(scene())[1]["outlets"][0]["through"])
        self.assertRegex(self.scree("check", "scene.yaml", "--set", "outlets.0.through={rectangle: {corner: [0, 0, 0], first: [0, 2 cm, 0], second: [1 m, 0, 0]}}")[1],
                         r"outlet +hole: all beyond a plane, through a rectangle of 20 mm x 1 m\n")

    def test_a_named_gap_is_no_warning(self):
        side = "outlets:\n  - {box: {low: [20 mm, 0, 0], high: [60 mm, 60 mm, 6 mm]}, through: {mesh: hopper, rim: 3}}\n"
        self.warned(scene(), "gap", hopper=LEAKY)
        self.clean(scene(outlets=None) + side, hopper=LEAKY)

    WRONG = {
        "no such mesh": ("{mesh: bin, rim: 1}", "there is no mesh of the name \"bin\"; there is: hopper"),
        "no mesh": ("{mesh: lid, rim: 1}", "is no mesh"),
        "no such rim": ("{mesh: hopper, rim: 3}", "has 2 rims"),
        "no rim": ("{mesh: hopper}", "lacks \"rim\""),
        "rim zero": ("{mesh: hopper, rim: 0}", "1 ... 1e9"),
        "rim of a disc": ("{disc: {center: [0, 0, 0], normal: [0, 0, 1], radius: 1 mm}, rim: 1}", "for openings of a mesh"),
        "nothing": ("{}", "lacks its form"),
        "two forms": ("{mesh: hopper, rim: 2, disc: {center: [0, 0, 0], normal: [0, 0, 1], radius: 1 mm}}", "exclude each other"),
        "no map": ("hopper", "map of keys"),
        "a list for a name": ("{mesh: [hopper], rim: 1}", "must be the name of a wall"),
        "sides that are no rectangle": ("{rectangle: {corner: [0, 0, 0], first: [1, 0, 0], second: [1, 1, 0]}}", "right angles"),
        "a disc without a direction": ("{disc: {center: [0, 0, 0], normal: [0, 0, 0], radius: 1 mm}}", "a direction"),
        "within the outlet": ("{disc: {center: [0, 0, -30 mm], normal: [0, 0, 1], radius: 1 cm}}", "lies within the outlet"),
        "beside the outlet": ("{disc: {center: [0, 0, 0], normal: [1, 0, 0], radius: 1 cm}}", "towards: [x, y, z]"),
        "towards lies in it": ("{mesh: hopper, rim: 2, towards: [1, 0, 0]}", "towards lies in the opening"),
        "towards nowhere": ("{mesh: hopper, rim: 2, towards: [0, 0, 0]}", "a direction, not [0, 0, 0]"),
    }

    def test_what_cannot_be_is_refused_with_its_place(self):
        lid = "{name: lid, disc: {center: [0, 0, 0], normal: [0, 0, 1], radius: 14 mm}, material: steel}"
        for name, (through, words) in self.WRONG.items():
            with self.subTest(name):
                self.files(scene(walls=(VESSEL, lid), outlets=f", through: {through}"))
                code, out, err = self.scree("check", "scene.yaml")
                self.assertEqual((code, out), (2, ""), err)
                self.assertRegex(err, r"^scene\.yaml:\d+:\d+: ")
                self.assertIn(words, err)

    def test_a_crack_is_no_opening(self):
        self.files(scene(outlets=RIM), hopper=square(30, 1, 0) + [((30, -30, 0), (60, 0, 0), (30, 0, 0)), ((30, 0, 0), (60, 0, 0), (30, 30, 0))])
        code, _, err = self.scree("check", "scene.yaml")
        self.assertEqual(code, 2)
        self.assertIn("is a crack without a width", err)


if __name__ == "__main__":
    main()
