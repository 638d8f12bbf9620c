"""report.py: results as a table, as JSON, as CSV and as a picture."""

from __future__ import annotations

import csv
import datetime
import io
import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Sequence

from cases import Case
from codes import PEERS, Sample, Variant
from verdict import Check, Speed

CODES = {**{key: peer.name for key, peer in PEERS.items()}, "scree": "scree"}


@dataclass
class Measured:
    """One code in one case."""
    speed: dict[int, Speed] = field(default_factory=dict)  # by cores
    variant: Variant | None = None
    sample: Sample | None = None  # of one core: memory and state
    checks: list[Check] = field(default_factory=list)
    missing: str = ""  # why it was not measured


@dataclass
class CaseResult:
    case: Case
    codes: dict[str, Measured] = field(default_factory=dict)

    def peers(self, cores: int) -> dict[str, Measured]:
        return {key: found for key, found in self.codes.items() if key != "scree" and cores in found.speed}

    def fastest_peer(self, cores: int) -> str | None:
        found = self.peers(cores)
        return max(found, key=lambda key: found[key].speed[cores].best) if found else None

    def ratio(self, peer: str, cores: int, kind: str) -> float | None:
        ours, theirs = self.codes.get("scree"), self.codes.get(peer)
        if not ours or not theirs or cores not in ours.speed or cores not in theirs.speed:
            return None
        return float(getattr(ours.speed[cores], kind) / getattr(theirs.speed[cores], kind))

    def scaling(self, key: str) -> float | None:
        speed = self.codes[key].speed if key in self.codes else {}
        return speed[2].best / speed[1].best if 1 in speed and 2 in speed else None

    @property
    def failures(self) -> list[tuple[str, Check]]:
        return [(key, check) for key, found in self.codes.items() for check in found.checks if not check.holds]


# ---- the machine ----------------------------------------------------------------------------------------------------

def first_match(pattern: str, text: str, otherwise: str) -> str:
    found = re.search(pattern, text, re.M)
    return found[1].strip() if found else otherwise


def machine() -> dict[str, Any]:
    info = Path("/proc/cpuinfo")
    text = info.read_text() if info.exists() else ""
    return {"processor": first_match(r"^model name\s*:(.*)$", text, platform.processor() or "unknown"),
            "cores": len(os.sched_getaffinity(0)), "system": f"{platform.system()} {platform.release()}",
            "date": datetime.date.today().isoformat()}


# ---- the table ------------------------------------------------------------------------------------------------------

