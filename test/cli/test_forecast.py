#!/usr/bin/python3
"""test_forecast.py SCREE [unittest options]: the work that `check` forecasts for each template against what its run really
was, counted: both are the same on every machine. examples/work.csv holds what was counted; tools/record-work.py counts
anew (make test-long compares)."""

import csv
from pathlib import Path

from support import ScreeTest, completed, main, parse_json

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
WITHIN = 1.5


class Work(ScreeTest):
    def forecast(self, row):
        settings = [word for text in row["settings"].split("; ") if text for word in ("--set", text)]
        done = completed("check", EXAMPLES / row["template"], "--json", *settings, seconds=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return parse_json(done.stdout)

    def test_forecast_work_is_within_a_factor_of_what_was_counted(self):
        with (EXAMPLES / "work.csv").open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        self.assertEqual(sorted(row["template"] for row in rows), sorted(p.parent.name for p in EXAMPLES.glob("*/scene.yaml")))
        for row in rows:
            with self.subTest(row["template"]):
                found = self.forecast(row)
                self.assertAlmostEqual(found["steps"] / int(row["steps"]), 1, places=6)
                for key in ("grain_steps", "contact_steps"):
                    ratio = found[key] / float(row[key])
                    self.assertTrue(1 / WITHIN < ratio < WITHIN, f"{key}: {found[key]:.4g} forecast, {row[key]} counted: {ratio:.2f}")
                self.assertLess(found["run_seconds_low"], found["run_seconds_high"])


if __name__ == "__main__":
    main()
