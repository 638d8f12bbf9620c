#!/usr/bin/python3
"""test_cli.py SCREE [unittest options]: drives the command as a user would.

Reference numbers are those of ../data/reference.csv; every case of it goes through the command. What a user may do
wrong is a table: each entry must end with status 2, nothing on standard output and one sentence on standard error."""

import collections
import concurrent.futures
import csv
import math
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from decimal import Decimal
from pathlib import Path

from support import SCREE, SECONDS, Run, ScreeTest, environment, main, parse_json, scree, shown

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "test" / "data" / "reference.csv"


class Jobs:
    """Runs a table of commands side by side: the machine has more than one core."""

    def __init__(self, table):
        pool = concurrent.futures.ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 2))
        self.futures = {name: pool.submit(scree, *arguments) for name, arguments in table.items()}
        pool.shutdown(wait=False)

    def result(self, name):
        return self.futures[name].result()


def test_name(text):
    return "test_" + re.sub(r"\W+", "_", text).strip("_")


def add_tests(cls, table, check):
    """One test method per entry of a table; its commands run side by side when the class starts."""
    for name in table:
        method = test_name(name)
        assert not hasattr(cls, method), method

        def run(self, name=name):
            check(self, name)

        setattr(cls, method, run)


# ---- the reference numbers ------------------------------------------------------------------------------------------

Case = collections.namedtuple("Case", "model cr exponent speed mass stiffness")


def read_reference():
    cases = collections.OrderedDict()
    with open(DATA, newline="") as file:
        for row in csv.DictReader(file):
            case = Case(*(row[key] for key in ("model", "cr", "p_or_n", "v0", "meff", "K")))
            cases.setdefault(case, {})[row["quantity"]] = row["value"]
    return cases


REFERENCE = read_reference()
IMPACTS = {case: rows for case, rows in REFERENCE.items() if case.speed}

# quantity of the file -> key of the JSON, per exit convention
COMMON = {"delta_max": "max_overlap", "F_max": "max_force", "t_load": "loading_time",
          "E_diss_load": "energy_dissipated_loading"}
SEPARATIONS = {
    "overlap": {"e_out": "restitution", "tau": "duration", "E_diss_unload": "energy_dissipated_unloading",
                "E_diss_total": "total", "delta_p": "exit_overlap", "delta_0": "exit_overlap",
                "delta_f": "exit_overlap", "delta_switch": "switch_overlap", "v_switch": "switch_speed"},
    "force": {"e_out_F0": "restitution", "tau_F0": "duration", "delta_F0": "exit_overlap",
              "E_diss_unload_F0": "energy_dissipated_unloading", "E_diss_total_F0": "total"},
    "clamp": {"tau_clamp": "duration"},
}
# what the law resolves on the way, reported under "parameters"
RESOLVED = {"alpha", "alpha_eff", "xi_bar", "delta_y", "v_yield", "K_y", "k_unload"}
# checked by no command: memory at the exit, Thornton's own approximation, a slope that only the law's file knows
NOT_SHOWN = {"a_at_exit", "e_thornton_1997_closed_form", "K_unload"}
# of the exact solution, checked with `scree exact`
EXACT_ONLY = {"tau_elastic", "tau_ratio", "dt_transformed", "dt_tangent"}


def impact_arguments(case, rows, separation, law=None, parameters=None):
    law = law or case.model.split("#")[0]
    arguments = ["impact", law, "--speed", case.speed, "--mass", case.mass, "--separation", separation, "--json"]
    if case.stiffness:
        arguments += ["--stiffness", case.stiffness]
    if law == "power_law_tsuji":
        arguments += ["--exponent", case.exponent]
    if case.cr:
        arguments += ["--restitution", case.cr]
    for name, value in rows.items():
        if name.startswith("param_") and (parameters is None or name[6:] in parameters):
            arguments += ["--set", f"{name[6:]}={value}"]
    return arguments


def wanted(rows, separation):
    keys = {**COMMON, **SEPARATIONS[separation]}
    if separation == "clamp" and "e_out_F0" in rows:
        keys["e_out_F0"] = "restitution"  # the body coasts: the exit speed is that of F0
    return [(quantity, key, float(rows[quantity])) for quantity, key in keys.items() if quantity in rows]


def check_impact(test, run, rows, separation):
    test.assertEqual(run.code, 0, run.err)
    result = parse_json(run.out)
    energy = result["energy_initial"]
    result["total"] = result["energy_dissipated_loading"] + result["energy_dissipated_unloading"]
    for quantity, key, value in wanted(rows, separation):
        of_energy = "E_diss" in quantity
        test.near(result[key], value, quantity, scale=energy if of_energy else None)
    for quantity in RESOLVED & rows.keys():
        test.near(result["parameters"].get(quantity), float(rows[quantity]), quantity)
    test.near(result["energy_residual"], 0, "energy residual", 1e-10, energy)
    test.assertFalse(result["calibrated"], "its strength was given")
    return result


class ReferenceImpact(ScreeTest):
    """Every collision of reference.csv, in each exit convention it has rows for."""
    table, details = {}, {}

    @classmethod
    def setUpClass(cls):
        cls.jobs = Jobs(cls.table)

    @classmethod
    def add(cls, case, rows, separation, law, **options):
        name = "_".join(filter(None, [law + case.model[len(case.model.split("#")[0]):], case.cr and "e" + case.cr,
                                      "p" + case.exponent, separation]))
        cls.table[name] = impact_arguments(case, rows, separation, law, **options)
        cls.details[name] = (rows, separation)


def collect_impacts():
    for case, rows in IMPACTS.items():
        law = case.model.split("#")[0]
        for separation, keys in SEPARATIONS.items():
            if not keys.keys() & rows.keys():
                continue
            ReferenceImpact.add(case, rows, separation, law)
            if law == "schaefer":  # the same law with its strength over the mass
                for twin in ("ristow", "lee_herrmann"):
                    ReferenceImpact.add(case, rows, separation, twin, parameters={"chi_over_meff"})


def check_reference_impact(test, name):
    rows, separation = test.details[name]
    check_impact(test, test.jobs.result(name), rows, separation)


collect_impacts()
add_tests(ReferenceImpact, ReferenceImpact.table, check_reference_impact)


class ReferenceIsCovered(ScreeTest):
    def test_no_row_of_the_file_is_forgotten(self):
        known = set(COMMON) | RESOLVED | NOT_SHOWN | EXACT_ONLY | {"K"}
        for keys in SEPARATIONS.values():
            known |= keys.keys()
        for case, rows in REFERENCE.items():
            if case.model.startswith("tangential_"):
                continue  # direct evaluations of the library's functions, no verb prints them
            for quantity in rows:
                self.assertTrue(quantity in known or quantity.startswith(("param_", "F_at_delta_")),
                                f"{case.model}: {quantity}")
        self.assertGreater(len(ReferenceImpact.table), 350)

    def test_overdamped_contact_never_ends_by_itself(self):
        stalled = [(c, r) for c, r in IMPACTS.items() if c.model == "goyal" and "e_out" not in r]
        self.assertEqual(len(stalled), 1)
        for case, rows in stalled:
            run = scree(*impact_arguments(case, rows, "overlap"))
            self.assertEqual(run.code, 0, run.err)
            result = parse_json(run.out)
            self.assertEqual((result["outcome"], result["restitution"], result["duration"]), ("stalled", 0, None))
            for quantity in ("delta_max", "F_max", "t_load"):
                self.near(result[COMMON[quantity]], float(rows[quantity]), quantity)


EXACT_KEYS = {"e_out": "restitution", "alpha": "alpha", "alpha_eff": "alpha_effective", "tau": "duration",
              "tau_elastic": "duration_elastic", "tau_ratio": "duration_ratio", "dt_transformed":
              "timestep_transformed", "dt_tangent": "timestep_tangent", "e_out_F0": "restitution_clamped",
              "delta_max": "max_overlap", "F_max": "max_force", "t_load": "loading_time", "tau_F0":
              "duration_zero_force", "delta_F0": "overlap_zero_force", "E_diss_load": "energy_dissipated_loading",
              "E_diss_unload": "energy_dissipated_unloading", "E_diss_unload_F0":
              "energy_dissipated_unloading_zero_force"}


class ReferenceExact(ScreeTest):
    """The closed forms of the power-law oscillator, by restitution and by alpha."""
    table, rows = {}, {}

    @classmethod
    def setUpClass(cls):
        cls.jobs = Jobs(cls.table)


def collect_exact():
    for case, rows in IMPACTS.items():
        if case.model != "power_law_tsuji":
            continue
        numbers = ["--exponent", case.exponent, "--speed", case.speed, "--mass", case.mass, "--stiffness",
                   case.stiffness, "--json"]
        for way, strength in (("e", ["--restitution", case.cr]), ("alpha", ["--alpha", rows["alpha"]])):
            name = f"p{case.exponent}_e{case.cr}_by_{way}"
            ReferenceExact.table[name] = ["exact", *strength, *numbers]
            ReferenceExact.rows[name] = rows


def check_exact(test, name):
    run = test.jobs.result(name)
    test.assertEqual(run.code, 0, run.err)
    result, rows = parse_json(run.out), test.rows[name]
    for quantity, key in EXACT_KEYS.items():
        of_energy = "E_diss" in quantity
        test.near(result[key], float(rows[quantity]), quantity, scale=result["energy_initial"] if of_energy else None)


