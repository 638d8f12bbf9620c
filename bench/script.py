"""script.py: how the benchmarks' programs end: with the status that they return, with a sentence where they fail, quietly
where they are interrupted."""

from __future__ import annotations

import sys
from typing import Callable, NoReturn


class Failed(Exception):
    """The sentence says what."""


def run(name: str, main: Callable[[list[str]], int]) -> NoReturn:
    try:
        sys.exit(main(sys.argv[1:]))
    except Failed as failed:
        sys.exit(f"{name}: {failed}")
    except KeyboardInterrupt:
        sys.exit(130)
