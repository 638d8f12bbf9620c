#!/usr/bin/env python3
"""run.py: scree and its peers side by side on the same states.

Makes the states, chooses each peer's fastest pair style and skin, runs all codes in turn for some rounds, checks that
they simulate the same, and prints speeds and ratios. Needs nothing but Python; a peer that is not installed is left out
and named."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable

import cases
import codes
import grains
import report
import states
import verdict
from cases import Case
from codes import PEERS, CodeFailed, Peer, Sample, Schedule, Variant
from report import CaseResult, Measured

ROOT = codes.HERE.parent.parent


# ---- progress -------------------------------------------------------------------------------------------------------

@dataclass
class Progress:
    """What is being done, and how long the rest will take, going by what the same took before."""
    begun: float = field(default_factory=time.monotonic)
    took: dict[str, float] = field(default_factory=dict)
    ahead: list[str] = field(default_factory=list)

    def plan(self, jobs: list[str]) -> None:
        self.ahead += jobs

    def drop(self, beginning: str) -> None:
        self.ahead = [job for job in self.ahead if not job.startswith(beginning)]

    def left(self) -> float:
        mean = sum(self.took.values()) / len(self.took) if self.took else 5.0
        return sum(self.took.get(job, mean) for job in self.ahead)

    def note(self, words: str) -> None:
        minutes, seconds = divmod(round(time.monotonic() - self.begun), 60)
        print(f"peers: {minutes}:{seconds:02d}  {words}", file=sys.stderr, flush=True)

    def timed(self, job: str, act: Callable[[], Sample]) -> Sample:
        """Does one of the planned jobs."""
        start = time.monotonic()
        try:
            return act()
        finally:
            self.took[job] = time.monotonic() - start
            if job in self.ahead:
                self.ahead.remove(job)


# ---- one case -------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Bench:
    scree: Path
    work: Path
    rounds: int
    quick: bool
    progress: Progress

    def cores(self, key: str) -> tuple[int, ...]:
        """On how many a code is measured."""
        return (1,) if self.quick else codes.cores_of(key)


@dataclass
class CaseRun:
    """A case on its way: its folder, the variants that were chosen, the samples so far."""
    bench: Bench
    case: Case
    folder: Path
    chosen: dict[str, Variant] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    samples: dict[tuple[str, int], list[Sample]] = field(default_factory=dict)
    states: dict[str, dict[str, float]] = field(default_factory=dict)

    def deck(self, peer: Peer) -> Path:
        return codes.HERE / "cases" / self.case.decks.get(peer.key, self.case.folder) / peer.deck

    def run_peer(self, peer: Peer, variant: Variant, schedule: Schedule, cores: int, dump: bool) -> Sample:
        return codes.run_peer(peer, self.folder, self.deck(peer), variant, self.case.timestep, schedule, cores, dump)

    def run_scree(self, cores: int) -> Sample:
        return codes.run_scree(self.bench.scree, self.folder / "scene.yaml", self.case.settings, self.case.schedule, cores)


def begin(bench: Bench, case: Case) -> CaseRun:
    """Its state, and which peers there are."""
    folder, made = states.make(states.Maker(bench.scree, bench.work), case.state, case.folder)
    if made:
        bench.progress.note(f"{case.title}: state made")
    shutil.copy(codes.HERE / "cases" / case.folder / "scene.yaml", folder)
    run = CaseRun(bench, case, folder)
    for key in case.peers:
        if not codes.is_there(PEERS[key]):
            run.missing[key] = f"{PEERS[key].program} is not installed"
            bench.progress.drop(f"{case.name} {key} ")
    return run


def choose(run: CaseRun, key: str) -> None:
    """The fastest of the peer's variants, each tried twice in turn, or once where a trial is long."""
    variants = run.case.peers[key]
    peer, schedule = PEERS[key], run.case.schedule
    trial = run.case.trial or Schedule(min(schedule.warm, 100), min(schedule.steps, 300), 1)
    tries = 1 if run.case.trial else 2
    speeds = {variant: 0.0 for variant in variants}
    for _ in range(0 if run.bench.quick or len(variants) == 1 else tries):
        for variant in variants:
            speeds[variant] = max(speeds[variant], *run.run_peer(peer, variant, trial, 1, False).mps)
    run.chosen[key] = verdict.fastest(list(speeds.items()))
    if len(variants) > 1 and not run.bench.quick:
        shown = "; ".join(f"{variant}: {speed:.2f}" for variant, speed in speeds.items())
        run.bench.progress.note(f"{run.case.title}: {peer.name}: {shown}")