collect_exact()
add_tests(ReferenceExact, ReferenceExact.table, check_exact)

JOINT = ["--radius", "5 mm", "--radius2", "4.75 mm", "--length", "15 mm", "--young", "210 GPa", "--poisson", "0.3",
         "--internal"]

# names of the file that are readings of one law
LINE_VARIANTS = {
    "cyl_goldsmith_m1_si": ["cyl_goldsmith", "--variant", "printed"],
    "cyl_goldsmith_m1_si_pi": ["cyl_goldsmith", "--variant", "m1_si_pi"],
    "cyl_goldsmith_m3": ["cyl_goldsmith", "--variant", "m3"],
    "cyl_goldsmith_m3_pi": ["cyl_goldsmith"],
    "cyl_dubowsky_freudenstein": ["cyl_dubowsky_freudenstein", "--variant", "printed"],
    "cyl_dubowsky_freudenstein_pi": ["cyl_dubowsky_freudenstein"],
    "cyl_esdu_78035": ["cyl_esdu_78035", "--variant", "printed"],
    "cyl_esdu_78035_pi": ["cyl_esdu_78035"],
    "cyl_radzimovsky_215_seed": ["cyl_radzimovsky", "--variant", "printed"],
    "cyl_radzimovsky_eq37_seed": ["cyl_radzimovsky", "--variant", "eq37"],
    "cyl_persson_half_modulus": ["cyl_persson", "--variant", "half_modulus"],
    "cyl_lankarani_nikravesh_n1.1": ["cyl_lankarani_nikravesh", "--exponent", "1.1"],
    "cyl_lankarani_nikravesh_n1.5": ["cyl_lankarani_nikravesh"],
}


class ReferenceLine(ScreeTest):
    """Every cylinder law and reading on the review's joint, both directions."""
    table, rows = {}, {}

    @classmethod
    def setUpClass(cls):
        cls.jobs = Jobs(cls.table)


def collect_lines():
    for case, rows in REFERENCE.items():
        if not case.model.startswith("cyl_"):
            continue
        model = case.model.split("#")[0]
        law = LINE_VARIANTS.get(model, [model])
        for quantity, force in rows.items():
            overlap = quantity.removeprefix("F_at_delta_")
            for bodies in (JOINT, []):  # the joint is what the verb does without bodies, too
                name = f"{model}_{overlap}_{'given' if bodies else 'default'}"
                ReferenceLine.table[name] = ["line", *law, "--overlap", overlap, *bodies, "--json"]
                ReferenceLine.rows[name] = (law, float(overlap), float(force))


def check_line(test, name):
    run = test.jobs.result(name)
    test.assertEqual(run.code, 0, run.err)
    law, overlap, force = test.rows[name]
    result = parse_json(run.out)
    test.assertEqual(result["law"], law[0])
    test.near(result["force"], force, "force", 1e-9)
    test.near(result["force_per_length"], force / 15e-3, "force per length", 1e-9)
    test.near(result["overlap"], overlap, "overlap", 1e-14)
    test.assertGreater(result["stiffness"], 0)
    back = test.ok_json("line", *law, "--force", repr(result["force"]), *JOINT)
    test.near(back["overlap"], overlap, "overlap from the force", 1e-11)
    test.near(back["stiffness"], result["stiffness"], "stiffness from the force", 1e-9)


collect_lines()
add_tests(ReferenceLine, ReferenceLine.table, check_line)


class ReferenceStiffness(ScreeTest):
    """Stiffness from bodies, as the collision reports it."""

    def check(self, model, law, *bodies):
        (rows,) = [rows for case, rows in REFERENCE.items() if case.model.startswith(model + "#")]
        result = self.ok_json("impact", law, "--young", "70 GPa", "--poisson", "0.33", "--mass", "1 kg", "--speed",
                              "0.1 m/s", *bodies)
        self.near(result["case"]["stiffness"], float(rows["K"]), "K", 1e-12)

    def test_sphere_sphere(self):
        self.check("stiffness_sphere_sphere", "hertz", "--radius", "20 mm", "--radius2", "2 cm")

    def test_sphere_plane(self):
        self.check("stiffness_sphere_plane", "hertz", "--radius", "0.02 m")

    def test_sphere_in_sphere(self):
        self.check("stiffness_sphere_in_sphere", "hertz", "--geometry", "sphere-in-sphere", "--radius", "25 mm",
                   "--radius2", "20 mm")

    def test_plane_plane(self):
        self.check("stiffness_plane_plane", "hooke", "--half-width", "10 mm")


# ---- JSON -----------------------------------------------------------------------------------------------------------

IMPACT_KEYS = ["law", "requested_restitution", "restitution", "max_overlap", "max_force", "duration", "loading_time",
               "exit_overlap", "energy_initial", "energy_dissipated_loading", "energy_dissipated_unloading",
               "energy_residual", "steps", "evaluations"]
IMPACT_MORE = {"notes", "separation", "outcome", "exit_speed", "max_force_time", "energy_stored_exit", "switch_overlap",
               "switch_speed", "calibrated", "calibration", "damping", "parameters", "case", "warning", "exact", "timestep",
               "oblique"}
EXACT_CONTRACT = ["exponent", "restitution", "alpha", "alpha_effective", "max_overlap", "duration", "duration_elastic",
                  "duration_ratio", "energy_dissipated_loading", "energy_dissipated_unloading", "restitution_clamped",
                  "timestep_transformed", "timestep_tangent"]
EXACT_MORE = {"max_force", "loading_time", "duration_zero_force", "overlap_zero_force", "energy_initial",
              "energy_dissipated_unloading_zero_force", "case"}
LINE_CONTRACT = ["law", "overlap", "force", "force_per_length", "stiffness", "overlap_limit"]
LINE_MORE = {"energy", "variant", "geometry"}


class Json(ScreeTest):
    def contract(self, result, keys, more):
        self.assertEqual(list(result)[:len(keys)], keys)
        self.assertEqual(set(result) - set(keys) - more, set(), "undocumented keys")

    def test_impact_has_the_documented_keys(self):
        for law in ("zhang_sharf", "tsuji", "kuwabara_kono", "thornton", "hysteretic_linear", "cyl_johnson"):
            more = ["--set", "sigma_y=3e8"] if law == "thornton" else ["--restitution", "0.6"]
            result = self.ok_json("impact", law, *more)
            self.contract(result, IMPACT_KEYS, IMPACT_MORE)
            self.assertIsInstance(result["steps"], int)
            self.assertIsInstance(result["evaluations"], int)
            self.assertEqual(result["law"], law)

    def test_exact_has_the_documented_keys(self):
        self.contract(self.ok_json("exact", "--restitution", "0.5"), EXACT_CONTRACT, EXACT_MORE)

    def test_line_has_the_documented_keys(self):
        self.contract(self.ok_json("line", "cyl_johnson", "--overlap", "1e-6"), LINE_CONTRACT, LINE_MORE)

    def test_numbers_read_back_the_same_and_are_no_longer_than_that(self):
        for arguments in (["impact", "flores", "--restitution", "0.7"], ["exact", "--restitution", "0.3"],
                          ["line", "cyl_johnson", "--overlap", "1e-6"], ["models"],
                          ["compare", "tsuji", "--restitution", "0:1:0.25"], ["show", "falcon"],
                          ["calibrate", "schaefer", "--restitution", "0.4"]):
            text = self.ok(*arguments, "--json")
            without_strings = re.sub(r'"[^"]*"', '""', text)
            tokens = re.findall(r"(?<=[:\[,\s])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?=[,\s\]}])", without_strings)
            self.assertTrue(tokens)
            for token in tokens:
                self.assertEqual(Decimal(token), Decimal(repr(float(token))), token)

    def test_inputs_return_bit_for_bit(self):
        speed, mass, stiffness = "0.30000000000000004", "1.0000000000000002e-3", "123456789.12345679"
        e = "0.1234567890123456789"
        result = self.ok_json("impact", "zhang_sharf", "--speed", speed, "--mass", mass, "--stiffness", stiffness,
                              "--restitution", e)
        self.assertEqual([result["case"][k] for k in ("speed", "mass", "stiffness")],
                         [float(speed), float(mass), float(stiffness)])
        self.assertEqual(result["requested_restitution"], float(e))

    def test_infinite_and_unknown_are_null(self):
        stalled = self.ok_json("impact", "kelvin_voigt", "--set", "zeta=1.5")
        self.assertIsNone(stalled["duration"])
        self.assertIsNone(stalled["requested_restitution"])
        self.assertIsNone(stalled["switch_overlap"])
        self.assertIsNone(self.ok_json("line", "cyl_liu", "--overlap", "1e-6")["overlap_limit"])
        overdamped = self.ok_json("exact", "--alpha", "4")
        self.assertEqual((overdamped["restitution"], overdamped["duration"]), (0, None))

    def test_empirical_laws_say_that_they_were_calibrated(self):
        result = self.ok_json("impact", "kuwabara_kono", "--restitution", "0.5")
        self.assertTrue(result["calibrated"])
        self.assertEqual(set(result["calibration"]), {"parameter", "unit", "value"})
        self.near(result["restitution"], 0.5, "e", 1e-10)
        self.assertIn("calibrated", self.ok("impact", "kuwabara_kono", "--restitution", "0.5"))

    def test_calibrated_delivers_what_is_requested(self):
        for law in ("hunt_crossley", "lee_wang", "flores", "tsuji", "goyal", "jankowski_simple", "pant_wijeyewickrema"):
            for separation in ("overlap", "force", "clamp"):
                result = self.ok_json("impact", law, "--restitution", "0.7", "--calibrated", "--separation", separation)
                self.near(result["restitution"], 0.7, f"{law} {separation}", 1e-9)

    def test_exact_block_agrees_with_the_integration(self):
        for law in ("hooke", "hertz", "zhang_sharf", "ye_linear", "tsuji", "anagnostopoulos", "goldsmith_plastic"):
            request = [] if law in ("hooke", "hertz") else ["--restitution", "0.6"]
            result = self.ok_json("impact", law, *request)
            for key in ("restitution", "max_overlap", "max_force", "duration", "loading_time"):
                self.near(result["exact"][key], result[key], f"{law} {key}", 1e-9)


