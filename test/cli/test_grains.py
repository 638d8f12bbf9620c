#!/usr/bin/python3
"""test_grains.py SCREE [unittest options]: grains from files, streams and outlets, as a user meets them.

What may be wrong with a file is a table: the place is marked by a guillemet, and the error must name the file's own line and
column, show the line and end with status 2."""

import csv
import json
import math

from support import SECONDS, FolderTest, completed, main

M = "\u00ab"

HEAD = """scree: 1
title: a test
materials:
  glass: {young: 10 MPa, poisson: 0.22, density: 2500 kg/m3}
  steel: {young: 30 MPa, poisson: 0.3, density: 7850 kg/m3}
"""
DOMAIN = "domain: {low: [0, 0, 0], high: [40 mm, 40 mm, 60 mm]}\n"
BOX = "walls:\n  - {name: box, box: {low: [0, 0, 0], high: [40 mm, 40 mm, 60 mm]}, material: steel}\n"
RUN = "run: {duration: 2 ms, log: {every: 1 ms}, output: {format: none, picture: no}}\n"


def scene(particles, domain=DOMAIN, walls=BOX, run=RUN, rest=""):
    return HEAD + domain + walls + "particles:\n" + "".join(f"  - {p}\n" for p in particles) + run + rest


class GrainTest(FolderTest):
    def scree(self, *arguments, cwd=None):
        done = completed(*arguments, seconds=SECONDS, cwd=cwd or self.folder)
        return done.returncode, done.stdout, done.stderr

    def ok(self, *arguments, cwd=None):
        code, out, err = self.scree(*arguments, cwd=cwd)
        self.assertEqual(code, 0, f"{arguments}\n{out}\n{err}")
        return out

    def run_scene(self, text, *arguments, folder="out"):
        """Summary of a run."""
        self.write(text)
        return json.loads(self.ok("run", "scene.yaml", "-o", folder, "--json", "--overwrite", *arguments))

    def table(self, name):
        with open(self.folder / name, newline="") as stream:
            return list(csv.DictReader(stream))


# ---- files ----------------------------------------------------------------------------------------------------------

CSV = "{csv: {file: grains.csv}, radius: 2 mm, material: glass}"
LAMMPS = "{lammps: {file: grains.data, materials: [glass, steel]}, material: glass}"
ATOMS = """LAMMPS data file

3 atoms
2 atom types

0 0.04 xlo xhi
0 0.04 ylo yhi
0 0.06 zlo zhi

Atoms # sphere

1 1 0.004 2500 0.01 0.01 0.01
3 2 0.006 7850 0.03 0.03 0.03 0 0 0   # images
2 1 0.002 2500 0.02 0.02 0.02

Velocities

3 0.1 0.2 0.3 1 2 3
1 0 0 -0.1 0 0 0
2 0 0 0 0 0 0
"""

