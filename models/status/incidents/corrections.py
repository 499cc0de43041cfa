"""
Correct and remove updates in the timelines of incidents, and keep the earlier words.

An incident follows its newest update as long as it has the status of this update: it
takes the status to which the update is corrected, and if the update is removed, that of
the newest update which remains. A correction of an earlier update does not change the
incident, and neither does any correction once incidents/update has given the incident
another status.

An incident that becomes resolved by a correction was resolved when the first of the
newest updates with that status was posted. One that becomes active again has no such
time.
"""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from typing import Annotated, Any

from peewee import AutoField, ForeignKeyField, TextField
from pydantic import Field, model_validator

from models.base import Change, MomentField, Row, Schema, row_with_id
from models.errors import IncidentNotFound, IncidentUpdateNotFound, VersionConflict
from models.fields import EXAMPLE_ID, CreatedAt, MayOmit, Moment
from models.status import descriptions
from models.status.fields import StatusId, Version
from models.status.incidents.incidents import (
    Body,
    IncidentRow,
    IncidentUpdateRow,
    require_valid_times,
)
from models.status.state import IncidentStatus

# What readers see instead of the words of a removed update.
REMOVED_BODY = "This update was removed."

# What several fields mean.
UPDATE_ID = Field(description="The ID of the update.", examples=[EXAMPLE_ID])
NotifyOfStatus = Annotated[
    bool,
    Field(
        description="Whether subscribers are told if the incident gets another status"
        " by it.",
        examples=[True],
    ),
]


class StatusUpdateIncidentUpdate(Schema, example=("body", "expectedVersion")):
    id: Annotated[StatusId, UPDATE_ID]
    status: MayOmit[IncidentStatus] = Field(
        default=None, description="The corrected status. Default: unchanged."
    )
    body: MayOmit[Body] = Field(
        default=None,
        description="The corrected text, as Markdown. Default: unchanged.",
        examples=["We are investigating slow answers."],
    )
    expected_version: MayOmit[Version] = Field(
        default=None,
        description="The expected latest version; another one is a conflict.",
    )
    notify: NotifyOfStatus = True


class StatusRemoveIncidentUpdate(Schema):
    id: Annotated[StatusId, UPDATE_ID]
    notify: NotifyOfStatus = True


class GetIncidentUpdateHistory(Schema, example=("id",)):
    """Either one update, or all updates of an incident."""

    id: MayOmit[StatusId] = Field(
        default=None, description="The ID of an update.", examples=[EXAMPLE_ID]
    )
    incident_id: MayOmit[StatusId] = Field(
        default=None,
        description="The ID of an incident, for the history of all its updates.",
        examples=[EXAMPLE_ID],
    )

    @model_validator(mode="after")
    def _require_one(self) -> "GetIncidentUpdateHistory":
        if (self.id is None) == (self.incident_id is None):
            raise ValueError("Send either id or incidentId.")
        return self


class StatusIncidentUpdateVersion(Schema):
    version: int = Field(
        description="The number of the version, which is 1 for the first one."
    )
    status: IncidentStatus = Field(description="The status that this version had.")
    body: Annotated[str, descriptions.BODY]
    written_at: Moment = Field(description="When it was written.")
    replaced_at: Moment | None = Field(
        description="When it was replaced or removed.", examples=[None]
    )


class StatusIncidentUpdateHistory(Schema):
    """An update with its versions, oldest first; the last of a removed one is over."""

    id: Annotated[str, UPDATE_ID]
    incident_id: Annotated[str, descriptions.INCIDENT_ID]
    created_at: CreatedAt
    edited_at: Moment | None = Field(
        description="When the update was last corrected.", examples=[None]
    )
    removed_at: Moment | None = Field(
        description="When the update was removed.", examples=[None]
    )
    versions: list[StatusIncidentUpdateVersion] = Field(
        description="The versions, oldest first."
    )


