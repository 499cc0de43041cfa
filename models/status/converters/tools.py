"""The tools whose words can be converted, and one body a line that comes of it."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from models.status.converters import alertmanager, gatus, uptime_kuma
from models.status.converters.samples import Names, bodies
from models.status.measurements.measurements import StatusMeasurement

# Samples are kept one by one for 91 days at least, and so long they are taken.
TAKEN = timedelta(days=90)


@dataclass(frozen=True)
class Asked:
    """`source` is who measured; `label` is Alertmanager's, for the service."""

    text: bytes
    names: Names
    now: datetime
    source: str
    label: str


TOOLS: Mapping[str, Callable[[Asked], list[StatusMeasurement]]] = {
    "alertmanager": lambda asked: alertmanager.samples(
        asked.text, asked.names, asked.now, label=asked.label
    ),
    "uptime-kuma": lambda asked: uptime_kuma.samples(asked.text, asked.names),
    "gatus": lambda asked: gatus.samples(asked.text, asked.names),
}


def converted(tool: str, request: Asked) -> Iterator[str]:
    """
    Yield bodies for measurements/record, each a line; none if nothing is said.

    What is too old to be taken is left out: it would keep all else from being taken.
    """
    oldest = request.now - TAKEN
    samples = [each for each in TOOLS[tool](request) if each.observed_at >= oldest]
    for body in bodies(request.source, samples):
        yield json.dumps(body.to_json(), ensure_ascii=False)
