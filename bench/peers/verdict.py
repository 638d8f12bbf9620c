"""verdict.py: what measurements come to: best and median, ratios, whether two codes simulated the same."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Sequence

from cases import Bounds
from codes import Sample, Variant


@dataclass(frozen=True)
class Speed:
    """Of one code on so many cores, over all windows of all rounds."""
    best: float
    median: float
    windows: int


def speed_of(samples: Sequence[Sample]) -> Speed:
    speeds = [mps for sample in samples for mps in sample.mps]
    if not speeds:
        raise ValueError("no window was measured")
    return Speed(max(speeds), statistics.median(speeds), len(speeds))


@dataclass(frozen=True)
class Placed:
    """A window on two threads, and how far apart the host had put the two cores."""
    nanoseconds: float  # there and back
    mps: float


def placed(samples: Sequence[Sample]) -> list[Placed]:
    return [Placed(1e9 * trip, mps) for sample in samples for trip, mps in zip(sample.round_trips, sample.mps)
            if trip is not None]


@dataclass(frozen=True)
class Check:
    """One quantity of two codes after the same steps."""
    quantity: str
    ours: float
    theirs: float
    bound: float
    rest: float = 0.0  # both below: nothing to compare

    @property
    def difference(self) -> float:
        """Relative to the larger of the two."""
        largest = max(abs(self.ours), abs(self.theirs))
        return abs(self.ours - self.theirs) / largest if largest > 0 else 0.0

    @property
    def still(self) -> bool:
        return max(self.ours, self.theirs) < self.rest

    @property
    def holds(self) -> bool:
        return self.still or self.difference <= self.bound


def compare(ours: dict[str, float], theirs: dict[str, float], bounds: Bounds) -> list[Check]:
    """The same number of grains, and their means within the bounds."""
    rest = bounds.rest * ours["particles"]
    rows = [("particles", 0.002, 0.0), ("contacts_per_particle", bounds.contacts, 0.0),
            ("mean_overlap", bounds.overlap, 0.0), ("kinetic_translation", bounds.translation, rest),
            ("kinetic_rotation", bounds.rotation, rest)]
    return [Check(key, ours[key], theirs[key], bound, least) for key, bound, least in rows]


def is_outermost(chosen: Variant, tried: Sequence[Variant]) -> bool:
    """Is its skin the smallest or largest of those that its style was tried with? Then a further one might be faster."""
    skins = [float(variant.skin) for variant in tried if variant.style == chosen.style]
    return len(skins) > 1 and float(chosen.skin) in (min(skins), max(skins))