# ---- the catalogue --------------------------------------------------------------------------------------------------

GROUPS = ("point", "plastic", "line", "tangential")


class Catalogue(ScreeTest):
    @classmethod
    def setUpClass(cls):
        cls.laws = parse_json(scree("models", "--json").out)
        cls.names = [law["id"] for law in cls.laws]
        cls.shows = Jobs({f"{name} {form}": ["show", name, *([form] if form else [])]
                          for name in cls.names for form in ("", "--json")})

    def test_names_are_unique_and_cover_the_reference(self):
        self.assertEqual(len(self.names), len(set(self.names)))
        for case in IMPACTS:
            self.assertIn(case.model.split("#")[0], self.names)

    def test_groups_split_the_catalogue(self):
        parts = {group: [law["id"] for law in parse_json(self.ok("models", "--group", group, "--json"))]
                 for group in GROUPS}
        self.assertEqual(sorted(sum(parts.values(), [])), sorted(self.names))
        for group, names in parts.items():
            self.assertTrue(names)
            text = self.ok("models", "--group", group)
            for name in names:
                self.assertIn(name, text)

    def test_every_law_is_described(self):
        keys = {"id", "group", "aliases", "exponent", "slots", "reference", "formula", "limits", "parameters",
                "restitution_domain", "uses_v0", "attractive", "empirical", "delivers_restitution"}
        for law in self.laws:
            self.assertLessEqual(keys, set(law), law["id"])
            self.assertTrue(law["formula"] and law["reference"], law["id"])
            self.assertIn(law["group"], GROUPS)
            for parameter in law["parameters"]:
                self.assertEqual(set(parameter), {"name", "unit", "low", "high", "preset", "meaning"}, law["id"])

    def test_text_lists_every_law(self):
        text = self.ok("models")
        for name in self.names:
            self.assertRegex(text, rf"(?m)^{name}\b")

    def test_markdown_is_one_table(self):
        lines = self.ok("models", "--markdown").splitlines()
        self.assertEqual(len(lines), len(self.names) + 2)
        columns = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
        self.assertEqual(len(columns), 1, "rows of different width")
        for line, name in zip(lines[2:], self.names):
            self.assertTrue(line.startswith(f"| `{name}` |"), line)

    def test_show_tells_about_every_law(self):
        for law in self.laws:
            run = self.shows.result(law["id"] + " ")
            self.assertEqual((run.code, run.err), (0, ""), law["id"])
            text = " ".join(run.out.split())
            self.assertTrue(text.startswith(law["id"]), law["id"])
            self.assertIn(" ".join(law["formula"].split()), text)
            self.assertIn(" ".join(law["reference"].split()), text)
            for parameter in law["parameters"]:
                self.assertIn(parameter["name"], text)
            self.assertNotIn("nan", run.out, law["id"])

    def test_show_json_holds_the_true_restitution(self):
        for law in self.laws:
            run = self.shows.result(law["id"] + " --json")
            self.assertEqual(run.code, 0, law["id"])
            shown_law = parse_json(run.out)
            for key, value in law.items():
                self.assertEqual(shown_law[key], value, law["id"])
            for point in shown_law["curve"]:
                e = point.get("restitution", 0)
                self.assertTrue(e is None or 0 <= e <= 1 + 1e-12, f"{law['id']}: {point}")

    def test_aliases_are_the_law_itself(self):
        for law in self.laws:
            for alias in law["aliases"]:
                self.assertEqual(parse_json(self.ok("show", alias, "--json"))["id"], law["id"])

    def test_restitution_domain_is_enforced(self):
        table = {}
        for law in self.laws:
            if law["group"] != "tangential" and law["id"] != "roy_carretero":
                for e in ("0", "1"):
                    table[law["id"], e] = ["impact", law["id"], "--restitution", e, "--json"]
        jobs = Jobs(table)
        domain = {law["id"]: law["restitution_domain"] for law in self.laws}
        empirical = {law["id"]: law["empirical"] for law in self.laws}
        for (law, e), arguments in table.items():
            run = jobs.result((law, e))
            allowed = {"0 <= e <= 1": True, "0 < e <= 1": e == "1", "none": False}[domain[law]]
            with self.subTest(law=law, e=e):
                if not allowed:
                    self.one_sentence(run, arguments, [law])
                elif run.code != 0 and empirical[law]:
                    self.one_sentence(run, arguments, [law])  # a law that always loses something cannot give e = 1
                else:
                    self.assertEqual(run.code, 0, run.err)
                    self.assertEqual(parse_json(run.out)["requested_restitution"], float(e))


# ---- the verbs at work ----------------------------------------------------------------------------------------------

def help_examples(text):
    """The commands a help text shows, continuation lines joined."""
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [shlex.split(line.strip())[1:] for line in lines if re.match(r"\s+scree \w+ ?[^,]*$", line)
            and not re.match(r"\s+scree (help|VERB)", line) and "  " not in line.strip()]


VERBS = ("models", "show", "impact", "compare", "exact", "calibrate", "line", "bench")


class Help(ScreeTest):
    def test_every_verb_has_help_with_an_example(self):
        for verb in VERBS:
            for arguments in ([verb, "--help"], ["help", verb]):
                run = scree(*arguments)
                self.assertEqual((run.code, run.err), (0, ""), verb)
                self.assertIn("Example", run.out)
                self.assertIn(f"  scree {verb}", run.out)
                self.assertNotIn("\x1b", run.out)

    def test_every_example_of_the_help_can_be_pasted(self):
        lists = [line.split()[0] for line in re.findall(r"^  \w.*$", self.ok("--help"), flags=re.M)]
        verbs = [[verb] for verb in lists if verb != "scree"] + [["bench", of] for of in ("dem", "scene", "engine")]
        self.assertGreater(len(verbs), 15)
        for verb in verbs:
            text = self.ok(*verb, "--help")
            self.assertIn("Examples:\n", text, verb)
            examples = text.split("Examples:\n")[1].split("\n\n")[0]
            for line in re.sub(r"\\\n\s*", " ", examples).splitlines():
                self.assertTrue(line.startswith("  scree "), f"{verb}: wrapped without a backslash before {line!r}")

    def test_the_command_lists_its_verbs(self):
        for arguments in ([], ["--help"], ["-h"], ["help"]):
            text = self.ok(*arguments)
            for verb in VERBS:
                self.assertRegex(text, rf"(?m)^  {verb}\b")

    def test_version(self):
        for arguments in (["--version"], ["-V"], ["impact", "--version"]):
            self.assertRegex(self.ok(*arguments), r"^scree \d+\.\d+\.\d+\n$")

    def test_every_example_of_the_help_works(self):
        with tempfile.TemporaryDirectory() as folder:
            count = 0
            for verb in ("", *VERBS[:-1]):
                for example in help_examples(self.ok(*filter(None, [verb, "--help"]))):
                    plots = "--plot" in example
                    if plots and not shutil.which("gnuplot"):
                        continue
                    with self.subTest(example=shown(example)):
                        run = scree(*example, cwd=folder)
                        self.assertEqual(run.code, 0, run.err)
                        self.assertTrue(run.out)
                        count += 1
            self.assertGreaterEqual(count, 18)


