"""meshes.py: the walls of the cases as triangles, in STL files that every code reads."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Callable, Sequence

Point = tuple[float, float, float]
Triangle = tuple[Point, Point, Point]


def revolve(profile: Sequence[tuple[float, float]], around: int,
            place: Callable[[float, float, float], Point]) -> list[Triangle]:
    """A profile of (radius, height), turned about an axis: two triangles between neighbours. place: from the two
    coordinates across the axis and the one along it."""
    def ring(radius: float, height: float) -> list[Point]:
        angles = (2 * math.pi * i / around for i in range(around))
        return [place(radius * math.cos(a), radius * math.sin(a), height) for a in angles]

    triangles: list[Triangle] = []
    rings = [ring(*point) for point in profile]
    for low, high in zip(rings, rings[1:]):
        for i in range(around):
            j = (i + 1) % around
            triangles += [(low[i], low[j], high[i]), (low[j], high[j], high[i])]
    return triangles


def steps(begin: float, end: float, count: int) -> list[float]:
    return [begin + (end - begin) * i / count for i in range(count + 1)]


def normal(t: Triangle) -> Point:
    a, b = ([q - p for p, q in zip(t[0], t[k])] for k in (1, 2))
    n = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    size = math.hypot(*n)
    return (n[0] / size, n[1] / size, n[2] / size)


def write_stl(path: Path, triangles: Sequence[Triangle]) -> None:
    with path.open("w") as stream:
        stream.write("solid wall\n")
        for t in triangles:
            stream.write("facet normal {:.9g} {:.9g} {:.9g}\nouter loop\n".format(*normal(t)))
            for point in t:
                stream.write("vertex {:.9g} {:.9g} {:.9g}\n".format(*point))
            stream.write("endloop\nendfacet\n")
        stream.write("endsolid wall\n")


def drum(path: Path) -> None:
    """Radius 25 mm, length 28 mm along y, 4,000 triangles; its ends are planes."""
    profile = [(25e-3, y) for y in steps(0.0, 28e-3, 20)]
    write_stl(path, revolve(profile, 100, lambda u, v, y: (u, y, v)))
