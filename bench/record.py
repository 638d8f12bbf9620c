"""record.py: how the benchmarks keep what they measured: files that are complete or absent, and a line about the machine
for each in machine.txt. Nothing in them tells where on a machine they were made."""

from __future__ import annotations

import datetime
import os
import platform
import re
from pathlib import Path
from typing import Any, Sequence

NOTE = "machine.txt"


def write(path: Path, content: str | bytes) -> None:
    """Aside, then renamed: whoever reads sees the file before or after, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(path.name + ".part")
    try:
        aside.write_bytes(content.encode() if isinstance(content, str) else content)
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def machine() -> dict[str, Any]:
    info = Path("/proc/cpuinfo")
    text = info.read_text() if info.exists() else ""
    model = re.search(r"^model name\s*:(.*)$", text, re.M)
    return {"processor": model[1].strip() if model else platform.processor() or "unknown",
            "cores": len(os.sched_getaffinity(0)), "system": f"{platform.system()} {platform.release()}",
            "date": datetime.date.today().isoformat()}


def note(folder: Path, names: Sequence[str], how: str, about: dict[str, Any]) -> None:
    """The line about some files of a folder; it replaces the one that they had."""
    path, label = folder / NOTE, ", ".join(names)
    lines = path.read_text().splitlines() if path.exists() else []
    kept = [line for line in lines if not line.startswith(f"{label}: ")]
    line = f"{label}: {how} on {about['processor']}, {about['cores']} cores; {about['date']}"
    write(path, "\n".join([*kept, line]) + "\n")
