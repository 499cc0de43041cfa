"""Report the results of `probe --once` as a table and as JSON."""

from collections.abc import Iterable, Iterator
from typing import Any

from api.client.check import CheckResult
from api.client.probe import Probe
from api.client.sender import UNKNOWN_SERVICE

_Cells = tuple[str, str, str, str]


def is_successful(results: Iterable[CheckResult], probe: Probe) -> bool:
    """Return whether no target is down and every measurement was accepted."""
    is_down = any(result.measurement.status == "down" for result in results)
    sender = probe.sender
    is_undelivered = probe.spool.waiting or sender.refused or sender.unknown
    return not is_down and not is_undelivered


def table_lines(results: Iterable[CheckResult], probe: Probe) -> Iterator[str]:
    """Yield a header, a line for each target, and a line with the totals."""
    rows = [("SERVICE", "STATUS", "MS", "WHY"), *_rows(results, probe)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for service, status, ms, reason in rows:
        cells = (service.ljust(widths[0]), status.ljust(widths[1]), ms.rjust(widths[2]))
        yield "  ".join((*cells, reason)).rstrip()
    yield ", ".join(f"{name} {count}" for name, count in _totals(probe).items())


def to_json(results: Iterable[CheckResult], probe: Probe) -> dict[str, Any]:
    measurements = [
        {
            **result.measurement.to_json(),
            "source": result.target.source,
            "why": result.reason,
        }
        for result in results
    ]
    unknown = sorted(probe.sender.unknown_services)
    return {
        "measurements": measurements,
        **_totals(probe),
        "unknownServices": unknown,
    }


def _rows(results: Iterable[CheckResult], probe: Probe) -> Iterator[_Cells]:
    """Yield the results, then the unknown services that only the spool contained."""
    unknown = probe.sender.unknown_services
    measured = set()
    for result in results:
        measurement = result.measurement
        slug, response_ms = measurement.slug, measurement.response_time_ms
        measured.add(slug)
        ms = "-" if response_ms is None else str(response_ms)
        reasons = (result.reason, UNKNOWN_SERVICE if slug in unknown else None)
        yield slug, measurement.status, ms, "; ".join(filter(None, reasons))
    for slug in sorted(unknown - measured):
        yield slug, "-", "-", UNKNOWN_SERVICE


def _totals(probe: Probe) -> dict[str, int]:
    sender = probe.sender
    return {
        "sent": sender.sent,
        "waiting": probe.spool.waiting,
        "refused": sender.refused,
        "unknown": sender.unknown,
    }