# file, text, group, part of the sentence
WRONG = {
    "unknown column": ("grains.csv", f"x,y,z,{M}raduis\n1,2,3,4\n", CSV, 'did you mean "radius"'),
    "column twice": ("grains.csv", f"x,y,z,{M}x\n1,2,3,4\n", CSV, "twice"),
    "no z": ("grains.csv", f"{M}x,y,radius\n0.01,0.01,0.001\n", CSV, "lacks the column z"),
    "radius and diameter": ("grains.csv", f"{M}x,y,z,radius,diameter\n1,2,3,4,5\n", CSV, "exclude"),
    "half a velocity": ("grains.csv", f"{M}x,y,z,vx,vy\n1,2,3,4,5\n", CSV, "belong together"),
    "no radius at all": ("grains.csv", f"{M}x,y,z\n0.01,0.01,0.01\n", "{csv: {file: grains.csv}, material: glass}",
                         "no column radius or diameter"),
    "too few values": ("grains.csv", f"x,y,z\n0.01,0.01,0.01\n{M}0.02,0.02\n", CSV, "2 values, and there are 3 columns"),
    "too many values": ("grains.csv", f"x,y,z\n{M}0.01,0.01,0.01,5\n", CSV, "4 values"),
    "no number": ("grains.csv", f"x,y,z\n0.01,{M}abc,0.01\n", CSV, '"abc" is not a number'),
    "nothing": ("grains.csv", f"x,y,z\n0.01,{M},0.01\n", CSV, "y is missing here"),
    "nan": ("grains.csv", f"x,y,z\n{M}nan,0.01,0.01\n", CSV, "not a number"),
    "radius is negative": ("grains.csv", f"x,y,z,radius\n0.01,0.01,0.01,{M}-1\n", CSV, "must be > 0"),
    "id is not whole": ("grains.csv", f"id,x,y,z\n{M}1.5,0.01,0.01,0.01\n", CSV, "whole number"),
    "id twice": ("grains.csv", f"id,x,y,z\n7,0.01,0.01,0.01\n{M}7,0.03,0.03,0.03\n", CSV, "the id 7 is used twice"),
    "material": ("grains.csv", f"x,y,z,material\n0.01,0.01,0.01,{M}glas\n", CSV, 'did you mean "glass"'),
    "outside": ("grains.csv", f"x,y,z\n{M}0.01,0.01,1\n", CSV, "outside the domain"),
    "in a wall": ("grains.csv", f"x,y,z\n{M}0.01,0.01,0\n", CSV, "overlaps wall 0 (box)"),
    "too deep": ("grains.csv", f"x,y,z\n0.01,0.01,0.01\n{M}0.01,0.01,0.0135\n", CSV, "overlaps grain 1 by 0.0005 m"),
    "heading alone": ("grains.csv", f"{M}x,y,z\n", CSV, "no grains"),
    "empty": ("grains.csv", f"{M}", CSV, "no grains"),
    "velocities of a random group": ("grains.csv", f"{M}x,y,z,vx,vy,vz\n1,2,3,4,5,6\n",
                                     "{csv: {file: grains.csv}, radius: 2 mm, material: glass, velocity: {random: 1}}", "random"),
    "too many columns": ("grains.csv", "x,y,z," + ",".join(["skip"] * 60) + f",skip,{M}skip\n1,2,3\n", CSV, "more than 64"),
    "not a data file": ("grains.data", f"{M}title\n\n1 2 3\n".replace("\n1 2 3", ""), LAMMPS, "how many atoms"),
    "no atoms": ("grains.data", f"{M}title\n\n3 atoms\n", LAMMPS, "no section Atoms"),
    "atoms missing": ("grains.data", ATOMS.replace("3 atoms", f"{M}4 atoms"), LAMMPS, "4 atoms, and there are 3"),
    "atoms no number": ("grains.data", ATOMS.replace("3 atoms", f"{M}0 atoms"), LAMMPS, "whole number"),
    "bonds": ("grains.data", ATOMS.replace("2 atom types", f"2 atom types\n{M}5 bonds"), LAMMPS, "not for grains"),
    "tilted": ("grains.data", ATOMS.replace("\nAtoms", f"{M}1 0 0 xy xz yz\n\nAtoms"), LAMMPS, "upright"),
    "box upside down": ("grains.data", ATOMS.replace("0 0.06 zlo", f"{M}1 0.06 zlo"), LAMMPS, "low, then high"),
    "another style": ("grains.data", ATOMS.replace("# sphere", f"# {M}atomic"), LAMMPS, "atom_style sphere"),
    "another section": ("grains.data", ATOMS.replace("Velocities", f"{M}Bonds"), LAMMPS, "not for grains"),
    "atom too short": ("grains.data", ATOMS.replace("2 1 0.002 2500 0.02", f"{M}2 1 0.002 2500"), LAMMPS, "7 values"),
    "type without material": ("grains.data", ATOMS.replace("2 1 0.002", f"2 {M}3 0.002"), LAMMPS, "type 3 has no material"),
    "type zero": ("grains.data", ATOMS.replace("2 1 0.002", f"2 {M}0 0.002"), LAMMPS, "from 1 on"),
    "point": ("grains.data", ATOMS.replace("2 1 0.002", f"2 1 {M}0"), LAMMPS, "must be > 0"),
    "density": ("grains.data", ATOMS.replace("2 1 0.002 2500", f"2 1 0.002 {M}2600"), LAMMPS,
                "2600 kg/m3 and its material, glass, one of 2500"),
    "velocity of nobody": ("grains.data", ATOMS.replace("\n2 0 0 0", f"\n{M}9 0 0 0"), LAMMPS, "no atom of this id"),
    "velocity twice": ("grains.data", ATOMS.replace("\n2 0 0 0", f"\n{M}1 5 5 5"), LAMMPS, "a velocity already"),
    "velocity too short": ("grains.data", ATOMS.replace("2 0 0 0 0 0 0", f"{M}2 0 0 0"), LAMMPS, "id vx vy vz wx wy wz"),
    "velocities missing": ("grains.data", ATOMS.replace("2 0 0 0 0 0 0\n", "").replace("3 atoms", f"{M}3 atoms"), LAMMPS,
                           "3 atoms and 2 velocities"),
    "atoms twice": ("grains.data", ATOMS + f"\n{M}Atoms\n\n", LAMMPS, "twice"),
}


