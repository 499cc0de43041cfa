"""Hold what was parsed of another status page, and fit its texts to our limits."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any
from unicodedata import combining

from pydantic import Field, ValidationError

from models.base import Schema
from models.external_formats import first_error
from models.fields import SLUG_LENGTH, Moment, StatusSlug, slugify, unique_slug
from models.normalization import normalize
from models.status.fields import StatusTitle
from models.status.incidents.incidents import Body
from models.status.maintenance.windows import MaintenanceDescription
from models.status.services.catalogue import Description, Group, Hostname, ServiceName
from models.status.state import IncidentStatus, Severity

MAX_TITLE, MAX_TEXT, MAX_NAME, MAX_GROUP, MAX_DESCRIPTION = 160, 4000, 120, 64, 280

ExternalId = Annotated[str, Field(min_length=1, max_length=300)]
# The paths of items at their source that we redirect. No page of ours has such a path.
EXTERNAL_PATH_PATTERN = (
    r"^/(affected|history|incident|incidents|issues)/[A-Za-z0-9][A-Za-z0-9._-]{0,150}$"
)
ExternalPath = Annotated[str, Field(pattern=EXTERNAL_PATH_PATTERN)]


class ImportedService(Schema):
    external_id: ExternalId
    path: ExternalPath | None = None
    slug: StatusSlug
    name: ServiceName
    description: Description | None = None
    hostname: Hostname | None = None
    group: Group | None = None


class ImportedIncidentUpdate(Schema):
    status: IncidentStatus
    body: Body
    created_at: Moment


class ImportedIncident(Schema):
    """An incident; `services` are the external ids of the services it affects."""

    external_id: ExternalId
    path: ExternalPath | None = None
    title: StatusTitle
    severity: Severity
    status: IncidentStatus
    started_at: Moment
    resolved_at: Moment | None
    services: list[str]
    updates: list[ImportedIncidentUpdate]


class ImportedWindow(Schema):
    """A maintenance window; `services` are the external ids of its services."""

    external_id: ExternalId
    path: ExternalPath | None = None
    title: StatusTitle
    description: MaintenanceDescription = None
    starts_at: Moment
    ends_at: Moment
    # Set if it was completed before its end.
    completed_at: Moment | None = None
    # Set if it was cancelled before its start.
    cancelled_at: Moment | None = None
    announced_at: Moment
    services: list[str]

    @property
    def written_status(self) -> str:
        """Return the status of the window as a write would set it."""
        if self.cancelled_at:
            return "cancelled"
        return "completed" if self.completed_at else "scheduled"


@dataclass
class ImportedStatus:
    """What was parsed of a status page; `source` identifies the page."""

    source: str
    services: list[ImportedService] = field(default_factory=list)
    incidents: list[ImportedIncident] = field(default_factory=list)
    windows: list[ImportedWindow] = field(default_factory=list)
    # The external ids of items that cannot be imported, with the reasons.
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def add_service(
        self, name: str, description: str | None = None, group: str = "", **values: Any
    ) -> None:
        """Add a service under a slug that no other service of the page has."""
        name = single_line(name, MAX_NAME)
        taken = {service.slug for service in self.services}
        self._add(
            self.services,
            ImportedService,
            name=name,
            slug=unique_slug(slug_for(name), taken),
            description=single_line(description or "", MAX_DESCRIPTION) or None,
            group=single_line(group, MAX_GROUP) or None,
            **values,
        )

    def add_incident(self, title: str, **values: Any) -> None:
        title = single_line(title, MAX_TITLE)
        self._add(self.incidents, ImportedIncident, title=title, **values)

    def add_window(self, title: str, **values: Any) -> None:
        title = single_line(title, MAX_TITLE)
        self._add(self.windows, ImportedWindow, title=title, **values)

    def leave_out(self, external_id: str, reason: str) -> None:
        self.left_out.append((external_id, reason))

    def _add(self, items: list[Any], schema: type[Schema], **values: Any) -> None:
        """Add an item, or leave it out if it is not valid."""
        try:
            items.append(schema(**values))
        except ValidationError as error:
            self.leave_out(values["external_id"], first_error(error))


def strip_accents(text: str) -> str:
    return "".join(c for c in normalize("NFKD", text) if not combining(c))


def slug_for(name: str) -> str:
    """Return a valid slug for any name."""
    slug = slugify(strip_accents(name))
    slug = slug if slug[:1].isalpha() else f"service-{slug}"
    return slug[:SLUG_LENGTH].rstrip("-")


def external_path(folder: str, name: str) -> str | None:
    """Return the path of an item at its source, None if we cannot redirect it."""
    path = f"/{folder}/{name}"
    return path if re.fullmatch(EXTERNAL_PATH_PATTERN, path) else None


def single_line(text: str, max_length: int) -> str:
    """Return the text as one line, truncated to the length."""
    printable = "".join(char if char.isprintable() else " " for char in text)
    return truncate(" ".join(printable.split()), max_length)


def clean_text(text: str) -> str:
    """Return the text with LF line ends, and without NUL and outer whitespace."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "").strip()


def truncate(text: str, max_length: int = MAX_TEXT) -> str:
    text = clean_text(text)
    if len(text) <= max_length:
        return text
    return text[: max_length - 1].rstrip() + "…"


def updates_with(
    status: str, text: str, created_at: datetime
) -> Iterator[dict[str, Any]]:
    """Yield the updates for one of their page, several if it is longer than ours."""
    for part in split_text(text):
        yield {"status": status, "body": part, "created_at": created_at}


def split_text(text: str, max_length: int = MAX_TEXT) -> Iterator[str]:
    """Yield the text in parts, split at the end of a paragraph, line or word."""
    rest = clean_text(text)
    while len(rest) > max_length:
        ends = (
            rest.rfind(separator, 1, max_length) for separator in ("\n\n", "\n", " ")
        )
        end = next((end for end in ends if end > 0), max_length)
        yield rest[:end].rstrip()
        rest = rest[end:].lstrip()
    if rest:
        yield rest
