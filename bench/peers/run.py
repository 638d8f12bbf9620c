#!/usr/bin/env python3
"""run.py: scree and its peers side by side on the same states.

Makes the states, chooses each peer's fastest pair style and skin, runs all codes on all cases in turn for some rounds,
checks that they simulate the same, and prints speeds and ratios. Needs nothing but Python. A peer that is not installed
is left out and named; one that fails makes the benchmark fail. Only a whole run, with every peer, is recorded."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, TypeVar

import cases
import codes
import grains
import report
import states
import verdict
from cases import Case
from codes import PEERS, CodeFailed, Peer, Sample, Schedule, Variant, record, script
from report import CaseResult, Measured

ROOT = codes.HERE.parent.parent
T = TypeVar("T")


# ---- progress -------------------------------------------------------------------------------------------------------

@dataclass
class Progress:
    """What is being done, and how long the rest will take, going by what the same took before. A job is named by its case,
    then by what is done: the code and its cores, a trial, the state."""
    begun: float = field(default_factory=time.monotonic)
    took: dict[str, float] = field(default_factory=dict)  # s, the last time
    recorded: dict[str, float] = field(default_factory=dict)  # s, in the run that was recorded, maybe elsewhere
    ahead: list[str] = field(default_factory=list)

    def plan(self, jobs: list[str]) -> None:
        self.ahead += jobs

    def drop(self, beginning: str) -> None:
        self.ahead = [job for job in self.ahead if not job.startswith(beginning)]

    def pace(self) -> float:
        """How much longer jobs take than they did in the recorded run."""
        both = [job for job in self.took if job in self.recorded]
        return sum(self.took[job] for job in both) / sum(self.recorded[job] for job in both) if both else 1.0

    def guess(self, job: str) -> float:
        """As it took before; otherwise as in the recorded run, on this machine; otherwise as the same took in other cases;
        otherwise as anything did."""
        if job in self.recorded and job not in self.took:
            return self.recorded[job] * self.pace()
        alike = [seconds for done, seconds in self.took.items() if done.split()[1:] == job.split()[1:]]
        others = alike or list(self.took.values()) or [5.0]
        return self.took.get(job, sum(others) / len(others))

    def left(self) -> str:
        minutes, seconds = divmod(round(sum(map(self.guess, self.ahead))), 60)
        return f"about {minutes}:{seconds:02d} left"

    def note(self, words: str) -> None:
        minutes, seconds = divmod(round(time.monotonic() - self.begun), 60)
        print(f"peers: {minutes}:{seconds:02d}  {words}", file=sys.stderr, flush=True)

    def timed(self, job: str, act: Callable[[], T]) -> T:
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

    def jobs(self, case: Case) -> list[str]:
        """All that has to be done for a case."""
        tries = [] if self.quick else [f"{case.name} {key} trial" for key, variants in case.peers.items()
                                       for _ in range(case.tries(key) * len(variants))]
        runs = [f"{case.name} {key} {cores}" for key in [*case.peers, "scree"] for cores in self.cores(key)]
        apart = [f"{case.name} scree apart"] if 2 in self.cores("scree") else []
        return [f"{case.name} state", *tries, *(self.rounds * [*runs, *apart, f"{case.name} {case.first_peer} usual"])]


@dataclass
class CaseRun:
    """A case on its way: its folder, the variants that were chosen, the samples so far."""
    bench: Bench
    case: Case
    folder: Path
    chosen: dict[str, Variant] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    # by code and cores; "usual": the first peer at its usual skin, on one core; "apart": scree twice, each on a core
    samples: dict[tuple[str, int | str], list[Sample]] = field(default_factory=dict)
    states: dict[str, dict[str, float]] = field(default_factory=dict)

    def deck(self, peer: Peer) -> Path:
        return codes.HERE / "cases" / self.case.decks.get(peer.key, self.case.folder) / peer.deck

    def usual_variant(self) -> Variant:
        """The first peer's fastest style at the skin that decks usually have."""
        return dataclasses.replace(self.chosen[self.case.first_peer], skin=self.case.usual)

    def run_peer(self, peer: Peer, variant: Variant, schedule: Schedule, cores: int, dump: bool) -> Sample:
        return codes.run_peer(peer, self.folder, self.deck(peer), variant, self.case.timestep, schedule, cores, dump)

    def run_scree(self, what: int | str) -> Sample:
        of = (self.bench.scree, self.folder / "scene.yaml", self.case.settings, self.case.schedule)
        return codes.run_scree(*of, what) if isinstance(what, int) else codes.run_scree_apart(*of)


def begin(bench: Bench, case: Case) -> CaseRun:
    """Its state, and which peers there are."""
    maker, job = states.Maker(bench.scree, bench.work), f"{case.name} state"
    if states.is_made(maker, case.state, case.folder):
        bench.progress.drop(job)
    else:
        bench.progress.note(f"{case.title}: its state is being made; {bench.progress.left()}")
        bench.progress.timed(job, lambda: states.make(maker, case.state, case.folder))
    folder = maker.folder(case.state)
    shutil.copy(codes.HERE / "cases" / case.folder / "scene.yaml", folder)
    run = CaseRun(bench, case, folder)
    for key in case.peers:
        if not codes.is_there(PEERS[key]):
            run.missing[key] = f"{PEERS[key].program} is not installed"
            bench.progress.drop(f"{case.name} {key} ")
    return run


