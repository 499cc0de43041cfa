"""What one round of a probe found, for people and for programs."""

from collections.abc import Iterable, Iterator
from typing import Any

from api.client.check import Look
from api.client.probe import Probe
from api.client.sender import UNKNOWN

_Row = tuple[str, str, str, str]


def is_well(looks: Iterable[Look], probe: Probe) -> bool:
    """Tell whether nothing is down and everything was told."""
    is_down = any(each.measurement.status == "down" for each in looks)
    sender = probe.sender
    is_untold = probe.spool.waiting or sender.refused or sender.unknown
    return not is_down and not is_untold


def table(looks: Iterable[Look], probe: Probe) -> Iterator[str]:
    """Yield a line for each target, in columns, and one for all."""
    rows = [("SERVICE", "STATUS", "MS", "WHY"), *_rows(looks, probe)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for service, status, ms, why in rows:
        cells = (service.ljust(widths[0]), status.ljust(widths[1]), ms.rjust(widths[2]))
        yield "  ".join((*cells, why)).rstrip()
    yield ", ".join(f"{name} {count}" for name, count in _counts(probe).items())


def facts(looks: Iterable[Look], probe: Probe) -> dict[str, Any]:
    """Return the same as a program reads it."""
    found = [
        {**each.measurement.to_json(), "source": each.target.source, "why": each.why}
        for each in looks
    ]
    unknown = sorted(probe.sender.unknown_services)
    return {"measurements": found, **_counts(probe), "unknownServices": unknown}


def _rows(looks: Iterable[Look], probe: Probe) -> Iterator[_Row]:
    """Yield each look, then the unknown services that only the spool spoke of."""
    unknown = probe.sender.unknown_services
    looked = set()
    for each in looks:
        said = each.measurement
        looked.add(said.slug)
        ms = "-" if said.response_time_ms is None else str(said.response_time_ms)
        whys = (each.why, UNKNOWN if said.slug in unknown else None)
        yield said.slug, said.status, ms, "; ".join(filter(None, whys))
    for slug in sorted(unknown - looked):
        yield slug, "-", "-", UNKNOWN


def _counts(probe: Probe) -> dict[str, int]:
    sender = probe.sender
    return {
        "sent": sender.sent,
        "waiting": probe.spool.waiting,
        "refused": sender.refused,
        "unknown": sender.unknown,
    }
