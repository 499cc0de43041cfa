"""How a command tells what it found, and how far it is."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from functools import partial
from time import perf_counter
from typing import Any

# So often a long work says how far it is, where no terminal shows it.
TELL_SECONDS = 10


def print_json(told: object) -> None:
    print(json.dumps(told, indent=1, ensure_ascii=False))


def progress(unit: str) -> Callable[[Iterable[Any]], Iterable[Any]]:
    """Return what goes through things and shows how far it is."""
    if not sys.stderr.isatty():
        return partial(_in_lines, unit)
    # Where nobody looks, it is not even loaded.
    from tqdm import tqdm

    return lambda things: tqdm(things, unit=unit, leave=False)


def _in_lines(unit: str, things: Iterable[Any]) -> Iterator[Any]:
    """Where there is no terminal, say in a line from time to time how far it is."""
    of = f" of {len(things)}" if isinstance(things, Sized) else ""
    told_at = perf_counter()
    for number, each in enumerate(things, 1):
        yield each
        if perf_counter() >= told_at + TELL_SECONDS:
            told_at = perf_counter()
            print(f"{unit} {number}{of}", file=sys.stderr, flush=True)
