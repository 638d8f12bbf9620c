"""codes.py: runs scree and its peers on a state, and reads what they say about it.

Every code runs a warming and then windows of steps. On one core the time of a window is that of the processor: scree
measures it itself, of the peers mark.sh reads it before and after each window. On two it is that of the clock, the "Loop
time" that the peers print. What they simulated is looked at where windows end, and the mean taken: what thousands of
contacts of a flow come to wavers from one moment to the next, by more than codes differ."""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Iterable, Sequence

import grains

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import record  # noqa: E402,F401  of bench/, for the others here
import script  # noqa: E402


class CodeFailed(script.Failed):
    """A code did not do what it was asked for; the sentence says what it said."""


ANY_GRID = "* * *"


@dataclass(frozen=True)
class Schedule:
    warm: int  # steps before the first window
    steps: int  # of a window
    windows: int

    @property
    def total(self) -> int:
        return self.warm + self.steps * self.windows


@dataclass(frozen=True)
class Variant:
    """One way to run a peer's deck: each field is chosen freely, and the physics is the same with all of them."""
    skin: str
    style: str | None = None
    newton: str = "off"  # on: a pair that two ranks share is computed once, and its force sent back
    suffix: str | None = None  # of the styles: -sf omp
    grid: str = ANY_GRID  # processors in x, y, z; one core leaves it to the peer
    more: tuple[tuple[str, str], ...] = ()  # variables of the deck that are the case's, and no choice

    def variables(self) -> list[tuple[str, str]]:
        style = [("style", self.style)] if self.style else []
        return [("skin", self.skin), *style, ("newton", self.newton), ("grid", f'"{self.grid}"'), *self.more]

    def arguments(self) -> list[str]:
        """One thread a rank: on two cores there are two ranks, as with any other style."""
        return ["-sf", self.suffix, "-pk", self.suffix, "1"] if self.suffix else []

    def __str__(self) -> str:
        parts = [self.style, self.suffix, f"newton {self.newton}", f"skin {self.skin}",
                 f"grid {self.grid}" if self.grid != ANY_GRID else None]
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True)
class Choices:
    """The values among which a case looks for a peer's fastest variant; the first of each is what a quick look takes."""
    skins: tuple[str, ...]
    styles: tuple[str | None, ...] = (None,)
    newtons: tuple[str, ...] = ("on", "off")
    suffixes: tuple[str | None, ...] = (None,)
    grids: tuple[str, ...] = ("2 1 1", "1 2 1", "1 1 2")  # of two ranks
    more: tuple[tuple[str, str], ...] = ()

    def first(self) -> Variant:
        return Variant(self.skins[0], self.styles[0], self.newtons[0], self.suffixes[0], more=self.more)

    def kinds(self) -> list[Variant]:
        """Every style with every newton, at the first skin."""
        return [replace(self.first(), style=style, newton=newton, suffix=suffix)
                for style in self.styles for suffix in self.suffixes for newton in self.newtons]

    def skins_of(self, best: Variant) -> list[Variant]:
        """The fastest of the kinds at the other skins."""
        return [replace(best, skin=skin) for skin in self.skins if skin != best.skin]

    def grids_of(self, best: Variant) -> list[Variant]:
        """For two ranks: each grid, the rest as it is fastest on one."""
        return [replace(best, grid=grid) for grid in self.grids]

    def newtons_of(self, best: Variant) -> list[Variant]:
        """For two ranks: the fastest of the grids with newton the other way, too, for ranks share pairs."""
        return [replace(best, newton=newton) for newton in self.newtons if newton != best.newton]

    def count(self) -> tuple[int, int]:
        """How many variants are tried on one core and on two."""
        kinds = len(self.styles) * len(self.suffixes) * len(self.newtons)
        return kinds + len(self.skins) - 1, len(self.grids) + len(self.newtons) - 1


@dataclass(frozen=True)
class Mark:
    """Between two windows of a peer."""
    nanoseconds: int  # on a processor so far
    kilobytes: int  # the most memory so far


@dataclass(frozen=True)
class Sample:
    """One run of a code: the speeds of its windows, its memory, and the mean state at their ends."""
    mps: list[float]  # million particle-steps per second
    particles: int
    peak_bytes: int | None = None  # of the process
    own_bytes: float | None = None  # as the code counts them, per particle
    state: dict[str, float] = field(default_factory=dict)
    dumps: list[Path] = field(default_factory=list)  # of a peer, where windows end
    round_trips: list[float | None] = field(default_factory=list)  # s, between the cores before each window; scree's


# ---- processes ------------------------------------------------------------------------------------------------------

