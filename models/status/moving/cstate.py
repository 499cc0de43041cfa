"""What cState has: the systems of its configuration, and its issues as Markdown."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

import yaml

from models.errors import ValidationFailed
from models.foreign import (
    AnyMoment,
    Foreign,
    ForeignCamel,
    ForeignMoment,
    read_foreign_moment,
    shaped,
)
from models.front import Unusable, parted, yaml_of
from models.status.moving.cargo import (
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
from models.words import slugged

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
_RULE = re.compile(r"^\s{0,3}(?:-{3,}|\*{3,}|_{3,})\s*$", re.MULTILINE)
_WORD = re.compile(r"\*{1,2}([^*\n]{1,40}?)\*{1,2}\s*[-–—:]*\s*")
# When, in which words, and whether it closes the whole.
Told = tuple[datetime, str, bool]


class Category(Foreign):
    name: str
    untitled: bool = False


class System(Foreign):
    name: str
    description: str | None = None
    category: str | None = None


class Params(Foreign):
    categories: list[Category] = []
    systems: list[System] = []


class Configuration(ForeignCamel):
    title: str = ""
    base_url: str = ""
    params: Params = Params()


class Issue(ForeignCamel):
    title: str
    date: ForeignMoment
    resolved: bool = False
    resolved_when: AnyMoment = None
    severity: str | None = None
    affected: list[str] | str | None = None
    informational: bool = False
    draft: bool = False
    slug: str | None = None

    @property
    def over_at(self) -> datetime | None:
        return self.resolved_when if self.resolved else None

    @property
    def systems(self) -> list[str]:
        if isinstance(self.affected, str):
            return [self.affected]
        return list(dict.fromkeys(self.affected or []))


def cargo(files: Mapping[str, str]) -> Cargo:
    """Return the systems as services, and each issue that affects some."""
    configuration = _configuration(files)
    found = Cargo(f"cstate {configuration.base_url or configuration.title}".strip())
    for system, group in _in_order(configuration.params):
        found.add_service(
            old=system.name,
            address=old_address("affected", slugged(system.name)),
            name=line(system.name, NAME),
            description=line(system.description or "", DESCRIPTION) or None,
            group=line(group, GROUP) or None,
        )
    for path in sorted(files):
        if PurePosixPath(path).match(f"{ISSUES}/*.md"):
            _add_issue(found, path, files[path])
    return found


def _configuration(files: Mapping[str, str]) -> Configuration:
    name = next((each for each in CONFIGURATIONS if each in files), None)
    if name is None:
        raise ValidationFailed("There is no config.yml with the systems of cState.")
    try:
        said = yaml_of(files[name]) or {}
    except (yaml.YAMLError, ValueError, RecursionError):
        raise ValidationFailed(f"{name} is not YAML that can be read.") from None
    if isinstance(said, dict):
        said |= {"baseUrl": said.get("baseURL", said.get("baseUrl", ""))}
    return shaped(Configuration, said, name)


def _in_order(params: Params) -> list[tuple[System, str]]:
    """Return the systems by category; an untitled one is no group."""
    names = [each.name for each in params.categories]
    shown = {
        each.name: "" if each.untitled else each.name for each in params.categories
    }

    def place(each: System) -> int:
        return names.index(each.category) if each.category in names else len(names)

    ordered = sorted(params.systems, key=place)
    return [(each, shown.get(each.category or "", "")) for each in ordered]


def _add_issue(found: Cargo, path: str, text: str) -> None:
    name = PurePosixPath(path).stem
    if name.startswith("_"):
        return
    try:
        front, body = parted(text)
        issue = shaped(Issue, front, "The front matter")
    except (Unusable, ValidationFailed) as error:
        found.left_out.append((name, str(error)))
        return
    if issue.informational or issue.draft:
        why = "It is an announcement" if issue.informational else "It is a draft"
        found.left_out.append((name, f"{why}, and no incident."))
        return
    found.add_incident(**_incident(name, issue, body))


def _incident(name: str, issue: Issue, body: str) -> dict[str, Any]:
    entries = list(_entries(issue, body))
    last = entries[-1]["at"] if entries else issue.date
    over = max(issue.over_at or last, issue.date) if issue.resolved else None
    status = "resolved" if over else entries[-1]["status"] if entries else ""
    if over is None and status in ("", "resolved"):
        status = "investigating"
    return {
        "old": name,
        "address": old_address("issues", (issue.slug or name).lower()),
        "title": line(issue.title, TITLE),
        "severity": SEVERITIES.get(issue.severity or "", "degraded"),
        "status": status,
        "started_at": issue.date,
        "resolved_at": over,
        "services": issue.systems,
        "entries": entries,
    }


def _entries(issue: Issue, body: str) -> Iterator[dict[str, Any]]:
    """Yield the timeline, oldest first; the text itself says each status."""
    status = "investigating"
    for at, text, closes in sorted(_told(issue, body), key=lambda each: each[0]):
        word = _WORD.match(text)
        if closes and issue.resolved:
            status = "resolved"
        elif word and word[1].strip().lower() in STATUSES:
            status, text = word[1].strip().lower(), text[word.end() :]
        for part in passages(text):
            yield {"status": status, "body": part, "at": at}


def _told(issue: Issue, body: str) -> Iterator[Told]:
    """Yield when what was told, oldest first; what is not dated was told at once."""
    above, *below = _RULE.split(body, maxsplit=1)
    has_closing = bool(below) and not _TRACK.search(above)
    *dated, rest = _TRACK.split(below[0] if has_closing else body)
    found = [(issue.date, rest)]
    for text, when in zip(dated[::2], dated[1::2], strict=True):
        found.insert(1, (_moment(when, issue.date), text))
    for at, text in found:
        if text.strip():
            yield at, text.strip(), False
    if has_closing and above.strip():
        yield max(issue.over_at or found[-1][0], found[-1][0]), above.strip(), True


def _moment(said: str, otherwise: datetime) -> datetime:
    try:
        return read_foreign_moment(said)
    except ValueError:
        return otherwise