class IncidentUpdateVersionRow(Row):
    """The words of an update before a correction, or before its removal."""

    incident_update_id: int

    number = AutoField()
    incident_update = ForeignKeyField(IncidentUpdateRow, on_delete="CASCADE")
    status = TextField()
    body = TextField()
    written_at = MomentField()
    replaced_at = MomentField()


@dataclass(frozen=True)
class Correction:
    """A corrected or removed update: what changed of it, and of its incident."""

    update: IncidentUpdateRow
    is_made: bool = False
    changes: dict[str, Change] = field(default_factory=dict)
    incident_changes: dict[str, Change] = field(default_factory=dict)

    @property
    def detail(self) -> str:
        """Describe the correction for the audit log, with the earlier words."""
        parts = [f"update: {self.update.id}"]
        if "status" in self.changes:
            old, new = self.changes["status"]
            parts.append(f"status: {old} -> {new}")
        if "body" in self.changes:
            old, _ = self.changes["body"]
            # Quoted, it cannot pass for the end of the detail.
            parts.append(f"earlier body: {json.dumps(old, ensure_ascii=False)}")
        return "; ".join(parts)


def correct_update(
    request: StatusUpdateIncidentUpdate, now: datetime, clock_at: datetime
) -> Correction:
    """
    Correct the words or the status of an update, which keeps its time.

    Raise IncidentUpdateNotFound, also for a removed update, and VersionConflict if it
    was corrected since the expected version.
    """
    update = _kept_update_with_id(request.id)
    if update.removed_at is not None:
        raise IncidentUpdateNotFound(
            f"The update '{request.id}' was removed, so it cannot be corrected."
        )
    _require_version(update, request.expected_version)
    values = {"status": request.status, "body": request.body}
    values = {name: value for name, value in values.items() if value is not None}
    if all(getattr(update, name) == value for name, value in values.items()):
        return Correction(update)
    return _replace(update, values, now, clock_at, pointer="/status", edited_at=now)


def remove_update(
    request: StatusRemoveIncidentUpdate, now: datetime, clock_at: datetime
) -> Correction:
    """
    Remove the words of an update; it keeps its place in the timeline, and its time.

    It takes the status of the update before it, as if it had changed nothing. If it
    was removed before, nothing changes. Raise IncidentUpdateNotFound.
    """
    update = _kept_update_with_id(request.id)
    if update.removed_at is not None:
        return Correction(update)
    earlier = IncidentUpdateRow.select(IncidentUpdateRow.status).where(
        IncidentUpdateRow.incident == update.incident_id,
        IncidentUpdateRow.number < update.number,
    )
    before = earlier.order_by(IncidentUpdateRow.number.desc()).first()
    values = {"status": (before or update).status, "body": REMOVED_BODY}
    return _replace(update, values, now, clock_at, pointer="/id", removed_at=now)


def update_history(
    query: GetIncidentUpdateHistory,
) -> list[StatusIncidentUpdateHistory]:
    """
    Return the history of an update, or of each update of an incident, oldest first.

    Those of a removed incident are found too. Raise IncidentUpdateNotFound or
    IncidentNotFound.
    """
    if query.id is not None:
        updates = [_update_with_id(query.id)]
    else:
        row_with_id(IncidentRow, query.incident_id, IncidentNotFound, "incident")
        rows = IncidentUpdateRow.select().where(
            IncidentUpdateRow.incident == query.incident_id
        )
        updates = list(rows.order_by(IncidentUpdateRow.number))
    return histories(updates)


def histories(
    updates: Iterable[IncidentUpdateRow],
) -> list[StatusIncidentUpdateHistory]:
    """Return the history of each update, in their order."""
    updates = list(updates)
    earlier: dict[int, list[IncidentUpdateVersionRow]] = defaultdict(list)
    rows = IncidentUpdateVersionRow.select().where(
        IncidentUpdateVersionRow.incident_update.in_([row.number for row in updates])
    )
    for row in rows.order_by(IncidentUpdateVersionRow.number):
        earlier[row.incident_update_id].append(row)
    return [_history(update, earlier[update.number]) for update in updates]