class Bench(ScreeTest):
    """That the benchmarks run, end and refuse: what they measure is test_bench.py's, which is left out under sanitizers."""

    def test_grains(self):
        run = parse_json(self.ok("bench", "dem", "--largest", "1e4", "--seconds", "0.01", "--json", seconds=120))
        self.assertEqual(sorted(run), ["cost_spread", "instruction_set", "sizes", "threads"])
        for arguments in (["--largest", "10"], ["--largest", "x"], ["--threads", "0"], ["--threads", "1.5"],
                          ["--seconds", "-1"], ["more"], ["--smallest", "1e5", "--largest", "1e4"]):
            self.one_sentence(scree("bench", "dem", *arguments), arguments)

    def test_the_engine(self):
        for arguments, word in ((["--seconds", "0"], "seconds"), (["--seconds", "1e9"], "seconds"),
                                (["--seconds", "x"], "seconds"), (["no_such_law"], "no_such_law"),
                                (["mindlin"], "mindlin"), (["cyl_hertz"], "cyl_hertz"), (["--threads", "2"], "threads")):
            run = scree("bench", "engine", *arguments)
            self.assertEqual((run.code, run.out), (2, ""), arguments)
            self.assertIn(word, run.err)
        run = scree("bench", "engine", "hertz", "--seconds", "0.001", "--json", "--output", "/nowhere/engine.json", seconds=120)
        self.assertEqual(run.code, 1)
        self.assertIn("/nowhere", run.err)
        for arguments in (["nothing"], []):
            run = scree("bench", *arguments)
            self.assertEqual((run.code, run.out), (2, ""))
            self.assertIn("dem, scene, engine, impact, laws and drum", run.err)

    def test_without_its_sibling_it_says_how_to_build_that_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(SCREE, folder)
            done = subprocess.run([alone, "bench", "drum", "--help"], capture_output=True, text=True, timeout=SECONDS)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("`make scree-bench`", done.stdout)
            for arguments in (["drum"], ["laws"]):
                done = subprocess.run([alone, "bench", *arguments], capture_output=True, text=True, timeout=SECONDS)
                self.one_sentence(Run(done.returncode, done.stdout, done.stderr), arguments, ["libsundials-dev"], code=1)
                target, = re.findall(r"`make (\S+)` in scree's sources builds it", done.stderr)
                rule = re.search(rf"^{target}:.*\n((\t.*\n)+)", (ROOT / "Makefile").read_text(), flags=re.M)
                self.assertIn("--target scree scree-bench", rule[1])
                self.assertNotIn("all.py", rule[1])

    def test_a_scene(self):
        with tempfile.TemporaryDirectory() as folder:
            scree("new", "box", cwd=folder)
            text = self.ok("bench", "scene", "box", "--steps", "20", "--windows", "2", "--threads", "1", cwd=folder)
        for words in ("CPU [s]", "million particle-steps per second", "contacts ", "mean overlap", "kinetic", "residual",
                      "bytes per particle"):
            self.assertIn(words, text)
        self.assertNotIn("there and back", text, "one thread waits for nobody")

    def test_a_scene_on_two_threads_tells_how_far_apart_cores_are(self):
        with tempfile.TemporaryDirectory() as folder:
            scree("new", "box", cwd=folder)
            run = ("bench", "scene", "box", "--steps", "20", "--windows", "2", "--threads", "2")
            windows = parse_json(self.ok(*run, "--json", cwd=folder))["windows"]
            text = self.ok(*run, cwd=folder)
        if len(os.sched_getaffinity(0)) < 2:
            self.assertEqual([window["core_round_trip"] for window in windows], [None, None])
            return
        for window in windows:
            self.assertIn("core_round_trip", window)
        trips = [window["core_round_trip"] for window in windows if window["core_round_trip"] is not None]
        self.assertTrue(all(1e-8 < trip < 1e-5 for trip in trips), "none where other programs have the cores")
        if "\ncores " in text:
            self.assertRegex(text, r"\ncores +\d+ ns there and back between two of them")

    def test_wrong_uses_with_a_scene(self):
        with tempfile.TemporaryDirectory() as folder:
            scree("new", "box", cwd=folder)
            for arguments in ([], ["box", "--steps", "0"], ["box", "--steps", "1.5"], ["box", "--windows", "-1"],
                              ["box", "--warm", "x"], ["box", "--threads", "0"], ["box", "box"], ["nowhere"]):
                run = scree("bench", "scene", *arguments, cwd=folder)
                self.assertEqual((run.code, run.out), (2, ""), arguments)
                self.assertEqual(len(run.err.strip().splitlines()), 1, run.err)
            run = scree("bench", "scene", "box", "--set", "gravity=[0, 0, 1 kg]", cwd=folder)
            self.assertEqual((run.code, run.out), (2, ""))
            self.assertIn("^", run.err)
            deep = scree("bench", "scene", "box", "--set", "max_overlap=1e-9", "--warm", "100000", cwd=folder, seconds=60)
            self.assertEqual((deep.code, deep.out), (1, ""))
            self.assertIn("overlaps", deep.err)


class Units(ScreeTest):
    def test_units_and_si_numbers_give_the_same_bits(self):
        plain = self.ok_json("impact", "flores", "--restitution", "0.7", "--radius", "0.01", "--young", "70e9",
                             "--poisson", "0.33", "--density", "2700", "--speed", "2")
        units = self.ok_json("impact", "flores", "--restitution", "70 %", "--radius", "1 cm", "--young", "70 GPa",
                             "--poisson", "0.33", "--density", "2.7 g/cm3", "--speed", "2000 mm/s")
        self.assertEqual(plain, units)

    def test_mass_and_stiffness_follow_from_the_bodies(self):
        r, rho, young, nu = 0.01, 2700.0, 70e9, 0.33
        result = self.ok_json("impact", "hertz", "--radius", "1 cm", "--young", "70 GPa", "--poisson", "0.33",
                              "--density", "2700 kg/m3", "--speed", "2 m/s")
        self.near(result["case"]["mass"], 4 / 3 * math.pi * r**3 * rho, "mass", 1e-14)
        self.near(result["case"]["stiffness"], 4 / 3 * young / (2 * (1 - nu**2)) * math.sqrt(r), "stiffness", 1e-14)
        self.assertEqual(result["case"]["geometry"], "sphere-plane")
        two = self.ok_json("impact", "hertz", "--radius", "1 cm", "--radius2", "1 cm", "--young", "70 GPa",
                           "--poisson", "0.33", "--density", "2700 kg/m3", "--speed", "2 m/s")
        self.near(two["case"]["mass"], result["case"]["mass"] / 2, "effective mass", 1e-14)
        self.assertEqual(two["case"]["geometry"], "sphere-sphere")

    def test_stiffness_takes_the_unit_of_its_exponent(self):
        for law, text, value in (("hertz", "5.2e9 N/m^1.5", 5.2e9), ("hooke", "5.2 kN/mm", 5.2e6),
                                 ("hertz", "1 N/mm^1.5", 10**4.5)):
            result = self.ok_json("impact", law, "--stiffness", text, "--mass", "1 kg", "--speed", "1 m/s")
            self.near(result["case"]["stiffness"], value, text, 1e-15)

    def test_settings_take_units(self):
        a = self.ok_json("impact", "kuwabara_kono", "--set", "A=2 us")
        b = self.ok_json("impact", "kuwabara_kono", "--set", "A=2e-6")
        self.assertEqual(a, b)

    def test_numbers_do_not_depend_on_the_locale(self):
        locales = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.split()
        commas = [name for name in locales if name.startswith(("de_", "fr_", "sl_"))]
        env = environment()
        for name in commas[:2] or ["de_DE.UTF-8"]:
            env["LC_ALL"] = name
            result = parse_json(self.ok("impact", "hertz", "--speed", "0.5", "--mass", "1", "--stiffness", "1e9",
                                        "--json", env=env))
            self.assertEqual(result["case"]["speed"], 0.5)


class Calibrate(ScreeTest):
    def test_every_law_that_can_be_calibrated_is(self):
        laws = [law for law in parse_json(scree("models", "--json").out) if law["restitution_domain"] != "none"]
        own = {"roy_carretero": ["--set", "E1=1e9", "--set", "E2=1e9", "--set", "R1=0.02", "--set", "R2=0.02"],
               "thornton": ["--radius", "2 cm", "--radius2", "2 cm", "--young", "70 GPa", "--poisson", "0.33",
                            "--mass", "4.6", "--speed", "0.3"],
               "xiong": ["--separation", "force"]}
        jobs = Jobs({law["id"]: ["calibrate", law["id"], "--restitution", "0.75", "--json", *own.get(law["id"], [])]
                     for law in laws})
        for law in laws:
            name = law["id"]
            with self.subTest(law=name):
                run = jobs.result(name)
                self.assertEqual(run.code, 0, run.err)
                result = parse_json(run.out)
                self.near(result["restitution"], 0.75, "e", 1e-9)
                if result["parameter"] == "restitution" or result["value"] is None:
                    continue
                back = self.ok_json("impact", name, "--set", f"{result['parameter']}={result['value']!r}",
                                    *own.get(name, []))
                self.near(back["restitution"], 0.75, "e of the value", 1e-9)

    def test_small_restitutions_are_delivered_or_refused(self):
        laws = ("zhang_sharf", "tsuji", "anagnostopoulos", "goyal", "jankowski_simple", "jankowski_refined",
                "jankowski_exact", "pant_wijeyewickrema", "hysteretic_linear", "goldsmith_plastic", "kelvin_voigt",
                "schaefer", "kuwabara_kono", "choi", "thornton", "cyl_johnson")
        table = {(law, e): ["calibrate", law, "--restitution", e, "--json"]
                 for law in laws for e in ("1e-2", "1e-3", "1e-4", "1e-5")}
        jobs = Jobs(table)
        for (law, e), arguments in table.items():
            with self.subTest(law=law, e=e):
                run = jobs.result((law, e))
                if run.code:
                    self.one_sentence(run, arguments, [law])
                else:
                    self.near(parse_json(run.out)["restitution"], float(e), "e", 1e-6)

    def test_input_restitution_makes_the_plain_law_deliver(self):
        for law in ("hunt_crossley", "lankarani_nikravesh", "gonthier", "flores", "hu_guo", "zhiying_qishao", "yu"):
            result = self.ok_json("calibrate", law, "--restitution", "0.8")
            plain = self.ok_json("impact", law, "--restitution", repr(result["input_restitution"]))
            self.near(plain["restitution"], 0.8, law, 1e-9)

    def test_keys(self):
        result = self.ok_json("calibrate", "schaefer", "--restitution", "0.5")
        self.assertLessEqual({"law", "parameter", "unit", "value", "requested_restitution", "restitution",
                              "separation"}, set(result))
        rows = REFERENCE[Case("schaefer", "0.5", "1.5", "0.3", "4.6", "5.2e+09")]
        self.near(result["value"], float(rows["param_chi"]), "chi", 1e-9)

    def test_text_names_parameter_and_value(self):
        text = self.ok("calibrate", "schaefer", "--restitution", "0.5")
        self.assertIn("chi", text)
        self.assertIn("5370.2179", text)


