"""report.py: results as a table, as JSON, as CSV and as a picture."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Sequence

from cases import Case
from codes import PEERS, Sample, Variant, record
from verdict import Check, Placed, Speed

CODES = {**{key: peer.name for key, peer in PEERS.items()}, "scree": "scree"}


@dataclass
class Tried:
    """One variant of a peer: its speed and its state beside scree's, after the steps of a trial or of a whole run."""
    cores: int
    variant: Variant
    mps: float = 0.0
    checks: list[Check] = field(default_factory=list)
    missing: str = ""  # why it did not run

    @property
    def same(self) -> bool:
        return all(check.holds for check in self.checks)

    @property
    def largest(self) -> Check | None:
        """The check that is nearest to its bound, or farthest beyond it; none where all are at rest."""
        compared = [check for check in self.checks if not check.still]
        return max(compared, key=lambda check: check.difference / check.bound) if compared else None


@dataclass
class Measured:
    """One code in one case."""
    speed: dict[int, Speed] = field(default_factory=dict)  # by cores
    variants: dict[int, Variant] = field(default_factory=dict)  # by cores: the fastest of those that were measured
    sample: Sample | None = None  # of one core: memory and state
    checks: list[Check] = field(default_factory=list)
    missing: str = ""  # why it was not measured
    usual: Speed | None = None  # on one core, with the skin that decks usually have
    usual_variant: Variant | None = None
    apart: Speed | None = None  # two of it at a time, each on a core: both together
    placed: list[Placed] = field(default_factory=list)  # its windows on two threads
    tried: list[Tried] = field(default_factory=list)  # by a few steps
    finals: list[Tried] = field(default_factory=list)  # by whole runs: mps is the best window of all rounds

    @property
    def chosen(self) -> str:
        one, two = self.variants.get(1), self.variants.get(2)
        return "; ".join([*([str(one)] if one else []), *([f"on two {two}"] if two else [])])


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

    def scaling(self, key: str, kind: str = "best") -> float | None:
        speed = self.codes[key].speed if key in self.codes else {}
        return float(getattr(speed[2], kind) / getattr(speed[1], kind)) if 1 in speed and 2 in speed else None

    def apart_scaling(self) -> float | None:
        """What two cores give scree at all: two runs at a time over one."""
        ours = self.codes.get("scree")
        return ours.apart.best / ours.speed[1].best if ours and ours.apart and 1 in ours.speed else None

    def usual_ratio(self, kind: str) -> float | None:
        """Over the first peer at its usual skin, on one core."""
        ours, theirs = self.codes.get("scree"), self.codes.get(self.case.first_peer)
        if not ours or not theirs or not theirs.usual or 1 not in ours.speed:
            return None
        return float(getattr(ours.speed[1], kind) / getattr(theirs.usual, kind))

    @property
    def failures(self) -> list[tuple[str, Variant, Check]]:
        return [(key, tried.variant, check) for key, found in self.codes.items() for tried in [*found.tried, *found.finals]
                for check in tried.checks if not check.holds]


# ---- the table ------------------------------------------------------------------------------------------------------

