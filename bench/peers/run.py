#!/usr/bin/env python3
"""run.py: scree and its peers side by side on the same states.

Makes the states, looks for each peer's fastest variants (pair style, newton, suffix, skin, grid of processors), runs them
and scree on all cases in turn for some rounds, checks that every variant simulates the same as scree, and prints speeds and
ratios. Needs nothing but Python. LAMMPS=/path/to/lmp and LIGGGHTS=/path/to/liggghts in the environment put a build of the
user's own beside the package. A peer that is not installed is left out and named; one that fails makes the benchmark fail.
Only a whole run, with every peer, is recorded."""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import statistics
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
from codes import PEERS, Choices, CodeFailed, Peer, Sample, Schedule, Variant, record, script
from report import CaseResult, Measured, Tried

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
        """All that has to be done for a case, as far as that is known before variants are tried."""
        keys = codes.peers_of(case.peers)
        tries = [] if self.quick else [f"{case.name} scree trial"]
        for key in [] if self.quick else keys:
            for cores, count in zip((1, 2), choices_of(case, key).count()):
                tries += [f"{case.name} {key} trial {cores}"] * (count if cores in self.cores(key) else 0)
        runs = [f"{case.name} {key} {cores}" for key in [*keys, "scree"] for cores in self.cores(key)]
        apart = [f"{case.name} scree apart"] if 2 in self.cores("scree") else []
        return [f"{case.name} state", *tries, *(self.rounds * [*runs, *apart, f"{case.name} {case.first_peer} usual"])]


def choices_of(case: Case, key: str) -> Choices:
    """What is tried of a peer: no suffix that its program has not."""
    peer = PEERS[key]
    choices = case.peers[peer.kind]
    there = tuple(suffix for suffix in choices.suffixes
                  if suffix is None or (codes.is_there(peer) and codes.has_suffix(peer.program, suffix)))
    return dataclasses.replace(choices, suffixes=there)


@dataclass(frozen=True)
class Turn:
    """One of the runs of a round: a code, on so many cores, a peer by one of its variants; "apart": scree twice, each on
    a core of its own."""
    key: str
    cores: int | str
    variant: Variant | None = None


