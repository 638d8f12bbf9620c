"""states.py: the states that all codes begin with. scree settles or develops each once; it is kept until the files that it
comes from change. A bed is settled on a small periodic base and repeated sideways."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import operator
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Sequence

import grains
import meshes
from codes import HERE, CodeFailed, record
from grains import State, Vector

MM = 1e-3
GLASS = (2500.0,)


def digest(files: Sequence[Path], *words: str) -> str:
    found = hashlib.sha256(repr(words).encode())
    for path in files:
        found.update(path.read_bytes())
    return found.hexdigest()


@dataclass(frozen=True)
class Maker:
    """Makes states in a folder, with a build of scree."""
    scree: Path
    work: Path

    def folder(self, name: str) -> Path:
        path = self.work / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def run(self, source: str, name: str, *settings: str) -> Path:
        """Runs a scene of cases/ in a folder of its own, unless it was run before with the same files; returns the run's
        folder."""
        folder = self.folder(name)
        scene, key = folder / Path(source).name, folder / "run.key"
        scene.write_text((HERE / "cases" / source).read_text())
        wanted = digest([scene, *sorted(folder.glob("*.data")), *sorted(folder.glob("*.stl"))], *settings)
        if key.exists() and key.read_text() == wanted:
            return folder / "run"
        key.unlink(missing_ok=True)  # an end on the way leaves nothing that looks made
        command = [str(self.scree), "run", scene.name, "-o", "run", "--overwrite", "--json"]
        for setting in settings:
            command += ["--set", setting]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise CodeFailed(f"{source}: {done.stderr.strip()}")
        key.write_text(wanted)
        return folder / "run"


def table(run: Path, *materials: str) -> list[grains.Grain]:
    return grains.read_table(run / "final.csv", materials)


# ---- beds -----------------------------------------------------------------------------------------------------------

def settled(maker: Maker, source: str, name: str, high: Vector, *settings: str) -> State:
    """A bed that has come to rest: what is left of motion is taken away."""
    run = maker.run(source, name, *settings)
    return grains.at_rest(State(table(run, "glass"), grains.ZERO, high, GLASS))


def bed_tile(maker: Maker) -> State:
    """8,000 grains; one run for all beds that are made of them."""
    return settled(maker, "bed/settle.yaml", "bed_tile", (16 * MM, 16 * MM, 40 * MM))


def bed1k(maker: Maker) -> State:
    return settled(maker, "bed/settle.yaml", "bed1k_tile", (8 * MM, 8 * MM, 40 * MM), "particles.0.count=1000",
                   "domain.high=[8 mm, 8 mm, 65 mm]", "particles.0.fill.box.high=[8 mm, 8 mm, 30 mm]")


def bed32k(maker: Maker) -> State:
    return grains.repeat(bed_tile(maker), (2, 2, 1))


def bed256k(maker: Maker) -> State:
    return grains.repeat(bed_tile(maker), (8, 4, 1))


def poly(maker: Maker) -> State:
    tile = settled(maker, "poly/settle.yaml", "poly_tile", (20 * MM, 20 * MM, 45 * MM))
    return grains.repeat(tile, (4, 4, 1))


# ---- flows ----------------------------------------------------------------------------------------------------------

def steady(log: Path, bound: float) -> None:
    """The kinetic energy of the last quarter of a log against that of the quarter before."""
    with log.open(newline="") as stream:
        kinetic = [float(row["kinetic [J]"]) for row in csv.DictReader(stream)]
    quarter = len(kinetic) // 4
    last, before = (sum(part) / quarter for part in (kinetic[-quarter:], kinetic[-2 * quarter:-quarter]))
    if abs(last / before - 1) > bound:
        raise CodeFailed(f"{log}: the flow is not steady: kinetic energy {before:.4g} J, then {last:.4g} J")


def by_kind(state: State, folder: Path, name: str) -> None:
    """A file for each kind: a scene fixes whole groups."""
    for kind in range(1, len(state.density) + 1):
        grains.write_data(folder / f"{name}_{kind}.data", state, kind)


def chute32k(maker: Maker) -> State:
    """40 units of time with springs ten times softer and steps eight times longer, then 2 with those of the case."""
    low, high, density = (0.0, 0.0, -1.0), (10.0, 10.0, 60.0), (1.0, 1.0)
    by_kind(State(grains.loose_chute(10, 48, 30.0), low, high, density), maker.folder("chute_soft"), "loose")
    run = maker.run("chute/develop.yaml", "chute_soft")
    steady(run / "log.csv", 0.03)
    by_kind(State(table(run, "grain", "base"), low, high, density), maker.folder("chute_tile"), "loose")
    run = maker.run("chute/develop.yaml", "chute_tile", "contacts.default.stiffness=2e5",
                    "contacts.default.D=13.08996938995747", "contacts.default.kt=57142.857142857145",
                    "contacts.[grain,base].D=26.17993877991494", "run.duration=2", "run.timestep=2e-4")
    return grains.repeat(State(table(run, "grain", "base"), low, high, density), (4, 2, 1))


def gas100k(maker: Maker) -> State:
    side = 101.549 * MM
    return State(table(maker.run("gas/mix.yaml", "gas_mixing"), "glass"), grains.ZERO, (side, side, side), GLASS)


def shaken32k(maker: Maker) -> State:
    """At rest in the frame of the floor, which the peers are in."""
    return bed32k(maker)


def laboratory(state: State, folder: Path) -> None:
    """The same in the laboratory's frame, in which scree's floor moves by -A sin(2 pi f t), A (2 pi f)^2 = 2 g."""
    rate = 2 * math.pi * 50
    grains.write_data(folder / "state_moving.data", grains.at_rest(state, (0.0, 0.0, -2 * 9.81 / rate)))


# ---- between walls --------------------------------------------------------------------------------------------------

def in_drum(place: Vector) -> bool:
    return math.hypot(place[0], place[2]) < 24.4 * MM


def in_hopper(place: Vector) -> bool:
    """A slope of 45 degrees above an opening of 10 mm, then a bin of 36 mm; with a grain's radius left to both."""
    return math.hypot(place[0], place[1]) < min(4.1 * MM + place[2], 17.3 * MM)


