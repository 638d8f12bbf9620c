#!/usr/bin/python3
"""test_advice.py SCREE [unittest options]: what `check` and `run` say beyond results: numbers that are hardly meant, runs
that will stop, ledgers that do not close, what softer grains would give."""

import csv
import json
import re
import signal
import subprocess

from support import SCREE, SECONDS, FolderTest, completed, environment, main

HEAD = """scree: 1
gravity: [0, 0, %s]
materials:
  glass: {young: %s, poisson: 0.22, density: 2500 kg/m3}
contacts:
  default: {restitution: 0.7, friction: 0.4}
"""


def scene(body, gravity="-9.81 m/s2", young="10 MPa"):
    return HEAD % (gravity, young) + body


BOX = ("domain: {low: [0, 0, 0], high: [40 mm, 40 mm, 60 mm]}\n"
       "walls:\n  - {name: box, box: {low: [0, 0, 0], high: [40 mm, 40 mm, 60 mm]}, material: glass}\n"
       "particles:\n  - {fill: {box: {low: [0, 0, 0], high: [40 mm, 40 mm, 40 mm]}}, count: 60, radius: 2 mm, material: glass}\n")


class Advice(FolderTest):
    def scree(self, *arguments, code=0):
        done = completed(*arguments, seconds=SECONDS, cwd=self.folder)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def check(self, text, *arguments, code=0):
        self.write(text)
        return self.scree("check", "scene.yaml", *arguments, code=code)


class Unlikely(Advice):
    RUN = "run: {duration: 1 ms, output: {format: none, picture: no}}\n"

    def warned(self, old, new):
        base = scene(BOX + self.RUN)
        text = base.replace(old, new)
        self.assertNotEqual(text, base)
        self.write(text)  # some of these would stop a run
        said = completed("check", "scene.yaml", seconds=SECONDS, cwd=self.folder).stderr.splitlines()
        return [line for line in said if ": warning: " in line]

    def test_numbers_beyond_their_limits_are_told_with_their_place(self):
        turning = "material: glass, motion: {rotation: {axis: [0, 0, 1], speed: %s}}}\nparticles"
        for old, new, place, words in [
            ("friction: 0.4", "friction: 30", "6:41", "counts as a coefficient"),
            ("friction: 0.4", "rolling: 2.5", "6:40", "counts as a coefficient"),
            ("friction: 0.4", "rolling: {coefficient: 4}", "6:54", "counts as a coefficient"),
            ("material: glass}\nparticles", turning % "60", r"9:\d+", "60 has no unit and counts as 60 rad/s: did you mean 60 rpm?"),
            ("count: 60, ", "count: 60, spin: [0, 0, 50], ", r"11:\d+", "50 has no unit and counts as 50 rad/s"),
            ("duration: 1 ms", "duration: 1.2 h", r"12:17", "1.2 h are 4320 s of motion"),
        ]:
            with self.subTest(new):
                said = self.warned(old, new)
                self.assertEqual(len(said), 1, said)
                self.assertRegex(said[0], rf"^scene\.yaml:{place}: warning: \w+: ")
                self.assertIn(words, said[0])

    def test_what_is_likely_or_has_a_unit_is_not(self):
        turning = "material: glass, motion: {rotation: {axis: [0, 0, 1], speed: %s}}}\nparticles"
        for old, new in [("friction: 0.4", "friction: 2"), ("friction: 0.4", "rolling: 2"), ("count: 60, ", "count: 60, spin: [0, 0, 50 rad/s], "),
                         ("material: glass}\nparticles", turning % "10"), ("material: glass}\nparticles", turning % "60 rad/s")]:
            with self.subTest(new):
                self.assertEqual(self.warned(old, new), [])

    def test_a_jitter_in_metres(self):
        lattice = scene(BOX.replace("fill: {box: {low: [0, 0, 0], high: [40 mm, 40 mm, 40 mm]}}, count: 60",
                                    "lattice: {low: [0, 0, 0], high: [40 mm, 40 mm, 40 mm], jitter: 0.003}") + self.RUN)
        said = self.check(lattice).stderr.splitlines()
        self.assertEqual(len(said), 1, said)
        self.assertRegex(said[0], r"^scene\.yaml:11:\d+: warning: jitter: 0.003 has no unit and counts as 0.003 m, 1.5 times the radius, so that places are "
                                  r"0.01 m apart: did you mean 0.003 mm\?")


