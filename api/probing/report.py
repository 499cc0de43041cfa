"""What one round of a probe found, for people and for programs."""

from collections.abc import Iterable, Iterator
from typing import Any

from api.probing.looking import Look
from api.probing.probe import Probe


def is_well(looks: Iterable[Look], probe: Probe) -> bool:
    """Tell whether nothing is down and everything was told."""
    is_down = any(each.measurement.status == "down" for each in looks)
    return not is_down and not probe.spool.waiting and not probe.sender.refused


def table(looks: Iterable[Look], probe: Probe) -> Iterator[str]:
    """Yield a line for each target, in columns, and one for all."""
    rows = [("SERVICE", "STATUS", "MS", "WHY"), *map(_row, looks)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for service, status, ms, why in rows:
        cells = (service.ljust(widths[0]), status.ljust(widths[1]), ms.rjust(widths[2]))
        yield "  ".join((*cells, why)).rstrip()
    yield ", ".join(f"{name} {count}" for name, count in _counts(probe).items())


def facts(looks: Iterable[Look], probe: Probe) -> dict[str, Any]:
    """Return the same as a program reads it."""
    found = [
        {**each.measurement.told(), "source": each.target.source, "why": each.why}
        for each in looks
    ]
    return {"measurements": found, **_counts(probe)}


def _row(look: Look) -> tuple[str, str, str, str]:
    said = look.measurement
    ms = "-" if said.response_time_ms is None else str(said.response_time_ms)
    return said.slug, said.status, ms, look.why or ""


def _counts(probe: Probe) -> dict[str, int]:
    sender = probe.sender
    waiting = probe.spool.waiting
    return {"sent": sender.sent, "waiting": waiting, "refused": sender.refused}