class WrongFiles(GrainTest):
    def test_each_gets_its_own_line_and_column(self):
        for name, (file, marked, group, words) in WRONG.items():
            with self.subTest(name):
                before = marked[: marked.index(M)]
                line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
                text = marked.replace(M, "")
                self.write(text, file)
                self.write(scene([group]))
                code, out, err = self.scree("check", "scene.yaml")
                self.assertEqual((code, out), (2, ""), err)
                head, excerpt, caret = (err.splitlines() + [""] * 3)[:3]
                self.assertRegex(head, rf"^{file}:{line}:{column}: ", err)
                self.assertIn(words, head)
                if text and len(text.split("\n")[line - 1]) < 90:
                    self.assertIn(text.split("\n")[line - 1][:40], excerpt)
                self.assertRegex(caret, r"^ +\| *\^~*$")

    def test_a_material_of_a_type_is_blamed_on_the_scene(self):
        self.write(ATOMS, "grains.data")
        self.write(scene(["{lammps: {file: grains.data, materials: [glass, stel]}, material: glass}"]))
        code, _, err = self.scree("check", "scene.yaml")
        self.assertEqual(code, 2)
        self.assertRegex(err, r"^scene\.yaml:\d+:\d+: unknown material \"stel\": did you mean \"steel\"")


