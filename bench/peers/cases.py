"""cases.py: what is measured: the table of cases, one row each.

A case has a folder in cases/ with the scene for scree and the decks of its peers, and a maker of its state in states.py. Two
codes simulate the same when, after the same steps from the same state, their contacts per particle, mean overlaps and
kinetic energies, each the mean over the windows' ends, agree within the case's bounds, which are relative."""

from __future__ import annotations

from dataclasses import dataclass, field

from codes import Choices, Schedule


@dataclass(frozen=True)
class Bounds:
    contacts: float
    overlap: float
    translation: float
    rotation: float
    rest: float = 0.0  # J per particle: kinetic energies below are those of grains at rest, and not compared
    why: str = ""


@dataclass(frozen=True)
class Case:
    name: str
    title: str
    state: str  # its maker in states.py
    folder: str  # in cases/
    goal: float  # times the fastest peer's speed, on one core, the peer at its fastest
    goal_threads: float  # two threads over one
    timestep: str  # s
    usual: str  # skin that decks of such a case usually have: the first peer is measured with it, too
    schedule: Schedule
    bounds: Bounds
    peers: dict[str, Choices]  # by kind: the fastest variant counts
    settings: tuple[str, ...] = ()  # of the scene
    materials: tuple[str, ...] = ("glass",)  # of the types 1, 2, ...
    fixed: tuple[str, ...] = ()
    periodic: tuple[bool, bool, bool] = (True, True, False)
    decks: dict[str, str] = field(default_factory=dict)  # folders of decks that are another case's
    trial_steps: int = 300  # at most, of a trial of one variant
    whole_trials: bool = False  # variants are tried by the case's own schedule, since a short one would mislead

    @property
    def first_peer(self) -> str:
        return next(iter(self.peers))

    def trial(self) -> Schedule:
        """The steps by which variants are tried. A flow's state wavers: it is the mean of three moments."""
        if self.whole_trials:
            return self.schedule
        warm, steps = min(self.schedule.warm, 100), min(self.schedule.steps, self.trial_steps)
        return Schedule(warm, steps, 1) if self.bounds.rest else Schedule(warm, steps // 3, 3)


# A bed at rest: what moves is rounding and the last of the settling. 1e-4 of the work that lifts a grain by its diameter
# (m g d = 1.3e-8 J) is rest. Dashpots differ in form but hold no load: packing and overlaps must agree closely.
AT_REST = Bounds(contacts=0.01, overlap=0.01, translation=0.1, rotation=0.1, rest=1.3e-12,
                 why="below 1e-4 m g d per grain: packing and load decide, dashpots do not")

# Skins to choose from, the first for a quick look. In a bed at rest a peer is the faster the smaller the skin; a hundredth
# of a diameter is as small as anybody would dare. Decks usually have a tenth of a diameter, a fifth where a bed is shaken,
# half of one in a gas. LIGGGHTS refuses newton on for pairs that have a history of friction, and has no styles with a
# suffix.
def lammps(styles: tuple[str, ...], *skins: str, more: tuple[tuple[str, str], ...] = ()) -> Choices:
    return Choices(skins, styles, suffixes=(None, "omp"), more=more)


def liggghts(*skins: str) -> Choices:
    return Choices(skins, newtons=("off",))


STYLES = ("hertz", "granular")  # of LAMMPS; the first is the old one, and the faster wherever both were tried

# Warming and windows of the beds of 32,000 and 256,000, of the chute and of the gas are those that the goals were set with. A shaken bed is
# compared where its floor stands still.
CASES = [
    Case("bed1k", "bed of 1,000", "bed1k", "bed", 2.0, 0.0, "1e-5", "1e-4", Schedule(500, 5000, 3), AT_REST,
         {"lammps": lammps(STYLES, "5e-5", "1e-5", "2e-5", "1e-4", "2e-4"), "liggghts": liggghts("1e-4", "2e-5", "5e-5")},
         settings=("domain.high=[8 mm, 8 mm, 40 mm]",), trial_steps=3000),
    Case("bed32k", "bed of 32,000", "bed32k", "bed", 4.0, 1.85, "1e-5", "1e-4", Schedule(500, 300, 3), AT_REST,
         {"lammps": lammps(STYLES, "5e-5", "1e-5", "2e-5", "1e-4"), "liggghts": liggghts("5e-5", "2e-5", "1e-4")}),
    Case("bed256k", "bed of 256,000", "bed256k", "bed", 5.0, 1.85, "1e-5", "1e-4", Schedule(30, 30, 3), AT_REST,
         {"lammps": lammps(STYLES, "5e-5", "2e-5", "1e-4")},
         settings=("domain.high=[128 mm, 64 mm, 40 mm]",)),
    Case("shaken32k", "bed of 32,000, shaken", "shaken32k", "shaken", 3.0, 1.8, "1e-5", "2e-4", Schedule(1500, 2000, 1),
         Bounds(0.05, 0.05, 0.1, 0.1,
                why="compared when the bed has landed; the dashpot of LAMMPS' fastest style has another form"),
         {"lammps": lammps(STYLES, "1e-4", "5e-5", "2e-4", more=(("shake", "2"),))},
         decks={"lammps": "bed"}, whole_trials=True),
    Case("chute32k", "chute flow of 32,000", "chute32k", "chute", 3.0, 1.8, "1e-4", "0.1", Schedule(100, 300, 3),
         Bounds(0.06, 0.06, 0.001, 0.02, why="the same laws; 6,000 contacts that come and go waver by 2 %"),
         {"lammps": lammps(("hooke", "granular"), "0.1", "0.05", "0.2", "0.3"), "liggghts": liggghts("0.1", "0.2")},
         materials=("grain", "base"), fixed=("base",)),
    Case("gas100k", "dilute gas of 100,000", "gas100k", "gas", 2.5, 1.7, "5e-6", "5e-4", Schedule(100, 500, 3),
         Bounds(0.06, 0.06, 0.03, 0.03,
                why="1,800 contacts at a time; dashpots of another form take another share in each collision"),
         {"lammps": lammps(STYLES, "5e-4", "8e-4", "1.2e-3"), "liggghts": liggghts("5e-4", "8e-4", "1.2e-3")},
         periodic=(True, True, True)),
    Case("poly100k", "polydisperse bed of 100,000", "poly", "poly", 4.0, 1.8, "3e-6", "1e-4", Schedule(20, 40, 3), AT_REST,
         {"lammps": lammps(STYLES, "5e-5", "2e-5", "1e-5", "1e-4"), "liggghts": liggghts("5e-5", "2e-5", "1e-4")},
         decks={"lammps": "bed", "liggghts": "bed"}),
    Case("drum25k", "drum of triangles, 25,000", "drum", "drum", 4.0, 1.8, "1e-5", "1e-4", Schedule(100, 150, 3),
         Bounds(0.02, 0.05, 0.05, 0.1, why="dashpots and contacts with triangles differ in form"),
         {"liggghts": liggghts("2e-4", "1e-4", "3e-4")}, periodic=(False, False, False)),
    Case("hopper50k", "hopper of 50,000", "hopper", "hopper", 4.0, 1.8, "1e-5", "1e-4", Schedule(100, 100, 3),
         Bounds(0.02, 0.05, 0.05, 0.1, why="dashpots differ in form"),
         {"lammps": lammps(STYLES, "2e-4", "1e-4", "3e-4", "4e-4")},
         periodic=(False, False, False)),
]


def find(name: str) -> Case:
    for case in CASES:
        if case.name == name:
            return case
    raise KeyError(f"no case {name!r}: there are {', '.join(case.name for case in CASES)}")
