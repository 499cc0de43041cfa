"""What an export has of each noun: a file of lines, and the shape of a line."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from models.audit import AUDITED_AREAS, StoredAuditRecord, stored_records
from models.base import Schema
from models.platform.key_inventory import InventoriedKey, all_keys
from models.projects.bundles.bundle_writer import global_labels
from models.projects.planning.labels import Label
from models.status import export as status
from models.status.maintenance.windows import StatusMaintenance
from models.status.services.catalogue import StatusAdminService
from sitegen.export.documents import IndexedDocument, index

Told = Schema | dict[str, Any]


@dataclass(frozen=True)
class Noun:
    """A file of lines: its name, the shape of each line, and what tells them."""

    name: str
    shape: type[Schema]
    told: Callable[..., Iterable[Told]]
    # Whether what is told depends on the time.
    by_clock: bool = False

    def lines(self, now: datetime) -> Iterator[str]:
        for each in self.told(now) if self.by_clock else self.told():
            yield _line(each) + "\n"


def _line(each: Told) -> str:
    if isinstance(each, Schema):
        return each.model_dump_json(by_alias=True)
    return json.dumps(each, ensure_ascii=False, separators=(",", ":"))


AUDITS = tuple(
    Noun(f"{area}/audit.jsonl", StoredAuditRecord, partial(stored_records, area))
    for area in AUDITED_AREAS
)
NOUNS = (
    Noun("status/services.jsonl", StatusAdminService, status.services_kept),
    Noun("status/incidents.jsonl", status.ExportedIncident, status.incidents_kept),
    Noun(
        "status/maintenance.jsonl",
        StatusMaintenance,
        status.maintenance_kept,
        by_clock=True,
    ),
    Noun("status/readings.jsonl", status.ExportedSample, status.readings_kept),
    Noun("status/hours.jsonl", status.ExportedHour, status.hours_kept),
    Noun("status/days.jsonl", status.ExportedDay, status.days_kept),
    Noun("platform/keys.jsonl", InventoriedKey, all_keys, by_clock=True),
    Noun("projects/labels.jsonl", Label, global_labels),
    Noun("documents/index.jsonl", IndexedDocument, index),
    *AUDITS,
)
# Every sample: many times what all the rest is, so only whoever asks gets it.
SAMPLES = Noun(
    "status/measurements.jsonl", status.ExportedSample, status.measurements_kept
)