def measure_state(run: CaseRun, dump: Path) -> dict[str, float]:
    """A peer's last state through the same eyes as scree's own: read as a scene, without a step."""
    box = json.loads((run.folder / "state.json").read_text())
    found = states.within(grains.read_dump(dump), box, run.case.periodic)
    groups = []
    for kind, material in enumerate(run.case.materials, 1):
        path = run.folder / f"final_{kind}.csv"
        grains.write_table(path, found, run.case.materials, kind)
        fixed = ", fixed: yes" if material in run.case.fixed else ""
        groups.append(f"{{csv: {{file: {path.name}}}, material: {material}{fixed}}}")
    settings = [*run.case.settings, f"particles=[{', '.join(groups)}]"]
    return codes.run_scree(run.bench.scree, run.folder / "scene.yaml", settings, Schedule(0, 0, 0), 1).state


def take(run: CaseRun, key: str, cores: int, dump: bool) -> Sample:
    """One run of one code."""
    job = f"{run.case.name} {key} {cores}"
    if key == "scree":
        return run.bench.progress.timed(job, lambda: run.run_scree(cores))
    return run.bench.progress.timed(
        job, lambda: run.run_peer(PEERS[key], run.chosen[key], run.case.schedule, cores, dump))


def give_up(run: CaseRun, key: str, failed: CodeFailed) -> None:
    """A peer that fails is named in the table; scree's own failure ends the benchmark."""
    run.missing[key] = f"failed: {failed}"
    run.chosen.pop(key, None)
    run.bench.progress.drop(f"{run.case.name} {key} ")
    run.bench.progress.note(f"{run.case.title}: {PEERS[key].name} {run.missing[key]}")


def one_round(run: CaseRun, number: int) -> None:
    """Every code once on one core, then on two."""
    progress, heard = run.bench.progress, []
    for cores in run.bench.cores("scree"):
        heard.append("one core:" if cores == 1 else "two:")
        for key in [key for key in [*run.chosen, "scree"] if cores in run.bench.cores(key)]:
            try:
                sample = take(run, key, cores, dump=number == 0 and cores == 1)
            except CodeFailed as failed:
                if key == "scree":
                    raise
                give_up(run, key, failed)
                continue
            run.samples.setdefault((key, cores), []).append(sample)
            if sample.dump:  # what cannot be compared is no peer's fault: it ends the benchmark
                run.states[key] = measure_state(run, sample.dump)
            heard.append(f"{report.CODES[key]} {max(sample.mps):.1f}")
    minutes, seconds = divmod(round(progress.left()), 60)
    progress.note(f"{run.case.title}, round {number + 1}: {' '.join(heard)}; about {minutes}:{seconds:02d} left")


def result_of(run: CaseRun) -> CaseResult:
    result = CaseResult(run.case)
    ours = run.samples[("scree", 1)][0]
    for key in [*run.case.peers, "scree"]:
        measured = Measured(variant=run.chosen.get(key), missing=run.missing.get(key, ""))
        measured.speed = {cores: verdict.speed_of(run.samples[(key, cores)]) for cores in run.bench.cores(key)
                          if (key, cores) in run.samples}
        if (key, 1) in run.samples:
            state = ours.state if key == "scree" else run.states.get(key, {})
            measured.sample = dataclasses.replace(run.samples[(key, 1)][0], state=state)
        if key in run.states:
            measured.checks = verdict.compare(ours.state, run.states[key], run.case.bounds)
        result.codes[key] = measured
    return result


