#!/usr/bin/python3
"""record-work.py SCREE [--check] [TEMPLATE...]: runs every template, or those named, and counts its work: steps, and the sums of grains and contacts over
them. Writes examples/work.csv, by which the forecasts of `scree check` are judged; with --check the file is compared, not
written, and a template that has changed by more than a tenth is told. Takes some minutes."""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "examples" / "work.csv"
COLUMNS = ["template", "settings", "steps", "grain_steps", "contact_steps"]
LINES = 2000  # of the log: contacts come and go with what shakes them


def arguments(row):
    return [word for setting in row["settings"].split("; ") if setting for word in ("--set", setting)]


def count(scree, row):
    """One template, run to its end."""
    scene = ROOT / "examples" / row["template"]
    steps = json.loads(subprocess.run([scree, "check", scene, "--json", *arguments(row)], check=True, capture_output=True).stdout)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([scree, "run", scene, "-o", f"{folder}/run", *arguments(row), "--set", f"run.log.every={steps['duration'] / LINES}",
                        "--set", "run.output={format: none, picture: no}", "--set", "run.checkpoint.every=none"],
                       check=True, capture_output=True)
        with open(f"{folder}/run/log.csv", newline="") as stream:
            rows = [{key: float(row[key]) for key in ("step", "particles", "contacts")} for row in csv.DictReader(stream)]
    pairs = list(zip(rows, rows[1:]))
    sums = {key: sum((b["step"] - a["step"]) * (a[key] + b[key]) / 2 for a, b in pairs) for key in ("particles", "contacts")}
    return {**row, "steps": int(rows[-1]["step"]), "grain_steps": f"{sums['particles']:.4g}", "contact_steps": f"{sums['contacts']:.4g}"}


def main():
    scree, check = sys.argv[1], "--check" in sys.argv[2:]
    with TABLE.open(newline="") as stream:
        known = list(csv.DictReader(stream))
    found, changed = [], 0
    names = [word for word in sys.argv[2:] if word != "--check"]
    for row in known:
        if names and row["template"] not in names:
            found.append(row)
            continue
        found.append(count(scree, row))
        off = {key: float(found[-1][key]) / float(row[key]) - 1 if float(row[key]) else 1 for key in COLUMNS[2:]}
        print(row["template"], *(f"{key} {found[-1][key]} ({off[key]:+.1%})" for key in off), flush=True)
        changed += any(abs(x) > 0.1 for x in off.values())
    if check:
        sys.exit(f"{changed} templates have changed: tools/record-work.py SCREE records them anew" if changed else 0)
    with TABLE.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)


if __name__ == "__main__":
    main()