def cell(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def is_met(value: float | None, goal: float | None) -> bool | None:
    """None: nothing was measured, or nothing is aimed at."""
    return None if value is None or not goal else value >= goal


def goal_cell(value: float | None, goal: float | None) -> str:
    """What was measured, what was aimed at, and whether it was reached."""
    if not goal:
        return cell(value)
    return f"{cell(value)} (goal {goal:g}: { {None: '-', True: 'met', False: 'NOT met'}[is_met(value, goal)]})"


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
    peak = sample.peak_bytes / 1e6 if sample.peak_bytes else None
    numbers = [number for speed in speeds for number in ((speed.best, speed.median) if speed else (None, None))]
    return [result.case.title, CODES[key], *(cell(number) for number in numbers), cell(result.scaling(key)),
            cell(sample.own_bytes, 0), cell(peak, 0), found.chosen or found.missing]


def speed_table(results: Sequence[CaseResult]) -> str:
    heading = ["case", "code", "1 core", "median", "2 cores", "median", "2 over 1", "bytes", "peak MB", "chosen"]
    return layout([heading, *(speed_row(result, key) for result in results for key in result.codes)])


def ratio_table(results: Sequence[CaseResult]) -> str:
    """Whether goals are met is told of the fastest peer at its fastest skin first; then of the usual skin."""
    rows = [["case", "fastest peer", "its fastest variant", "of medians", "usual skin", "over its 2 cores", "scree's 2 over 1",
             "of medians", "the peer's", "two lone runs over 1"]]
    for result in results:
        peer, two, case = result.fastest_peer(1), result.fastest_peer(2), result.case
        threads = goal_cell(result.scaling("scree"), case.goal_threads)
        if peer is None:
            rows.append([case.title, "none ran", "-", "-", "-", "-", threads, cell(result.scaling("scree", "median")), "-",
                         cell(result.apart_scaling())])
            continue
        usual = goal_cell(result.usual_ratio("best"), case.goal)
        named = f"{CODES[case.first_peer]} " if case.first_peer != peer else ""
        rows.append([case.title, CODES[peer], goal_cell(result.ratio(peer, 1, "best"), case.goal),
                     cell(result.ratio(peer, 1, "median")), named + usual,
                     cell(result.ratio(two, 2, "best") if two else None), threads,
                     cell(result.scaling("scree", "median")), cell(result.scaling(peer)), cell(result.apart_scaling())])
    return layout(rows)


def verdicts(results: Sequence[CaseResult]) -> str:
    """How many goals are met, which are not, and how many nobody measured."""
    goals = [(f"{r.case.title}, {what}", is_met(value, goal)) for r in results for what, value, goal in (
        ("one core", r.ratio(r.fastest_peer(1) or "", 1, "best"), r.case.goal),
        ("two threads", r.scaling("scree"), r.case.goal_threads)) if goal]
    met, missed, unknown = ([name for name, is_so in goals if is_so is so] for so in (True, False, None))
    return (f"Goals met: {len(met)} of {len(met) + len(missed)}" + (f"; NOT met: {'; '.join(missed)}" if missed else "")
            + (f"; not measured: {len(unknown)} more" if unknown else "") + ".")


def check_table(results: Sequence[CaseResult]) -> str:
    rows = [["case", "peer", "quantity", "scree", "peer's", "difference", "bound", ""]]
    for result in results:
        for key, found in result.codes.items():
            for check in found.checks:
                rows.append([result.case.title, CODES[key], check.quantity, f"{check.ours:.5g}", f"{check.theirs:.5g}",
                             "-" if check.still else f"{100 * check.difference:.2f} %", "at rest" if check.still else f"{100 * check.bound:g} %",
                             "same" if check.holds else "NOT THE SAME"])
    return layout(rows) if len(rows) > 1 else "no peer was compared"


def tried_table(results: Sequence[CaseResult]) -> str:
    """How many variants of each peer there were, which won and by how much, and how near to scree's their states are."""
    rows = [["case", "peer", "cores", "fastest", "the next", "slower by", "tried", "not the same", "did not run", "largest difference"]]
    for result in results:
        for key, found in result.codes.items():
            for cores, winner in found.variants.items():
                rows.append([result.case.title, CODES[key], str(cores), str(winner), *tried_cells(found, cores, winner)])
    return layout(rows)


def tried_cells(found: Measured, cores: int, winner: Variant) -> list[str]:
    """The next is one that was measured in all rounds, or else one that was only tried."""
    tried, finals = ([one for one in those if one.cores == cores] for those in (found.tried, found.finals))
    others = [one for one in finals if one.variant != winner]
    scale, those = (found.speed[cores].best, others) if others else (max((one.mps for one in tried), default=0.0), [
        one for one in tried if one.variant != winner and one.mps and one.same])
    second = max(those, key=lambda one: one.mps, default=None)
    far = max((one.largest for one in [*tried, *finals] if one.largest), key=lambda c: c.difference / c.bound, default=None)
    return [str(second.variant) if second else "-", f"{100 * max(0.0, 1 - second.mps / scale):.0f} %" if second else "-",
            str(len(tried) or len(finals)), str(sum(not one.same for one in tried + finals)),
            str(sum(bool(one.missing) for one in tried)),
            f"{far.quantity} {100 * far.difference:.2g} % of {100 * far.bound:g}" if far else "-"]


def text(results: Sequence[CaseResult], versions: dict[str, str], quick: bool = False) -> str:
    skins = ("A quick look: one short round on one core, peers by the first variant that is listed for them, no others tried. scree\n"
             "over the fastest peer:" if quick else
             "scree over the fastest peer on one core: by its fastest variant of those tried, which the goals are about; and at the\n"
             "skin that decks usually have. Two lone runs: scree twice at a time, each on a core of its own, which is what two cores\n"
             "of this machine give at all:")
    named = "; ".join(f"{CODES[key]} {version}" for key, version in versions.items())
    return "\n\n".join([
        f"Million particle-steps per second: processor's time on one core, the clock's on two. {named}.",
        speed_table(results), "Did they simulate the same? After the same steps from the same state; overlaps in m, energies in J; at rest: both are\n"
        "too small to be compared (bench/peers/cases.py has the bounds):",
        check_table(results),
        "What was tried of each peer, by short runs but for those that are measured above, each beside scree's state after the same steps:",
        tried_table(results),
        skins, ratio_table(results), verdicts(results)])


# ---- files ----------------------------------------------------------------------------------------------------------

def code_json(found: Measured) -> dict[str, Any]:
    sample, usual, apart = found.sample, found.usual, found.apart
    one, two = found.speed.get(1), found.speed.get(2)
    return {"missing": found.missing or None, "chosen": str(found.variants[1]) if 1 in found.variants else None,
            "speeds": [{"cores": cores, "clock": "processor" if cores == 1 else "wall", "mps_best": speed.best,
                        "mps_median": speed.median, "windows": speed.windows,
                        "chosen": str(found.variants[cores]) if cores in found.variants else None}
                       for cores, speed in found.speed.items()],
            "cores_2_over_1": two.best / one.best if one and two else None,
            "usual": None if not usual else {"chosen": str(found.usual_variant), "mps_best": usual.best,
                                             "mps_median": usual.median, "windows": usual.windows},
            "apart": None if not apart else {"clock": "wall", "mps_best": apart.best, "mps_median": apart.median,
                                             "windows": apart.windows},
            "placed": [{"core_round_trip_ns": round(p.nanoseconds, 1), "mps": p.mps} for p in found.placed],
            "particles": sample.particles if sample else None, "peak_bytes": sample.peak_bytes if sample else None,
            "own_bytes_per_particle": sample.own_bytes if sample else None, "state": sample.state if sample else {},
            "checks": [{"quantity": c.quantity, "scree": c.ours, "peer": c.theirs, "difference": c.difference,
                        "bound": c.bound, "rest": c.rest, "same": c.holds} for c in found.checks],
            "tried": [tried_json(one) for one in found.tried], "measured": [tried_json(one) for one in found.finals]}


def tried_json(one: Tried) -> dict[str, Any]:
    """Of its checks what has the largest share of its bound."""
    far = one.largest
    return {"cores": one.cores, "variant": str(one.variant) if one.variant else None, "mps": one.mps or None,
            "missing": one.missing or None, "same": one.same if one.checks else None,
            "largest_difference": {"quantity": far.quantity, "difference": far.difference, "bound": far.bound} if far else None}


def case_json(result: CaseResult) -> dict[str, Any]:
    case, peer, two = result.case, result.fastest_peer(1), result.fastest_peer(2)
    ratio, usual, scaling = result.ratio(peer or "", 1, "best"), result.usual_ratio("best"), result.scaling("scree")
    return {"case": case.name, "title": case.title, "timestep": float(case.timestep), "warm": case.schedule.warm,
            "steps": case.schedule.steps, "fastest_peer": peer, "ratio_best": ratio,
            "ratio_median": result.ratio(peer or "", 1, "median"), "goal": case.goal, "goal_met": is_met(ratio, case.goal),
            "usual_peer": case.first_peer if usual else None, "ratio_usual_best": usual,
            "ratio_usual_median": result.usual_ratio("median"), "goal_met_usual": is_met(usual, case.goal),
            "fastest_peer_2": two, "ratio_2_best": result.ratio(two or "", 2, "best"),
            "threads_2_over_1": scaling, "threads_2_over_1_median": result.scaling("scree", "median"), "apart_2_over_1": result.apart_scaling(), "goal_threads": case.goal_threads or None,
            "goal_threads_met": is_met(scaling, case.goal_threads),
            "same": not result.failures, "codes": {key: code_json(found) for key, found in result.codes.items()}}


def as_json(results: Sequence[CaseResult], versions: dict[str, str], rounds: int,
            remark: str | None = None) -> dict[str, Any]:
    own = any(not PEERS[key].is_packaged for key in versions)
    return {"machine": record.machine(), "rules": f"{RULES}, own builds" if own else RULES, "versions": versions, "rounds": rounds, "remark": remark,
            "cases": [case_json(r) for r in results]}


HISTORY = ["run", "date", "processor", "rules", "case", "title", "one_core", "goal", "two_threads", "goal_threads"]
RULES = "searched"  # how peers' variants are found, since ratios of other rules do not compare


def history_with(earlier: str, whole: dict[str, Any]) -> str:
    """The ratios of all whole runs so far, one more at the end: one run says little on a machine that others use."""
    rows = list(csv.DictReader(io.StringIO(earlier)))
    number = int(rows[-1]["run"]) + 1 if rows else 1
    for case in whole["cases"]:  # with all digits: 1.8499 is not 1.85
        rows.append({"run": number, "date": whole["machine"]["date"], "processor": whole["machine"]["processor"],
                     "rules": whole["rules"], "case": case["case"], "title": case["title"],
                     "one_core": case["ratio_best"], "goal": case["goal"],
                     "two_threads": case["threads_2_over_1"], "goal_threads": case["goal_threads"]})
    out = io.StringIO()
    writer = csv.DictWriter(out, HISTORY, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


COLUMNS = ["case", "code", "cores", "clock", "skin", "mps_best", "mps_median", "scree_over_it", "cores_2_over_1", "chosen",
           "particles",
           "own_bytes_per_particle", "peak_bytes", "contacts_per_particle", "kinetic_translation", "kinetic_rotation",
           "mean_overlap"]


def csv_row(result: CaseResult, key: str, cores: int, usual: bool = False) -> dict[str, Any]:
    """skin: the fastest of those tried or the usual one, of peers; scree's is its own."""
    found = result.codes[key]
    speed = found.usual if usual and found.usual else found.speed[cores]
    sample, variant = found.sample or Sample([], 0), found.usual_variant if usual else found.variants.get(cores)
    ratio = result.usual_ratio("best") if usual else result.ratio(key, cores, "best")
    state = {name: f"{value:.6g}" for name, value in sample.state.items() if name != "particles"}
    return {"case": result.case.name, "code": key, "cores": cores, "clock": "processor" if cores == 1 else "wall",
            "skin": "own" if key == "scree" else "usual" if usual else "fastest",
            "mps_best": f"{speed.best:.4f}", "mps_median": f"{speed.median:.4f}", "scree_over_it": cell(ratio, 3),
            "cores_2_over_1": cell(result.scaling(key), 3) if cores == 2 else "", "chosen": variant or "",
            "particles": sample.particles, "own_bytes_per_particle": cell(sample.own_bytes, 1),
            "peak_bytes": sample.peak_bytes or "", **state}


def as_csv(results: Sequence[CaseResult]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for result in results:
        for key, found in result.codes.items():
            writer.writerows(csv_row(result, key, cores) for cores in found.speed)
            if found.usual:
                writer.writerow(csv_row(result, key, 1, usual=True))
    return out.getvalue()


# ---- the picture ----------------------------------------------------------------------------------------------------

# Two rows of columns: speeds on one core, and two cores over one where that was measured. The last column of the first is a label; over
# scree's columns of the second a short line is the goal and a ring what two runs that know nothing of each other give.
PLOT = """set terminal svg size 1000,{height} font "sans,13" background "white"
set output "{output}"
set multiplot
set style data histogram
set style histogram clustered gap 1.2
set style fill solid 0.9 noborder
set boxwidth 0.95
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror
set datafile missing "-"
set lmargin 9
set origin 0,{bottom}
set size 1,{share}
set yrange [0:*]
set offsets 0,0,graph 0.08,0
set xtics rotate by -18
set key top left Left reverse samplen 1.5
set ylabel "million particle-steps per second, one core"
plot {speeds}, \\
  "{data}" using ($0+0.28):{scree}:{label} with labels offset 0,0.7 font ",12" notitle
{second}unset multiplot
"""
SECOND = """set origin 0,0
set size 1,0.42
set yrange [0:2.6]
set offsets 0,0,0,0
set key above left Left reverse horizontal samplen 1.5
set format x ""
set ylabel "two cores over one"
plot {twos}, \\
  "{data}" using ($0+0.14):{goal}:(0.28):(0) with vectors nohead lw 2 lc rgb "black" title "goal", \\
  "{data}" using ($0+0.28):{apart} with points pt 6 ps 0.9 lw 1.5 lc rgb "black" title "two lone runs of scree"
"""
COLOURS = {"lammps": "#9db4c8", "lammps_own": "#5d7f9e", "liggghts": "#c9b79c", "liggghts_own": "#97825f", "scree": "#b3412e"}


def plotted(results: Sequence[CaseResult]) -> list[str]:
    """The packages always, builds of the user's own where there are any."""
    there = {key for result in results for key in result.codes}
    return [key for key in CODES if key == "scree" or key in there or PEERS[key].is_packaged]


def plot_data(results: Sequence[CaseResult]) -> str:
    """A row per case: its title, each code's best speed on one core, the ratio to the fastest peer; each code's two cores
    over one, scree's goal for that, two lone runs of scree over one."""
    lines = []
    for result in results:
        peer = result.fastest_peer(1)
        ratio = result.ratio(peer, 1, "best") if peer else None
        speeds = [found.speed[1].best if found and 1 in found.speed else None
                  for found in (result.codes.get(key) for key in plotted(results))]
        twos = [result.scaling(key) for key in plotted(results)]
        lines.append(" ".join([f'"{result.case.title}"', *(cell(s, 4) for s in speeds), f'"{ratio:.2f}x"' if ratio else '""',
                               *(cell(s, 3) for s in twos), cell(result.case.goal_threads or None), cell(result.apart_scaling(), 3)]))
    return "\n".join(lines) + "\n"


def columns_of(keys: Sequence[str], data: str, first: int, titles: bool) -> str:
    """The codes' columns of a plot."""
    return ", ".join(f'"{data}" using {i}:xtic(1) {f"""title "{CODES[key]}" """ if titles else "notitle "}'
                     f'lc rgb "{COLOURS[key]}"' for i, key in enumerate(keys, first))


def plot(results: Sequence[CaseResult], folder: Path) -> str | None:
    """Writes peers.dat, peers.gp and peers.svg; a sentence when it cannot."""
    data, script, picture = (folder / f"peers.{end}" for end in ("dat", "gp", "svg"))
    data.write_text(plot_data(results))
    keys = plotted(results)
    label, both = len(keys) + 2, any(result.scaling(key) for result in results for key in keys)
    second = SECOND.format(twos=columns_of(keys, data.name, label + 1, False), data=data.name, goal=label + len(keys) + 1,
                           apart=label + len(keys) + 2)
    script.write_text(PLOT.format(output=picture.name, data=data.name, speeds=columns_of(keys, data.name, 2, True), scree=label - 1,
                                  label=label, height=760 if both else 460, bottom=0.42 if both else 0,
                                  share=0.58 if both else 1, second=second if both else ""))
    if not shutil.which("gnuplot"):
        return "no plot: gnuplot is not installed"
    done = subprocess.run(["gnuplot", script.name], cwd=folder, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else f"no plot: {done.stderr.strip()}"