def cell(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def goal_cell(value: float | None, goal: float) -> str:
    """What was measured, what was aimed at, and whether it was reached."""
    if goal <= 0:
        return cell(value)
    return f"{cell(value)} (goal {goal:g}: {'-' if value is None else 'met' if value >= goal else 'NOT met'})"


def layout(rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their widest cell; the first is flush left."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        first, *others = (f"{text:{'<' if i == 0 else '>'}{widths[i]}}" for i, text in enumerate(row))
        lines.append("  ".join([first, *others]).rstrip())
    return "\n".join(lines)


def speed_row(result: CaseResult, key: str) -> list[str]:
    found = result.codes[key]
    sample = found.sample or Sample([], 0)
    speeds = [found.speed.get(cores) for cores in (1, 2)]
    peak = sample.peak_bytes / 2**20 if sample.peak_bytes else None
    numbers = [number for speed in speeds for number in ((speed.best, speed.median) if speed else (None, None))]
    return [result.case.title, CODES[key], *(cell(number) for number in numbers), cell(result.scaling(key)),
            cell(sample.own_bytes, 0), cell(peak, 0), str(found.variant or found.missing)]


def speed_table(results: Sequence[CaseResult]) -> str:
    heading = ["case", "code", "1 core", "median", "2 cores", "median", "2 over 1", "bytes", "peak MB", "chosen"]
    return layout([heading, *(speed_row(result, key) for result in results for key in result.codes)])


def ratio_table(results: Sequence[CaseResult]) -> str:
    rows = [["case", "fastest peer", "1 core: best", "of medians", "2 cores", "scree's 2 threads over 1"]]
    for result in results:
        peer = result.fastest_peer(1)
        case = result.case
        if peer is None:
            rows.append([case.title, "none ran", "-", "-", "-", goal_cell(result.scaling("scree"), case.goal_threads)])
            continue
        two = result.fastest_peer(2)
        rows.append([case.title, CODES[peer], goal_cell(result.ratio(peer, 1, "best"), case.goal),
                     cell(result.ratio(peer, 1, "median")), cell(result.ratio(two, 2, "best") if two else None),
                     goal_cell(result.scaling("scree"), case.goal_threads)])
    return layout(rows)


def check_table(results: Sequence[CaseResult]) -> str:
    rows = [["case", "peer", "quantity", "scree", "peer's", "difference", "bound", ""]]
    for result in results:
        for key, found in result.codes.items():
            for check in found.checks:
                still = max(check.ours, check.theirs) < check.rest
                rows.append([result.case.title, CODES[key], check.quantity, f"{check.ours:.5g}", f"{check.theirs:.5g}",
                             f"{100 * check.difference:.2f} %", "at rest" if still else f"{100 * check.bound:g} %",
                             "same" if check.holds else "NOT THE SAME"])
    return layout(rows) if len(rows) > 1 else "no peer was compared"


def text(results: Sequence[CaseResult], versions: dict[str, str]) -> str:
    named = "; ".join(f"{CODES[key]} {version}" for key, version in versions.items())
    return "\n\n".join([
        f"Million particle-steps per second: processor's time on one core, the clock's on two. {named}.",
        speed_table(results), "Did they simulate the same? After the same steps from the same state:",
        check_table(results), "scree over the fastest peer:", ratio_table(results)])


# ---- files ----------------------------------------------------------------------------------------------------------

def code_json(found: Measured) -> dict[str, Any]:
    sample = found.sample
    return {"missing": found.missing or None, "chosen": str(found.variant) if found.variant else None,
            "speeds": [{"cores": cores, "clock": "processor" if cores == 1 else "wall", "mps_best": speed.best,
                        "mps_median": speed.median, "windows": speed.windows} for cores, speed in found.speed.items()],
            "particles": sample.particles if sample else None, "peak_bytes": sample.peak_bytes if sample else None,
            "own_bytes_per_particle": sample.own_bytes if sample else None, "state": sample.state if sample else {},
            "checks": [{"quantity": c.quantity, "scree": c.ours, "peer": c.theirs, "difference": c.difference,
                        "bound": c.bound, "rest": c.rest, "same": c.holds} for c in found.checks]}


def case_json(result: CaseResult) -> dict[str, Any]:
    case, peer = result.case, result.fastest_peer(1)
    ratio = result.ratio(peer, 1, "best") if peer else None
    scaling = result.scaling("scree")
    return {"case": case.name, "title": case.title, "timestep": float(case.timestep), "warm": case.schedule.warm,
            "steps": case.schedule.steps, "fastest_peer": peer, "ratio_best": ratio,
            "ratio_median": result.ratio(peer, 1, "median") if peer else None, "goal": case.goal,
            "goal_met": None if ratio is None else ratio >= case.goal, "threads_2_over_1": scaling,
            "goal_threads": case.goal_threads or None,
            "goal_threads_met": None if scaling is None or not case.goal_threads else scaling >= case.goal_threads,
            "same": not result.failures, "codes": {key: code_json(found) for key, found in result.codes.items()}}


def as_json(results: Sequence[CaseResult], versions: dict[str, str], rounds: int) -> dict[str, Any]:
    return {"machine": machine(), "versions": versions, "rounds": rounds, "cases": [case_json(r) for r in results]}


COLUMNS = ["case", "code", "cores", "clock", "mps_best", "mps_median", "scree_over_it", "chosen", "particles",
           "own_bytes_per_particle", "peak_bytes", "contacts_per_particle", "kinetic_translation", "kinetic_rotation",
           "mean_overlap"]


def csv_row(result: CaseResult, key: str, cores: int) -> dict[str, Any]:
    found = result.codes[key]
    speed, sample = found.speed[cores], found.sample or Sample([], 0)
    state = {name: f"{value:.6g}" for name, value in sample.state.items() if name != "particles"}
    return {"case": result.case.name, "code": key, "cores": cores, "clock": "processor" if cores == 1 else "wall",
            "mps_best": f"{speed.best:.4f}", "mps_median": f"{speed.median:.4f}",
            "scree_over_it": cell(result.ratio(key, cores, "best"), 3), "chosen": found.variant or "",
            "particles": sample.particles, "own_bytes_per_particle": cell(sample.own_bytes, 1),
            "peak_bytes": sample.peak_bytes or "", **state}


def as_csv(results: Sequence[CaseResult]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for result in results:
        for key, found in result.codes.items():
            writer.writerows(csv_row(result, key, cores) for cores in found.speed)
    return out.getvalue()


# ---- the picture ----------------------------------------------------------------------------------------------------

PLOT = """set terminal svg size 1000,460 font "sans,13" background "white"
set output "{output}"
set style data histogram
set style histogram clustered gap 1.2
set style fill solid 0.9 noborder
set boxwidth 0.95
set yrange [0:*]
set offsets 0,0,graph 0.08,0
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror
set xtics rotate by -18
set key top left Left reverse samplen 1.5
set ylabel "million particle-steps per second, one core"
set datafile missing "-"
plot {series}, \\
  "{data}" using ($0+0.28):{scree}:{label} with labels offset 0,0.7 font ",12" notitle
"""
COLOURS = {"lammps": "#9db4c8", "liggghts": "#c9b79c", "scree": "#b3412e"}


def plot_data(results: Sequence[CaseResult]) -> str:
    """A row per case: its title, each code's best speed on one core, the ratio to the fastest peer."""
    lines = []
    for result in results:
        peer = result.fastest_peer(1)
        ratio = result.ratio(peer, 1, "best") if peer else None
        speeds = [found.speed[1].best if found and 1 in found.speed else None
                  for found in (result.codes.get(key) for key in CODES)]
        lines.append(f'"{result.case.title}" ' + " ".join(cell(s, 4) for s in speeds)
                     + (f' "{ratio:.1f}x"' if ratio else ' ""'))
    return "\n".join(lines) + "\n"


def plot(results: Sequence[CaseResult], folder: Path) -> str | None:
    """Writes peers.dat, peers.gp and peers.svg; a sentence when it cannot."""
    data, script, picture = (folder / f"peers.{end}" for end in ("dat", "gp", "svg"))
    data.write_text(plot_data(results))
    keys = list(CODES)
    series = ", ".join(f'"{data.name}" using {i}:xtic(1) title "{CODES[key]}" lc rgb "{COLOURS[key]}"'
                       for i, key in enumerate(keys, 2))
    script.write_text(PLOT.format(output=picture.name, series=series, data=data.name, scree=len(keys) + 1,
                                  label=len(keys) + 2))
    if not shutil.which("gnuplot"):
        return "no plot: gnuplot is not installed"
    done = subprocess.run(["gnuplot", script.name], cwd=folder, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else f"no plot: {done.stderr.strip()}"
