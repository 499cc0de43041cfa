"""List the JSON Lines files of an export, with the schema of their lines."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from models.audit import AUDITED_AREAS, StoredAuditRecord, stored_records
from models.base import Schema
from models.notifications.subscriptions.subscriptions import (
    Subscription,
    all_subscriptions,
)
from models.platform.key_inventory import InventoriedKey, all_keys
from models.projects.bundles.bundle_writer import global_labels
from models.projects.planning.labels import Label
from models.status import export as status
from models.status.incidents.templates import IncidentTemplate
from models.status.services.catalogue import StatusAdminService
from sitegen.export.documents import IndexedDocument, document_index

Record = Schema | dict[str, Any]


@dataclass(frozen=True)
class RecordType:
    """A file of records: its name, their schema, and the function that yields them."""

    file: str
    schema: type[Schema]
    records: Callable[..., Iterable[Record]]
    # Whether `records` takes the current time.
    needs_time: bool = False

    def lines(self, now: datetime) -> Iterator[str]:
        for record in self.records(now) if self.needs_time else self.records():
            yield _to_json(record) + "\n"


def _to_json(record: Record) -> str:
    if isinstance(record, Schema):
        return record.model_dump_json(by_alias=True)
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


RECORD_TYPES = (
    RecordType("status/services.jsonl", StatusAdminService, status.exported_services),
    RecordType(
        "status/incidents.jsonl", status.ExportedIncident, status.exported_incidents
    ),
    RecordType(
        "status/incident-templates.jsonl",
        IncidentTemplate,
        status.exported_incident_templates,
    ),
    RecordType(
        "status/maintenance.jsonl",
        status.ExportedMaintenance,
        status.exported_maintenance,
        needs_time=True,
    ),
    RecordType(
        "status/readings.jsonl", status.ExportedSample, status.exported_readings
    ),
    RecordType(
        "status/source-keys.jsonl",
        status.ExportedSourceKey,
        status.exported_source_keys,
    ),
    RecordType("status/subscriptions.jsonl", Subscription, all_subscriptions),
    RecordType("status/hours.jsonl", status.ExportedHour, status.exported_hours),
    RecordType("status/days.jsonl", status.ExportedDay, status.exported_days),
    RecordType("platform/keys.jsonl", InventoriedKey, all_keys, needs_time=True),
    RecordType("projects/labels.jsonl", Label, global_labels),
    RecordType("documents/index.jsonl", IndexedDocument, document_index),
    *(
        RecordType(
            f"{area}/audit.jsonl", StoredAuditRecord, partial(stored_records, area)
        )
        for area in AUDITED_AREAS
    ),
)
# Raw measurements are optional, since they are many times the size of all the rest.
SAMPLES = RecordType(
    "status/measurements.jsonl", status.ExportedSample, status.exported_measurements
)