class Lattices(Advice):
    BODY = ("domain: {low: [0, 0, 0], high: [40 mm, 40 mm, 60 mm]}\n"
            "walls:\n  - {box: {low: [0, 0, 0], high: [40 mm, 40 mm, 60 mm]}, material: glass}\n"
            "particles:\n  - {lattice: {low: [0, 0, 0], high: [31 mm, 31 mm, 31 mm]%s}, radius: 2 mm, material: glass}\n"
            "run: {duration: 1 us, output: {format: none, picture: no}}\n")

    def places(self, more):
        self.write(scene(self.BODY % more))
        self.scree("run", "scene.yaml", "--overwrite")
        with open(self.folder / "scene.run/final.csv") as file:
            return [float(row["z"]) for row in csv.DictReader(file)]

    def test_no_plane_is_left_unless_it_is_asked_for(self):
        planes, shaken = self.places(", jitter: 0"), self.places("")
        self.assertEqual(len(planes), len(shaken), "the jitter costs no place")
        self.assertEqual(len({round(z, 7) for z in planes}), 7)
        self.assertGreater(len({round(z, 7) for z in shaken}), 300)
        self.assertGreater(max(abs(a - b) for a, b in zip(sorted(planes), sorted(shaken))), 1e-5)

    def test_check_tells_what_a_lattice_gives(self):
        self.assertRegex(self.check(scene(self.BODY % "")).stdout,
                         r"lattice +343 grains of glass on 7 x 7 x 7 places, 4.08 mm apart, shifted by up to 40 um\n")
        self.assertRegex(self.check(scene(self.BODY % ", jitter: 0")).stdout,
                         r"lattice +343 grains of glass on 7 x 7 x 7 places, 4 mm apart, in planes: without jitter\n")
        found = json.loads(self.check(scene(self.BODY % ""), "--json").stdout)["lattices"]
        self.assertEqual((found[0]["particles"], found[0]["places"]), (343, [7, 7, 7]))

    def test_places_outside_the_domain_are_not_walked(self):
        far = self.BODY.replace("high: [31 mm, 31 mm, 31 mm]", "high: [30 km, 31 mm, 31 mm]")
        self.assertRegex(self.check(scene(far % "")).stdout, r"lattice +\d+ grains of glass on (9|10) x 7 x 7 places")
        away = self.BODY.replace("low: [0, 0, 0], high: [31 mm, 31 mm, 31 mm]", "low: [10 km, 0, 0], high: [30 km, 31 mm, 31 mm]")
        self.assertIn("the lattice lies outside the domain", self.check(scene(away % ""), code=2).stderr)

    def test_domains_end_somewhere(self):
        body = self.BODY.replace("domain: {low: [0, 0, 0]", "domain: {low: [0, 0, -1e308]")
        self.assertRegex(self.check(scene(body % ""), code=2).stderr, r"scene\.yaml:7:15: the domain must lie within 1e\+100 m of the origin \(z: -1e\+308 m\)")


class Stops(Advice):
    FALL = ("domain: {low: [0, 0, 0], high: [40 mm, 40 mm, 60 mm]%s}\n"
            "particles:\n  - {list: [{position: [20 mm, 20 mm, 10 mm]}], radius: 2 mm, material: glass}\n"
            "run: {duration: 0.2 s, output: {format: none, picture: no}}\n")

    def test_a_grain_that_will_leave_the_domain(self):
        text = scene(self.FALL % "")
        foreseen = self.check(text, code=1).stderr
        self.assertRegex(foreseen, r"the run will stop: .* left the domain at .*outside: remove")
        self.assertRegex(self.scree("run", "scene.yaml", code=1).stderr, r"grain 1 left the domain at .*; domain: \{outside: remove\} would take such grains out")
        self.assertIn("left the domain", json.loads(self.check(text, "--json", code=1).stdout)["stops"])
        self.assertNotIn("will stop", self.check(scene(self.FALL % ", outside: remove")).stderr)

    def test_an_overlap_that_will_be_too_deep(self):
        body = BOX + "run: {duration: 60 ms, output: {format: none, picture: no}}\nmax_overlap: %s\n"
        self.assertRegex(self.check(scene(body % 0.01, young="1 MPa"), code=1).stderr, r"the run will stop: .*more than max_overlap \(0.01\)")
        self.scree("run", "scene.yaml", code=1)
        self.check(scene(body % 0.3, young="1 MPa"))
        self.scree("run", "scene.yaml", "--overwrite")

    def test_a_run_of_days_says_so_before_it_starts(self):
        self.write(scene(BOX + "run: {duration: 1e8 s, output: {format: none, picture: no}, checkpoint: {every: none}}\n"))
        run = subprocess.Popen([SCREE, "run", "scene.yaml"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), text=True)
        said = [run.stderr.readline(), run.stderr.readline()]
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=SECONDS)
        self.assertIn("duration", said[0])
        self.assertRegex(said[1], r"warning: \S+ steps of \S+ s will take about \S+ days")
        self.write(scene(BOX + "run: {duration: 1 ms, output: {format: none, picture: no}}\n"))
        self.assertEqual(self.scree("run", "scene.yaml", "--overwrite").stderr, "")

    def test_softer_grains_are_offered_for_long_runs(self):
        long = BOX + "run: {duration: 3000 s}\nexpected_speed: 0.9\n"
        text = self.check(scene(long, young="70 GPa")).stdout
        said = re.search(r"note: materials (\d+) times softer \(--set materials.glass.young=(\S+)\) would\s+run (\S+) times as fast", text)
        self.assertTrue(said, text)
        self.assertAlmostEqual(float(said[2]) * float(said[1]) / 70e9, 1, places=3)
        hard, soft = (json.loads(self.check(scene(BOX + "run: {duration: 1 ms}\nexpected_speed: 0.9\n", young=young), "--json").stdout)["timestep"]
                      for young in ("70 GPa", said[2]))
        self.assertAlmostEqual(soft / hard / float(said[3]), 1, delta=0.06)
        self.assertNotIn("times softer (--set", self.check(scene(BOX + "run: {duration: 1 ms}\n", young="70 GPa")).stdout)


