#!/usr/bin/python3
"""`scree verify` as a user runs it. Argument: path of scree."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

SCREE = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "scree"


def run(*arguments, **options):
    return subprocess.run([SCREE, *arguments], capture_output=True, text=True, timeout=1800, **options)


class Verify(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The longest suite of the laws once, as JSON and as a report."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.html")
            cls.laws = run("verify", "laws", "--json", "--report", path)
            cls.written = os.listdir(folder)
            with open(path, encoding="utf-8") as file:
                cls.page = file.read()

    def test_the_tables_are_green_and_count(self):
        # all suites at once, with their report, are a command of the README, which its test runs
        text = ""
        for suite in ("laws", "line", "exact", "oblique", "batch", "reference", "dem.contact"):
            result = run("verify", suite)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            self.assertNotIn("FAIL", result.stdout)
            self.assertRegex(result.stdout, r"\d+ checks over \d+ cases in [\d.]+ s: \d+ passed, 0 failed")
            text += result.stdout
        for oracle in ("closed form", "energy balance", "independent integrator", "limits", "similarity",
                       "speed dependence", "continuity", "conventions", "reference values"):
            self.assertIn(oracle, text)

    def test_json_has_every_check_with_its_worst_case(self):
        report = json.loads(self.laws.stdout)
        self.assertEqual(report["failed"], 0)
        self.assertEqual(report["passed"], len(report["checks"]))
        laws = {c["subject"] for c in report["checks"] if c["oracle"] == "energy balance"}
        names = {m["id"] for m in json.loads(run("models", "--json").stdout) if m["group"] != "tangential"}
        self.assertEqual(laws, names)
        for check in report["checks"]:
            self.assertTrue(check["passed"])
            self.assertLessEqual(check["worst"], check["limit"])
            self.assertGreater(check["cases"], 0)
            self.assertTrue(check["worst_case"])

    def test_all_rows(self):
        short, long = run("verify", "line").stdout, run("verify", "line", "--all").stdout
        self.assertGreater(long.count("\n"), short.count("\n"))
        self.assertIn("cyl_persson", long)

    def test_the_report_is_one_self_contained_page(self):
        self.assertEqual((self.laws.returncode, self.written), (0, ["report.html"]), self.laws.stderr)
        page = self.page
        self.assertTrue(page.startswith("<!doctype html>"))
        self.assertGreater(page.count("<svg"), 10)
        self.assertIn("0 failed", page)
        self.assertFalse(re.search(r"(src|href)=[\"']?https?://(?!www\.w3\.org)", page), "needs the network")
        self.assertNotIn("<script", page)
        names = re.findall(r"\bid=[\"']([^\"']+)[\"']", page)
        self.assertEqual(len(names), len(set(names)), "ids of the drawings collide")

    def test_without_gnuplot_the_report_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.html")
            run("verify", "line", "--report", path, env={"PATH": folder})
            with open(path, encoding="utf-8") as file:
                self.assertIn("figures are left out", file.read())

    def test_wrong_use(self):
        for arguments, word in ((["nonsense"], "laws"), (["laws", "line"], "line"), (["--jason"], "jason")):
            result = run("verify", *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertEqual(result.stdout, "")
            self.assertEqual(len(result.stderr.strip().splitlines()), 1)
            self.assertIn(word, result.stderr)

    def test_standard_output_holds_one_document(self):
        result = run("verify", "exact", "--json", "--report", "-")
        self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1), result.stderr)
        for word in ("--json", "--report -"):
            self.assertIn(word, result.stderr)
        with tempfile.TemporaryDirectory() as folder:
            page = run("verify", "exact", "--report", "-", env={"PATH": folder}).stdout
        self.assertTrue(page.startswith("<!doctype html>") and page.rstrip().endswith("</html>"), page[:80] + page[-80:])

    def test_an_unwritable_report(self):
        result = run("verify", "exact", "--report", "/nonexistent/report.html")
        self.assertEqual(result.returncode, 1)
        self.assertIn("report.html", result.stderr)


if __name__ == "__main__":
    outcome = unittest.main(argv=sys.argv[:1], exit=False).result
    failed = len(outcome.failures) + len(outcome.errors)
    print(f"{outcome.testsRun - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
