"""Convert the output of monitoring tools to request bodies for the API."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from peewee import chunked

from models.status.converters import alertmanager, gatus, uptime_kuma
from models.status.converters.mapping import ServiceNames, valid_slug
from models.status.measurements.measurements import (
    StatusMeasurement,
    StatusRecordMeasurements,
)

# The limit of StatusRecordMeasurements.
BATCH_SIZE = 200
# The API accepts measurements for at least 91 days.
MAX_AGE = timedelta(days=90)


@dataclass(frozen=True)
class ConversionInput:
    """
    The output of a tool, and the options of its conversion.

    `source` is the source of the measurements, `label` the label of Alertmanager
    that names the service.
    """

    text: bytes
    names: ServiceNames
    now: datetime
    source: str
    label: str


CONVERTERS: Mapping[str, Callable[[ConversionInput], list[StatusMeasurement]]] = {
    "alertmanager": lambda input: alertmanager.measurements(
        input.text, input.names, input.now, label=input.label
    ),
    "uptime-kuma": lambda input: uptime_kuma.measurements(input.text, input.names),
    "gatus": lambda input: gatus.measurements(input.text, input.names),
}


def convert_to_requests(tool: str, input: ConversionInput) -> Iterator[str]:
    """
    Yield JSON bodies for measurements/record, none without measurements.

    Measurements that are too old are left out, since the API would reject the batch.
    """
    oldest = input.now - MAX_AGE
    measurements = [m for m in CONVERTERS[tool](input) if m.observed_at >= oldest]
    for batch in batches(input.source, measurements):
        yield json.dumps(batch.to_json(), ensure_ascii=False)


def batches(
    source: str, measurements: Sequence[StatusMeasurement]
) -> Iterator[StatusRecordMeasurements]:
    """Yield the measurements, in their order, in as few requests as possible."""
    valid_slug(source, "--source")
    for batch in chunked(measurements, BATCH_SIZE):
        yield StatusRecordMeasurements(source=source, measurements=batch)