def drum(maker: Maker) -> State:
    low, high = (-27 * MM, -MM, -27 * MM), (27 * MM, 29 * MM, 27 * MM)
    loose = grains.lattice((-24.4 * MM, 0.6 * MM, -24.4 * MM), (24.4 * MM, 27.4 * MM, 24 * MM), 1.06 * MM, 0.02 * MM,
                           0.5 * MM, 25000, in_drum)
    return developed(maker, "drum", State(loose, low, high, GLASS))


def hopper(maker: Maker) -> State:
    low, high = (-20 * MM, -20 * MM, -10 * MM), (20 * MM, 20 * MM, 76 * MM)
    loose = grains.lattice((-17.4 * MM, -17.4 * MM, 0.6 * MM), (17.4 * MM, 17.4 * MM, 74 * MM), 1.04 * MM, 0.015 * MM,
                           0.5 * MM, 50000, in_hopper)
    return developed(maker, "hopper", State(loose, low, high, GLASS))


def developed(maker: Maker, name: str, loose: State) -> State:
    """From a lattice to motion within walls; those of triangles are in a file that all codes read."""
    folder = maker.folder(f"{name}_developing")
    grains.write_data(folder / "loose.data", loose)
    if name in MESHES:
        MESHES[name](folder / f"{name}.stl")
    run = maker.run(f"{name}/develop.yaml", folder.name)
    inside = [g for g in table(run, "glass") if all(map(operator.lt, loose.low, g.position))]  # some are falling out
    return State(inside, loose.low, loose.high, GLASS)


# ---- all of them ----------------------------------------------------------------------------------------------------

MESHES: dict[str, Callable[[Path], None]] = {"drum": meshes.drum}
MAKERS: dict[str, Callable[[Maker], State]] = {
    maker.__name__: maker for maker in (bed1k, bed32k, bed256k, shaken32k, chute32k, gas100k, poly, drum, hopper)}


def stamp(name: str, folder: str) -> str:
    """Of all that the state comes from; the program is not in it: its bits do not depend on its speed."""
    sources = [*sorted((HERE / "cases" / folder).glob("*.yaml")), HERE / "cases" / "bed" / "settle.yaml",
               *(HERE / f"{module}.py" for module in ("states", "grains", "meshes"))]
    return digest(sources, name)


def is_made(maker: Maker, name: str, case_folder: str) -> bool:
    kept = maker.work / name / "state.json"
    return kept.exists() and json.loads(kept.read_text())["stamp"] == stamp(name, case_folder)


def make(maker: Maker, name: str, case_folder: str) -> Path:
    """A folder with state.data, its box in state.json, which is written last, and its mesh."""
    folder = maker.folder(name)
    kept = folder / "state.json"
    kept.unlink(missing_ok=True)
    state = MAKERS[name](maker)
    grains.write_data(folder / "state.data", state)
    if len(state.density) > 1:
        by_kind(state, folder, "state")
    if case_folder == "shaken":
        laboratory(state, folder)
    if case_folder in MESHES:
        MESHES[case_folder](folder / f"{case_folder}.stl")
    about = {"stamp": stamp(name, case_folder), "low": state.low, "high": state.high, "particles": len(state.grains)}
    record.write(kept, json.dumps(about))
    return folder


def within(found: Sequence[grains.Grain], box: dict[str, Sequence[float]],
           periodic: Sequence[bool]) -> list[grains.Grain]:
    """Codes let grains stray over the sides between two rebuilds: back over periodic ones, gone over others."""
    def inside(place: Vector) -> Vector:
        x, y, z = (low + (value - low) % (high - low) if wraps else value
                   for value, low, high, wraps in zip(place, box["low"], box["high"], periodic))
        return (x, y, z)

    moved = (replace(g, position=inside(g.position)) for g in found)
    return [g for g in moved if all(low <= value <= high for low, value, high in zip(box["low"], g.position, box["high"]))]
