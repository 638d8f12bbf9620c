#!/usr/bin/env python3
"""tables.py [--check] PAGE...: puts recorded results into pages as tables.

Between `<!-- recorded: NAME -->` and `<!-- end -->` of a page stands what bench/results/NAME.json says, or NAME.csv;
nothing there is written by hand. --check writes nothing and fails where a page says something else."""

from __future__ import annotations

import argparse
import csv
import json
import re
import statistics
import sys
from pathlib import Path
from typing import Any, Callable, Sequence

import record

RESULTS = Path(__file__).resolve().parent / "results"
CODES = {"scree": "scree", "lammps": "LAMMPS", "lammps_own": "LAMMPS (own build)", "liggghts": "LIGGGHTS",
         "liggghts_own": "LIGGGHTS (own build)", None: "none"}


def number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def judged(value: float | None, goal: float | None, met: bool | None) -> str:
    """What was measured, and whether that is what was aimed at."""
    if not goal:
        return f"{number(value)} (no goal)"
    digits = 2 if value is None or met is not False or round(value, 2) < goal else 4  # 1.849 is not 1.85
    return f"{number(value, digits)} ({'not measured' if met is None else 'met' if met else '**not met**'}: {goal:g})"


def table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


# ---- what is recorded -----------------------------------------------------------------------------------------------

def speed(code: dict[str, Any] | None, cores: int) -> float | None:
    found = [s["mps_best"] for s in (code or {"speeds": []})["speeds"] if s["cores"] == cores]
    return found[0] if found else None


def two_over_one(code: dict[str, Any] | None) -> float | None:
    one, two = speed(code, 1), speed(code, 2)
    return two / one if one and two else None


PLACES = [("up to 70 ns", 0.0, 70.0), ("70 to 250 ns", 70.0, 250.0), ("above", 250.0, float("inf"))]


def placement(cases: Sequence[dict[str, Any]]) -> list[str]:
    """Two threads over one by how far apart the host had put the cores: medians of windows, and how many there were."""
    rows = []
    for case in cases:
        ours = case["codes"].get("scree")
        one, windows = speed(ours, 1), (ours or {}).get("placed", [])
        of = [[w["mps"] for w in windows if low <= w["core_round_trip_ns"] < high] for _, low, high in PLACES]
        if one and windows:
            rows.append([case["title"], *(f"{statistics.median(mps) / one:.2f} ({len(mps)})" if mps else "-" for mps in of)])
    words = ("scree's 2 threads over 1 by how far apart the cores were just before a window, there and back: medians, and of how"
             " many windows:")
    return [words, table(["case", *(name for name, _, _ in PLACES)], rows)] if rows else []


def shown_codes(cases: Sequence[dict[str, Any]]) -> list[str]:
    """scree and the packages, and builds of the user's own where some case has them."""
    there = {key for case in cases for key in case["codes"]}
    return [key for key in CODES if key and (not key.endswith("_own") or key in there)]


def next_best(code: dict[str, Any], cores: int) -> str:
    """The variant after the winner, and its speed over the winner's; of those measured in all rounds, or else of those that
    short runs tried."""
    winner = chosen(code, cores)
    for key in ("measured", "tried"):
        speeds = {one["variant"]: one["mps"] for one in code.get(key, []) if one["cores"] == cores and one["mps"] and one["same"] is not False}
        others = {variant: mps for variant, mps in speeds.items() if variant != winner}
        if winner in speeds and others:
            second = max(others, key=lambda variant: others[variant])
            return f"{second} ({number(others[second] / speeds[winner])}{' by short runs' if key == 'tried' else ''})"
    return "-"


def chosen(code: dict[str, Any], cores: int) -> str | None:
    return next((s.get("chosen") for s in code["speeds"] if s["cores"] == cores), None)


def winners(cases: Sequence[dict[str, Any]]) -> list[str]:
    """Which variant of each peer was the fastest, and how many were tried and checked."""
    rows = []
    for case in cases:
        for key, code in case["codes"].items():
            for cores in (1, 2):
                winner, tried = chosen(code, cores), [one for one in code.get("tried", []) if one["cores"] == cores]
                if winner and tried:
                    same, failed = sum(bool(one["same"]) for one in tried), sum(bool(one["missing"]) for one in tried)
                    rows.append([case["title"], CODES[key], str(cores), winner, next_best(code, cores),
                                 f"{same} of {len(tried)}" + (f", {failed} did not run" if failed else "")])
    words = "The fastest variant of each peer, and the next; how many of those tried were in scree's state after the same steps:"
    return [words, table(["case", "peer", "cores", "fastest", "the next (speed over the fastest's)", "same state"], rows)] if rows else []


