#!/usr/bin/env python3
"""all.py: every benchmark there is, one after the other: what `make bench` runs.

Impacts beside CVODE, laws beside loops by hand, laws and instruction sets in the engine, the prices of its promises, and
whole scenes beside LAMMPS and LIGGGHTS. Results are kept in bench/results, each when it is complete, and put into
docs/performance.md. A stage that fails does not keep the others from running; the exit status is that of the whole."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Sequence

import record
import script
import tables

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


@dataclass(frozen=True)
class Stage:
    name: str
    what: str
    minutes: float  # about, on two cores
    how: str  # as the line about the machine says it
    command: Callable[["Bench"], list[str]]
    seconds: str = ""  # what it measures for in a quick run
    prints_json: bool = False  # otherwise it writes its file itself
    summary: Callable[[dict[str, Any]], str] | None = None


@dataclass
class Bench:
    build: Path
    results: Path
    quick: bool
    json: bool
    whole: dict[str, Any] = field(default_factory=dict)

    def file(self, name: str) -> Path:
        return self.results / f"{name}.json"


def of_impact(found: dict[str, Any]) -> str:
    return (f"impacts: {found['geometric_mean']:.0f} times CVODE's speed in the mean, {found['smallest']:.0f} at least "
            f"(goal {found['goal']:g}: {'met' if found['met'] else 'NOT met'}); given scree's change of variables "
            f"{found['geometric_mean_mapped']:.0f} and {found['smallest_mapped']:.0f}")


def of_laws(found: dict[str, Any]) -> str:
    return (f"laws: {len(found['laws'])} batches; a loop by hand is more than {found['allowed_ratio']:g} times faster for "
            f"{found['above_allowed_ratio']} (worst {found['worst_ratio']:.2f}); bits differ for {found['different_bits']}")


def peers_command(bench: Bench) -> list[str]:
    keep = [] if bench.quick else ["--record", str(bench.results)]
    return [sys.executable, str(HERE / "peers" / "run.py"), "--scree", str(bench.build / "scree"), "--work",
            str(bench.build / "bench-peers"), *(["--quick"] if bench.quick else keep)]


STAGES = [
    Stage("impact", "impacts per second beside SUNDIALS' CVODE", 2, "scree bench impact",
          lambda b: [str(b.build / "scree-bench"), "impact", "--json"], "0.02", True, of_impact),
    Stage("laws", "each law's batch beside a loop by hand", 1, "scree bench laws",
          lambda b: [str(b.build / "scree-bench"), "laws", "--json"], "0.002", True, of_laws),
    Stage("engine", "laws and instruction sets in the engine", 2, "scree bench engine",
          lambda b: [str(b.build / "scree"), "bench", "engine", "--output", str(b.file("engine"))], "0.02"),
    Stage("price", "what the promises cost: builds without each of them", 5, "bench/price.py",
          lambda b: [sys.executable, str(HERE / "price.py"), "--build", str(b.build), "--output", str(b.file("price")),
                     *(["--quick"] if b.quick else [])]),
    Stage("peers", "whole scenes beside LAMMPS and LIGGGHTS", 35, "bench/peers/run.py", peers_command),
]


def say(words: str) -> None:
    print(f"bench: {words}", file=sys.stderr, flush=True)


def run_stage(stage: Stage, bench: Bench) -> bool:
    """Its file is written when it ends well; what it prints for people goes to standard output, unless JSON is asked for."""
    command = stage.command(bench) + (["--seconds", stage.seconds] if bench.quick and stage.seconds else [])
    hidden = stage.prints_json or bench.json
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE if hidden else None, text=True, check=False)
    except OSError as wrong:
        say(f"{stage.name}: {command[0]} cannot be run: {wrong.strerror}")
        return False
    path = bench.build / "bench-peers" / "results" / "peers.json" if stage.name == "peers" else bench.file(stage.name)
    if stage.prints_json and done.returncode == 0:
        record.write(path, done.stdout)
    if done.returncode != 0:
        say(f"{stage.name} FAILED (exit status {done.returncode}); its results are not recorded")
        return False
    bench.whole[stage.name] = json.loads(path.read_text())
    if stage.summary and not bench.json:
        print(stage.summary(bench.whole[stage.name]), flush=True)
    if stage.name != "peers" and not bench.quick:  # which notes its own
        record.note(bench.results, [path.name], stage.how, record.machine())
    return True


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="all.py", description=__doc__.partition("\n\n")[2])
    parser.add_argument("--quick", action="store_true", help="everything once and short, ten minutes or so; nothing is recorded")
    parser.add_argument("--only", action="append", choices=[stage.name for stage in STAGES], metavar="STAGE",
                        help="one of " + ", ".join(stage.name for stage in STAGES) + "; may be given again")
    parser.add_argument("--json", action="store_true", help="results of all stages as one JSON object")
    parser.add_argument("--build", type=Path, default=ROOT / "build", metavar="DIR", help="where scree is built (default build)")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    options = parse_arguments(arguments)
    build = options.build.resolve()
    results = build / "bench-results" if options.quick else tables.RESULTS
    results.mkdir(parents=True, exist_ok=True)
    bench = Bench(build, results, options.quick, options.json)
    stages = [stage for stage in STAGES if not options.only or stage.name in options.only]
    begun, failed = time.monotonic(), []
    for number, stage in enumerate(stages, 1):
        left = "" if options.quick else f"; about {sum(s.minutes for s in stages[number - 1:]):.0f} minutes to go"
        say(f"{number} of {len(stages)}: {stage.what}{left}")
        if not run_stage(stage, bench):
            failed.append(stage.name)
    if not options.quick:
        tables.main([str(ROOT / "docs" / "performance.md")])
    if options.json:
        print(json.dumps(bench.whole, indent=1))
    where = "build/bench-results and build/bench-peers/results" if options.quick else "bench/results, docs/performance.md"
    say(f"done after {(time.monotonic() - begun) / 60:.1f} minutes; results: {where}" + (f"; FAILED: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    script.run("bench", main)