class Ledger(Advice):
    TEXT = scene(BOX + "run: {duration: 0.1 s, log: {every: 5 ms}, %soutput: {format: none, picture: no}}\n")

    def test_a_residual_beyond_its_limit_ends_the_run(self):
        self.write(self.TEXT % "max_residual: 1e-9, ")
        run = self.scree("run", "scene.yaml", "--json", code=1)
        self.assertRegex(run.stderr, r"the energy ledger does not close: .* are explained by no account.*; run.max_residual allows 1e-07 %")
        out = json.loads(run.stdout)
        self.assertIn("does not close", out["error"])
        self.assertLess(out["time"], 0.1)
        self.write(self.TEXT % "max_residual: 0.05, ")
        out = json.loads(self.scree("run", "scene.yaml", "--json", "--overwrite").stdout)
        self.assertEqual((out["error"], out["energy_warning"]), (None, None))

    def test_the_suspect_is_named(self):
        text = scene(BOX.replace("count: 60", "count: 60, velocity: {random: 0.5 m/s}") + "run: {duration: 0.1 s, log: {every: 0.2 ms}, max_residual: 1e-5, "
                     "output: {format: none, picture: no}}\n").replace("friction: 0.4", "friction: 0.4, rolling: 0.3")
        self.write(text)
        self.assertRegex(self.scree("run", "scene.yaml", code=1).stderr, r"their changes follow most closely those of \w+")


class Beverloo(Advice):
    BODY = ("domain: {low: [-40 mm, -40 mm, -20 mm], high: [40 mm, 40 mm, 60 mm], outside: remove}\n"
            "walls:\n  - {cone: {from: [0, 0, 0], to: [0, 0, %s], radius: [8 mm, 30 mm]}, material: glass}\n"
            "particles:\n  - {fill: {cylinder: {radius: 12 mm, from: [0, 0, 16 mm], to: [0, 0, 30 mm]}}, count: 60, radius: 1 mm, material: glass}\n"
            "outlets:\n  - {name: out, beyond: {point: [0, 0, -5 mm], normal: [0, 0, -1]}, orifice: 16 mm, bulk_density: 1500 kg/m3, grain_diameter: 2 mm}\n"
            "run: {duration: 0.15 s, log: {every: 2 ms}, output: {format: none, picture: no}, max_residual: %s}\n")

    def said(self, height, limit="0.5", code=0):
        self.write(scene(self.BODY % (height, limit)))
        run = self.scree("run", "scene.yaml", "--overwrite", code=code)
        outlet = json.loads((self.folder / "scene.run/summary.json").read_text())["outlets"][0]
        return next(line for line in run.stdout.splitlines() if line.startswith("# outlet")), outlet

    def test_it_stands_where_the_law_holds_alone(self):
        line, outlet = self.said("22 mm")  # 45 degrees
        self.assertIn("Beverloo's law ", line)
        self.assertNotIn("left out", line)
        self.assertGreater(outlet["beverloo_rate"], 0)
        line, outlet = self.said("38 mm")  # 30 degrees
        self.assertRegex(line, "Beverloo's law is left out: its cone of 30 degrees")
        self.assertIsNone(outlet["beverloo_rate"])
        self.assertIn("30 degrees", outlet["beverloo_left_out"])
        line, outlet = self.said("22 mm", "1e-12", code=1)
        self.assertRegex(line, "Beverloo's law is left out: the run has not come to its end")
        self.assertIsNone(outlet["beverloo_rate"])


class Frames(Advice):
    def test_no_more_than_the_steps_are_worth(self):
        self.write(scene(BOX + "run: {duration: 1 ms, timestep: 10 us}\n"))
        self.assertEqual(json.loads(self.scree("run", "scene.yaml", "--json").stdout)["frames"], 3, "of 100 steps")
        self.write(scene(BOX + "run: {duration: 1 ms, timestep: 10 us, output: {every: 0.1 ms}}\n"))
        self.assertEqual(json.loads(self.scree("run", "scene.yaml", "--json", "--overwrite").stdout)["frames"], 11, "as asked")
        self.write(scene(BOX + "run: {duration: 30 ms, timestep: 10 us}\n"))
        self.assertEqual(json.loads(self.scree("run", "scene.yaml", "--json", "--overwrite").stdout)["frames"], 51, "of 3000 steps")


if __name__ == "__main__":
    main()