class Exact(ScreeTest):
    def test_alpha_and_restitution_are_two_names_of_one_thing(self):
        e = self.ok_json("exact", "--restitution", "0.5")
        alpha = self.ok_json("exact", "--alpha", repr(e["alpha"]))
        for key, value in e.items():
            if key != "case":
                self.near(alpha[key], value, key, 1e-12, scale=max(abs(value), 1e-300))

    def test_no_damping_is_elastic(self):
        for arguments in (["--alpha", "0"], ["--restitution", "1"]):
            result = self.ok_json("exact", *arguments)
            self.assertEqual(result["restitution"], 1)
            self.near(result["duration"], result["duration_elastic"], "duration", 1e-14)
            self.assertEqual(result["energy_dissipated_loading"], 0)

    def test_linear_case_is_the_textbook_oscillator(self):
        result = self.ok_json("exact", "--exponent", "1", "--alpha", "0.4", "--mass", "2", "--stiffness", "800",
                              "--speed", "3")
        zeta = 0.2
        wd = math.sqrt(800 / 2 * (1 - zeta**2))
        self.near(result["duration"], math.pi / wd, "duration", 1e-13)
        self.near(result["restitution"], math.exp(-math.pi * zeta / math.sqrt(1 - zeta**2)), "e", 1e-13)

    def test_text(self):
        text = self.ok("exact", "--restitution", "0.5")
        self.assertIn("0.5", text)
        self.assertIn("overdamped", self.ok("exact", "--alpha", "5"))


class Line(ScreeTest):
    def test_there_and_back_over_many_decades(self):
        laws = [law for law in parse_json(scree("models", "--group", "line", "--json").out)]
        table = {(law["id"], d): ["line", law["id"], "--overlap", d, "--json"] for law in laws
                 for d in ("1e-12", "1e-9", "1e-7", "3.3e-6", "5e-5")}
        jobs, back, starts = Jobs(table), {}, {}
        for key in table:
            run = jobs.result(key)
            self.assertEqual(run.code, 0, f"{key}: {run.err}")
            starts[key] = parse_json(run.out)
            back[key] = ["line", key[0], "--force", repr(starts[key]["force"]), "--json"]
        jobs = Jobs(back)
        for key in back:
            run = jobs.result(key)
            self.assertEqual(run.code, 0, f"{key}: {run.err}")
            self.near(parse_json(run.out)["overlap"], float(key[1]), f"{key}", 1e-10)

    def test_force_grows_and_the_stiffness_is_its_slope(self):
        for law in ("cyl_johnson", "cyl_persson", "cyl_pereira", "cyl_liu"):
            low, mid, high = (self.ok_json("line", law, "--overlap", repr(d)) for d in (0.999e-6, 1e-6, 1.001e-6))
            self.assertLess(low["force"], mid["force"])
            self.near((high["force"] - low["force"]) / 2e-9, mid["stiffness"], law, 1e-5)

    def test_external_contact(self):
        bodies = ["--external", "--radius", "10 mm", "--radius2", "10 mm", "--length", "20 mm", "--young", "210 GPa",
                  "--poisson", "0.3"]
        result = self.ok_json("line", "cyl_johnson", "--overlap", "2 um", *bodies)
        self.assertEqual(result["geometry"], "cylinder-external")
        # d = (f/(pi E*)) (ln(4 pi E* dR/f) - 1), dR = R1 + R2
        f, modulus = result["force_per_length"], 210e9 / (2 * (1 - 0.09))
        self.near(f / (math.pi * modulus) * (math.log(4 * math.pi * modulus * 0.02 / f) - 1), 2e-6, "overlap", 1e-12)

    def test_limit_is_printed(self):
        result = self.ok_json("line", "cyl_johnson", "--overlap", "1 um")
        self.near(result["overlap_limit"], 4 * 0.25e-3 / math.e**2, "limit", 1e-12)
        self.assertIn("limit", self.ok("line", "cyl_johnson", "--overlap", "1 um"))


class Compare(ScreeTest):
    def test_rows_are_the_impacts(self):
        laws, requests = ["flores", "hu_guo", "tsuji"], [0.1, 0.5, 0.9]
        rows = self.ok_json("compare", *laws, "--restitution", "0.1:0.9:0.4")["rows"]
        self.assertEqual(sorted((r["law"], r["requested_restitution"]) for r in rows),
                         sorted((law, e) for law in laws for e in requests))
        for row in rows:
            impact = self.ok_json("impact", row["law"], "--restitution", repr(row["requested_restitution"]))
            for key in ("restitution", "max_force", "max_overlap", "duration"):
                self.near(row[key], impact[key], key, 1e-12)
            shares = (impact["energy_dissipated_loading"] / impact["energy_initial"],
                      impact["energy_dissipated_unloading"] / impact["energy_initial"])
            self.near(row["dissipated_share_loading"], shares[0], "share", 1e-9)
            self.near(row["dissipated_share_unloading"], shares[1], "share", 1e-9)

    def test_all_laws_at_once(self):
        names = [law["id"] for law in parse_json(self.ok("models", "--json")) if law["group"] != "tangential"]
        rows = self.ok_json("compare", "--restitution", "0.5")["rows"]
        self.assertLessEqual({row["law"] for row in rows}, set(names))
        self.assertGreater(len({row["law"] for row in rows}), 40)
        for row in rows:
            self.assertTrue(row["ran"] or row["note"], f"{row['law']} is silent about why it did not run")

    def test_csv_table(self):
        text = self.ok("compare", "flores", "hu_guo", "--restitution", "0.3,0.6", "--csv", "-")
        rows = list(csv.DictReader(text.splitlines()))
        self.assertEqual(len(rows), 4)
        reference = REFERENCE[Case("flores", "0.3", "1.5", "0.3", "4.6", "5.2e+09")]
        (row,) = [r for r in rows if r["law"] == "flores" and float(r["requested_restitution"]) == 0.3]
        self.near(float(row["restitution"]), float(reference["e_out"]), "e", 1e-9)

    def test_text_has_a_line_per_row(self):
        text = self.ok("compare", "flores", "hu_guo", "--restitution", "0:1:0.5")
        self.assertEqual(len(re.findall(r"(?m)^(flores|hu_guo)\b", text)), 6)


class Oblique(ScreeTest):
    BALL = ["--radius", "5 mm", "--young", "70 GPa", "--poisson", "0.25", "--density", "2500 kg/m3", "--speed", "3 m/s"]

    def test_sliding_impact_obeys_coulomb(self):
        result = self.ok_json("impact", "zhang_sharf", "--restitution", "0.9", *self.BALL, "--angle", "80",
                              "--friction", "0.1")["oblique"]
        self.near(abs(result["impulse_ratio"]), 0.1, "impulse ratio", 1e-6)
        vn, vt = 3 * math.cos(math.radians(80)), 3 * math.sin(math.radians(80))
        self.near(result["tangential_speed"], vt - 0.1 * 1.9 * vn, "tangential speed", 1e-6)

    def test_angle_and_tangential_speed_agree(self):
        angle = math.radians(30)
        a = self.ok_json("impact", "zhang_sharf", "--restitution", "0.9", *self.BALL, "--angle", "30",
                         "--friction", "0.1")
        b = self.ok_json("impact", "zhang_sharf", "--restitution", "0.9", *self.BALL[:-1], repr(3 * math.cos(angle)),
                         "--tangential-speed", repr(3 * math.sin(angle)), "--friction", "0.1")
        for key, value in a["oblique"].items():
            if isinstance(value, float) and abs(value) > 1e-9:
                self.near(b["oblique"][key], value, key, 1e-7)


# ---- the course of a collision --------------------------------------------------------------------------------------

TRACES = {
    "hertz": [], "zhang_sharf": ["--restitution", "0.5"], "tsuji": ["--restitution", "0.3"],
    "kelvin_voigt": ["--set", "zeta=0.6"], "schaefer": ["--restitution", "0.5"],
    "hysteretic_linear": ["--restitution", "0.6"], "goldsmith_plastic": ["--restitution", "0.6"],
    "jankowski_exact": ["--restitution", "0.5"], "choi": ["--restitution", "0.3"],
    "cyl_johnson": ["--restitution", "0.6"],
}