def execute(command: Sequence[str], folder: Path, seconds: float = 600) -> str:
    """Runs a command to its end; what it printed."""
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=seconds, check=False,
                              env={**os.environ, "OMP_NUM_THREADS": "1"})  # one thread for each core that is counted
    except subprocess.TimeoutExpired as late:
        raise CodeFailed(f"{command[0]} took longer than {seconds:g} s") from late
    except OSError as wrong:
        raise CodeFailed(f"{command[0]} cannot be run: {wrong.strerror}") from wrong
    if done.returncode != 0:
        raise CodeFailed(f"{command[0]}: {last_lines(done.stdout)}")
    return done.stdout


def last_lines(text: str, count: int = 4) -> str:
    errors = [line for line in text.splitlines() if "ERROR" in line]
    return " | ".join((errors or [line for line in text.splitlines() if line.strip()])[-count:])


# ---- scree ----------------------------------------------------------------------------------------------------------

STATE = ("contacts_per_particle", "kinetic_translation", "kinetic_rotation", "mean_overlap")


def mean_state(states: Sequence[dict[str, float]]) -> dict[str, float]:
    return {key: statistics.fmean(state[key] for state in states) for key in states[0]}


def parse_scree(text: str) -> Sample:
    result = json.loads(text)
    ends = result["windows"] or [result]  # without a window it is the state that was read
    state = mean_state([{key: end[key] if end[key] is not None else 0.0 for key in (*STATE, "particles")} for end in ends])
    return Sample([window["mps"] for window in result["windows"]], result["particles"], int(result["peak_bytes"]),
                  result["bytes_per_particle"], state,
                  round_trips=[window.get("core_round_trip") for window in result["windows"]])


def scree_command(program: Path, scene: Path, settings: Sequence[str], schedule: Schedule, threads: int) -> list[str]:
    command = [str(program), "bench", "scene", scene.name, "--json", "--threads", str(threads), "--warm",
               str(schedule.warm), "--windows", str(schedule.windows)]
    if schedule.windows:
        command += ["--steps", str(schedule.steps)]
    for setting in settings:
        command += ["--set", setting]
    return command