class Files(GrainTest):
    def final(self, folder="out"):
        return {int(row["id"]): row for row in self.table(f"{folder}/final.csv")}

    def test_a_table_in_its_own_units(self):
        self.write("# a comment\n\nid;x;y;z;diameter;vx;vy;vz;wx;wy;wz;material\r\n"
                   '11;10;10;10;4;1;2;3;60;0;0;steel\r\n12 ; 20;20;20 ;"2";0;0;0;0;0;0; glass \r\n', "sub/grains.csv")
        self.write(scene(["{csv: {file: grains.csv, length: 1 mm, velocity: 1 cm/s, spin: 1 rpm}, material: glass}"],
                         rest="gravity: [0, 0, 0]\n"), "sub/scene.yaml")
        out = json.loads(self.ok("run", "sub/scene.yaml", "-o", "out", "--until", "1 ns", "--json"))
        self.assertEqual(out["particles"], 2)
        first, second = self.final()[11], self.final()[12]
        self.assertEqual((first["material"], second["material"]), ("steel", "glass"))
        self.assertAlmostEqual(float(first["radius"]), 0.002, places=15)
        self.assertAlmostEqual(float(second["radius"]), 0.001, places=15)
        for axis, v in zip("xyz", (0.01, 0.02, 0.03)):
            self.assertAlmostEqual(float(first[axis]), 0.01, places=6)
            self.assertAlmostEqual(float(first["v" + axis]), v, places=12)
        self.assertAlmostEqual(float(first["wx"]), 2 * math.pi, places=12)

    def test_columns_may_be_named_in_the_scene(self):
        for text in ("5 0.01 0.02 0.03\n6 0.03 0.02 0.03\n", "what px py pz\n5 0.01 0.02 0.03\n6 0.03 0.02 0.03\n"):
            self.write(text, "grains.txt")
            out = self.run_scene(scene(["{csv: {file: grains.txt, columns: [skip, x, y, z]}, radius: 1 mm, material: steel}"],
                                       rest="gravity: [0, 0, 0]\n"), "--until", "1 ns")
            self.assertEqual(out["particles"], 2)
            self.assertEqual([float(g["x"]) for g in self.table("out/final.csv")], [0.01, 0.03])

    def test_what_a_run_leaves_can_be_read_again(self):
        """A bed at rest, with its contacts pressed, goes on from final.csv."""
        bed = scene(["{fill: {box: {low: [0, 0, 0], high: [40 mm, 40 mm, 50 mm]}}, count: 150, radius: {uniform: {min: 2 mm, max: "
                     "3 mm}}, material: glass}"], run="run: {duration: 0.2 s, output: {format: none, picture: no}}\n")
        before = self.run_scene(bed)
        self.assertGreater(before["contacts"], 200)
        self.write((self.folder / "out/final.csv").read_text(), "bed.csv")
        after = self.run_scene(scene(["{csv: {file: bed.csv}, material: glass}"]), "--until", "1 ms", folder="again")
        self.assertEqual(after["particles"], 150)
        self.assertGreater(after["contacts"], 0.9 * before["contacts"])
        self.assertLess(after["energy"]["kinetic"], 0.01 * before["energy"]["dissipated"])

    def test_a_lammps_data_file(self):
        self.write(ATOMS, "grains.data")
        out = self.run_scene(scene([LAMMPS], rest="gravity: [0, 0, 0]\n"), "--until", "1 ns")
        self.assertEqual(out["particles"], 3)
        grains = self.final()
        self.assertEqual({i: g["material"] for i, g in grains.items()}, {1: "glass", 2: "glass", 3: "steel"})
        self.assertEqual([float(grains[i]["radius"]) for i in (1, 2, 3)], [0.002, 0.001, 0.003])
        self.assertEqual([float(grains[3][k]) for k in ("vx", "vy", "vz", "wx", "wy", "wz")], [0.1, 0.2, 0.3, 1, 2, 3])
        self.assertAlmostEqual(float(grains[1]["vz"]), -0.1)

    def test_units_of_a_data_file(self):
        text = ATOMS.replace("0.004 2500 0.01 0.01 0.01", "0.4 2.5 1 1 1").replace("0.006 7850 0.03 0.03 0.03", "0.6 7.85 3 3 3")
        text = text.replace("0.002 2500 0.02 0.02 0.02", "0.2 2.5 2 2 2")
        self.write(text, "grains.data")
        self.run_scene(scene(["{lammps: {file: grains.data, materials: [glass, steel], length: 1 cm, density: 1 g/cm3, velocity: "
                              "1 cm/s}, material: glass}"], rest="gravity: [0, 0, 0]\n"), "--until", "1 ns")
        grains = self.final()
        self.assertAlmostEqual(float(grains[3]["radius"]), 0.003, places=15)
        self.assertAlmostEqual(float(grains[3]["vx"]), 0.001, places=15)

    def test_other_groups_keep_clear_of_a_file(self):
        self.write("x,y,z\n0.02,0.02,0.02\n", "grains.csv")
        out = self.run_scene(scene([CSV, "{fill: {box: {low: [0, 0, 0], high: [40 mm, 40 mm, 40 mm]}}, fraction: 0.2, radius: 2 mm, "
                                    "material: glass}"], rest="gravity: [0, 0, 0]\n"), "--until", "1 ns")
        grains = self.table("out/final.csv")
        self.assertEqual(len(grains), out["particles"])
        place = [[float(g[k]) for k in "xyz"] for g in grains]
        for i, a in enumerate(place):
            for b in place[:i]:
                self.assertGreaterEqual(math.dist(a, b), 0.004 * (1 - 1e-8))
        volume = (len(grains) - 1) * 4 / 3 * math.pi * 0.002 ** 3  # the fraction asked for, within half a grain
        self.assertLess(abs(volume - 0.2 * 0.04 ** 3), 4 / 3 * math.pi * 0.002 ** 3)

    def test_a_fill_of_a_mass(self):
        out = json.loads(self.ok("check", self.write(scene(["{fill: {box: {low: [0, 0, 0], high: [40 mm, 40 mm, 40 mm]}}, mass: 15 g, "
                                 "radius: {uniform: {min: 1 mm, max: 2 mm}}, material: glass}"])), "--json"))
        heaviest = 4 / 3 * math.pi * 0.002 ** 3 * 2500
        self.assertLessEqual(abs(out["mass"] - 0.015), 0.51 * heaviest)
        self.assertGreater(out["particles"], 100)