class Trace(ScreeTest):
    table = {f"{law}_{separation}": (law, ["impact", law, *options, "--separation", separation])
             for law, options in TRACES.items() for separation in SEPARATIONS}

    def columns(self, arguments, points):
        more = ["--csv", "-"] + (["--points", str(points)] if points else [])
        rows = list(csv.reader(self.ok(*arguments, *more).splitlines()))
        self.assertEqual(rows[0], ["time", "overlap", "velocity", "force", "elastic", "kinetic", "dissipated"])
        values = [[float(cell) for cell in row] for row in rows[1:]]
        self.assertTrue(all(math.isfinite(x) for row in values for x in row))
        return dict(zip(rows[0], map(list, zip(*values))))

    def check_course(self, arguments, points=None):
        result = parse_json(self.ok(*arguments, "--json"))
        trace = self.columns(arguments, points)
        time, overlap, velocity, force = (trace[k] for k in ("time", "overlap", "velocity", "force"))
        energy = result["energy_initial"]
        self.assertEqual(len(time), points or 401)
        self.assertTrue(all(a <= b for a, b in zip(time, time[1:])), "time runs backwards")
        self.assertEqual((time[0], overlap[0]), (0, 0))
        self.near(velocity[0], result["case"]["speed"], "first velocity", 1e-14)
        self.near(time[-1], result["duration"], "last time", 1e-9)
        self.near(velocity[-1], -result["exit_speed"], "last velocity", 1e-9)
        self.near(overlap[-1], result["exit_overlap"], "last overlap", 1e-9, result["max_overlap"])
        self.near(max(overlap), result["max_overlap"], "maximum overlap", 1e-9)
        self.near(max(force), result["max_force"], "maximum force", 1e-9)
        self.near(time[overlap.index(max(overlap))], result["loading_time"], "time of maximum overlap", 1e-6)
        for elastic, kinetic, dissipated in zip(trace["elastic"], trace["kinetic"], trace["dissipated"]):
            self.near(elastic + kinetic + dissipated, energy, "energy sum", 1e-9)
        rising = trace["dissipated"]
        self.assertTrue(all(a <= b + 1e-9 * energy for a, b in zip(rising, rising[1:])), "dissipation is returned")
        if "clamp" in arguments:
            self.assertGreaterEqual(min(force), 0)

    def test_number_of_points(self):
        for points in (8, 9, 50, 2000):
            self.check_course(["impact", "zhang_sharf", "--restitution", "0.5"], points)

    def test_file_is_written_beside_the_results(self):
        with tempfile.TemporaryDirectory() as folder:
            text = self.ok("impact", "flores", "--restitution", "0.5", "--csv", "course.csv", cwd=folder)
            self.assertIn("flores", text)
            self.assertEqual(os.listdir(folder), ["course.csv"])
            self.assertEqual(len(Path(folder, "course.csv").read_text().splitlines()), 402)

    def test_a_contact_that_never_ends_has_a_finite_course(self):
        trace = self.columns(["impact", "kelvin_voigt", "--set", "zeta=1.5"], None)
        self.assertTrue(all(a <= b for a, b in zip(trace["time"], trace["time"][1:])))

    def test_plot_leaves_picture_script_and_data(self):
        self.assertTrue(shutil.which("gnuplot"), "gnuplot is not installed: `make test` installs it")
        with tempfile.TemporaryDirectory() as folder:
            self.ok("impact", "flores", "--restitution", "0.5", "--plot", "a course.svg", cwd=folder)
            self.assertEqual(sorted(os.listdir(folder)), ["a course.csv", "a course.gp", "a course.svg"])
            self.assertIn("<svg", Path(folder, "a course.svg").read_text())


add_tests(Trace, Trace.table, lambda test, name: test.check_course(test.table[name][1]))


# ---- what a user may do wrong ---------------------------------------------------------------------------------------

BASE = ["impact", "zhang_sharf", "--restitution", "0.5"]
NUMBERS = ["--speed", "1", "--mass", "1", "--stiffness", "1e9"]


def with_number(option, value):
    """A complete case with one number replaced."""
    arguments = list(NUMBERS)
    arguments[arguments.index(option) + 1] = value
    return [*BASE, *arguments]