def _history(
    update: IncidentUpdateRow, earlier: list[IncidentUpdateVersionRow]
) -> StatusIncidentUpdateHistory:
    words: list[dict[str, Any]] = [
        {name: getattr(row, name) for name in ("status", "body", "written_at")}
        | {"replaced_at": row.replaced_at}
        for row in earlier
    ]
    if update.removed_at is None:
        words.append(_words(update) | {"replaced_at": None})
    return StatusIncidentUpdateHistory(
        id=update.id,
        incident_id=update.incident_id,
        created_at=update.created_at,
        edited_at=update.edited_at,
        removed_at=update.removed_at,
        versions=[
            StatusIncidentUpdateVersion(version=number, **version)
            for number, version in enumerate(words, start=1)
        ],
    )


def _words(update: IncidentUpdateRow) -> dict[str, Any]:
    """Return the present words of an update, and since when it has them."""
    return {
        "status": update.status,
        "body": update.body,
        "written_at": update.edited_at or update.created_at,
    }


def _kept_update_with_id(id: str) -> IncidentUpdateRow:
    """Return the update unless its incident was removed; raise if there is none."""
    update = _update_with_id(id)
    if update.incident.removed_at is not None:
        raise IncidentUpdateNotFound(f"No incident update has the id '{id}'.")
    return update


def _update_with_id(id: str) -> IncidentUpdateRow:
    noun = "incident update"
    return row_with_id(IncidentUpdateRow, id, IncidentUpdateNotFound, noun)


def _require_version(update: IncidentUpdateRow, expected: int | None) -> None:
    """Raise VersionConflict unless the update is at the expected version."""
    versions = IncidentUpdateVersionRow.select().where(
        IncidentUpdateVersionRow.incident_update == update.number
    )
    current = versions.count() + 1
    if expected not in (None, current):
        raise VersionConflict(
            f"The update is at version {current}, not {expected}.", current=current
        )


def _replace(
    update: IncidentUpdateRow,
    values: dict[str, Any],
    now: datetime,
    clock_at: datetime,
    *,
    pointer: str,
    **marks: datetime,
) -> Correction:
    """Keep the words of the update as a version, and replace them."""
    incident = update.incident
    is_following = incident.status == _kept_updates(incident)[-1].status
    IncidentUpdateVersionRow.create(
        incident_update=update, replaced_at=now, **_words(update)
    )
    changes = update.assign(values)
    update.assign(marks)
    update.save()
    followed = _followed_values(incident, clock_at, pointer) if is_following else {}
    incident_changes = incident.change(followed, now)
    if not incident_changes:
        incident.touch(now)
    return Correction(update, True, changes, incident_changes)


def _followed_values(
    incident: IncidentRow, clock_at: datetime, pointer: str
) -> dict[str, Any]:
    """Return the values that the incident takes from its newest update."""
    updates = _kept_updates(incident)
    if not updates:
        return {}
    if updates[-1].status != "resolved":
        return {"status": updates[-1].status, "resolved_at": None}
    resolved_at = incident.resolved_at
    if resolved_at is None:
        resolving = takewhile(lambda each: each.status == "resolved", updates[::-1])
        posted_at = min(update.created_at for update in resolving)
        # An instant may be ahead of the clock, and a start later than the update.
        resolved_at = max(min(posted_at, clock_at), incident.started_at)
    require_valid_times(incident.started_at, resolved_at, clock_at, pointer=pointer)
    return {"status": "resolved", "resolved_at": resolved_at}


def _kept_updates(incident: IncidentRow) -> list[IncidentUpdateRow]:
    """Return the updates that were not removed, oldest first."""
    rows = IncidentUpdateRow.select().where(
        IncidentUpdateRow.incident == incident.id,
        IncidentUpdateRow.removed_at.is_null(),
    )
    return list(rows.order_by(IncidentUpdateRow.number))