# ---- streams and outlets --------------------------------------------------------------------------------------------

SHOWER = ("{stream: {name: rain, region: {box: {low: [5 mm, 5 mm, 15 mm], high: [35 mm, 35 mm, 35 mm]}}, rate: %s, until: 40 ms}, "
          "radius: {uniform: {min: 1 mm, max: 2 mm}}, material: glass, velocity: [0, 0, -1]}")
OUTLETS = ("outlets:\n  - {name: drain, cylinder: {radius: 10 mm, from: [20 mm, 20 mm, 0], to: [20 mm, 20 mm, 3 mm]}}\n"
           "  - {beyond: {point: [0, 0, 70 mm], normal: [0, 0, 1]}}\n")
LONG = "run: {duration: 50 ms, log: {every: 5 ms}, output: {every: 10 ms, picture: no}}\n"


def shower(rate="0.2 kg/s", run=LONG, rest=OUTLETS + "max_overlap: 0.3\n"):
    return scene([SHOWER % rate], run=run, rest=rest)


class Flows(GrainTest):
    def test_a_stream_and_an_outlet(self):
        out = self.run_scene(shower())
        rain, drain = out["streams"][0], out["outlets"][0]
        heaviest = 4 / 3 * math.pi * 0.002 ** 3 * 2500
        self.assertAlmostEqual(rain["asked"], 0.2 * 0.04, places=12)
        self.assertLessEqual(abs(rain["delivered"] - rain["asked"]), 0.501 * heaviest)
        self.assertEqual((rain["name"], rain["unit"], rain["behind"]), ("rain", "kg", False))
        self.assertEqual([o["name"] for o in out["outlets"]], ["drain", "outlet_1"])
        self.assertGreater(drain["particles"], 20)
        self.assertEqual(out["outlets"][1], {"name": "outlet_1", "particles": 0, "mass": 0.0, "leaked": None, "steady_rate": None,
                                             "beverloo_rate": None, "beverloo_left_out": None})
        self.assertEqual(out["inserted"] - out["removed"], out["particles"])
        self.assertEqual((out["removed"], out["removed_mass"]), (drain["particles"], drain["mass"]))
        self.assertLess(out["energy_residual_relative"], 1e-3)
        # the log's lines, and what a line of flow.csv says
        log, flow = self.table("out/log.csv"), self.table("out/flow.csv")
        self.assertEqual([row["step"] for row in log], [row["step"] for row in flow])
        self.assertEqual([row["particles"] for row in log], [row["particles"] for row in flow])
        self.assertEqual(log[0]["particles"], "0")
        for before, row in zip(flow, flow[1:]):
            self.assertEqual(int(row["inserted"]) - int(row["removed"]), int(row["particles"]))
            rate = (float(row["drain_mass"]) - float(before["drain_mass"])) / (float(row["time"]) - float(before["time"]))
            self.assertAlmostEqual(float(row["drain_mass_rate"]), rate, places=12)
        self.assertEqual(float(flow[-1]["rain_delivered"]), rain["delivered"])
        self.assertEqual(set(flow[0]), {"step", "time", "particles", "inserted", "inserted_mass", "removed", "removed_mass",
                                        "brought_in", "taken_out", "rain_asked", "rain_delivered"} |
                         {f"{o}_{w}" for o in ("drain", "outlet_1", "outside") for w in ("particles", "mass", "mass_rate")})
        balance = out["energy"]
        total = sum(balance[k] for k in ("kinetic", "potential", "elastic", "dissipated"))
        self.assertAlmostEqual(balance["brought_in"] - balance["taken_out"] - total + balance["scheme"], balance["residual"], places=12)

    def test_the_rate_of_an_outlet_stands_beside_beverloos(self):
        # grains fall side by side into the outlet: it passes on what the stream brings
        drop = ("{stream: {region: {box: {low: [5 mm, 5 mm, 20 mm], high: [35 mm, 35 mm, 24 mm]}}, rate: 0.1 kg/s}, radius: 1 mm, "
                "material: glass, velocity: [0, 0, -1]}")
        below = ("outlets:\n  - {name: below, beyond: {point: [0, 0, 6 mm], normal: [0, 0, -1]}, orifice: 10 mm, "
                 "bulk_density: 1500 kg/m3, grain_diameter: 2 mm}\n")
        out = self.run_scene(scene([drop], run="run: {duration: 0.2 s, log: {every: 4 ms}, output: {picture: no}}\n", rest=below))
        outlet = out["outlets"][0]
        self.assertAlmostEqual(outlet["steady_rate"] / 0.1, 1, delta=0.03)
        law = 0.58 * 1500 * math.sqrt(9.81) * (0.010 - 1.4 * 0.002) ** 2.5
        self.assertAlmostEqual(outlet["beverloo_rate"] / law, 1, places=12)
        rows = [(float(r["time"]), float(r["below_mass"])) for r in self.table("out/flow.csv")]
        rows = [(t, m) for t, m in rows if 0.25 * outlet["mass"] <= m <= 0.75 * outlet["mass"]]
        mean_t, mean_m = (sum(column) / len(rows) for column in zip(*rows))
        slope = sum((t - mean_t) * (m - mean_m) for t, m in rows) / sum((t - mean_t) ** 2 for t, _ in rows)
        self.assertAlmostEqual(outlet["steady_rate"] / slope, 1, places=9)
        text = self.ok("run", "scene.yaml", "-o", "again")
        self.assertIn("# outlet below: ", text)
        self.assertIn("Beverloo's law %.3g kg/s" % law, text)

    def test_a_rate_that_cannot_be_met_is_told(self):
        self.write(shower("1.5 kg/s"))
        out = self.ok("run", "scene.yaml", "-o", "out")
        told = [line for line in out.splitlines() if "stream rain is behind" in line]
        self.assertEqual(len(told), 2, out)  # when it happened, and at the end
        self.assertIn("no free place", told[0])
        self.assertIn(told[0], (self.folder / "out/log.txt").read_text())
        stream = json.loads((self.folder / "out/summary.json").read_text())["streams"][0]
        self.assertTrue(stream["behind"])
        self.assertLess(stream["delivered"], 0.9 * stream["asked"])
        self.assertIn(f"{stream['delivered']:.6g} of {stream['asked']:.6g} kg", told[1])

    def test_bits_do_not_depend_on_threads_nor_on_the_scene_being_read_again(self):
        hashes = {self.run_scene(shower(), "--threads", n, folder=f"out{n}")["hash"] for n in (1, 2)}
        self.assertEqual(len(hashes), 1)
        again = json.loads(self.ok("run", "out1/scene.yaml", "-o", "again", "--json"))
        self.assertEqual({again["hash"]}, hashes)

    def test_a_run_goes_on_in_mid_stream(self):
        whole = self.run_scene(shower("1.5 kg/s"), folder="whole")
        for at in ("0.013", "0.0321"):
            self.run_scene(shower("1.5 kg/s"), "--until", at, folder="part")
            out = json.loads(self.ok("run", "--resume", "scene.yaml", "-o", "part", "--threads", "2", "--json"))
            for key in ("hash", "streams", "outlets", "inserted", "removed_mass", "particles", "energy"):
                self.assertEqual(out[key], whole[key], key)
            self.assertEqual(self.table("part/flow.csv"), self.table("whole/flow.csv"))
            text = [[line for line in (self.folder / run / "log.txt").read_text().splitlines() if "behind" in line]
                    for run in ("part", "whole")]
            self.assertEqual(text[0], text[1])

    def test_a_run_of_a_file_needs_the_file_no_more(self):
        self.write("x,y,z\n0.02,0.02,0.02\n0.01,0.02,0.02\n", "grains.csv")
        text = scene([CSV], run="run: {duration: 20 ms, output: {format: none, picture: no}}\n")
        whole = self.run_scene(text, folder="whole")
        self.run_scene(text, "--until", "5 ms", folder="part")
        (self.folder / "grains.csv").unlink()
        out = json.loads(self.ok("run", "--resume", "part", "--until", "20 ms", "--json"))
        self.assertEqual(out["hash"], whole["hash"])
        moved = self.folder / "elsewhere"
        (self.folder / "whole").rename(moved)
        again = json.loads(self.ok("run", "elsewhere/scene.yaml", "-o", "again", "--json"))
        self.assertEqual(again["hash"], whole["hash"])

    def test_everything_may_leave(self):
        text = scene(["{fill: {box: {low: [0, 0, 0], high: [40 mm, 40 mm, 40 mm]}}, count: 60, radius: 2 mm, material: glass}"],
                     domain=DOMAIN[:-2] + ", outside: remove}\n", walls="",
                     run="run: {duration: 0.11 s, log: {every: 5 ms}, output: {every: 22 ms}}\n")
        out = self.run_scene(text)
        self.assertEqual((out["particles"], out["left_domain"]["particles"], out["bytes_per_particle"]), (0, 60, None))
        self.assertEqual((self.folder / "out/final.csv").read_text().count("\n"), 1)
        self.assertTrue((self.folder / "out/picture.png").exists())
        for form in ("csv", "extxyz", "lammps-dump"):
            self.ok("export", "out", "--to", form, "-o", f"out.{form}")
        self.assertRegex(self.ok("render", "out", "--frame", "-1", "-o", "end.png"), r"frame 5, t = 1\d\d\.\d* ms, 0 grains")
        code, _, err = self.scree("run", self.write(text.replace(", outside: remove", "")), "-o", "stops")
        self.assertEqual(code, 1)
        self.assertRegex(err, r"step \d+: grain \d+ left the domain at \(")

    def test_frames_follow_the_number_of_grains(self):
        import h5py
        self.run_scene(shower(), folder="hdf")
        self.run_scene(shower(run=LONG.replace("every: 10 ms", "every: 10 ms, format: vtp")), folder="vtp")
        log = {int(row["step"]): int(row["particles"]) for row in self.table("hdf/log.csv")}
        from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
        with h5py.File(self.folder / "hdf/trajectory.vtkhdf") as file:
            v = file["VTKHDF"]
            counts, offsets = v["NumberOfPoints"][:], v["Steps/PointOffsets"][:]
            self.assertEqual([log[s] for s in v["FieldData/step"][:]], list(counts))
            self.assertEqual(counts[0], 0)
            self.assertEqual(list(offsets), [sum(counts[:i]) for i in range(len(counts))])
            self.assertEqual(v["Points"].shape[0], sum(counts))
            self.assertGreater(len(set(counts)), 3)
            for s, (start, count) in enumerate(zip(offsets, counts)):
                ids = v["PointData/id"][start:start + count]
                self.assertEqual(list(ids), sorted(set(ids)))
                ends = v["Vertices/Offsets"][v["Steps/CellOffsets"][s, 0] + s:][:2]
                self.assertEqual(list(ends), [0, count])
                reader = vtkXMLPolyDataReader()
                reader.SetFileName(str(self.folder / f"vtp/trajectory_{s:06d}.vtp"))
                reader.Update()
                self.assertEqual(reader.GetOutput().GetNumberOfPoints(), count)
                self.assertEqual(reader.GetOutput().GetNumberOfVerts(), count)

    def test_check_shows_streams_and_outlets(self):
        self.write(shower())
        out = self.ok("check", "scene.yaml")
        self.assertRegex(out, r"stream +rain: 0\.2 kg/s of glass at 1 m/s in a box, from 0 s until 40 ms")
        self.assertRegex(out, r"outlet +drain: cylinder")
        report = json.loads(self.ok("check", "scene.yaml", "--json"))
        self.assertEqual([s["name"] for s in report["streams"]], ["rain"])
        self.assertEqual([o["shape"] for o in report["outlets"]], ["cylinder", "all beyond a plane"])
        self.assertEqual(report["particles"], 0)
        self.assertGreater(report["arrivals"], 150)


if __name__ == "__main__":
    main()
