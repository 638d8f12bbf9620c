#!/usr/bin/python3
"""test_files.py SCREE [unittest options]: what a run leaves to look at, as others read it: the VTKHDF file through h5py, vtp files
through VTK's own readers, exports through small parsers written here, pictures through a PNG decoder written here."""

import csv
import json
import math
import os
import re
import shutil
import signal
import struct
import subprocess
import time
import zlib

import h5py
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader

from support import SCREE, SECONDS, FolderTest, completed, environment, long_numbers, main


# field: components, kind of number, columns of an exported table
FIELDS = {
    "id": (1, "i8", ["id"]),
    "type": (1, "i4", ["type"]),
    "radius": (1, "f8", ["radius"]),
    "velocity": (3, "f8", ["vx", "vy", "vz"]),
    "angular_velocity": (3, "f8", ["wx", "wy", "wz"]),
    "force": (3, "f8", ["fx", "fy", "fz"]),
    "contacts": (1, "i4", ["contacts"]),
}
KINDS = ("Vertices", "Lines", "Strips", "Polygons")

SCENE = """scree: 1
title: a test
max_overlap: 0.4
materials:
  glass: {{young: 10 MPa, poisson: 0.22, density: 2500 kg/m3}}
  blue steel: {{young: 30 MPa, poisson: 0.3, density: 7850 kg/m3}}
domain: {{low: [0, 0, 0], high: [40 mm, 50 mm, 60 mm], periodic: [no, yes, no]}}
walls:
  - {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}, material: blue steel}}
  - {{plane: {{point: [0, 0, 0], normal: [1, 0, 0]}}, material: glass}}
  - {{plane: {{point: [40 mm, 0, 0], normal: [-1, 0, 0]}}, material: glass}}
{walls}particles:
  - {{fill: {{box: {{low: [0, 0, 0], high: [40 mm, 50 mm, 30 mm]}}}}, count: {count}, radius: 2 mm, material: glass, velocity: [0, 0, -1]}}
  - {{fill: {{box: {{low: [0, 0, 30 mm], high: [40 mm, 50 mm, 55 mm]}}}}, count: 20, radius: 1.5 mm, material: blue steel, spin: [1, 2, 3]}}
run: {{duration: {duration}, output: {output}}}
"""