def measure(bench: Bench, case: Case) -> tuple[CaseResult, CaseRun]:
    run = begin(bench, case)
    for key in case.peers:
        if key in run.missing:
            continue
        try:
            choose(run, key)
        except CodeFailed as failed:
            give_up(run, key, failed)
    for number in range(bench.rounds):
        one_round(run, number)
    return result_of(run), run


# ---- the whole ------------------------------------------------------------------------------------------------------

def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run.py", description=__doc__.partition("\n\n")[2])
    parser.add_argument("--scree", type=Path, default=ROOT / "build" / "scree", help="the program (default build/scree)")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "bench-peers", help="where states are kept")
    parser.add_argument("--rounds", type=int, default=5, help="each code runs so often (default 5)")
    parser.add_argument("--only", action="append", metavar="CASE", help="this case; may be given again")
    parser.add_argument("--quick", action="store_true", help="one round on one core, without choosing skins")
    parser.add_argument("--json", action="store_true", help="results as JSON")
    parser.add_argument("--record", type=Path, metavar="DIR", help="keep the results of a whole run in this folder too")
    chosen = parser.parse_args(arguments)
    if chosen.rounds < 1:
        parser.error(f"--rounds must be at least 1 (got {chosen.rounds})")
    if not chosen.scree.exists():
        parser.error(f"no program {chosen.scree}: make build makes it")
    try:
        chosen.cases = [cases.find(name) for name in chosen.only] if chosen.only else cases.CASES
    except KeyError as unknown:
        parser.error(unknown.args[0])
    return chosen


def write_results(results: list[CaseResult], whole: dict[str, Any], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "peers.json").write_text(json.dumps(whole, indent=1) + "\n")
    (folder / "peers.csv").write_text(report.as_csv(results))
    problem = report.plot(results, folder)
    if problem:
        print(f"peers: {problem}", file=sys.stderr)


def record(folder: Path, kept: Path, machine: dict[str, Any]) -> None:
    """What is kept in the repository: numbers, picture, and a line about the machine."""
    for name in ("peers.json", "peers.csv", "peers.svg"):
        if (folder / name).exists():
            shutil.copy(folder / name, kept)
    note = kept / "machine.txt"
    lines = [line for line in note.read_text().splitlines() if not line.startswith("peers.")] if note.exists() else []
    lines.append(f"peers.json, .csv, .svg: bench/peers/run.py on {machine['processor']}, {machine['cores']} cores; "
                 f"{machine['date']}")
    note.write_text("\n".join(lines) + "\n")


def main(arguments: list[str]) -> int:
    options = parse_arguments(arguments)
    rounds = 1 if options.quick else options.rounds
    progress = Progress()
    bench = Bench(options.scree.resolve(), options.work.resolve(), rounds, options.quick, progress)
    for case in options.cases:
        jobs = [f"{case.name} {key} {cores}" for key in [*case.peers, "scree"] for cores in bench.cores(key)]
        progress.plan(jobs * rounds)
    results, versions = [], {}
    for case in options.cases:
        result, run = measure(bench, case)
        results.append(result)
        versions.update({key: codes.version_of(PEERS[key], run.folder) for key in run.chosen})
    whole = report.as_json(results, versions, rounds)
    folder = bench.work / "results"
    write_results(results, whole, folder)
    if options.record and not options.only and not options.quick:
        record(folder, options.record, whole["machine"])
    print(json.dumps(whole, indent=1) if options.json else report.text(results, versions))
    failures = [f"{result.case.title}: {report.CODES[key]}: {check.quantity}" for result in results
                for key, check in result.failures]
    for failure in failures:
        print(f"peers: NOT THE SAME: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except CodeFailed as failed:
        sys.exit(f"peers: {failed}")
    except KeyboardInterrupt:
        sys.exit(130)