EARLIER = ("**This table is older than its rules.** LAMMPS had `newton off` alone, and LIGGGHTS the drum's grid of processors that it chooses"
           " itself: the ratios are too high. `make bench` records them anew, with every variant of each peer.")


def peers(found: dict[str, Any]) -> str:
    """Ratios with their goals; then speeds of the codes and what two cores give."""
    ratios, speeds, shown = [], [], shown_codes(found["cases"])
    for case in found["cases"]:
        codes, peer = case["codes"], case["fastest_peer"]
        usual = judged(case["ratio_usual_best"], case["goal"], case["goal_met_usual"]) if "ratio_usual_best" in case else "-"
        ratios.append([case["title"], CODES[peer], judged(case["ratio_best"], case["goal"], case["goal_met"]),
                       number(case["ratio_median"]), usual, number(case.get("ratio_2_best")),
                       judged(case["threads_2_over_1"], case["goal_threads"], case["goal_threads_met"]),
                       number(case.get("threads_2_over_1_median")), number(two_over_one(codes.get(peer))), number(case.get("apart_2_over_1"))])
        speeds.append([case["title"], *(f"{number(speed(codes.get(key), 1), 1)} / {number(speed(codes.get(key), 2), 1)}"
                                        if key in codes else "-" for key in shown),
                       *(number(codes[key]["own_bytes_per_particle"] if key in codes else None, 0) for key in shown)])
    about, remark = found["machine"], found.get("remark")
    versions = "; ".join(f"{CODES[key]} {version}" for key, version in found["versions"].items())
    names = [CODES[key] for key in shown]
    return "\n\n".join([
        *([] if "rules" in found else [EARLIER]),
        "Million particle-steps per second on one core / on two, best windows; bytes per particle as each code counts its own:",
        table(["case", *names, f"bytes: {names[0]}", *names[1:]], speeds),
        "Ratios of these speeds, and what was aimed at (the columns are explained below):",
        table(["case", "fastest peer", "scree over it, one core (goal)", "of medians", "over it at its usual skin (goal)", "two cores of each",
               "scree's 2 threads over 1 (goal)", "of medians", "the peer's 2 over 1", "two lone runs of scree over 1"], ratios),
        *winners(found["cases"]),
        *placement(found["cases"]),
        f"{about['processor']}, {about['cores']} cores, {about['date']}; {found['rounds']} rounds; {versions}."
        + (f" {remark[0].upper()}{remark[1:]}." if remark else "")])