# Kills the process at one of its writes to the trajectory.
KILL = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void count(int fd) {
  static long writes;
  char link[40], path[500];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  if (strstr(path, "/trajectory.vtkhdf") && ++writes == atol(getenv("KILL_AT"))) raise(SIGKILL);
}
#define WRITE(name, ...) \
  count(fd);             \
  return ((ssize_t (*)(int, const void *, size_t, ...))dlsym(RTLD_NEXT, name))(fd, data, size, ##__VA_ARGS__)
ssize_t write(int fd, const void *data, size_t size) { WRITE("write"); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { WRITE("pwrite", at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off_t at) { WRITE("pwrite64", at); }
"""


def scene(count=280, duration="4 ms", output="{every: 1 ms}", walls=""):
    return SCENE.format(count=count, duration=duration, output=output, walls=walls)


def scree(*arguments, cwd):
    return completed(*arguments, seconds=SECONDS, cwd=cwd)


class FilesTest(FolderTest):
    def ok(self, *arguments):
        run = scree(*arguments, cwd=self.folder)
        self.assertEqual(run.returncode, 0, f"{arguments}\n{run.stderr}")
        self.assertEqual(run.stderr, "")
        return run.stdout

    def refused(self, *arguments, says):
        before = sorted(self.folder.rglob("*"))
        run = scree(*arguments, cwd=self.folder)
        self.assertEqual(run.returncode, 2, f"{arguments}\n{run.stdout}\n{run.stderr}")
        self.assertEqual(run.stdout, "")
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        self.assertIn(says, run.stderr)
        self.assertEqual(sorted(self.folder.rglob("*")), before, "something was written")

    def run_scene(self, text, name="a"):
        (self.folder / f"{name}.yaml").write_text(text)
        self.ok("run", f"{name}.yaml", "--threads", "1")
        return self.folder / f"{name}.run"

    def table(self, run, *arguments):
        """The exported csv as a list of frames, each a dictionary of columns."""
        rows = list(csv.DictReader(self.ok("export", run, "--to", "csv", "-o", "-", *arguments).splitlines()))
        frames = {}
        for row in rows:
            frames.setdefault(int(row["frame"]), []).append(row)
        return [{key: np.array([float(row[key]) for row in frames[k]]) for key in rows[0]} for k in sorted(frames)]


# ---- VTKHDF -----------------------------------------------------------------------------------------------------------


class Vtkhdf(FilesTest):
    def check_steps(self, root, frames, counts, lines):
        """Every data set of the bookkeeping: shape, type and values, as the format's reader takes them."""
        steps, total = root["Steps"], np.concatenate([[0], np.cumsum(counts)])[:-1]
        self.assertEqual(list(root.attrs["Version"]), [2, 0])
        self.assertEqual(root.attrs["Type"], b"PolyData")
        self.assertEqual(h5py.h5a.open(root.id, b"Type").get_type().get_size(), 8)  # of fixed length, as the reader wants it
        self.assertEqual(int(steps.attrs["NSteps"]), frames)
        points = [2 * n for n in counts] if lines else counts
        point_start = np.concatenate([[0], np.cumsum(points)])[:-1]
        expected = {
            "PartOffsets": range(frames), "NumberOfParts": [1] * frames, "PointOffsets": point_start,
            "FieldDataOffsets/step": range(frames),
        }
        for name, values in expected.items():
            self.assertEqual(list(steps[name]), list(values), name)
        cells = np.zeros((frames, 4), int)
        cells[:, 1 if lines else 0] = total if lines else range(frames)
        self.assertTrue((steps["CellOffsets"][:] == cells).all())
        self.assertEqual(steps["ConnectivityIdOffsets"].shape, (frames, 4))
        self.assertFalse(steps["ConnectivityIdOffsets"][:].any())
        self.assertEqual(list(root["NumberOfPoints"]), list(points))
        self.assertEqual(root["Points"].shape, (sum(points), 3))
        for number, kind in enumerate(KINDS):
            group = root[kind]
            per_frame = [0] * frames if number != (1 if lines else 0) else counts if lines else [1] * frames
            size = 2 if lines else None
            ids = [n * (size or points[i]) for i, n in enumerate(per_frame)]
            self.assertEqual(list(group["NumberOfCells"]), list(per_frame), kind)
            self.assertEqual(list(group["NumberOfConnectivityIds"]), ids, kind)
            self.assertEqual(list(group["Connectivity"]), list(range(max(ids))), kind)
            offsets = [k * (size or points[i]) for i, n in enumerate(per_frame) for k in range(n + 1)]
            self.assertEqual(list(group["Offsets"]), offsets, kind)
        return total

    def test_layout_and_values_equal_the_table(self):
        run = self.run_scene(scene())
        frames = self.table(run)
        with h5py.File(run / "trajectory.vtkhdf") as file:
            root = file["VTKHDF"]
            self.assertEqual(set(root), {"CellData", "FieldData", "NumberOfPoints", "PointData", "Points", "Steps", *KINDS})
            total = self.check_steps(root, 5, [300] * 5, lines=False)
            self.assertEqual(set(root["PointData"]), set(FIELDS))
            self.assertEqual(set(root["Steps/PointDataOffsets"]), set(FIELDS))
            self.assertEqual(len(root["CellData"]), 0)
            times, steps = root["Steps/Values"][:], root["FieldData/step"][:]
            for i, frame in enumerate(frames):
                part = slice(total[i], total[i] + 300)
                self.assertTrue((frame["time"] == times[i]).all() and (frame["step"] == steps[i]).all())
                self.assertTrue((root["Points"][part] == np.stack([frame[k] for k in "xyz"], 1)).all())
                for name, (components, kind, columns) in FIELDS.items():
                    data = root["PointData"][name]
                    self.assertEqual(data.dtype, np.dtype(kind))
                    self.assertEqual(data.shape, (1500,) if components == 1 else (1500, 3))
                    self.assertEqual(root["Steps/PointDataOffsets"][name][i], total[i])
                    values = np.stack([frame[c] for c in columns], -1).reshape(data[part].shape)
                    self.assertTrue((data[part] == values).all(), name)
                    self.assertTrue(data.shuffle and data.compression == "gzip")
                    self.assertEqual(data.chunks[0], 300)  # one frame: no chunk is ever written twice
            self.assertEqual(root["PointData/velocity"].attrs["unit"], b"m/s")

    def test_frames_fall_on_the_times_asked_for(self):
        run = self.run_scene(scene(duration="3.5 ms"))
        with h5py.File(run / "trajectory.vtkhdf") as file:
            times = file["VTKHDF/Steps/Values"][:]
        step = json.loads((run / "summary.json").read_text())["timestep"]
        np.testing.assert_allclose(times, [0, 1e-3, 2e-3, 3e-3, 3.5e-3], atol=0.51 * step)  # the end is a frame too

    def test_the_last_frame_is_the_final_table(self):
        run = self.run_scene(scene())
        last, final = self.table(run, "--frames", "-1")[0], list(csv.DictReader((run / "final.csv").read_text().splitlines()))
        for key in ("id", "x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz", "radius"):
            self.assertEqual(list(last[key]), [float(row[key]) for row in final], key)

    def test_few_grains_are_not_compressed(self):
        run = self.run_scene(scene(count=3))
        with h5py.File(run / "trajectory.vtkhdf") as file:
            self.check_steps(file["VTKHDF"], 5, [23] * 5, lines=False)
            self.assertIsNone(file["VTKHDF/Points"].compression)

    def test_contacts_are_lines_with_forces(self):
        run = self.run_scene(scene(output="{every: 1 ms, contacts: yes}"))
        grains = self.table(run)
        with h5py.File(run / "contacts.vtkhdf") as file:
            root = file["VTKHDF"]
            counts = list(root["Lines/NumberOfCells"])
            self.assertGreater(max(counts), 10)
            total = self.check_steps(root, 5, counts, lines=True)
            data = root["CellData"]
            self.assertEqual(set(data), {"first", "second", "wall", "normal_force", "overlap", "friction"})
            for i, frame in enumerate(grains):
                part, place = slice(total[i], total[i] + counts[i]), {int(n): k for k, n in enumerate(frame["id"])}
                centre = np.stack([frame[k] for k in "xyz"], 1)
                ends = root["Points"][2 * total[i] : 2 * (total[i] + counts[i])].reshape(-1, 2, 3)
                sums = np.zeros_like(centre)
                for (a, b), first, second, wall, force, overlap, friction in zip(
                        ends, *(data[k][part] for k in ("first", "second", "wall", "normal_force", "overlap", "friction"))):
                    f = place[int(first)]
                    self.assertTrue((a == centre[f]).all())
                    reach = np.linalg.norm(b - a)
                    along = (b - a) / reach
                    sums[f] += friction - force * along
                    self.assertGreater(overlap, 0)
                    if wall:
                        self.assertAlmostEqual(reach, frame["radius"][f] - overlap, delta=1e-12)
                        continue
                    s = place[int(second)]
                    sums[s] -= friction - force * along
                    shift = (b - centre[s]) / [0.04, 0.05, 0.06]  # whole periods of the domain, along y only
                    np.testing.assert_allclose(shift, [0, round(shift[1]), 0], atol=1e-9)
                force = np.stack([frame[k] for k in ("fx", "fy", "fz")], 1)
                np.testing.assert_allclose(sums, force, rtol=1e-5, atol=1e-6 * max(np.abs(force).max(), 1e-3))

    def test_a_killed_run_leaves_every_flushed_frame(self):
        (self.folder / "a.yaml").write_text(scene(duration="1000 s", output="{every: 0.2 ms, contacts: yes}"))
        run, counts = self.folder / "a.run", []
        for attempt in range(4):  # killed at different places of a frame
            process = subprocess.Popen([SCREE, "run", "a.yaml", "--threads", "1", "--overwrite"], cwd=self.folder,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
            time.sleep(0.4 + 0.037 * attempt)
            end = time.monotonic() + SECONDS
            while time.monotonic() < end and (not (run / "contacts.vtkhdf").exists()
                                              or (run / "trajectory.vtkhdf").stat().st_size < 100000 * (attempt + 1)):
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.wait()
            with h5py.File(run / "trajectory.vtkhdf") as file, h5py.File(run / "contacts.vtkhdf") as contacts:
                root = file["VTKHDF"]
                count = int(root["Steps"].attrs["NSteps"])
                self.assertGreaterEqual(len(root["Steps/Values"]), count)
                points = root["Points"][: 300 * count]
                self.assertEqual(points.shape, (300 * count, 3))
                for name in FIELDS:
                    self.assertGreaterEqual(len(root["PointData"][name][: 300 * count]), 300 * count, name)
                self.assertTrue(np.isfinite(points).all() and points.any(1).all())
                self.assertIn(int(contacts["VTKHDF/Steps"].attrs["NSteps"]), (count - 1, count))
            self.assertEqual(len(self.table(run)), count)
            counts.append(count)
        self.assertGreater(min(counts), 1)
        self.assertEqual(len(self.ok("render", run, "-o", "x.png").splitlines()), 1)

    def test_killed_at_any_write_a_run_leaves_what_it_counted(self):
        (self.folder / "kill.c").write_text(KILL)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "kill.so", "kill.c", "-ldl"], cwd=self.folder, check=True, timeout=SECONDS)
        (self.folder / "a.yaml").write_text(scene(duration="1000 s", output="{every: 0.2 ms}"))
        more = {"LD_PRELOAD": str(self.folder / "kill.so")}
        more["ASAN_OPTIONS"] = ":".join(filter(None, [environment().get("ASAN_OPTIONS", ""), "verify_asan_link_order=0"]))
        counts = set()
        for write in range(100, 160, 2):  # one frame and more: its data, where they lie, and its count
            run = subprocess.run([SCREE, "run", "a.yaml", "-o", "run", "--threads", "1", "--overwrite"], cwd=self.folder, capture_output=True,
                                 timeout=SECONDS, env={**environment(), **more, "KILL_AT": str(write)})
            self.assertEqual(run.returncode, -signal.SIGKILL, run.stderr)
            with h5py.File(self.folder / "run/trajectory.vtkhdf") as file:
                count = int(file["VTKHDF/Steps"].attrs["NSteps"])
            self.assertEqual(len(self.table(self.folder / "run")), count, f"killed at write {write}")
            counts.add(count)
        self.assertGreater(len(counts), 1)

    def test_a_damaged_file_gets_a_sentence(self):
        run = self.run_scene(scene())
        good = (run / "trajectory.vtkhdf").read_bytes()
        for bad in (b"", b"hello", good[: len(good) // 2], good[:600] + bytes(200) + good[800:]):
            (run / "trajectory.vtkhdf").write_bytes(bad)
            result = scree("export", run, "--to", "csv", "-o", "-", cwd=self.folder)
            self.assertIn(result.returncode, (1, 2))
            self.assertRegex(result.stderr, r"^scree export: .*trajectory.vtkhdf.*\n$")


# ---- VTP ----------------------------------------------------------------------------------------------------------------


def read_vtp(path):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(str(path))
    reader.Update()
    return reader.GetOutput()


class Vtp(FilesTest):
    def test_vtk_reads_the_values_of_the_table(self):
        run = self.run_scene(scene(output="{every: 1 ms, format: vtp}"))
        listed = re.findall(r'<DataSet timestep="([^"]*)" group="" part="0" file="([^"]*)"/>', (run / "trajectory.pvd").read_text())
        self.assertEqual([name for _, name in listed], [f"trajectory_{i:06}.vtp" for i in range(5)])
        self.assertEqual(sorted(p.name for p in run.glob("*.vtp")), sorted([n for _, n in listed] + ["walls.vtp"]))
        frames = self.table(run)
        for (when, name), frame in zip(listed, frames):
            data = read_vtp(run / name)
            self.assertEqual((data.GetNumberOfPoints(), data.GetNumberOfVerts()), (300, 300))
            self.assertTrue((vtk_to_numpy(data.GetPoints().GetData()) == np.stack([frame[k] for k in "xyz"], 1)).all())
            self.assertEqual(float(when), frame["time"][0])
            self.assertEqual(data.GetFieldData().GetArray("TimeValue").GetTuple1(0), frame["time"][0])
            self.assertEqual(data.GetPointData().GetNumberOfArrays(), len(FIELDS))
            for field, (components, kind, columns) in FIELDS.items():
                array = vtk_to_numpy(data.GetPointData().GetArray(field))
                self.assertEqual(array.dtype, np.dtype(kind))
                self.assertTrue((array == np.stack([frame[c] for c in columns], -1).reshape(array.shape)).all(), field)

    def test_both_formats_hold_the_same(self):
        a, b = self.run_scene(scene(), "a"), self.run_scene(scene(output="{every: 1 ms, format: vtp}"), "b")
        self.assertEqual(self.ok("export", a, "--to", "csv", "-o", "-"), self.ok("export", b, "--to", "csv", "-o", "-"))

    def test_contacts(self):
        run = self.run_scene(scene(output="{every: 2 ms, format: vtp, contacts: yes}"))
        same = self.run_scene(scene(output="{every: 2 ms, contacts: yes}"), "b")
        with h5py.File(same / "contacts.vtkhdf") as file:
            counts, data = list(file["VTKHDF/Lines/NumberOfCells"]), {k: v[:] for k, v in file["VTKHDF/CellData"].items()}
            points = file["VTKHDF/Points"][:]
        start = 0
        for i, count in enumerate(counts):
            vtp = read_vtp(run / f"contacts_{i:06}.vtp")
            self.assertEqual((vtp.GetNumberOfLines(), vtp.GetNumberOfPoints()), (count, 2 * count))
            if count:
                self.assertTrue((vtk_to_numpy(vtp.GetPoints().GetData()) == points[2 * start : 2 * (start + count)]).all())
            for name in data:
                self.assertTrue((vtk_to_numpy(vtp.GetCellData().GetArray(name)) == data[name][start : start + count]).all(), name)
            start += count
        self.assertEqual((run / "contacts.pvd").read_text().count("<DataSet"), len(counts))

    def test_walls(self):
        walls = """  - {box: {low: [5 mm, 5 mm, 56 mm], high: [8 mm, 9 mm, 58 mm], inside: no}, material: glass}
  - {sphere: {center: [20 mm, 25 mm, 57 mm], radius: 1 mm, inside: no}, material: glass}
  - {disc: {center: [20 mm, 35 mm, 57 mm], normal: [0, 0, 1], radius: 3 mm, hole: 1 mm}, material: glass}
  - {cylinder: {from: [20 mm, 15 mm, 56 mm], to: [20 mm, 15 mm, 59 mm], radius: 2 mm}, material: glass}
  - {cone: {from: [20 mm, 45 mm, 56 mm], to: [20 mm, 45 mm, 59 mm], radius: [1 mm, 2 mm]}, material: glass}
  - {cylinder: {point: [20 mm, 25 mm, 0], axis: [0, 0, 1], radius: 32 mm}, material: glass}
  - {plane: {point: [0, 0, 59.5 mm], normal: [0, 0.02, -1]}, material: glass}
"""
        run = self.run_scene(scene(duration="0.1 ms", walls=walls))
        data = read_vtp(run / "walls.vtp")
        number, points = vtk_to_numpy(data.GetCellData().GetArray("wall")), vtk_to_numpy(data.GetPoints().GetData())
        area = np.zeros(10)
        for i in range(data.GetNumberOfPolys()):
            ids = data.GetCell(i).GetPointIds()
            corner = points[[ids.GetId(k) for k in range(ids.GetNumberOfIds())]]
            vectors = np.cross(corner[1:-1] - corner[0], corner[2:] - corner[0])
            area[number[i]] += np.linalg.norm(vectors, axis=1).sum() / 2
        mm2 = area * 1e6
        pi = math.pi
        slope = math.hypot(1, 0.02)
        cut = 40 * 25 * slope  # the tilted plane leaves the domain at y = 25 mm: it rises by 0.02 from z = 59.5 mm at y = 0
        exact = [40 * 50, 50 * 60, 50 * 60, 52, 4 * pi, 8 * pi, 12 * pi, pi * 3 * math.hypot(3, 1), 2 * pi * 32 * 60, cut]
        np.testing.assert_allclose(mm2, exact, rtol=0.004)  # round ones have 64 corners

    def test_a_killed_run_leaves_whole_files(self):
        (self.folder / "a.yaml").write_text(scene(duration="1000 s", output="{every: 0.2 ms, format: vtp}"))
        process = subprocess.Popen([SCREE, "run", "a.yaml", "--threads", "1"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=environment())
        run, end = self.folder / "a.run", time.monotonic() + SECONDS
        while time.monotonic() < end and len(list(run.glob("trajectory_*.vtp"))) < 20:
            time.sleep(0.01)
        process.kill()
        process.wait()
        names = re.findall(r'file="([^"]*)"', (run / "trajectory.pvd").read_text())
        self.assertGreater(len(names), 5)
        for name in names:
            self.assertEqual(read_vtp(run / name).GetNumberOfPoints(), 300)
        self.assertEqual(len(self.table(run)), len(names))

    def test_a_damaged_file_gets_a_sentence(self):
        run = self.run_scene(scene(output="{every: 2 ms, format: vtp}"))
        path = run / "trajectory_000000.vtp"
        good = path.read_bytes()
        half = good.index(b"<AppendedData") + 400
        for bad in (b"", b"hello", good[:half], good.replace(b'"300"', b'"301"', 1), good.replace(b'"300"', b'"99999999999"', 1),
                    good.replace(b'offset="0"', b'offset="9999999"'), good[:half] + bytes(100) + good[half + 100 :]):
            path.write_bytes(bad)
            result = scree("export", run, "--to", "csv", "-o", "-", cwd=self.folder)
            self.assertEqual(result.returncode, 1, bad[:60])
            self.assertRegex(result.stderr, r"^scree export: .*trajectory_000000.vtp.*\n$")
        path.unlink()
        self.assertIn("No such file", scree("render", run, "-o", "x.png", cwd=self.folder).stderr)


# ---- damage ---------------------------------------------------------------------------------------------------------------


class Damaged(FilesTest):
    def prepare(self, form, count=40):
        run = self.run_scene(scene(count=count, output=f"{{every: 1 ms, format: {form}}}"))
        self.good = self.ok("export", run, "--to", "csv", "-o", "-").splitlines()
        return run

    def flip(self, path, at):
        data = bytearray(path.read_bytes())
        data[at] ^= 1
        path.write_bytes(data)

    def wreck(self, run, form, frame):
        """One bit of the frame's coordinates; of a file of frames, beside those of the other frames."""
        if form == "vtp":
            path = run / f"trajectory_{frame:06}.vtp"
            return self.flip(path, path.read_bytes().index(b"<AppendedData") + 1200)
        with h5py.File(run / "trajectory.vtkhdf") as file:
            root = file["VTKHDF"]
            wanted = root["Points"][root["Steps/PointOffsets"][frame] + 7].tobytes()
        self.flip(run / "trajectory.vtkhdf", (run / "trajectory.vtkhdf").read_bytes().index(wanted) + 2)

    def test_every_data_set_has_a_checksum(self):
        for count in (3, 280):
            run = self.run_scene(scene(count=count, output="{every: 1 ms, contacts: yes}"), f"of{count}")
            for name in ("trajectory", "contacts"):
                with h5py.File(run / f"{name}.vtkhdf") as file:
                    sets = []
                    file.visititems(lambda _, item: sets.append(item) if isinstance(item, h5py.Dataset) else None)
                    self.assertEqual([s.name for s in sets if not s.fletcher32], [])
                    self.assertGreaterEqual(len(sets), 40)
                    self.assertEqual(len(file["VTKHDF/FieldData/checksum"]), 5)

    def test_a_damaged_frame_is_refused_or_left_out(self):
        for form in ("vtkhdf", "vtp"):
            run = self.prepare(form)
            self.wreck(run, form, 2)
            result = scree("export", run, "--to", "csv", "-o", "x.csv", cwd=self.folder)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertRegex(result.stderr, r"^scree export: frame 2: .*trajectory.* is damaged.*; --skip-damaged leaves such frames out, "
                                            r"scree run .*a.run -o NEW computes them again, bit for bit\n$")
            self.assertFalse((self.folder / "x.csv").exists())
            self.assertEqual(len(self.table(run, "--frames", "3:-1")), 2)
            result = scree("export", run, "--to", "csv", "-o", "x.csv", "--skip-damaged", cwd=self.folder)
            self.assertEqual(result.returncode, 0)
            self.assertEqual(result.stdout, "x.csv: 4 frames, 240 rows; 1 damaged frame left out\n")
            self.assertRegex(result.stderr, r"^scree export: warning: frame 2: .* is damaged.*: left out\n$")
            rest = [line for line in self.good if not line.startswith("2,")]
            self.assertEqual((self.folder / "x.csv").read_text().splitlines(), rest)
            out = scree("export", run, "--to", "csv", "--skip-damaged", "--json", cwd=self.folder).stdout
            self.assertEqual({k: json.loads(out)[k] for k in ("frames", "skipped")}, {"frames": 4, "skipped": 1})
            result = scree("export", run, "--to", "csv", "--skip-damaged", "--frames", "2", "-o", "-", cwd=self.folder)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn("none of these frames is whole", result.stderr)
            (self.folder / "x.csv").unlink()
            shutil.rmtree(run)

    def test_a_picture_of_a_damaged_frame(self):
        for form in ("vtkhdf", "vtp"):
            run = self.prepare(form)
            self.ok("render", run, "--frame", "3", "-o", "third.png")
            self.wreck(run, form, 4)
            for frame in ("4", "2"):  # the last frame says how far grains reach
                result = scree("render", run, "--frame", frame, "-o", "x.png", cwd=self.folder)
                self.assertEqual(result.returncode, 1)
                self.assertRegex(result.stderr, r"^scree render: frame 4: .* is damaged.*; --skip-damaged leaves")
                self.assertFalse((self.folder / "x.png").exists())
            result = scree("render", run, "-o", "x.png", "--skip-damaged", cwd=self.folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertRegex(result.stdout, r"^x.png: frame 3, ")
            (self.folder / "x.png").unlink()
            shutil.rmtree(run)

    def test_damage_that_the_library_does_not_survive(self):
        """Of chunks with two dimensions, the second is the size of a number, and is called three."""
        run = self.prepare("vtkhdf")
        path, good = run / "trajectory.vtkhdf", (run / "trajectory.vtkhdf").read_bytes()
        for layout in list(re.finditer(rb"\x03\x02\x02.{6}\0\0", good, re.S))[:60:3]:
            path.write_bytes(good[: layout.start() + 2] + b"\x03" + good[layout.start() + 3 :])
            result = scree("export", run, "--to", "csv", "-o", "-", cwd=self.folder)
            if result.returncode != 0:
                self.assertIn(result.returncode, (1, 2), layout)
                self.assertRegex(result.stderr, r"^scree export: .*trajectory.* is damaged.*\n$")
            else:
                self.assertEqual(result.stdout.splitlines(), self.good)

    def test_a_damaged_list_of_frames(self):
        run = self.prepare("vtp")
        path = run / "trajectory.pvd"
        good = path.read_bytes()
        for bad in (good.replace(b"_000003.vtp", b"_000001.vtp"), good.replace(b"<DataSet", b"<DataSex", 1), good[: len(good) // 2],
                    b"".join(line for line in good.splitlines(keepends=True) if b"_000004" not in line)):
            path.write_bytes(bad)
            result = scree("export", run, "--to", "csv", "-o", "-", cwd=self.folder)
            self.assertNotEqual(result.returncode, 0, bad)
            self.assertRegex(result.stderr, r"^scree export: .*trajectory.pvd is damaged, .*\n$")
            self.assertIn("--skip-damaged", result.stderr)
            result = scree("export", run, "--to", "csv", "-o", "-", "--skip-damaged", cwd=self.folder)
            self.assertEqual((result.returncode, result.stdout.splitlines()), (0, self.good))
            self.assertIn("warning", result.stderr)
        self.ok_but_ended(run)
        self.assertEqual(path.read_bytes(), good)  # what the last checkpoint knows is mended

    def ok_but_ended(self, run):
        result = scree("run", "--resume", run, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_files_without_checksums_are_read(self):
        """As earlier versions left them."""
        run = self.prepare("vtp")
        for path in run.glob("trajectory_*.vtp"):
            path.write_bytes(re.sub(rb'<DataArray [^>]*Name="checksum".*\n', b"", path.read_bytes()))
        path = run / "trajectory.pvd"
        path.write_text(re.sub("<!-- checksum .*-->\n", "", path.read_text()))
        self.assertNotIn(b"checksum", path.read_bytes() + (run / "trajectory_000000.vtp").read_bytes())
        self.assertEqual(self.ok("export", run, "--to", "csv", "-o", "-").splitlines(), self.good)
        shutil.rmtree(run)
        run = self.prepare("vtkhdf")
        with h5py.File(run / "trajectory.vtkhdf", "r+") as file:
            root = file["VTKHDF"]
            del root["FieldData/checksum"], root["Steps/FieldDataOffsets/checksum"], root["Steps"].attrs["Sealed"]
            for name in ("Points", "PointData/radius"):
                values, chunks = root[name][:], root[name].chunks
                del root[name]
                root.create_dataset(name, data=values, chunks=chunks, maxshape=(None,) + values.shape[1:])
        self.assertEqual(self.ok("export", run, "--to", "csv", "-o", "-").splitlines(), self.good)


# ---- the scene's keys, the folder -----------------------------------------------------------------------------------------


class Output(FilesTest):
    def names(self, run):
        return {p.name for p in run.iterdir()} - {"scene.yaml", "log.txt", "log.csv", "walls.csv", "summary.json", "final.csv", "checkpoint"}

    def test_what_is_written(self):
        for output, names, frames in [
            ("{every: 2 ms}", {"trajectory.vtkhdf", "walls.vtp", "picture.png"}, 3),
            ("{format: none}", {"picture.png"}, 0),
            ("{format: none, picture: no}", set(), 0),
            ("{picture: no}", {"trajectory.vtkhdf", "walls.vtp"}, 9),  # one in fifty steps
            ("{every: 2 ms, format: vtp, picture: no}",
             {"trajectory.pvd", "trajectory_000000.vtp", "trajectory_000001.vtp", "trajectory_000002.vtp", "walls.vtp"}, 3),
        ]:
            (self.folder / "a.yaml").write_text(scene(output=output))
            self.ok("run", "a.yaml", "--overwrite", "--threads", "1")  # what the run before left is gone
            run = self.folder / "a.run"
            self.assertEqual(self.names(run), names, output)
            self.assertEqual(json.loads((run / "summary.json").read_text())["frames"], frames, output)

    def test_overwriting_leaves_other_files_alone(self):
        run = self.run_scene(scene(output="{every: 2 ms, format: vtp}"))
        for name in ("notes.txt", "trajectory.csv", "my_trajectory_1.vtp"):
            (run / name).write_text("mine")
        self.ok("run", "a.yaml", "--overwrite", "--threads", "1", "--set", "run.output.format=none")
        self.assertEqual(self.names(run), {"notes.txt", "trajectory.csv", "my_trajectory_1.vtp", "picture.png"})

    def test_the_written_scene_says_it_and_runs_to_the_same_bits(self):
        run = self.run_scene(scene(output="{every: 2 ms, format: vtp, contacts: yes, picture: no}"))
        self.assertIn("output: {every: 0.002, format: vtp, contacts: yes, picture: no}", (run / "scene.yaml").read_text())
        self.ok("run", run / "scene.yaml", "-o", "again", "--threads", "1")
        for name in ("trajectory_000002.vtp", "contacts_000002.vtp"):
            self.assertEqual((run / name).read_bytes(), (self.folder / "again" / name).read_bytes())

    def test_frames_do_not_change_the_run(self):
        a = self.run_scene(scene(output="{format: none}"), "a")
        b = self.run_scene(scene(output="{every: 0.1 ms, contacts: yes}"), "b")
        self.assertEqual(*(json.loads((run / "summary.json").read_text())["hash"] for run in (a, b)))

    def test_a_full_disk_ends_the_run_with_a_sentence(self):
        for form in ("vtkhdf", "vtp"):
            (self.folder / "a.yaml").write_text(scene(duration="1 s", output=f"{{every: 0.1 ms, format: {form}}}"))
            done = subprocess.run(["bash", "-c", f"trap '' XFSZ; ulimit -f 60; exec {SCREE} run a.yaml --threads 1 -o {form}"],
                                  cwd=self.folder, capture_output=True, timeout=SECONDS, text=True)
            if form == "vtkhdf":  # the frames of vtp are files by themselves: none of them is too large
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertEqual(done.stderr.count("cannot write vtkhdf/trajectory.vtkhdf: File too large"), 1, done.stderr)
                with h5py.File(self.folder / form / "trajectory.vtkhdf") as file:  # what fitted is still there
                    frames = int(file["VTKHDF/Steps"].attrs["NSteps"])
                    self.assertTrue(np.isfinite(file["VTKHDF/Points"][: 300 * frames]).all())

    def test_wrong_values(self):
        for output, says in [("{every: 0}", "every must be > 0"), ("{format: vtk}", "vtp"), ("{format: xyz}", "vtkhdf, vtp, none"),
                             ("{evry: 1 ms}", '"every"'), ("{contacts: 3}", "yes or no"), ("5", "a map")]:
            (self.folder / "a.yaml").write_text(scene(output=output))
            run = scree("run", "a.yaml", cwd=self.folder)
            self.assertEqual(run.returncode, 2)
            self.assertIn(says, run.stderr)


# ---- export -----------------------------------------------------------------------------------------------------------------


def parse_dump(text):
    """Frames of a LAMMPS text dump: (time, step, bounds, flags, {column: values})."""
    lines, frames, when = iter(text.splitlines()), [], None
    for line in lines:
        item = line.removeprefix("ITEM: ")
        if item == "UNITS":
            assert next(lines) == "si" and not frames
        elif item == "TIME":
            when = float(next(lines))
        elif item == "TIMESTEP":
            step = int(next(lines))
        elif item == "NUMBER OF ATOMS":
            count = int(next(lines))
        elif item.startswith("BOX BOUNDS "):
            flags, bounds = item.split()[2:], [tuple(map(float, next(lines).split())) for _ in range(3)]
        elif item.startswith("ATOMS "):
            values = np.array([[float(x) for x in next(lines).split()] for _ in range(count)])
            frames.append((when, step, bounds, flags, dict(zip(item.split()[1:], values.T))))
        else:
            raise ValueError(line)
    return frames


def parse_extxyz(text):
    lines, frames = text.splitlines(), []
    while lines:
        count, comment = int(lines[0]), dict(re.findall(r'(\w+)=("[^"]*"|\S+)', lines[1]))
        names = comment["Properties"].split(":")
        rows = [line.split() for line in lines[2 : 2 + count]]
        columns, at = {}, 0
        for name, kind, width in zip(names[::3], names[1::3], map(int, names[2::3])):
            cells = [row[at : at + width] for row in rows]
            columns[name] = [c[0] for c in cells] if kind == "S" else np.array(cells, float)
            at += width
        assert all(len(row) == at for row in rows)
        frames.append((comment, columns))
        lines = lines[2 + count :]
    return frames


class Export(FilesTest):
    def setUp(self):
        super().setUp()
        self.run_folder = self.run_scene(scene())
        with h5py.File(self.run_folder / "trajectory.vtkhdf") as file:
            root = file["VTKHDF"]
            self.times, self.points = root["Steps/Values"][:], root["Points"][:].reshape(5, 300, 3)
            self.steps = root["FieldData/step"][:]
            self.data = {k: v[:].reshape(5, 300, -1) for k, v in root["PointData"].items()}

    def test_numbers_have_the_shortest_digits_that_read_back(self):
        texts = {path.name: path.read_text() for path in self.run_folder.iterdir() if path.suffix in (".csv", ".json", ".yaml")}
        self.assertLessEqual({"log.csv", "walls.csv", "final.csv", "summary.json", "scene.yaml"}, set(texts))
        for kind in ("csv", "lammps-dump", "extxyz"):
            texts[kind] = self.ok("export", "a.run", "--to", kind, "-o", "-")
        for name, text in texts.items():
            self.assertEqual(long_numbers(re.sub(r'"[^"]*(scree|[0-9a-f]{16})[^"]*"|^#.*', '""', text))[:3], [], name)

    def test_csv(self):
        out = json.loads(self.ok("export", "a.run", "--to", "csv", "--json"))
        self.assertEqual(out, {"file": "a.run/trajectory.csv", "format": "csv", "frames": 5, "rows": 1500, "skipped": 0})
        text = (self.run_folder / "trajectory.csv").read_text()
        self.assertEqual(text.splitlines()[0], "frame,step,time,x,y,z,id,type,radius,vx,vy,vz,wx,wy,wz,fx,fy,fz,contacts")
        self.assertEqual(text, self.ok("export", "a.run", "--to", "csv", "-o", "-"))
        values = np.loadtxt(text.splitlines()[1:], delimiter=",").reshape(5, 300, -1)
        expected = np.concatenate([self.points] + [self.data[k] for k in FIELDS], axis=2)
        np.testing.assert_allclose(values[:, :, 3:], expected, rtol=1e-12)
        self.assertTrue((values[:, :, 3:] == expected).all())

    def test_lammps_dump(self):
        frames = parse_dump(self.ok("export", "a.run", "--to", "lammps-dump", "-o", "-"))
        self.assertEqual(len(frames), 5)
        names = {"velocity": "v", "angular_velocity": "omega", "force": "f"}
        for i, (when, step, bounds, flags, columns) in enumerate(frames):
            self.assertEqual((when, step), (self.times[i], self.steps[i]))
            self.assertEqual((bounds, flags), ([(0, 0.04), (0, 0.05), (0, 0.06)], ["ff", "pp", "ff"]))
            self.assertTrue((np.stack([columns[k] for k in "xyz"], 1) == self.points[i]).all())
            self.assertTrue((columns["type"] == self.data["type"][i, :, 0] + 1).all())
            for field in ("id", "radius", "contacts"):
                self.assertTrue((columns[field] == self.data[field][i, :, 0]).all(), field)
            for field, prefix in names.items():
                self.assertTrue((np.stack([columns[prefix + k] for k in "xyz"], 1) == self.data[field][i]).all(), field)

    def test_extxyz(self):
        frames = parse_extxyz(self.ok("export", "a.run", "--to", "extxyz", "-o", "-"))
        self.assertEqual(len(frames), 5)
        for i, (comment, columns) in enumerate(frames):
            self.assertEqual(list(map(float, comment["Lattice"][1:-1].split())), [0.04, 0, 0, 0, 0.05, 0, 0, 0, 0.06])
            self.assertEqual(comment["pbc"], '"F T F"')
            self.assertEqual((float(comment["Time"]), int(comment["Step"])), (self.times[i], self.steps[i]))
            self.assertTrue((columns["pos"] == self.points[i]).all())
            for field in FIELDS:
                self.assertTrue((columns[field] == self.data[field][i]).all(), field)
            names = ["blue_steel" if t else "glass" for t in self.data["type"][i, :, 0]]
            self.assertEqual(columns["species"], names)

    def test_frames(self):
        for given, wanted in [("2", [2]), ("-1", [4]), ("1:3", [1, 2, 3]), ("0:-1:2", [0, 2, 4]), (":", [0, 1, 2, 3, 4]),
                              ("3:", [3, 4]), (":1", [0, 1]), ("-2:-1", [3, 4]), ("1::3", [1, 4])]:
            text = self.ok("export", "a.run", "--to", "csv", "-o", "-", "--frames", given)
            self.assertEqual(sorted({int(line.split(",")[0]) for line in text.splitlines()[1:]}), wanted, given)

    def test_errors(self):
        (self.folder / "empty").mkdir()
        (self.folder / "file").write_text("")
        (self.folder / "closed").mkdir(mode=0o500)
        to = ("--to", "csv")
        cases = [
            (("nowhere", *to), "no run nowhere"),
            (("file", *to), "no folder"),
            (("empty", *to), "no run: it holds no scene.yaml"),
            ((), "no run was named"),
            (("a.run",), "--to is missing"),
            (("a.run", "--to", "vtk"), "lammps-dump, extxyz or csv"),
            (("a.run", *to, "--frames", "5"), "no frame 5: the run has 5"),
            (("a.run", *to, "--frames", "-6"), "no frame -6"),
            (("a.run", *to, "--frames", "3:1"), "frame 3 comes after frame 1"),
            (("a.run", *to, "--frames", "x"), "--frames"),
            (("a.run", *to, "--frames", "0:1:0"), "--frames"),
            (("a.run", *to, "--frames", ""), "--frames"),
            (("a.run", *to, "-o", "nowhere/x.csv"), "cannot write nowhere/x.csv: No such file"),
            (("a.run", *to, "-o", "empty"), "it is a folder"),
            (("a.run", *to, "-o", "-", "--json"), "standard output"),
        ]
        if os.geteuid() != 0:
            cases.append((("a.run", *to, "-o", "closed/x.csv"), "Permission denied"))
        for arguments, says in cases:
            with self.subTest(arguments):
                self.refused("export", *arguments, says=says)

    def test_a_run_without_frames(self):
        run = self.run_scene(scene(output="{format: none}"), "none")
        for words in (("export", run, "--to", "csv"), ("render", run, "-o", "x.png")):
            self.refused(*words, says="holds no trajectory")
        run = self.run_scene(scene(output="{format: vtp}"), "vtp")
        (run / "trajectory.pvd").write_text("<VTKFile>\n<Collection>\n</Collection>\n</VTKFile>\n")
        self.refused("export", run, "--to", "csv", says="no frames yet")


# ---- pictures ---------------------------------------------------------------------------------------------------------------


def read_png(path):
    """Pixels of an 8-bit RGB picture, by the letter of the standard."""
    data, at, packed, size = path.read_bytes(), 8, b"", None
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(name + body)
        if name == b"IHDR":
            size = struct.unpack(">II", body[:8])
            assert body[8:] == bytes([8, 2, 0, 0, 0])
        packed += body if name == b"IDAT" else b""
        at += 12 + length
    width, height = size
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 3 * width + 1)
    out, before = np.zeros((height, 3 * width), np.uint8), np.zeros(3 * width, np.uint8)
    for i, row in enumerate(rows):
        assert row[0] in (0, 2)
        before = row[1:] + (before if row[0] == 2 else 0)
        out[i] = before
    return out.reshape(height, width, 3)


TWO = """scree: 1
title: two
gravity: [0, 0, 0]
materials:
  first: {young: 10 MPa, poisson: 0.22, density: 2500 kg/m3}
  second: {young: 10 MPa, poisson: 0.22, density: 2500 kg/m3}
domain: {low: [0, 0, 0], high: [1, 1, 1]}
particles:
  - {list: [{position: [0.25, 0.5, 0.5]}], radius: 0.05, material: first}
  - {list: [{position: [0.75, 0.5, 0.75]}], radius: 0.05, material: second}
run: {duration: 1 ms, output: {every: 1 ms}}
"""


class Render(FilesTest):
    def colours(self, path):
        """Where blue (the first material) and orange (the second) pixels are: their mean places, extents and numbers."""
        rgb = read_png(path).astype(int)
        rgb[:, 1030 * rgb.shape[1] // 1200 :] = 255  # the legend
        rgb[780 * rgb.shape[0] // 900 :, :] = 255  # the axes
        found = []
        for here in (rgb[:, :, 2] > rgb[:, :, 0] + 30, rgb[:, :, 0] > rgb[:, :, 2] + 30):
            y, x = np.nonzero(here)
            found.append((x.mean(), y.mean(), np.ptp(x) + 1, np.ptp(y) + 1))
        return found

    def test_spheres_are_where_they_should_be(self):
        self.run_scene(TWO)
        for view, across, up in [("y", 0, 2), ("z", 0, 1), ("x", 1, 2)]:
            self.ok("render", "a.run", "--colour", "type", "--view", view, "-o", "x.png")
            if view == "x":
                continue  # one behind the other and above
            blue, orange = self.colours(self.folder / "x.png")
            self.assertAlmostEqual(blue[2], blue[3], delta=5)  # round
            self.assertAlmostEqual(blue[2], orange[2], delta=5)
            scale = blue[2] / 0.1  # pixels per metre
            place = np.array([[0.25, 0.5, 0.5], [0.75, 0.5, 0.75]])
            dx, dy = orange[0] - blue[0], blue[1] - orange[1]
            self.assertAlmostEqual(dx, scale * (place[1] - place[0])[across], delta=0.03 * scale)
            self.assertAlmostEqual(dy, scale * (place[1] - place[0])[up], delta=0.03 * scale)

    def test_the_nearer_sphere_hides_the_other(self):
        self.run_scene(TWO.replace("[0.75, 0.5, 0.75]", "[0.75, 0.5, 0.5]"))
        self.ok("render", "a.run", "--colour", "type", "--view", "x", "-o", "front.png")
        self.ok("render", "a.run", "--colour", "type", "--view", "180,0", "-o", "back.png")
        middle = [read_png(self.folder / name)[450, 510].astype(int) for name in ("front.png", "back.png")]
        self.assertGreater(middle[0][0], middle[0][2])  # orange is at +x
        self.assertGreater(middle[1][2], middle[1][0])  # blue at -x

    def test_sizes_views_fields_and_frames(self):
        run = self.run_scene(scene())
        self.assertEqual(read_png(run / "picture.png").shape, (900, 1200, 3))
        for i, (size, view, field, frame) in enumerate([
            ("64x64", "x", "position", 0), ("320x200", "y", "position.z", 1), ("200x640", "z", "velocity", 2), ("640x480", "iso", "force.x", -1),
            ("333x217", "-120,-35", "contacts", 4), ("640x480", "30,89.5", "id", -5), ("640x480", "iso", "type", 3),
            ("640x480", "iso", "angular_velocity", 3), ("640x480", "iso", "radius", 0),
        ]):
            out = json.loads(self.ok("render", "a.run", "--size", size, "--view", view, "--colour", field, "--frame", frame, "-o",
                                     "x.png", "--json"))
            width, height = map(int, size.split("x"))
            self.assertEqual((out["width"], out["height"], out["colour"], out["frame"]), (width, height, field, frame % 5))
            pixels = read_png(self.folder / "x.png")
            self.assertEqual(pixels.shape, (height, width, 3))
            background = (pixels == 255).all(2).mean()
            self.assertTrue(0.05 < background < 0.98, (size, view, background))
            self.assertGreater(len(np.unique(pixels.reshape(-1, 3), axis=0)), 40)

    def test_the_range_holds_the_values_between_round_numbers(self):
        run = self.run_scene(scene())
        frame = self.table(run)[4]
        speed = np.sqrt(frame["vx"] ** 2 + frame["vy"] ** 2 + frame["vz"] ** 2)
        out = json.loads(self.ok("render", run, "--json"))
        low, high = np.percentile(speed, [1, 99])
        self.assertTrue(out["low"] <= low and high <= out["high"] < 2 * speed.max(), out)
        self.assertEqual((float("%.2g" % out["low"]), float("%.2g" % out["high"])), (out["low"], out["high"]))
        self.assertIs(out["at_rest"], False)
        out = json.loads(self.ok("render", run, "--json", "--colour", "radius"))
        self.assertEqual((out["low"], out["high"]), (frame["radius"].min(), frame["radius"].max()))
        out = json.loads(self.ok("render", run, "--json", "--colour", "velocity.z", "--range", "-2:3"))
        self.assertEqual((out["low"], out["high"], out["particles"]), (-2, 3, 300))

    def test_one_grain_does_not_take_the_colours(self):
        """Two hundred grains between 0 and 1 m/s, and one of 100 m/s: the others keep their colours."""
        grains = "".join(f"    - {{position: [{x}, {y}, 0.5], velocity: [{(14 * x_ + y_) / 196:.3f}, 0, 0]}}\n"
                         for x_, x in enumerate(np.linspace(0.1, 0.9, 14).round(3))
                         for y_, y in enumerate(np.linspace(0.1, 0.9, 14).round(3)))
        text = TWO.split("particles:")[0] + "particles:\n  - radius: 0.01\n    material: first\n    list:\n" + grains
        out = []
        for fast in ("[1, 0, 0]", "[100, 0, 0]"):
            more = f"    - {{position: [0.5, 0.5, 0.8], velocity: {fast}}}\nrun: {{duration: 1 us, output: {{every: 1 us, picture: no}}}}\n"
            run = self.run_scene(text + more, "even" if fast == "[1, 0, 0]" else "shot")
            out.append(json.loads(self.ok("render", run, "--frame", 0, "--json")))
        self.assertEqual(out[0]["high"], 1)
        self.assertEqual((out[0]["low"], out[0]["high"]), (out[1]["low"], out[1]["high"]))

    def test_a_bed_at_rest_says_so(self):
        """A grain on the floor, where it stays: noise is no scale."""
        floor = "walls:\n  - {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: first}\nparticles:\n"
        text = TWO.replace("[0, 0, 0]\nmat", "[0, 0, -9.81]\nmat").replace("particles:\n", floor)
        text = text.replace("[0.25, 0.5, 0.5]", "[0.25, 0.5, 0.05]").replace("[0.75, 0.5, 0.75]", "[0.75, 0.5, 0.05]")
        run = self.run_scene(text.replace("1 ms, output: {every: 1 ms}", "2 us, timestep: 1 us, output: {every: 2 us}"))
        out = json.loads(self.ok("render", run, "--json"))
        self.assertTrue(out["at_rest"] and out["high"] < 1e-3, out)
        rgb = read_png(run / "picture.png").astype(int)[100:780, 60:1000]
        coloured = rgb[(rgb.max(2) - rgb.min(2)) > 60]
        self.assertGreater(len(coloured), 1000)
        hue = (coloured[:, 1] - coloured[:, 0]) / (coloured[:, 2] - coloured[:, 0])
        self.assertLess(np.ptp(np.percentile(hue, [5, 95])), 0.25, "one colour, whatever the light")

    def test_the_vessel_of_the_hopper_is_seen(self):
        """The first picture that a stranger sees: steel from the rim to the opening, not a ring in the air. A hundred grains."""
        self.ok("new", "hopper")
        self.ok("run", "hopper", "--set", "particles.0.count=100", "--until", "50 us")
        rgb = read_png(self.folder / "hopper/scene.run/picture.png").astype(int)
        inside = (rgb[92:808, 60:1000] != 255).any(2)
        rows = inside.sum(1)
        filled = np.nonzero(rows > 50)[0]
        self.assertGreater(len(filled), 600, "it fills the height of the picture")
        bin_rows = rows[filled[0] + 60 : filled[0] + 400]
        self.assertLess(np.ptp(bin_rows), 12, "a bin has one width")
        self.assertLess(rows[filled[-1] - 20], 0.65 * bin_rows.min(), "the cone is narrower below")
        wall = rgb[92 + filled[0] + 60 : 92 + filled[0] + 300, 60:1000][inside[filled[0] + 60 : filled[0] + 300]]
        grey = (wall.max(1) - wall.min(1)) < 40
        self.assertGreater(grey.mean(), 0.6, "steel is grey")

    def test_a_range_of_nearly_nothing_is_drawn(self):
        """Numbers so close that there is no round one between them: one tick says what both are."""
        run = self.run_scene(scene())
        for high in ("1.0000000000000002", "1.0000000001"):
            self.ok("render", run, "--range", f"1:{high}", "-o", "x.png")
            self.assertGreater((self.folder / "x.png").stat().st_size, 1000)

    def test_the_same_frame_gives_the_same_picture(self):
        run = self.run_scene(scene())
        before = (run / "picture.png").read_bytes()
        self.ok("render", run)
        self.assertEqual(before, (run / "picture.png").read_bytes())  # as `scree run` drew it

    def test_errors(self):
        self.run_scene(TWO)
        for arguments, says in [
            (("nowhere",), "no run nowhere"),
            ((), "no run was named"),
            (("a.run", "--frame", "2"), "no frame 2: the run has 2, from 0 to 1"),
            (("a.run", "--frame", "-3"), "no frame -3"),
            (("a.run", "--frame", "1.5"), "--frame"),
            (("a.run", "--colour", "velocty"), 'did you mean "velocity"?'),
            (("a.run", "--colour", "heat"), "there are: position, id, type"),
            (("a.run", "--colour", "radius.x"), "only vectors"),
            (("a.run", "--colour", "velocity.w"), "only vectors"),
            (("a.run", "--colour", ""), "no field"),
            (("a.run", "--size", "10x10"), "64 ... 4096"),
            (("a.run", "--size", "100"), "--size"),
            (("a.run", "--view", "up"), "--view"),
            (("a.run", "--view", "0,95"), "--view"),
            (("a.run", "--range", "2:1"), "--range"),
            (("a.run", "-o", "nowhere/x.png"), "cannot write nowhere/x.png: No such file"),
            (("a.run", "-o", "a.run"), "it is a folder"),
        ]:
            with self.subTest(arguments):
                self.refused("render", *arguments, says=says)


if __name__ == "__main__":
    main()
