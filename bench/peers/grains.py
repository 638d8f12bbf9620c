"""grains.py: grains as all codes exchange them: tables of scree's runs, data files of LAMMPS, dumps of its kind."""

from __future__ import annotations

import csv
import itertools
import math
import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Sequence

Vector = tuple[float, float, float]
ZERO: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Grain:
    kind: int  # type of LAMMPS, from 1
    radius: float
    position: Vector
    velocity: Vector = ZERO
    spin: Vector = ZERO


@dataclass(frozen=True)
class State:
    """Grains, the box they are in, and the densities of their kinds."""
    grains: list[Grain]
    low: Vector
    high: Vector
    density: tuple[float, ...]  # per kind


def add(a: Vector, b: Vector) -> Vector:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


# ---- scree's tables -------------------------------------------------------------------------------------------------

def vector(row: dict[str, str], names: str) -> Vector:
    x, y, z = (float(row[name]) for name in names.split())
    return (x, y, z)


def read_table(path: Path, materials: Sequence[str]) -> list[Grain]:
    """final.csv of a run; the kind of a grain is the place of its material in the list, from 1."""
    with path.open(newline="") as stream:
        return [Grain(materials.index(row["material"]) + 1, float(row["radius"]), vector(row, "x y z"),
                      vector(row, "vx vy vz"), vector(row, "wx wy wz")) for row in csv.DictReader(stream)]


def write_table(path: Path, grains: Sequence[Grain], materials: Sequence[str], kind: int | None = None) -> None:
    """The table of one kind of grains, or of all; they are numbered as they come."""
    with path.open("w") as stream:
        stream.write("id,x,y,z,vx,vy,vz,wx,wy,wz,radius,material\n")
        for number, g in enumerate(grains, 1):
            if kind in (None, g.kind):
                numbers = ",".join(f"{value:.17g}" for value in (*g.position, *g.velocity, *g.spin, g.radius))
                stream.write(f"{number},{numbers},{materials[g.kind - 1]}\n")


# ---- files of LAMMPS and LIGGGHTS -----------------------------------------------------------------------------------

def write_data(path: Path, state: State, kind: int | None = None) -> None:
    """A data file of atom style sphere, with velocities, of one kind of grains or of all. LIGGGHTS reads the same; scree
    does as well."""
    chosen = [(number, g) for number, g in enumerate(state.grains, 1) if kind in (None, g.kind)]
    with path.open("w") as stream:
        stream.write(f"grains\n\n{len(chosen)} atoms\n{len(state.density)} atom types\n\n")
        for axis, low, high in zip("xyz", state.low, state.high):
            stream.write(f"{low:.17g} {high:.17g} {axis}lo {axis}hi\n")
        stream.write("\nAtoms\n\n")
        for number, g in chosen:
            x, y, z = g.position
            stream.write(f"{number} {g.kind} {2 * g.radius:.17g} {state.density[g.kind - 1]:.17g} "
                         f"{x:.17g} {y:.17g} {z:.17g}\n")
        stream.write("\nVelocities\n\n")
        for number, g in chosen:
            stream.write(" ".join([str(number), *(f"{value:.17g}" for value in (*g.velocity, *g.spin))]) + "\n")


DUMPED = "id type radius x y z vx vy vz omegax omegay omegaz"  # the columns that the decks write


def read_dump(path: Path) -> list[Grain]:
    """The last snapshot of a text dump, in the order of the ids."""
    text = path.read_text()
    head, _, rows = text[text.rindex("ITEM: ATOMS"):].partition("\n")
    names = head.split()[2:]
    if names != DUMPED.split():
        raise ValueError(f"{path}: columns {' '.join(names)} where {DUMPED} were expected")
    table = sorted(([float(word) for word in row.split()] for row in rows.splitlines()), key=lambda row: row[0])
    return [Grain(int(r[1]), r[2], (r[3], r[4], r[5]), (r[6], r[7], r[8]), (r[9], r[10], r[11])) for r in table]


# ---- states from states ---------------------------------------------------------------------------------------------

def repeat(state: State, copies: Sequence[int]) -> State:
    """A periodic state side by side with itself: what was settled once is a bed of any size."""
    size = tuple(high - low for low, high in zip(state.low, state.high))
    grains = []
    for at in itertools.product(*(range(n) for n in copies)):
        shift = (at[0] * size[0], at[1] * size[1], at[2] * size[2])
        grains += [replace(g, position=add(g.position, shift)) for g in state.grains]
    high = add(state.low, (copies[0] * size[0], copies[1] * size[1], copies[2] * size[2]))
    return State(grains, state.low, high, state.density)


def at_rest(state: State, velocity: Vector = ZERO) -> State:
    """All grains at one velocity, without spin."""
    return replace(state, grains=[replace(g, velocity=velocity, spin=ZERO) for g in state.grains])


def loose_chute(columns: int, layers: int, top_speed: float, seed: int = 1) -> list[Grain]:
    """Unit spheres: a rough base (kind 2), columns x columns of them, that none falls through, and jittered layers above
    it, as dense as they flow, that already move with the profile of a flow down an incline (Bagnold's), top_speed at
    the surface."""
    draw = random.Random(seed).uniform
    base = [Grain(2, 0.5, (i + 0.5, j + 0.5, draw(0.0, 0.5))) for i in range(columns) for j in range(columns)]
    across, rise = columns - 1, 0.8  # every second layer lies in the dimples of the first: 53 % of the volume
    spacing, height = columns / across, layers * rise
    flow = []
    for k, i, j in itertools.product(range(layers), range(across), range(across)):
        depth = 1.0 - (k + 0.5) * rise / height
        speed = top_speed * (1.0 - depth**1.5) + draw(-0.2, 0.2)
        place = ((i + 0.5 * (k % 2)) * spacing + draw(-0.03, 0.03), (j + 0.5 * (k % 2)) * spacing + draw(-0.03, 0.03),
                 1.6 + k * rise + draw(-0.01, 0.01))
        flow.append(Grain(1, 0.5, place, (speed, draw(-0.2, 0.2), draw(-0.2, 0.2))))
    return base + flow


def lattice(low: Vector, high: Vector, spacing: float, jitter: float, radius: float, count: int,
            holds: Callable[[Vector], bool], seed: int = 1) -> list[Grain]:
    """At rest at the points of a cubic lattice, from below, where there is room for them; each shifted by at most the
    jitter along each axis. Fewer than `count` is an error."""
    draw = random.Random(seed).uniform
    sites = [steps_of(a, b, spacing) for a, b in zip(low, high)]
    found: list[Grain] = []
    for z, y, x in itertools.product(sites[2], sites[1], sites[0]):
        if len(found) < count and holds((x, y, z)):
            shift = (draw(-jitter, jitter), draw(-jitter, jitter), draw(-jitter, jitter))
            found.append(Grain(1, radius, add((x, y, z), shift)))
    if len(found) < count:
        raise ValueError(f"the lattice has room for {len(found)} grains, not for {count}")
    return found


def steps_of(low: float, high: float, spacing: float) -> list[float]:
    return [low + spacing * i for i in range(int((high - low) / spacing) + 1)]


def root_mean_square_speed(grains: Sequence[Grain]) -> float:
    return math.sqrt(sum(v * v for g in grains for v in g.velocity) / len(grains))
