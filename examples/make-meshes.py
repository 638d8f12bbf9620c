#!/usr/bin/env python3
"""Writes the meshes of the example scenes, beside their scene.yaml. Lengths in mm.

    examples/make-meshes.py
"""
import struct
from math import cos, pi, sin
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Mesh:
    def __init__(self):
        self.points, self.index, self.triangles = [], {}, []

    def point(self, x, y, z):
        key = (round(x, 6), round(y, 6), round(z, 6))
        if key not in self.index:
            self.index[key] = len(self.points)
            self.points.append(key)
        return self.index[key]

    def quad(self, a, b, c, d):
        """Corners in order around it; one that has shrunk to a triangle is one."""
        i = [self.point(*p) for p in (a, b, c, d)]
        for t in ((i[0], i[1], i[2]), (i[0], i[2], i[3])):
            if len(set(t)) == 3:
                self.triangles.append(t)

    def revolve(self, outline, segments):
        """The surface that a line of (radius, height) sweeps around the z axis."""
        for s in range(segments):
            a, b = (2 * pi * (s + k) / segments for k in (0, 1))
            for (r0, z0), (r1, z1) in zip(outline, outline[1:]):
                self.quad((r0 * cos(a), r0 * sin(a), z0), (r0 * cos(b), r0 * sin(b), z0),
                          (r1 * cos(b), r1 * sin(b), z1), (r1 * cos(a), r1 * sin(a), z1))

    def block(self, low, high, turn=lambda p: p):
        """A solid box, its corners carried where `turn` says."""
        corner = [turn([high[k] if i >> k & 1 else low[k] for k in range(3)]) for i in range(8)]
        for face in ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)):
            self.quad(*(corner[i] for i in face))

    # ---- files

    def obj(self, path, title):
        lines = [f"# {title}", *("v %g %g %g" % p for p in self.points)]
        lines += ["f %d %d %d" % tuple(i + 1 for i in t) for t in self.triangles]
        path.write_text("\n".join(lines) + "\n")

    def ply(self, path, title):
        lines = ["ply", "format ascii 1.0", f"comment {title}", f"element vertex {len(self.points)}",
                 "property float x", "property float y", "property float z", f"element face {len(self.triangles)}",
                 "property list uchar int vertex_indices", "end_header"]
        lines += ["%g %g %g" % p for p in self.points] + ["3 %d %d %d" % t for t in self.triangles]
        path.write_text("\n".join(lines) + "\n")

    def stl(self, path, title):
        data = [title.encode().ljust(80, b"\0"), struct.pack("<I", len(self.triangles))]
        for t in self.triangles:
            corners = [c for i in t for c in self.points[i]]
            data.append(struct.pack("<12fH", 0, 0, 0, *corners, 0))  # readers find the normal from the corners
        path.write_bytes(b"".join(data))


def hopper():
    """A bin of 60 mm radius over a cone of 45 degrees with an opening of 25 mm."""
    mesh = Mesh()
    mesh.revolve([(25, 0), (60, 35), (60, 245)], 64)
    return mesh


def blades():
    """A shaft with two pairs of pitched blades."""
    mesh = Mesh()
    mesh.revolve([(0, 4), (6, 4), (6, 90), (0, 90)], 24)

    def pitched(height, angle):
        def turn(p):
            x, y, z = p[0], p[1] * cos(pi / 4) - p[2] * sin(pi / 4), p[1] * sin(pi / 4) + p[2] * cos(pi / 4)
            return x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle), z + height
        return turn

    for height, first in ((18, 0), (42, pi / 2)):
        for side in (0, pi):
            mesh.block((5, -1, -11), (38, 1, 11), pitched(height, first + side))
    return mesh


def screw():
    """A shaft along z with a flight of four turns."""
    mesh, turns, steps, pitch = Mesh(), 4, 40, 40.0
    mesh.revolve([(0, -10), (6, -10), (6, turns * pitch + 10), (0, turns * pitch + 10)], 24)
    for s in range(turns * steps):
        a, b = (2 * pi * (s + k) / steps for k in (0, 1))
        z0, z1 = pitch * s / steps, pitch * (s + 1) / steps
        mesh.quad((5.5 * cos(a), 5.5 * sin(a), z0), (24 * cos(a), 24 * sin(a), z0),
                  (24 * cos(b), 24 * sin(b), z1), (5.5 * cos(b), 5.5 * sin(b), z1))
    return mesh


def trough():
    """A half pipe of 25 mm radius along x, 0 ... 45 mm, with walls of 40 mm above it and closed at the left."""
    mesh, segments = Mesh(), 16
    arc = [(-25.0, 40.0)] + [(25 * cos(pi + pi * s / segments), 25 * sin(pi + pi * s / segments))
                             for s in range(segments + 1)] + [(25.0, 40.0)]
    for (y0, z0), (y1, z1) in zip(arc, arc[1:]):
        mesh.quad((0, y0, z0), (45, y0, z0), (45, y1, z1), (0, y1, z1))
    for end, top in ((0, 40.0), (45, 40.0)):  # the left end is closed, the right one above the pipe only
        for a, b in zip(arc[1:-1], arc[2:-1]):
            if end == 0:
                mesh.quad((0, a[0], a[1]), (0, b[0], b[1]), (0, 0, 0), (0, 0, 0))
            else:
                mesh.quad((45, a[0], -a[1]), (45, b[0], -b[1]), (45, b[0], top), (45, a[0], top))
    mesh.quad((0, -25, 0), (0, 25, 0), (0, 25, 40), (0, -25, 40))
    return mesh


def screen():
    """A sheet of 162 x 82 mm with square openings of 6 mm, 2 mm apart; its middle is the origin."""
    mesh = Mesh()

    def lines(cells):
        return [x - (8 * cells + 2) / 2 for c in range(cells) for x in (8 * c, 8 * c + 2)] + \
               [(8 * cells) - (8 * cells + 2) / 2, (8 * cells + 2) / 2]

    xs, ys = lines(20), lines(10)
    for i, (x0, x1) in enumerate(zip(xs, xs[1:])):
        for j, (y0, y1) in enumerate(zip(ys, ys[1:])):
            if i % 2 == 0 or j % 2 == 0:
                mesh.quad((x0, y0, 0), (x1, y0, 0), (x1, y1, 0), (x0, y1, 0))
    return mesh


def ring():
    """A ring of 30 ... 60 mm radius with 16 radial vanes of 4 mm on it."""
    mesh, vanes, between = Mesh(), 16, 3
    segments = vanes * between
    mesh.revolve([(30, 0), (60, 0)], segments)
    for v in range(vanes):
        a = 2 * pi * v / vanes
        mesh.quad((30 * cos(a), 30 * sin(a), 0), (60 * cos(a), 60 * sin(a), 0), (60 * cos(a), 60 * sin(a), 4),
                  (30 * cos(a), 30 * sin(a), 4))
    return mesh


def main():
    for folder, name, make in (("hopper", "hopper.stl", hopper), ("mixer", "blades.obj", blades),
                               ("screw", "screw.ply", screw),
                               ("screw", "trough.obj", trough), ("vibrating-screen", "screen.stl", screen),
                               ("shear-cell", "ring.obj", ring)):
        path = HERE / folder / name
        path.parent.mkdir(exist_ok=True)
        mesh = make()
        getattr(mesh, path.suffix[1:])(path, f"{name} of the scene {folder}, in mm")
        print(f"{path.relative_to(HERE)}: {len(mesh.triangles)} triangles")


if __name__ == "__main__":
    main()