WRONG = {
    # verbs
    "unknown verb": (["impcat"], ["impcat", "impact"]),
    "unknown verb far from all": (["xyzzy"], ["xyzzy", "--help"]),
    "empty verb": ([""], ["verb"]),
    "option instead of a verb": (["--json"], ["verb", "--json"]),
    "help of an unknown verb": (["help", "nothing"], ["nothing"]),
    "verb with control characters": (["a\nb\x1b[31m"], ["verb"]),
    # laws
    "unknown law": (["impact", "zhang_shaft"], ["zhang_shaft", "zhang_sharf"]),
    "unknown law in show": (["show", "hunt_crosley"], ["hunt_crosley", "hunt_crossley"]),
    "unknown law in line": (["line", "cyl_jonson", "--overlap", "1e-6"], ["cyl_jonson", "cyl_johnson"]),
    "unknown law in compare": (["compare", "flors"], ["flors", "flores"]),
    "unknown law in calibrate": (["calibrate", "tsuij", "--restitution", "0.5"], ["tsuij", "tsuji"]),
    "empty law": (["impact", ""], ["law"]),
    "very long law": (["impact", "z" * 100000], ["law"]),
    "law with control characters": (["impact", "zhang\nsharf\x1b[31m"], ["law"]),
    "law that is no utf8": (["impact", b"zhang\xff\xfesharf"], ["law"]),
    "law missing in impact": (["impact"], ["law"]),
    "law missing in show": (["show"], ["law"]),
    "law missing in line": (["line", "--overlap", "1e-6"], ["law"]),
    "law missing in calibrate": (["calibrate", "--restitution", "0.5"], ["law"]),
    "tangential law in impact": (["impact", "mindlin"], ["mindlin", "tangential"]),
    "tangential law in calibrate": (["calibrate", "coulomb", "--restitution", "0.5"], ["coulomb"]),
    "tangential law in compare": (["compare", "mindlin"], ["mindlin", "tangential"]),
    "point law in line": (["line", "hertz", "--overlap", "1e-6"], ["hertz", "cylinder"]),
    "extra argument in impact": (["impact", "flores", "hertz"], ["flores", "hertz"]),
    "extra argument in show": (["show", "flores", "hertz"], ["flores", "hertz"]),
    "extra argument in models": (["models", "flores"], ["flores"]),
    "extra argument in exact": (["exact", "flores"], ["flores"]),
    "extra argument in line": (["line", "cyl_johnson", "cyl_liu", "--overlap", "1e-6"], ["cyl_johnson", "cyl_liu"]),
    # options
    "unknown option": ([*BASE, "--bogus"], ["--bogus"]),
    "unknown option with a value": ([*BASE, "--bogus=3"], ["--bogus"]),
    "unknown short option": ([*BASE, "-z"], ["z"]),
    "option of another verb": (["models", "--restitution", "0.5"], ["--restitution"]),
    "ambiguous option": ([*BASE, "--s", "1"], ["--s"]),
    "option without its value": ([*BASE, "--speed"], ["--speed", "argument"]),
    "value for a flag": ([*BASE, "--json=yes"], ["--json"]),
    "unknown group": (["models", "--group", "spheres"], ["--group", "spheres"]),
    "json and markdown": (["models", "--json", "--markdown"], ["--json", "--markdown"]),
    # restitution
    "restitution above one": (["impact", "flores", "--restitution", "1.2"], ["restitution", "1.2"]),
    "restitution below zero": (["impact", "flores", "--restitution", "-0.1"], ["restitution", "-0.1"]),
    "restitution negative with equals": (["impact", "flores", "--restitution=-0.1"], ["restitution", "-0.1"]),
    "restitution zero of an open law": (["impact", "flores", "--restitution", "0"], ["restitution", "flores"]),
    "restitution zero to calibrate": (["calibrate", "flores", "--restitution", "0"], ["flores"]),
    "restitution of a conservative law": (["impact", "hertz", "--restitution", "0.5"], ["restitution", "hertz"]),
    "restitution missing": (["impact", "flores"], ["restitution", "flores"]),
    "restitution missing to calibrate": (["calibrate", "flores"], ["restitution"]),
    "restitution with a unit": (["impact", "flores", "--restitution", "0.5 m"], ["--restitution"]),
    "restitution above 100 percent": (["impact", "flores", "--restitution", "120 %"], ["--restitution"]),
    "strength missing": (["impact", "schaefer"], ["schaefer", "chi"]),
    # --set
    "set without equals": (["impact", "schaefer", "--set", "chi"], ["--set", "chi"]),
    "set without a name": (["impact", "schaefer", "--set", "=5"], ["--set"]),
    "set without a value": (["impact", "schaefer", "--set", "chi="], ["chi"]),
    "set of an unknown name": (["impact", "schaefer", "--set", "chii=5"], ["chii", "chi"]),
    "set with control characters": (["impact", "schaefer", "--set", "c\nhi=5"], ["--set"]),
    "set of a law without parameters": (["impact", "hooke", "--set", "chi=5"], ["hooke", "chi"]),
    "set with garbage": (["impact", "schaefer", "--set", "chi=5x5"], ["chi"]),
    "set with a wrong unit": (["impact", "schaefer", "--set", "chi=5 kg"], ["chi", "kg"]),
    "set below the limit": (["impact", "schaefer", "--set", "chi=-5"], ["chi", "-5"]),
    "set to nan": (["impact", "schaefer", "--set", "chi=nan"], ["chi"]),
    "set of two that contradict": (["impact", "kelvin_voigt", "--set", "zeta=0.2", "--set", "D=1"], ["zeta", "D"]),
    "far too many settings": (["impact", "schaefer", *["--set", "chi=5"] * 40], ["--set"]),
    # the case
    "wrong separation": ([*BASE, "--separation", "never"], ["--separation", "never", "overlap"]),
    "wrong geometry": ([*BASE, "--geometry", "cube"], ["--geometry", "cube"]),
    "mass missing": ([*BASE, "--speed", "1", "--stiffness", "1e9"], ["--mass"]),
    "speed missing": ([*BASE, "--mass", "1", "--stiffness", "1e9"], ["--speed"]),
    "stiffness missing": ([*BASE, "--mass", "1", "--speed", "1"], ["--stiffness"]),
    "stiffness in the wrong unit": (with_number("--stiffness", "5 kg"), ["--stiffness", "kg"]),
    "stiffness of another exponent": (with_number("--stiffness", "5 N/m"), ["--stiffness", "N/m^1.5"]),
    "stiffness of a cylinder law": (["impact", "cyl_johnson", "--stiffness", "1e9"], ["--stiffness"]),
    "exponent of a law that fixes it": (["impact", "tsuji", "--restitution", "0.5", "--exponent", "2"],
        ["exponent", "tsuji"]),
    "exponent below one": ([*BASE, "--exponent", "0.5"], ["--exponent", "0.5"]),
    "exponent beyond ten": ([*BASE, "--exponent", "11"], ["--exponent", "11"]),
    "exponent of a law that is no power": (["line", "cyl_johnson", "--overlap", "1e-6", "--exponent", "2"],
                                            ["exponent", "cyl_johnson"]),
    "elastic law of another than luo_nahon": ([*BASE, "--elastic", "hertz"], ["--elastic"]),
    "elastic law that is not elastic": (["impact", "luo_nahon", "--restitution", "0.5", "--elastic", "tsuji"],
        ["elastic"]),
    "damping by a law without a factor": (["impact", "cyl_johnson", "--restitution", "0.5", "--damping", "tsuji"],
        ["tsuji"]),
    "damping of a law that has its own": ([*BASE, "--damping", "flores"], ["damping"]),
    "unknown damping law": (["impact", "cyl_johnson", "--damping", "nothing"], ["--damping", "nothing"]),
    "variant of a point law": ([*BASE, "--variant", "printed"], ["variant"]),
    "unknown variant": (["line", "cyl_goldsmith", "--overlap", "1e-6", "--variant", "m7"], ["variant", "m7"]),
    "speed beyond the law's validity": (["impact", "wang", "--speed", "100", "--mass", "1", "--stiffness", "1e9",
                                         "--set", "Kstar=2"], ["speed", "Kstar", "7.11"]),
    # bodies
    "radius missing": ([*BASE, "--young", "70 GPa", "--poisson", "0.3", "--mass", "1", "--speed", "1"], ["--radius"]),
    "poisson missing": ([*BASE, "--young", "70 GPa", "--radius", "1 cm", "--mass", "1", "--speed", "1"], ["--poisson"]),
    "density missing": ([*BASE, "--young", "70 GPa", "--poisson", "0.3", "--radius", "1 cm", "--speed", "1"],
                        ["--mass", "--density"]),
    "poisson too large": ([*BASE, "--poisson", "0.6"], ["--poisson", "0.6"]),
    "poisson too small": ([*BASE, "--poisson", "-1"], ["--poisson", "-1"]),
    "young zero": ([*BASE, "--young", "0"], ["--young"]),
    "radius negative": ([*BASE, "--radius", "-1 mm"], ["--radius"]),
    "density zero": ([*BASE, "--density", "0"], ["--density"]),
    "internal of a point law": ([*BASE, "--internal"], ["--internal"]),
    "hertz stiffness for a linear law": (["impact", "hooke", "--radius", "1 cm", "--young", "70 GPa",
        "--poisson", "0.3",
                                           "--mass", "1", "--speed", "1"], ["hooke", "exponent"]),
    "hollow smaller than its ball": ([*BASE, "--geometry", "sphere-in-sphere", "--radius", "1 cm", "--radius2", "2 cm",
                                      "--young", "70 GPa", "--poisson", "0.3", "--mass", "1", "--speed", "1"],
        ["radi"]),
    # lines
    "external of an internal law": (["line", "cyl_persson", "--overlap", "1e-6", *JOINT[:-1], "--external"],
                                     ["cyl_persson", "internal"]),
    "external liu": (["line", "cyl_liu", "--overlap", "1e-6", *JOINT[:-1], "--external"], ["cyl_liu", "internal"]),
    "external esdu": (["line", "cyl_esdu_78035", "--overlap", "1e-6", *JOINT[:-1], "--external"], ["internal"]),
    "external dubowsky": (["line", "cyl_dubowsky_freudenstein", "--overlap", "1e-6", *JOINT[:-1], "--external"],
        ["internal"]),
    "internal and external": (["line", "cyl_johnson", "--overlap", "1e-6", *JOINT, "--external"],
        ["--internal", "--external"]),
    "hole smaller than the pin": (["line", "cyl_johnson", "--overlap", "1e-6", "--radius", "4 mm", *JOINT[2:]],
        ["hole", "pin"]),
    "hole as large as the pin": (["line", "cyl_johnson", "--overlap", "1e-6", "--radius", "4.75 mm", *JOINT[2:]],
        ["hole", "pin"]),
    "length missing": (["line", "cyl_johnson", "--overlap", "1e-6", *JOINT[:4], *JOINT[6:]], ["--length"]),
    "overlap beyond the limit": (["line", "cyl_johnson", "--overlap", "1 mm"], ["overlap", "0.00013"]),
    "overlap beyond persson's limit": (["line", "cyl_persson", "--overlap", "3 mm"], ["overlap"]),
    "force beyond the limit": (["line", "cyl_johnson", "--force", "1e9"], ["cyl_johnson", "735867"]),
    "overlap zero": (["line", "cyl_johnson", "--overlap", "0"], ["--overlap"]),
    "overlap negative": (["line", "cyl_johnson", "--overlap", "-1e-6"], ["--overlap"]),
    "force negative": (["line", "cyl_johnson", "--force", "-5"], ["--force"]),
    "overlap and force": (["line", "cyl_johnson", "--overlap", "1e-6", "--force", "5"], ["--overlap", "--force"]),
    "neither overlap nor force": (["line", "cyl_johnson"], ["--overlap", "--force"]),
    "overlap in newtons": (["line", "cyl_johnson", "--overlap", "5 N"], ["--overlap"]),
    "impact that leaves the law's range": (["impact", "cyl_johnson", "--restitution", "0.6", "--mass", "1000",
        "--speed", "100"],
                                            ["overlap", "cyl_johnson"]),
    # calibration
    "law of another program that is not there": (["impact", "jkr"], ["jkr", "cohesion is not there yet"]),
    "law of another program": (["impact", "Hertz/History"], ["Hertz/History", "`normal: tsuji`"]),
    "friction law of another program": (["impact", "tsuji", "--tangential", "mindlin_rescale"], ["`tangential: mindlin`"]),
    "parameter of another program": (["impact", "tsuji", "--set", "kn=1"], ["kn", "`stiffness`"]),
    "unreachable restitution of choi": (["calibrate", "choi", "--restitution", "1e-5", "--set", "mi=3"], ["choi", "1e-05", "e in "]),
    "unreachable restitution of choi, JSON": (["impact", "choi", "--restitution", "1e-5", "--set", "mi=3", "--json"], ["choi", "1e-05"]),
    "unreachable restitution": (["calibrate", "wang_cubed", "--restitution", "0.1"], ["wang_cubed", "0.1"]),
    "unreachable restitution in impact": (["impact", "wang_cubed", "--restitution", "0.1"], ["wang_cubed", "0.1"]),
    "restitution too small to calibrate": (["calibrate", "tsuji", "--restitution", "1e-9"], ["tsuji", "1e-09"]),
    "conservative law to calibrate": (["calibrate", "hertz", "--restitution", "0.5"], ["hertz"]),
    # exact
    "exact without a strength": (["exact"], ["--restitution", "--alpha"]),
    "exact with two strengths": (["exact", "--restitution", "0.5", "--alpha", "1"], ["--restitution", "--alpha"]),
    "exact with a negative alpha": (["exact", "--alpha", "-1"], ["--alpha"]),
    "exact without restitution left": (["exact", "--restitution", "0"], ["restitution"]),
    "exact with half a case": (["exact", "--restitution", "0.5", "--mass", "1"], ["--stiffness"]),
    "exact with a small exponent": (["exact", "--restitution", "0.5", "--exponent", "0.9"], ["--exponent"]),
    # compare
    "compare with a bad range": (["compare", "flores", "--restitution", "1:0"], ["--restitution", "low:high"]),
    "compare with a falling range": (["compare", "flores", "--restitution", "1:0:0.1"], ["--restitution"]),
    "compare with no step": (["compare", "flores", "--restitution", "0:1:0"], ["--restitution"]),
    "compare with too many": (["compare", "flores", "--restitution", "0:1:1e-9"], ["--restitution"]),
    "compare with four numbers": (["compare", "flores", "--restitution", "0:1:0.1:2"], ["--restitution"]),
    "compare with an empty piece": (["compare", "flores", "--restitution", "0.1,,0.5"], ["--restitution"]),
    "compare with a trailing comma": (["compare", "flores", "--restitution", "0.1,"], ["--restitution"]),
    # oblique
    "oblique without bodies": ([*BASE, "--angle", "30", "--friction", "0.1"], ["--radius"]),
    "oblique without friction": ([*BASE, *Oblique.BALL, "--angle", "30"], ["--friction"]),
    "oblique with two directions": ([*BASE, *Oblique.BALL, "--angle", "30", "--tangential-speed", "1",
        "--friction", "0.1"],
                                    ["--angle", "--tangential-speed"]),
    "angle of 90 degrees": ([*BASE, *Oblique.BALL, "--angle", "90", "--friction", "0.1"], ["--angle"]),
    "angle negative": ([*BASE, *Oblique.BALL, "--angle", "-5", "--friction", "0.1"], ["--angle"]),
    "angle in metres": ([*BASE, *Oblique.BALL, "--angle", "5 m", "--friction", "0.1"], ["--angle"]),
    "friction negative": ([*BASE, *Oblique.BALL, "--angle", "5", "--friction", "-0.1"], ["--friction"]),
    "spin in hertz": ([*BASE, *Oblique.BALL, "--spin", "10 Hz", "--friction", "0.1"], ["--spin"]),
    "normal law as tangential law": ([*BASE, *Oblique.BALL, "--angle", "5", "--friction", "0.1",
        "--tangential", "hertz"],
                                     ["--tangential", "hertz"]),
    "unknown tangential law": ([*BASE, *Oblique.BALL, "--angle", "5", "--friction", "0.1", "--tangential", "mindlim"],
                               ["--tangential", "mindlim"]),
    # output
    "points too few": ([*BASE, "--csv", "-", "--points", "7"], ["--points"]),
    "points not whole": ([*BASE, "--csv", "-", "--points", "8.5"], ["--points"]),
    "points absurd": ([*BASE, "--csv", "-", "--points", "1e12"], ["--points"]),
    "points garbage": ([*BASE, "--csv", "-", "--points", "many"], ["--points"]),
    "plot of an unknown kind": ([*BASE, "--plot", "a.bmp"], ["--plot", "svg"]),
    "plot without a name": ([*BASE, "--plot", ".svg"], ["--plot"]),
    "json and csv on one stream": ([*BASE, "--json", "--csv", "-"], ["--json", "--csv"]),
}

