"""What cState has: the systems of its configuration, and its issues as Markdown."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from pathlib import PurePosixPath
from typing import Any

import yaml

from models.errors import ValidationFailed
from models.external_formats import (
    ExternalMoment,
    OptionalExternalMoment,
    parse_external_moment,
    validate_as,
)
from models.front_matter import UnreadableFile, load_yaml, split_front_matter
from models.status.importers.html_to_markdown import uncommented
from models.status.importers.hugo import OfHugo, lowered, urlized, zone_named
from models.status.importers.imported_status import (
    DESCRIPTION,
    GROUP,
    NAME,
    TITLE,
    Cargo,
    line,
    old_address,
    passages,
)
from models.status.state import Severity

CONFIGURATIONS = ("config.yml", "config.yaml", "hugo.yml", "hugo.yaml")
ISSUES = "content/issues"

SEVERITIES: dict[str, Severity] = {
    "notice": "degraded",
    "disrupted": "partial-outage",
    "down": "major-outage",
}
STATUSES = {"investigating", "identified", "monitoring", "resolved"}
# What ends an entry of the timeline and says when it was.
_TRACK = re.compile(r'\{\{[<%]\s*track\s+"?([^"<>%]*?)"?\s*[>%]\}\}')
# Above a line across the page stands what was told when all was over.
# Right below words such a line makes a heading of them.
_RULE = re.compile(r"(?<!\S\n)^ {0,3}(?:-{3,}|\*{3,}|_{3,})[ \t]*$", re.MULTILINE)
_WORD = re.compile(r"([*_]{1,3})([^*_\n]{1,40}?)\1\s*[-–—:]*\s*")
# Ends of lines that are written out, which part what is told.
_EDGES = " \t\r\n\\"
# When, in which words, and whether it closes the whole.
Told = tuple[datetime, str, bool]


class Category(OfHugo):
    name: str
    untitled: bool = False


class System(OfHugo):
    name: str
    display_name: str | None = None
    description: str | None = None
    category: str | None = None


class Params(OfHugo):
    categories: list[Category] | None = None
    systems: list[System] | None = None


class Configuration(OfHugo):
    title: str = ""
    base_url: str = ""
    time_zone: str = "UTC"
    params: Params = Params()

    @property
    def source(self) -> str:
        """A base that is a path alone says nothing of which page it is."""
        named = self.base_url if "//" in self.base_url else self.title
        return f"cstate {named or self.base_url}".strip()


class Issue(OfHugo):
    title: str
    date: ExternalMoment
    resolved: bool | None = None
    resolved_when: OptionalExternalMoment = None
    severity: str | None = None
    affected: list[str] | str | None = None
    informational: bool | None = None
    draft: bool | None = None
    slug: str | None = None

    @property
    def is_over(self) -> bool:
        """Where nothing says it, a time says that it is."""
        return self.resolved if self.resolved is not None else bool(self.resolved_when)

    @property
    def over_at(self) -> datetime | None:
        """An end before the beginning is a slip, and tells nothing."""
        ended = self.resolved_when if self.is_over else None
        return None if ended is None or ended < self.date else ended

    @property
    def systems(self) -> list[str]:
        if isinstance(self.affected, str):
            return [self.affected]
        return list(dict.fromkeys(self.affected or []))


def cargo(files: Mapping[str, str]) -> Cargo:
    """Return the systems as services, and each issue that affects some."""
    configuration = _configuration(files)
    zone = zone_named(configuration.time_zone)
    found = Cargo(configuration.source)
    for system, group in _in_order(configuration.params):
        found.add_service(
            old=system.name,
            address=old_address("affected", urlized(system.name)),
            name=line(system.display_name or system.name, NAME),
            description=line(system.description or "", DESCRIPTION) or None,
            group=line(group, GROUP) or None,
        )
    for path in sorted(files):
        if PurePosixPath(path).match(f"{ISSUES}/*.md"):
            _add_issue(found, path, files[path], zone)
    return found


def _configuration(files: Mapping[str, str]) -> Configuration:
    name = next((each for each in CONFIGURATIONS if each in files), None)
    if name is None:
        raise ValidationFailed("There is no config.yml with the systems of cState.")
    try:
        said = load_yaml(files[name]) or {}
    except (yaml.YAMLError, ValueError, RecursionError):
        raise ValidationFailed(f"{name} is not YAML that can be read.") from None
    return validate_as(Configuration, lowered(said), name)


def _in_order(params: Params) -> list[tuple[System, str]]:
    """Return the systems by category; an untitled one is no group."""
    categories = params.categories or []
    names = [each.name for each in categories]
    shown = {each.name: "" if each.untitled else each.name for each in categories}

    def place(each: System) -> int:
        return names.index(each.category) if each.category in names else len(names)

    ordered = sorted(params.systems or [], key=place)
    return [(each, shown.get(each.category or "", "")) for each in ordered]


def _add_issue(found: Cargo, path: str, text: str, zone: tzinfo) -> None:
    name = PurePosixPath(path).stem
    if name.startswith("_"):
        return
    try:
        front, body = split_front_matter(text)
        issue = validate_as(Issue, lowered(front), "The front matter", zone)
    except (UnreadableFile, ValidationFailed) as error:
        found.left_out.append((name, str(error)))
        return
    if issue.informational or issue.draft:
        why = "It is an announcement" if issue.informational else "It is a draft"
        found.left_out.append((name, f"{why}, and no incident."))
        return
    members = _incident(name, issue, list(_entries(issue, uncommented(body), zone)))
    found.add_incident(**members, services=_known(found, issue.systems))


def _known(found: Cargo, systems: list[str]) -> list[str]:
    """Return the names as the systems have them: one address is one system."""
    names = {urlized(each.old): each.old for each in found.services}
    named = (names.get(urlized(each), each) for each in systems)
    return list(dict.fromkeys(named))


def _incident(name: str, issue: Issue, entries: list[dict[str, Any]]) -> dict[str, Any]:
    last = entries[-1]["at"] if entries else issue.date
    over = max(issue.over_at or last, issue.date) if issue.is_over else None
    status = "resolved" if over else entries[-1]["status"] if entries else ""
    if over is None and status in ("", "resolved"):
        status = "investigating"
    return {
        "old": name,
        "address": old_address("issues", urlized(issue.slug or name)),
        "title": line(issue.title, TITLE),
        "severity": SEVERITIES.get((issue.severity or "").lower(), "degraded"),
        "status": status,
        "started_at": issue.date,
        "resolved_at": over,
        "entries": entries,
    }


def _entries(issue: Issue, body: str, zone: tzinfo) -> Iterator[dict[str, Any]]:
    """Yield the timeline, oldest first; the text itself says each status."""
    status = "investigating"
    told = sorted(_told(issue, body, zone), key=lambda each: each[0])
    times = [at for at, _, _ in told]
    # Where all was told after the end, by a clock of another zone, the last ends it.
    ends = max(times, default=issue.date)
    if issue.over_at and min(times, default=ends) < issue.over_at:
        ends = issue.over_at
    for at, text, closes in told:
        said = _status_in(text)
        if said:
            status, text = said
        elif issue.is_over and (closes or at >= ends):
            status = "resolved"
        for part in passages(text):
            yield {"status": status, "body": part, "at": at}


def _status_in(text: str) -> tuple[str, str] | None:
    """Return the status that a text begins with, and the rest of the text."""
    word = _WORD.match(text)
    said = word[2].strip().strip(":").lower() if word else ""
    return (said, text[word.end() :]) if word and said in STATUSES else None


def _told(issue: Issue, body: str, zone: tzinfo) -> Iterator[Told]:
    """Yield when what was told; what is not dated was told at once, or at the end."""
    closing, text = _parted(body, issue.is_over)
    *tracked, rest = _TRACK.split(text)
    dated = [
        (_moment(when, issue.date, zone), said)
        for said, when in zip(tracked[::2], tracked[1::2], strict=True)
    ]
    last = max([issue.date, *(at for at, _ in dated)])
    # The newest stands first, as the form has it, but some write downwards.
    is_downwards = len(dated) > 1 and dated[0][0] < dated[-1][0]
    newest_first = [*dated, (issue.date, rest)]
    for at, said in [*dated, (last, rest)] if is_downwards else newest_first[::-1]:
        if said.strip(_EDGES):
            yield at, said.strip(_EDGES), False
    if closing:
        yield max(issue.over_at or last, last), closing, True


def _parted(body: str, is_over: bool) -> tuple[str, str]:
    """
    Return what was told in the end, and the rest: neither has a date of its own.

    It stands above a line; without line or dates all of it is what stood there last.
    """
    above, *below = _RULE.split(body, maxsplit=1)
    if _TRACK.search(above) or not (below or is_over):
        return "", body
    said = _status_in(above.strip())
    if not below and said and said[0] != "resolved":
        return "", body
    return above.strip(), "".join(below)


def _moment(said: str, otherwise: datetime, zone: tzinfo) -> datetime:
    try:
        return parse_external_moment(said, zone)
    except ValueError:
        return otherwise
