#!/usr/bin/env python3
"""price.py: what the engine's promises cost.

Builds scree without each of them (build/price-NAME; `make clean` removes them): without the energy ledger, with sums that
depend on their order, and with fused multiply-add, whose roundings are not the same on every machine. Runs a settled bed
with all builds in turns, on one core by the processor's time. A price is the share of speed that the promise takes."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

import record
import script
from script import Failed

ROOT = Path(__file__).resolve().parent.parent
ALL = "all promises"
PROMISES = {"ledger": "energy ledger", "order": "sums of no order", "rounding": "no fused multiply-add"}  # SCREE_WITHOUT
LIMIT = 10.0  # per cent


def say(words: str) -> None:
    print(f"price: {words}", file=sys.stderr, flush=True)


def execute(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError as wrong:
        raise Failed(f"{command[0]} cannot be run: {wrong.strerror}") from wrong
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise Failed(f"{' '.join(command[:3])} ... failed: {' | '.join(last)}")
    return done.stdout


# ---- builds ---------------------------------------------------------------------------------------------------------

def folder_of(build: Path, promise: str) -> Path:
    return build if promise == ALL else build / f"price-{promise}"


def make(build: Path) -> dict[str, Path]:
    """The program with all promises, and one without each; what is up to date is not built again."""
    programs = {}
    for promise in (ALL, *PROMISES):
        folder = folder_of(build, promise)
        without = "" if promise == ALL else promise
        say(f"building with {ALL}" if promise == ALL else f"building without: {PROMISES[promise]}")
        tests = [] if promise == ALL else ["-DSCREE_TESTS=OFF"]
        execute(["cmake", "--preset", "release", "-B", str(folder), f"-DSCREE_WITHOUT={without}", *tests])
        execute(["cmake", "--build", str(folder), "--target", "scree"])
        programs[promise] = folder / "scree"
    return programs


# ---- measuring ------------------------------------------------------------------------------------------------------

def speed(program: Path, grains: float, seconds: float) -> tuple[int, float]:
    """Grains of the bed, and million particle-steps per second."""
    out = execute([str(program), "bench", "dem", "--smallest", f"{grains:g}", "--largest", f"{grains:g}", "--seconds",
                   f"{seconds:g}", "--json"])
    row = json.loads(out)["sizes"][0]
    return row["particles"], 1e-6 * row["particle_steps_per_second"]


@dataclass
class Speeds:
    particles: int
    mps: dict[str, list[float]]  # of the builds, by round


def measure(programs: dict[str, Path], rounds: int, grains: float, seconds: float) -> Speeds:
    found = Speeds(0, {promise: [] for promise in programs})
    for number in range(rounds):
        first = number % len(programs)  # nobody is always the first, whose processor is still cold
        for promise in [*programs][first:] + [*programs][:first]:
            found.particles, mps = speed(programs[promise], grains, seconds)
            found.mps[promise].append(mps)
        say(f"round {number + 1} of {rounds}: " + ", ".join(
            f"{mps[-1]:.2f} {'with' if promise == ALL else 'without'} {PROMISES.get(promise, promise)}"
            for promise, mps in found.mps.items()))
    return found


# ---- results --------------------------------------------------------------------------------------------------------

def price(found: Speeds, promise: str) -> dict[str, Any]:
    """In per cent of the speed without it; by the best rounds, and by the medians, which tell how much of it is luck."""
    def percent(of: Any) -> float:
        return float(100 * (1 - of(found.mps[ALL]) / of(found.mps[promise])))

    return {"promise": PROMISES[promise], "without_best": max(found.mps[promise]),
            "without_median": statistics.median(found.mps[promise]), "price_percent": percent(max),
            "price_of_medians_percent": percent(statistics.median), "limit_percent": LIMIT, "met": percent(max) <= LIMIT}


def as_json(found: Speeds) -> dict[str, Any]:
    return {"unit": "million particle-steps per second", "particles": found.particles, "rounds": len(found.mps[ALL]),
            "with_all_best": max(found.mps[ALL]), "with_all_median": statistics.median(found.mps[ALL]),
            "prices": [price(found, promise) for promise in PROMISES]}


def text(result: dict[str, Any], quick: bool = False) -> str:
    lines = [f"Settled bed of {result['particles']:,} grains, one core, best of {result['rounds']}; {result['unit']}",
             f"with {ALL:<30} {result['with_all_best']:6.2f}"]
    for row in result["prices"]:
        lines.append(f"without: {row['promise']:<26} {row['without_best']:6.2f}   price {row['price_percent']:5.1f} %"
                     f" (of medians {row['price_of_medians_percent']:.1f} %; at most {row['limit_percent']:g} %:"
                     f" {'not told by a quick look' if quick else 'met' if row['met'] else 'NOT met'})")
    return "\n".join(lines)


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="price.py", description=__doc__.partition("\n\n")[2])
    parser.add_argument("--rounds", type=int, default=5, help="each build runs so often (default 5)")
    parser.add_argument("--grains", type=float, default=32e3, help="of the bed (default 32000)")
    parser.add_argument("--seconds", type=float, default=1.5, help="that each run measures (default 1.5)")
    parser.add_argument("--quick", action="store_true", help="one short round on a small bed: do the parts work?")
    parser.add_argument("--build", type=Path, default=ROOT / "build", metavar="DIR", help="where is built (default build)")
    parser.add_argument("--json", action="store_true", help="results as JSON")
    parser.add_argument("--output", type=Path, metavar="FILE", help="results as JSON into this file too")
    chosen = parser.parse_args(arguments)
    if chosen.quick:
        chosen.rounds, chosen.grains, chosen.seconds = 1, 2e3, 0.05
    if chosen.rounds < 1:
        parser.error(f"--rounds must be at least 1 (got {chosen.rounds})")
    if not 1e3 <= chosen.grains <= 1e8:
        parser.error(f"--grains must be in 1e3 ... 1e8 (got {chosen.grains:g})")
    if not 0 < chosen.seconds <= 60:
        parser.error(f"--seconds must be more than 0 and at most 60 (got {chosen.seconds:g})")
    return chosen


def main(arguments: Sequence[str]) -> int:
    options = parse_arguments(arguments)
    programs = make(options.build.resolve())
    result = as_json(measure(programs, options.rounds, options.grains, options.seconds))
    if options.quick:
        say("a quick look: one short round tells that it works, not what anything costs")
    if options.output:
        record.write(options.output, json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1) if options.json else text(result, options.quick))
    return 0


if __name__ == "__main__":
    script.run("price", main)