def run_scree(program: Path, scene: Path, settings: Sequence[str], schedule: Schedule, threads: int) -> Sample:
    done = subprocess.run(scree_command(program, scene, settings, schedule, threads), cwd=scene.parent, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise CodeFailed(done.stderr.strip())
    return parse_scree(done.stdout)


def run_scree_apart(program: Path, scene: Path, settings: Sequence[str], schedule: Schedule) -> Sample:
    """The same twice at a time, each on a core of its own and knowing nothing of the other: what two of this machine's
    cores give at all, by the clock as on two threads. Their windows coincide well enough, and their speeds are added."""
    def begin(core: int) -> subprocess.Popen[str]:
        return subprocess.Popen(scree_command(program, scene, settings, schedule, 1), cwd=scene.parent, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                preexec_fn=lambda: os.sched_setaffinity(0, {core}))

    both = [begin(core) for core in sorted(os.sched_getaffinity(0))[:2]]
    said = [one.communicate() for one in both]
    for one, (_, error) in zip(both, said):
        if one.returncode != 0:
            raise CodeFailed(error.strip())
    first, second = ([window["mps"] * window["seconds"] / window["wall_seconds"] for window in json.loads(out)["windows"]]
                     for out, _ in said)
    return replace(parse_scree(said[0][0]), mps=[a + b for a, b in zip(first, second)])


# ---- LAMMPS and LIGGGHTS --------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Peer:
    key: str
    kind: str  # whose decks and choices it has: its key, but for a build of the user's own
    name: str
    program: str
    deck: str
    version: str  # what its output tells, as a pattern
    dump: str  # how it writes a state

    @property
    def is_packaged(self) -> bool:
        return self.key == self.kind


PACKAGED = [
    Peer("lammps", "lammps", "LAMMPS", "lmp", "lammps.in", r"^LAMMPS \((.*?)\)",
         "write_dump all custom {file} {columns} modify format float %.17g\n"),
    Peer("liggghts", "liggghts", "LIGGGHTS", "liggghts", "liggghts.in", r"^LIGGGHTS \(Version (.*?)[,)]",
         "dump end all custom 1 {file} {columns}\n"
         'dump_modify end format "%d %d' + 10 * " %.17g" + '"\nrun 0\nundump end\n'),
]
# Builds of the user's own stand beside the packages: LAMMPS=/path/to/lmp and LIGGGHTS=/path/to/liggghts name them.
def own_build(packaged: Peer) -> Peer:
    named = os.environ.get(packaged.name, "")
    program = str(Path(named).resolve()) if "/" in named else named
    return replace(packaged, key=f"{packaged.key}_own", name=f"{packaged.name} (own build)", program=program)


PEERS = {peer.key: peer for packaged in PACKAGED for peer in (packaged, own_build(packaged))}


def peers_of(kinds: Iterable[str]) -> list[str]:
    """The keys of the peers that are run where these kinds are: the packages, and the builds that were named."""
    return [key for key, peer in PEERS.items() if peer.kind in kinds and peer.program]


def is_there(peer: Peer) -> bool:
    return shutil.which(peer.program) is not None


@functools.lru_cache
def has_suffix(program: str, suffix: str) -> bool:
    """Has it granular styles with that suffix? Its help lists all styles."""
    done = subprocess.run([program, "-h"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                          check=False)
    return re.search(rf"\bgran/\S+/{suffix}\b", done.stdout) is not None


def cores_of(key: str) -> tuple[int, ...]:
    """One, and two where there are so many; the peers need mpirun for them."""
    two = len(os.sched_getaffinity(0)) > 1 and (key == "scree" or shutil.which("mpirun") is not None)
    return (1, 2) if two else (1,)


def deck_text(peer: Peer, deck: str, variables: Sequence[tuple[str, str]], schedule: Schedule,
              dumps: Sequence[Path] = ()) -> str:
    """What the peer is given: the case's deck between its variables and the windows, which are the same for all; after
    each of them its state is written where that is asked for, out of the time that counts."""
    text = "".join(f"variable {name} index {value}\n" for name, value in variables) + deck
    text += "thermo_style custom step cpu ke\nthermo_modify norm no lost ignore\nthermo 1000000000\n"
    text += f"run {schedule.warm}\n"
    for number in range(schedule.windows):
        text += f"shell ./mark.sh marks\nrun {schedule.steps} pre no post no\nshell ./mark.sh marks\n"
        text += peer.dump.format(file=dumps[number].name, columns=grains.DUMPED) if dumps else ""
    return text


LOOP = re.compile(r"^Loop time of (\S+) on (\d+) procs for (\d+) steps with (\d+) atoms", re.M)
MEMORY = re.compile(r"^(?:Per MPI rank memory allocation \(min/avg/max\) = \S+ \| (\S+)|Memory usage per processor = (\S+))"
                    r".* ?Mbytes", re.M)


def parse_memory(text: str, particles: int) -> float | None:
    """Bytes per particle as the code counts them, the largest of its runs."""
    found = [float(match[1] or match[2]) for match in MEMORY.finditer(text)]
    return max(found) * 2**20 / particles if found else None


def read_marks(path: Path) -> list[Mark]:
    lines = path.read_text().splitlines() if path.exists() else []
    return [Mark(*(int(word) for word in line.split())) for line in lines]


def parse_peer(text: str, marks: Sequence[Mark], schedule: Schedule, cores: int) -> Sample:
    """Speeds of the windows from what a peer printed and from the marks before and after them. Loops of no steps write
    a state, which takes memory as well: the most of it is that up to the first window's end."""
    loops = [loop for loop in LOOP.findall(text) if int(loop[2]) > 0]
    if len(loops) != schedule.windows + 1 or any(int(loop[1]) != cores for loop in loops):
        raise CodeFailed(last_lines(text))
    if cores == 1 and len(marks) != 2 * schedule.windows:
        raise CodeFailed(f"{len(marks)} marks of the processor's time where {2 * schedule.windows} were expected")
    speeds = []
    for i, (seconds, _, steps, atoms) in enumerate(loops[1:]):
        spent = 1e-9 * (marks[2 * i + 1].nanoseconds - marks[2 * i].nanoseconds) if cores == 1 else float(seconds)
        mean = 0.5 * (int(loops[i][3]) + int(atoms))
        speeds.append(1e-6 * mean * int(steps) / spent)
    particles = int(loops[-1][3])
    if cores > 1:
        return Sample(speeds, particles)
    return Sample(speeds, particles, 1024 * marks[1].kilobytes, parse_memory(text, particles))


def mpi_prefix(cores: int) -> list[str]:
    if cores == 1:
        return []
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", *root, "--oversubscribe", "-np", str(cores)]


def run_peer(peer: Peer, folder: Path, deck: Path, variant: Variant, timestep: str, schedule: Schedule, cores: int,
             dump: bool = False) -> Sample:
    """Runs a peer in the folder that holds its state."""
    marks = folder / "marks"
    dumps = [folder / f"end{number}.dump" for number in range(schedule.windows)] if dump else []
    for path in [marks, *dumps]:
        path.unlink(missing_ok=True)
    shutil.copy(HERE / "mark.sh", folder)
    script = folder / f"{peer.key}.run"
    script.write_text(deck_text(peer, deck.read_text(), [("timestep", timestep), *variant.variables()], schedule, dumps))
    text = execute([*mpi_prefix(cores), peer.program, "-in", script.name, *variant.arguments()], folder)
    (folder / f"{peer.key}.out").write_text(text)
    sample = parse_peer(text, read_marks(marks), schedule, cores)
    return replace(sample, dumps=dumps)


def version_of(peer: Peer, folder: Path) -> str:
    """As it tells itself at the head of a run's output."""
    path = folder / f"{peer.key}.out"
    found = re.search(peer.version, path.read_text(), re.M) if path.exists() else None
    return found[1] if found else "unknown"
