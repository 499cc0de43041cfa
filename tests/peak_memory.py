"""The peak memory of the processes of a server."""

import re
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

MIB = 1024 * 1024


def resets_peaks():
    """Return whether this system lets a process forget the peak of its memory."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


@contextmanager
def peak_memory(pid):
    """
    Measure the peak memory of the processes of a server within the block, above the
    start.

    After the block, the yielded object has the bytes.
    """
    before = {each: _status(each, "VmRSS") for each in _processes(pid)}
    for each in before:
        Path(f"/proc/{each}/clear_refs").write_text("5")
    measured = SimpleNamespace(bytes=0)
    yield measured
    rises = (_status(each, "VmHWM") - has for each, has in before.items())
    measured.bytes = max(rises)


def _processes(pid):
    yield pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield from _processes(int(child))


def _status(pid, name):
    text = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"{name}:\s+(\d+)", text)[1]) * 1024
