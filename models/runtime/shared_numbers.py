"""Count in memory that the processes of a server share."""

import mmap
from collections.abc import Callable, Iterator, Sequence
from threading import Lock

_DOUBLE_BYTES = 8
# The bytes of a row's name; it is short, since names come from the code.
NAME_BYTES = 96
_NAME_DOUBLES = NAME_BYTES // _DOUBLE_BYTES


class SharedNumbers:
    """
    Rows of numbers by name, which each process of a server has of its own.

    It is created before the processes are forked, and has no file: a full disk cannot
    stop a process that counts, and a process that is killed leaves nothing behind. No
    two processes write to the same row, so a count needs no lock between them. A
    process that is started again continues the rows of the one that died.
    """

    def __init__(self, processes: Sequence[str], *, rows: int, width: int) -> None:
        self._processes = {name: number for number, name in enumerate(processes)}
        self._rows = rows
        self._row_doubles = _NAME_DOUBLES + width
        size = len(processes) * rows * self._row_doubles * _DOUBLE_BYTES
        # Pages that are never written to occupy no memory.
        self._numbers = memoryview(mmap.mmap(-1, size)).cast("d")
        self._lock = Lock()

    def row(self, process: str, name: str) -> "memoryview[float]":
        """
        Return the numbers of the row, which is added if the process has none.

        Each number is written and read as a whole. Raise ValueError if the name is too
        long or there is no room for the row.
        """
        encoded = name.encode()
        if not 0 < len(encoded) < NAME_BYTES:
            raise ValueError(f"The name '{name}' is empty or too long.")
        with self._lock:
            for row in self._rows_of(process):
                if not (found := _name_of(row)):
                    _write_name(row, encoded)
                if found in ("", name):
                    return row[_NAME_DOUBLES:]
        raise ValueError(f"There is no room for the row '{name}'.")

    def combined(
        self, combine: Callable[[float, float], float]
    ) -> dict[str, list[float]]:
        """Return the numbers of each name over all processes."""
        totals: dict[str, list[float]] = {}
        for process in self._processes:
            for row in self._rows_of(process):
                name, numbers = _name_of(row), [*row[_NAME_DOUBLES:]]
                if not name:
                    break
                others = totals.get(name)
                totals[name] = [*map(combine, others, numbers)] if others else numbers
        return totals

    def _rows_of(self, process: str) -> Iterator["memoryview[float]"]:
        first = self._processes[process] * self._rows
        for number in range(first, first + self._rows):
            start = number * self._row_doubles
            yield self._numbers[start : start + self._row_doubles]


def _name_of(row: "memoryview[float]") -> str:
    """Return the name of a row, "" if it is not used."""
    name = row[:_NAME_DOUBLES].tobytes()
    return name.rstrip(b"\0").decode() if name[0] else ""


def _write_name(row: "memoryview[float]", name: bytes) -> None:
    """Write the first byte last: until then, the row is not used."""
    field = row[:_NAME_DOUBLES].cast("B")
    field[1:] = name.ljust(NAME_BYTES, b"\0")[1:]
    field[0] = name[0]
