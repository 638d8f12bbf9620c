"""record.py: how the benchmarks keep what they measured: files that are complete or absent, and a line about the machine
for each in machine.txt. Nothing in them tells where on a machine they were made."""

from __future__ import annotations

import datetime
import os
import platform
import re
import time
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


def processor(text: str) -> str:
    """As /proc/cpuinfo tells. Hosts hide which model it is behind a name for all of them, and what one is fast at the next
    is not: its family stands beside it."""
    def told(key: str) -> str | None:
        found = re.search(rf"^{key}\s*:(.*)$", text, re.M)
        return found[1].strip() if found else None

    name, family = told("model name") or platform.processor() or "unknown", told("cpu family")
    of_family = {"25": "Zen 4" if "avx512f" in text else "Zen 3", "26": "Zen 5"} if told("vendor_id") == "AuthenticAMD" else {}
    return f"{name} (family {family}{': ' + of_family[family] if family in of_family else ''})" if family else name


def machine() -> dict[str, Any]:
    info = Path("/proc/cpuinfo")
    return {"processor": processor(info.read_text() if info.exists() else ""),
            "cores": len(os.sched_getaffinity(0)), "system": f"{platform.system()} {platform.release()}",
            "date": datetime.date.today().isoformat()}


def note(folder: Path, names: Sequence[str], how: str, about: dict[str, Any]) -> None:
    """The line about some files of a folder; it replaces the one that they had."""
    path, label = folder / NOTE, ", ".join(names)
    lines = path.read_text().splitlines() if path.exists() else []
    kept = [line for line in lines if not line.startswith(f"{label}: ")]
    line = f"{label}: {how} on {about['processor']}, {about['cores']} cores; {about['date']}"
    write(path, "\n".join([*kept, line]) + "\n")


class Beside:
    """What else the machine does: begun with the benchmark, asked at its end."""

    def __init__(self) -> None:
        self.begun, self.before = time.monotonic(), self.read()

    @staticmethod
    def read() -> tuple[float, float, float]:
        """s: all that processors worked, what another virtual machine took of them, what this program and its children
        worked. Zeros where the system does not tell."""
        path = Path("/proc/stat")
        words = path.read_text().split("\n", 1)[0].split()[1:] if path.exists() else []
        user, nice, system, _, _, irq, soft, steal = (int(word) for word in words[:8]) if len(words) >= 8 else 8 * (0,)
        hertz = os.sysconf("SC_CLK_TCK")
        return (user + nice + system + irq + soft) / hertz, steal / hertz, sum(os.times()[:4])

    def cores(self) -> float:
        """Processors that others kept busy, in the mean."""
        worked, stolen, own = (after - before for after, before in zip(self.read(), self.before))
        return max(0.0, worked + stolen - own) / max(time.monotonic() - self.begun, 1e-3)

    def remark(self, quiet: float = 0.1) -> str | None:
        busy = self.cores()
        return f"other programs kept {busy:.1f} cores busy meanwhile, so that speeds are too low" if busy > quiet else None