# texts that are no positive quantity of any kind
NO_NUMBERS = {"empty": "", "blank": "  ", "word": "fast", "trailing garbage": "0.5x", "half an exponent": "1e",
              "half a signed exponent": "1e+", "hexadecimal": "0x10", "hexadecimal float": "0x1p3", "nan": "nan",
              "nan with payload": "nan(1)", "inf": "inf", "infinity": "-infinity", "two numbers": "1 2",
              "comma": "0,5", "two points": "1.2.3", "sign only": "-", "point only": ".", "overflow": "1e400",
              "underscore": "1_000", "underflow": "1e-400", "zero": "0", "negative zero": "-0", "negative": "-1",
              "tiny negative": "-1e-300", "absurd": "1e300", "newline": "1\n2", "escape": "1\x1b[31m",
              "long": "9" * 5000, "format": "%s%n%d", "unknown unit": "3 parsnips", "shell": "$(id)",
              "unit alone": "mm", "unit without end": "3 m/", "unit with an open bracket": "3 (m",
              "unit with a wild power": "3 m^999", "date": "3 s since 1970-01-01", "celsius": "3 degC",
              "no utf8": b"3 \xff\xfe"}

for option in ("--speed", "--mass", "--stiffness"):
    for name, value in NO_NUMBERS.items():
        WRONG[f"{option[2:]} {name}"] = (with_number(option, value), [option])
    for value in ("3 s2", "3 Pa", "3 Hz", "3 rad"):
        WRONG[f"{option[2:]} in {value[2:]}"] = (with_number(option, value), [option, value])
WRONG["speed in kilograms"] = (with_number("--speed", "3 kg"), ["--speed", "kg", "m/s"])
WRONG["mass in metres"] = (with_number("--mass", "3 m"), ["--mass", "kg"])
for option in ("--restitution", "--exponent", "--radius", "--young", "--poisson", "--density", "--length",
               "--friction"):
    for name in ("empty", "trailing garbage", "half an exponent", "hexadecimal", "nan", "inf", "unknown unit",
                 "newline", "absurd"):
        if option != "--restitution" or name != "absurd":
            WRONG[f"{option[2:]} {name}"] = (["impact", "flores", option, NO_NUMBERS[name]], [option])


class WrongUse(ScreeTest):
    """Status 2, nothing on standard output, one sentence that names the culprit."""

    @classmethod
    def setUpClass(cls):
        cls.jobs = Jobs({name: arguments for name, (arguments, words) in WRONG.items()})


def check_wrong(test, name):
    arguments, words = WRONG[name]
    test.one_sentence(test.jobs.result(name), arguments, words)


add_tests(WrongUse, WRONG, check_wrong)


class HostileInput(ScreeTest):
    def test_any_bytes_in_any_place(self):
        hostile = ["\x07", "%n%n%n%n", "../../../etc/passwd", "A" * 4096, "\u202e", "💥", "'; rm -rf /", "--", "-", "=",
                   b"\x80\xff"]
        shapes = (["{}"], ["impact", "{}"], ["show", "{}"], ["impact", "flores", "--restitution", "{}"],
                  ["impact", "schaefer", "--set", "{}"], [*BASE, "--separation", "{}"], ["models", "--group", "{}"],
                  ["line", "cyl_goldsmith", "--overlap", "1e-6", "--variant", "{}"],
                  ["compare", "flores", "--restitution", "{}"])
        table = {}
        for i, text in enumerate(hostile):
            for j, shape in enumerate(shapes):
                if text != "--" or shape != ["{}"]:
                    table[i, j] = [text if piece == "{}" else piece for piece in shape]
        jobs = Jobs(table)
        for key, arguments in table.items():
            with self.subTest(arguments=shown(arguments)):
                self.one_sentence(jobs.result(key), arguments)


# ---- streams --------------------------------------------------------------------------------------------------------

class Streams(ScreeTest):
    VERBOSE = (["impact", "flores", "--restitution", "0.5"], ["models"], ["models", "--json"], ["show", "flores"],
               ["compare", "flores"], ["exact", "--restitution", "0.5"], ["line", "cyl_johnson", "--overlap", "1e-6"],
               ["calibrate", "tsuji", "--restitution", "0.5"], ["--help"], ["impact", "--help"],
               ["impact", "flores", "--restitution", "0.5", "--csv", "-"])

    def test_no_escape_codes_away_from_a_terminal(self):
        for arguments in self.VERBOSE:
            self.assertNotIn("\x1b", self.ok(*arguments), shown(arguments))

    def on_terminal(self, *arguments, **more):
        try:
            master, slave = pty.openpty()
        except OSError as error:
            self.fail(f"no pseudo-terminal to test on (is devpts mounted?): {error}")
        child = subprocess.Popen([SCREE, *arguments], stdin=slave, stdout=slave, stderr=slave, env=environment(**more))
        os.close(slave)
        text, end = b"", time.monotonic() + SECONDS
        while time.monotonic() < end and select.select([master], [], [], SECONDS)[0]:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            text += piece
        os.close(master)
        self.assertEqual(child.wait(SECONDS), 0)
        return text.decode()

    def test_no_color_is_honoured_on_a_terminal(self):
        for arguments in (["models"], ["show", "flores"], ["compare", "flores"]):
            self.assertIn("\x1b[1m", self.on_terminal(*arguments))
            self.assertNotIn("\x1b", self.on_terminal(*arguments, NO_COLOR="1"))
            self.assertNotIn("\x1b", self.on_terminal(*arguments, "--json"))

    def test_a_full_disk_is_a_failure(self):
        for arguments in self.VERBOSE:
            with open("/dev/full", "w") as full:
                run = subprocess.run([SCREE, *arguments], stdout=full, stderr=subprocess.PIPE, timeout=SECONDS,
                                     env=environment())
            self.assertEqual(run.returncode, 1, shown(arguments))
            self.assertEqual(run.stderr.count(b"\n"), 1, run.stderr)
            self.assertIn(b"space", run.stderr.lower())

    def test_a_closed_pipe_is_no_success(self):
        for arguments in self.VERBOSE:
            for ignored in (True, False):
                reader, writer = os.pipe()
                os.close(reader)
                run = subprocess.run([SCREE, *arguments], stdout=writer, stderr=subprocess.PIPE, timeout=SECONDS,
                                     env=environment(), preexec_fn=lambda: signal.signal(
                                         signal.SIGPIPE, signal.SIG_IGN if ignored else signal.SIG_DFL),
                                     restore_signals=False)
                os.close(writer)
                self.assertIn(run.returncode, (1,) if ignored else (1, -signal.SIGPIPE), shown(arguments))

    def test_closed_standard_output(self):
        run = subprocess.run(["/bin/sh", "-c", 'exec "$0" models >&-', SCREE], stderr=subprocess.PIPE, timeout=SECONDS)
        self.assertEqual(run.returncode, 1, run.stderr)

    def test_a_file_that_cannot_be_written_is_named(self):
        for path in ("/nonexistent/course.csv", "/dev/full", "/proc/course.csv"):
            run = scree(*BASE, "--csv", path)
            self.one_sentence(run, BASE, [path], code=1)

    def test_a_failed_write_leaves_the_old_file(self):
        with tempfile.TemporaryDirectory() as folder:
            old = Path(folder, "course.csv")
            old.write_text("old\n")
            run = scree("impact", "flores", "--restitution", "7", "--csv", str(old))
            self.assertEqual(run.code, 2)
            self.assertEqual(old.read_text(), "old\n")
            self.assertEqual(os.listdir(folder), ["course.csv"])

    def test_two_runs_print_the_same_bytes(self):
        for arguments in self.VERBOSE:
            self.assertEqual(self.ok(*arguments), self.ok(*arguments))


# ---- the end --------------------------------------------------------------------------------------------------------

if __name__ == "__main__":
    main()