@dataclass
class CaseRun:
    """A case on its way: its folder, the variants that were tried and those that are measured, the samples so far."""
    bench: Bench
    case: Case
    folder: Path
    chosen: dict[tuple[str, int], list[Variant]] = field(default_factory=dict)  # by peer and cores, the fastest first
    tried: dict[str, list[Tried]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    samples: dict[Turn, list[Sample]] = field(default_factory=dict)
    states: dict[Turn, dict[str, float]] = field(default_factory=dict)
    trial_state: dict[str, float] = field(default_factory=dict)  # scree's, after the steps of a trial

    def peers(self) -> list[str]:
        return codes.peers_of(self.case.peers)

    def deck(self, peer: Peer) -> Path:
        return codes.HERE / "cases" / self.case.decks.get(peer.kind, self.case.folder) / peer.deck

    def usual_turn(self) -> Turn | None:
        """The first peer on one core, as it is fastest but for its skin, which is the one that decks usually have."""
        first = self.case.first_peer
        if (first, 1) not in self.chosen:
            return None
        return Turn(first, 1, dataclasses.replace(self.chosen[first, 1][0], skin=self.case.usual))

    def run_peer(self, peer: Peer, variant: Variant, schedule: Schedule, cores: int, dump: bool) -> Sample:
        return codes.run_peer(peer, self.folder, self.deck(peer), variant, self.case.timestep, schedule, cores, dump)

    def run_scree(self, cores: int | str, schedule: Schedule | None = None) -> Sample:
        of = (self.bench.scree, self.folder / "scene.yaml", self.case.settings, schedule or self.case.schedule)
        return codes.run_scree(*of, cores) if isinstance(cores, int) else codes.run_scree_apart(*of)


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
    for key in run.peers():
        if not codes.is_there(PEERS[key]):
            run.missing[key] = f"{PEERS[key].program} is not installed"
            bench.progress.drop(f"{case.name} {key} ")
    return run


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


# ---- the fastest variants of a peer ---------------------------------------------------------------------------------

CLOSE = 0.95  # of the fastest's speed: a variant that is measured beside it, since short trials waver
NO_RIVAL = 0.9  # of the fastest peer's speed: a peer below is measured by one variant


def try_variant(run: CaseRun, key: str, variant: Variant, cores: int) -> Tried:
    """By a few steps: how fast it is, and whether it is in scree's state after them."""
    trial, job = run.case.trial(), f"{run.case.name} {key} trial {cores}"
    try:
        sample = run.bench.progress.timed(job, lambda: run.run_peer(PEERS[key], variant, trial, cores, True))
    except CodeFailed as failed:
        return Tried(cores, variant, missing=str(failed))
    state = codes.mean_state([measure_state(run, path) for path in sample.dumps])
    return Tried(cores, variant, statistics.harmonic_mean(sample.mps),
                 verdict.compare(run.trial_state, state, run.case.bounds))


def fastest_of(run: CaseRun, key: str, cores: int, variants: list[Variant]) -> Variant:
    """Tries those that were not tried before; the fastest of all on so many cores that simulate the same as scree."""
    tried = run.tried.setdefault(key, [])
    for variant in variants:
        if not any(one.cores == cores and one.variant == variant for one in tried):
            tried.append(try_variant(run, key, variant, cores))
    return ranked(tried, cores)[0].variant


def ranked(tried: list[Tried], cores: int) -> list[Tried]:
    able = sorted((one for one in tried if one.cores == cores and one.mps and one.same), key=lambda one: -one.mps)
    if not able:
        here = [one for one in tried if one.cores == cores]
        raise CodeFailed(next((one.missing for one in here if one.missing), "no variant simulates the same as scree"))
    return able


def finalists(run: CaseRun, key: str, cores: int) -> list[Variant]:
    """The fastest, and the next where it is close. Those that may be either are tried once more, and the better of two
    trials counts."""
    able = ranked(run.tried[key], cores)
    close = [one for one in able if one.mps >= CLOSE**2 * able[0].mps][:4]
    for one in close if len(close) > 1 else []:
        sample = run.run_peer(PEERS[key], one.variant, run.case.trial(), cores, False)
        one.mps = max(one.mps, statistics.harmonic_mean(sample.mps))
    able = ranked(run.tried[key], cores)
    return [one.variant for one in able if one.mps >= CLOSE * able[0].mps][:2]


def choose(run: CaseRun, key: str) -> None:
    """Coarsely, one choice after the other: style, newton and suffix at one skin, then the skin, then for two cores the
    grid of processors and newton again."""
    choices = choices_of(run.case, key)
    if run.bench.quick:
        run.chosen[key, 1] = [choices.first()]
        return
    best = fastest_of(run, key, 1, choices.kinds())
    best = fastest_of(run, key, 1, choices.skins_of(best))
    run.chosen[key, 1] = finalists(run, key, 1)
    if 2 in run.bench.cores(key):
        try:
            best = fastest_of(run, key, 2, choices.grids_of(run.chosen[key, 1][0]))
            fastest_of(run, key, 2, choices.newtons_of(best))
            run.chosen[key, 2] = finalists(run, key, 2)
        except CodeFailed as failed:
            if PEERS[key].is_packaged:
                raise
            run.bench.progress.note(f"{run.case.title}: {PEERS[key].name}: on one core only: {failed}")
    run.bench.progress.drop(f"{run.case.name} {key} trial")
    for cores in (1, 2):
        shown = "; ".join(f"{one.variant}: {one.missing or f'{one.mps:.2f}'}" + " NOT THE SAME" * (not one.same)
                          for one in run.tried[key] if one.cores == cores)
        if shown:
            run.bench.progress.note(f"{run.case.title}: {PEERS[key].name} x{cores}: {shown}; {run.bench.progress.left()}")
    if verdict.is_outermost(run.chosen[key, 1][0], [one.variant for one in run.tried[key] if one.cores == 1]):
        run.bench.progress.note(f"{run.case.title}: {PEERS[key].name}: skin {run.chosen[key, 1][0].skin} is at the end of what was tried")


def leave_out_slow_rivals(run: CaseRun) -> None:
    """A peer that another leaves far behind is measured by its fastest variant alone."""
    for cores in (1, 2):
        speeds = {key: ranked(run.tried[key], cores)[0].mps for key in run.tried if (key, cores) in run.chosen}
        for key, speed in speeds.items():
            if speed < NO_RIVAL * max(speeds.values()):
                del run.chosen[key, cores][1:]


# ---- rounds ---------------------------------------------------------------------------------------------------------

def take(run: CaseRun, turn: Turn, dump: bool) -> Sample:
    progress, usual = run.bench.progress, turn == run.usual_turn() and turn.variant not in run.chosen[turn.key, 1]
    job = f"{run.case.name} {turn.key} {'usual' if usual else turn.cores}"
    if turn.variant is None:
        return progress.timed(job, lambda: run.run_scree(turn.cores))
    return progress.timed(job, lambda: run.run_peer(PEERS[turn.key], turn.variant, run.case.schedule, turn.cores, dump))


def give_up(run: CaseRun, key: str, failed: CodeFailed) -> None:
    """A peer that fails is named in the table; scree's own failure ends the benchmark."""
    run.missing[key] = f"failed: {failed}"
    run.chosen = {of: variants for of, variants in run.chosen.items() if of[0] != key}
    run.bench.progress.drop(f"{run.case.name} {key} ")
    run.bench.progress.note(f"{run.case.title}: {PEERS[key].name} {run.missing[key]}")


def turns_of_round(run: CaseRun) -> list[Turn]:
    """Every code on one core, the first peer at the usual skin too where it is another, then every code on two, and scree
    twice at a time."""
    turns: list[Turn] = []
    for cores in run.bench.cores("scree"):
        for key in run.peers():
            turns += [Turn(key, cores, variant) for variant in run.chosen.get((key, cores), [])]
        usual = run.usual_turn()
        if cores == 1 and usual and usual not in turns:
            turns.append(usual)
        turns.append(Turn("scree", cores))
    return turns + [Turn("scree", "apart")] * (2 in run.bench.cores("scree"))


def one_round(run: CaseRun, number: int) -> None:
    progress, heard = run.bench.progress, []
    for turn in turns_of_round(run):
        if turn.key in run.missing:
            continue  # it failed in this round
        try:
            sample = take(run, turn, dump=number == 0 and turn.cores == 1)  # on two they were looked at in their trial
        except CodeFailed as failed:
            if turn.key == "scree":
                raise
            give_up(run, turn.key, failed)
            continue
        run.samples.setdefault(turn, []).append(sample)
        if sample.dumps:  # what cannot be compared is no peer's fault: it ends the benchmark
            run.states[turn] = codes.mean_state([measure_state(run, path) for path in sample.dumps])
        how = "twice" if turn.cores == "apart" else f"x{turn.cores}"
        trips = [1e9 * trip for trip in sample.round_trips if trip is not None]
        far = f" (cores {min(trips):.0f} ns apart)" if trips else ""
        by = f" ({turn.variant})" if turn.variant else ""
        heard.append(f"{report.CODES[turn.key]} {how}{by} {max(sample.mps):.1f}{far}")
    progress.note(f"{run.case.title}, round {number + 1} of {run.bench.rounds}: {', '.join(heard)}; {progress.left()}")


def best_turn(run: CaseRun, key: str, cores: int) -> Turn | None:
    """Of what was measured, the variant with the best window. The usual skin is one of them on one core."""
    turns = [turn for turn in run.samples if (turn.key, turn.cores) == (key, cores)]
    return max(turns, key=lambda turn: verdict.speed_of(run.samples[turn]).best) if turns else None


def measured_of(run: CaseRun, key: str) -> Measured:
    ours = run.samples[Turn("scree", 1)][0]
    measured = Measured(missing=run.missing.get(key, ""), tried=run.tried.get(key, []))
    if measured.missing:
        return measured
    for cores in run.bench.cores(key):
        turn = best_turn(run, key, cores)
        if turn is None:
            continue
        measured.speed[cores] = verdict.speed_of(run.samples[turn])
        if turn.variant:
            measured.variants[cores] = turn.variant
        if cores == 1:
            state = ours.state if key == "scree" else run.states.get(turn, {})
            measured.sample = dataclasses.replace(run.samples[turn][0], state=state)
    for turn in [turn for turn in run.samples if turn.key == key and turn.variant]:
        checks = verdict.compare(ours.state, run.states[turn], run.case.bounds) if turn in run.states else []
        measured.finals.append(Tried(turn.cores, turn.variant, verdict.speed_of(run.samples[turn]).best, checks))
        if turn == best_turn(run, key, 1):
            measured.checks = checks
    usual = run.usual_turn()
    if usual and usual.key == key:
        measured.usual_variant, measured.usual = usual.variant, verdict.speed_of(run.samples[usual])
    if Turn(key, "apart") in run.samples:
        measured.apart = verdict.speed_of(run.samples[Turn(key, "apart")])
    measured.placed = verdict.placed(run.samples.get(Turn(key, 2), []))
    return measured


def result_of(run: CaseRun) -> CaseResult:
    return CaseResult(run.case, {key: measured_of(run, key) for key in [*run.peers(), "scree"]})


def prepare(bench: Bench, case: Case) -> CaseRun:
    """Its state, and each peer's variants."""
    run = begin(bench, case)
    if not bench.quick and any(key not in run.missing for key in run.peers()):
        sample = bench.progress.timed(f"{case.name} scree trial", lambda: run.run_scree(1, case.trial()))
        run.trial_state = sample.state
    for key in run.peers():
        if key in run.missing:
            continue
        try:
            choose(run, key)
        except CodeFailed as failed:
            give_up(run, key, failed)
    leave_out_slow_rivals(run)
    for (key, cores), variants in run.chosen.items():
        bench.progress.plan([f"{case.name} {key} {cores}"] * (bench.rounds * (len(variants) - 1)))
    usual = run.usual_turn()
    if not usual or usual.variant in run.chosen[usual.key, 1]:  # its peer is missing, or it is measured anyway
        bench.progress.drop(f"{case.name} {case.first_peer} usual")
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
    parser.add_argument("--quick", action="store_true", help="one round on one core, without looking for fast variants")
    parser.add_argument("--json", action="store_true", help="results as JSON")
    parser.add_argument("--record", type=Path, metavar="DIR", help="keep the results of a whole run in this folder too")
    chosen = parser.parse_args(arguments)
    for peer in PEERS.values():
        if not peer.is_packaged and peer.program and not codes.is_there(peer):
            parser.error(f"no program {peer.program}, which the environment names as a build of {codes.PEERS[peer.kind].name}")
    if chosen.rounds < 1:
        parser.error(f"--rounds must be at least 1 (got {chosen.rounds})")
    if not chosen.scree.exists():
        parser.error(f"no program {chosen.scree}: make build makes it")
    try:
        chosen.cases = [cases.find(name) for name in chosen.only] if chosen.only else cases.CASES
    except KeyError as unknown:
        parser.error(unknown.args[0])
    return chosen


TOO_BUSY = 0.5  # cores that others kept busy, in the mean: ratios on two cores would flatter scree
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
    failed = [f"NOT THE SAME: {result.case.title}: {report.CODES[key]}: {check.quantity} ({variant})" for result in results
              for key, variant, check in result.failures]
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
    versions = {key: codes.version_of(PEERS[key], run.folder) for run in runs for key, _ in run.chosen}
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
        if beside.cores() > TOO_BUSY:
            print(f"peers: not recorded: others kept {beside.cores():.1f} cores busy, more than {TOO_BUSY:g}; ranks of MPI that wait"
                  " for each other suffer more from that than threads do", file=sys.stderr)
            return 1
        keep(folder, options.record, whole)
    return 1 if failed else 0


if __name__ == "__main__":
    script.run("peers", main)