def choose(run: CaseRun, key: str) -> None:
    """The fastest of the peer's variants, each tried in turn."""
    variants = run.case.peers[key]
    peer, schedule, progress = PEERS[key], run.case.schedule, run.bench.progress
    trial = run.case.trial or Schedule(min(schedule.warm, 100), min(schedule.steps, 300), 1)
    speeds = {variant: 0.0 for variant in variants}
    for _ in range(0 if run.bench.quick else run.case.tries(key)):
        for variant in variants:
            sample = progress.timed(f"{run.case.name} {key} trial",
                                    lambda variant=variant: run.run_peer(peer, variant, trial, 1, False))
            speeds[variant] = max(speeds[variant], *sample.mps)
    run.chosen[key] = verdict.fastest(list(speeds.items()))
    if len(variants) > 1 and not run.bench.quick:
        shown = "; ".join(f"{variant}: {speed:.2f}" for variant, speed in speeds.items())
        edge = " (at the end of what was tried)" if verdict.is_outermost(run.chosen[key], variants) else ""
        progress.note(f"{run.case.title}: {peer.name}: {shown}; chosen: {run.chosen[key]}{edge}; {progress.left()}")


def measure_state(run: CaseRun, dump: Path) -> dict[str, float]:
    """A peer's state through the same eyes as scree's own: read as a scene, without a step."""
    box = json.loads((run.folder / "state.json").read_text())
    try:
        found = states.within(grains.read_dump(dump), box, run.case.periodic)
    except (OSError, ValueError) as wrong:
        raise CodeFailed(f"{run.case.title}: a peer's state cannot be read: {wrong}") from wrong
    groups = []
    for kind, material in enumerate(run.case.materials, 1):
        path = run.folder / f"{dump.stem}_{kind}.csv"
        grains.write_table(path, found, run.case.materials, kind)
        fixed = ", fixed: yes" if material in run.case.fixed else ""
        groups.append(f"{{csv: {{file: {path.name}}}, material: {material}{fixed}}}")
    settings = [*run.case.settings, f"particles=[{', '.join(groups)}]"]
    return codes.run_scree(run.bench.scree, run.folder / "scene.yaml", settings, Schedule(0, 0, 0), 1).state


def take(run: CaseRun, key: str, what: int | str, dump: bool) -> Sample:
    """One run of one code, on so many cores; what "usual": a peer on one core with the usual skin; "apart": scree twice."""
    job, progress, schedule = f"{run.case.name} {key} {what}", run.bench.progress, run.case.schedule
    if key == "scree":
        return progress.timed(job, lambda: run.run_scree(what))
    cores = what if isinstance(what, int) else 1
    variant = run.chosen[key] if isinstance(what, int) else run.usual_variant()
    return progress.timed(job, lambda: run.run_peer(PEERS[key], variant, schedule, cores, dump))


def give_up(run: CaseRun, key: str, failed: CodeFailed) -> None:
    """A peer that fails is named in the table; scree's own failure ends the benchmark."""
    run.missing[key] = f"failed: {failed}"
    run.chosen.pop(key, None)
    run.bench.progress.drop(f"{run.case.name} {key} ")
    run.bench.progress.note(f"{run.case.title}: {PEERS[key].name} {run.missing[key]}")


def runs_of_round(run: CaseRun) -> list[tuple[str, int | str]]:
    """Every code once on one core, the first peer at the usual skin where it is another, then every code on two, and scree
    twice at a time."""
    runs: list[tuple[str, int | str]] = []
    first = run.case.first_peer
    for cores in run.bench.cores("scree"):
        for key in [key for key in [*run.chosen, "scree"] if cores in run.bench.cores(key)]:
            runs.append((key, cores))
            if cores == 1 and key == first and run.usual_variant() != run.chosen[key]:
                runs.append((key, "usual"))
    return runs + [("scree", "apart")] * (2 in run.bench.cores("scree"))