def engine(found: dict[str, Any]) -> str:
    """The dearest law of each limit, and the instruction sets."""
    rows = []
    for limit in sorted({law["limit"] for law in found["laws"]}):
        laws = sorted((law for law in found["laws"] if law["limit"] == limit), key=lambda law: law["cost_ratio"])
        median = laws[len(laws) // 2]["cost_ratio"]
        beyond = [law["name"] for law in laws if not law["met"]]
        rows.append([f"{len(laws)} laws {'of roots alone' if limit < 2 else 'with powers'}",
                     f"cost: {number(laws[0]['cost_ratio'])} to {number(laws[-1]['cost_ratio'])} ({laws[-1]['name']}),"
                     f" median {number(median)}",
                     f"at most {limit:g}", "met" if not beyond else f"**not met**: {', '.join(beyond)}"])
    for one in found["instruction_sets"]:
        rows.append([one["name"], f"speed: {number(one['speed_ratio'])}", f"at least {one['limit']:g}",
                     "met" if one["met"] else "**not met**"])
    return table([f"beside `tsuji` and `mindlin` on {found['instruction_set']}", "measured", "promised", ""], rows)


def price(found: dict[str, Any]) -> str:
    rows = [[row["promise"], number(row["without_best"], 1), number(row["price_percent"], 1) + " %",
             number(row["price_of_medians_percent"], 1) + " %", "met" if row["met"] else "**not met**"]
            for row in found["prices"]]
    heading = ["promise", "speed without it", "price", "of medians", f"at most {found['prices'][0]['limit_percent']:g} %"]
    return table(heading, rows) + (f"\n\nWith all of them: {number(found['with_all_best'], 1)} {found['unit']}; bed of "
                                   f"{found['particles']:,} grains, one core, best of {found['rounds']}.")


LAST_RUNS = 10


def spread(rows: Sequence[dict[str, str]], value: str, goal: str) -> list[str]:
    """Least, median and most of what some runs measured, and how many of them had what was aimed at."""
    found = [(float(row[value]), float(row[goal] or 0.0)) for row in rows if row[value]]
    if not found:
        return ["-", "-"]
    numbers = [measured for measured, _ in found]
    met = f"{sum(a >= b for a, b in found)} of {len(found)} ({found[-1][1]:g})" if found[-1][1] else "no goal"
    return [f"{min(numbers):.2f} / **{statistics.median(numbers):.2f}** / {max(numbers):.2f}", met]


def history_of(runs: list[dict[str, str]]) -> str:
    last = sorted({int(row["run"]) for row in runs})[-LAST_RUNS:]
    rows = [row for row in runs if int(row["run"]) in last]
    of = {title: [row for row in rows if row["title"] == title] for title in dict.fromkeys(row["title"] for row in rows)}
    lines = [[title, *spread(found, "one_core", "goal"), *spread(found, "two_threads", "goal_threads")] for title, found in of.items()]
    return table(["case", "scree over the fastest peer, one core: least / **median** / most", "goal met",
                  "2 threads over 1: least / **median** / most", "goal met"], lines)


RULES = {"newton off": "peers with `newton off` alone", "searched": "every variant of each peer",
         "searched, own builds": "every variant of each peer, builds of the user's own among them"}


def history(runs: list[dict[str, str]]) -> str:
    """How far one run can be believed: what the last ones measured of each case, by processor and by the rules for peers, the
    latest first."""
    kinds = list(dict.fromkeys((row["processor"], row["rules"]) for row in reversed(runs)))
    parts = []
    for kind in kinds:
        rows = [row for row in runs if (row["processor"], row["rules"]) == kind]
        count = len({row["run"] for row in rows})
        parts.append(f"{kind[0]}, {RULES[kind[1]]}, {count} run{'s' * (count > 1)}{', the last ten' if count > LAST_RUNS else ''}:"
                     f"\n\n{history_of(rows)}")
    return "\n\n".join(parts)


MAKERS: dict[str, Callable[[Any], str]] = {"peers": peers, "history": history, "engine": engine, "price": price}


def recorded(results: Path, name: str) -> Any:
    """None: nothing yet."""
    tree, rows = results / f"{name}.json", results / f"{name}.csv"
    if tree.exists():
        return json.loads(tree.read_text())
    return list(csv.DictReader(rows.read_text().splitlines())) if rows.exists() else None


# ---- pages ----------------------------------------------------------------------------------------------------------

BLOCK = re.compile(r"^<!-- recorded: (\w+) -->\n.*?^<!-- end -->$", re.M | re.S)


def filled(page: str, results: Path) -> str:
    """The page with its blocks as the results say."""
    def block(match: re.Match[str]) -> str:
        name = match[1]
        if name not in MAKERS:
            raise KeyError(f"no table {name}: there are {', '.join(MAKERS)}")
        found = recorded(results, name)
        text = MAKERS[name](found) if found else "Not recorded yet: `make bench` does it."
        return f"<!-- recorded: {name} -->\n\n{text}\n\n<!-- end -->"

    return BLOCK.sub(block, page)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="tables.py", description=__doc__.partition("\n\n")[2])
    parser.add_argument("pages", nargs="+", type=Path, metavar="PAGE")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a page differs")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="DIR", help="default bench/results")
    chosen = parser.parse_args(arguments)
    status = 0
    for path in chosen.pages:
        page = path.read_text()
        wanted = filled(page, chosen.results)
        if wanted == page:
            continue
        if chosen.check:
            print(f"tables: {path.name} is not what is recorded: python3 bench/tables.py docs/{path.name}", file=sys.stderr)
            status = 1
        else:
            record.write(path, wanted)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