def one_round(run: CaseRun, number: int) -> None:
    progress, heard = run.bench.progress, []
    for key, what in runs_of_round(run):
        if key in run.missing:
            continue  # it failed in this round
        try:
            sample = take(run, key, what, dump=number == 0 and what == 1)
        except CodeFailed as failed:
            if key == "scree":
                raise
            give_up(run, key, failed)
            continue
        run.samples.setdefault((key, what), []).append(sample)
        if sample.dumps:  # what cannot be compared is no peer's fault: it ends the benchmark
            run.states[key] = codes.mean_state([measure_state(run, path) for path in sample.dumps])
        how = f"at {run.case.usual}" if what == "usual" else "twice" if what == "apart" else f"x{what}"
        trips = [1e9 * trip for trip in sample.round_trips if trip is not None]
        far = f" (cores {min(trips):.0f} ns apart)" if trips else ""
        heard.append(f"{report.CODES[key]} {how} {max(sample.mps):.1f}{far}")
    if (run.case.first_peer, "usual") not in run.samples:  # the usual skin is the fastest, or its peer is missing
        progress.drop(f"{run.case.name} {run.case.first_peer} usual")
    progress.note(f"{run.case.title}, round {number + 1} of {run.bench.rounds}: {', '.join(heard)}; {progress.left()}")


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
        if key == run.case.first_peer and key in run.chosen:
            measured.usual_variant = run.usual_variant()
            same = measured.usual_variant == measured.variant
            measured.usual = measured.speed[1] if same else verdict.speed_of(run.samples[(key, "usual")])
        if (key, "apart") in run.samples:
            measured.apart = verdict.speed_of(run.samples[(key, "apart")])
        measured.placed = verdict.placed(run.samples.get((key, 2), []))
        result.codes[key] = measured
    return result


def prepare(bench: Bench, case: Case) -> CaseRun:
    """Its state, and each peer's variant."""
    run = begin(bench, case)
    for key in case.peers:
        if key in run.missing:
            continue
        try:
            choose(run, key)
        except CodeFailed as failed:
            give_up(run, key, failed)
    return run


def measure(bench: Bench, chosen: list[Case]) -> list[CaseRun]:
    """Every case once, then every case again: the rounds of a case lie minutes apart, so that a minute in which others
    have the machine does not decide about one case, and every case sees the same hours."""
    runs = [prepare(bench, case) for case in chosen]
    for number in range(bench.rounds):
        for run in runs:
            one_round(run, number)
    return runs


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


FILES = ("peers.json", "peers.csv", "peers.svg")


def write_results(results: list[CaseResult], whole: dict[str, Any], folder: Path) -> None:
    record.write(folder / "peers.json", json.dumps(whole, indent=1) + "\n")
    record.write(folder / "peers.csv", report.as_csv(results))
    (folder / "peers.svg").unlink(missing_ok=True)
    problem = report.plot(results, folder)
    if problem:
        print(f"peers: {problem}", file=sys.stderr)


def keep(folder: Path, kept: Path, whole: dict[str, Any]) -> None:
    """What is kept in the repository: numbers, picture, and a line about the machine; of all runs before, the ratios."""
    history = kept / "history.csv"
    record.write(history, report.history_with(history.read_text() if history.exists() else "", whole))
    for name in FILES:
        if (folder / name).exists():
            record.write(kept / name, (folder / name).read_bytes())
    record.note(kept, FILES, "bench/peers/run.py", whole["machine"])


def problems(results: list[CaseResult]) -> tuple[list[str], list[str]]:
    """What makes the benchmark fail: codes that did not simulate the same, peers that failed. Then what was left out."""
    failed = [f"NOT THE SAME: {result.case.title}: {report.CODES[key]}: {check.quantity}" for result in results
              for key, check in result.failures]
    absent = []
    for result in results:
        for key, found in result.codes.items():
            if found.missing:
                words = f"{result.case.title}: {report.CODES[key]}: {found.missing}"
                (failed if found.missing.startswith("failed") else absent).append(words)
    return failed, absent


def recorded_seconds() -> dict[str, float]:
    """What the jobs of the recorded run took: how long this one will take before any of it is done."""
    path = codes.HERE.parent / "results" / "peers.json"
    return dict(json.loads(path.read_text()).get("seconds", {})) if path.exists() else {}


def main(arguments: list[str]) -> int:
    options = parse_arguments(arguments)
    rounds = 1 if options.quick else options.rounds
    progress, beside = Progress(recorded=recorded_seconds()), record.Beside()
    bench = Bench(options.scree.resolve(), options.work.resolve(), rounds, options.quick, progress)
    for case in options.cases:
        progress.plan(bench.jobs(case))
    progress.note(f"{len(options.cases)} cases; speeds are million particle-steps per second; {progress.left()}")
    runs = measure(bench, options.cases)
    results = [result_of(run) for run in runs]
    versions = {key: codes.version_of(PEERS[key], run.folder) for run in runs for key in run.chosen}
    whole = report.as_json(results, versions, rounds, beside.remark())
    whole["seconds"] = {job: round(seconds, 2) for job, seconds in progress.took.items()}
    folder = bench.work / "results"
    write_results(results, whole, folder)
    print(json.dumps(whole, indent=1) if options.json else report.text(results, versions, options.quick))
    failed, absent = problems(results)
    for words in [*failed, *absent, *([whole["remark"]] if whole["remark"] else [])]:
        print(f"peers: {words}", file=sys.stderr)
    if options.record and not options.only and not options.quick:
        if failed or absent:
            print(f"peers: not recorded: {len(failed)} failures, {len(absent)} peers missing; see above", file=sys.stderr)
            return 1
        keep(folder, options.record, whole)
    return 1 if failed else 0


if __name__ == "__main__":
    script.run("peers", main)
