"""Upptime: the sites of its configuration, and its issues as GitHub tells them."""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import yaml

from models.errors import ValidationFailed
from models.foreign import (
    AnyMoment,
    Foreign,
    ForeignCamel,
    ForeignMoment,
    read,
    read_foreign_moment,
    shaped,
)
from models.front import yaml_of
from models.status.moving.cargo import (
    NAME,
    TITLE,
    Cargo,
    fitted,
    line,
    old_address,
    passages,
    slug_of,
)

CONFIGURATION = ".upptimerc.yml"
HISTORY = "history"
# What `gh issue list --json` writes; the repository itself holds no issues.
ISSUES = "issues.json"
OUTAGE, MAINTENANCE = "status", "maintenance"

_COMMENT = re.compile(r"<!--(.*?)-->", re.DOTALL)
_MEMBER = re.compile(r"^\s*(start|end|expectedDown)\s*:\s*(.+?)\s*$", re.MULTILINE)


class Site(Foreign):
    name: str
    url: str = ""
    slug: str | None = None


class Configuration(Foreign):
    owner: str
    repo: str
    sites: list[Site] = []


class Past(Foreign):
    url: str = ""


class Label(Foreign):
    name: str


class Comment(ForeignCamel):
    body: str = ""
    created_at: ForeignMoment


class Issue(ForeignCamel):
    number: int
    title: str
    body: str | None = None
    state: str = "OPEN"
    created_at: ForeignMoment
    closed_at: AnyMoment = None
    labels: list[Label] = []
    comments: list[Comment] = []

    @property
    def named(self) -> list[str]:
        return [each.name for each in self.labels]


def cargo(files: Mapping[str, str]) -> Cargo:
    """Return the sites as services; incidents and windows where issues were saved."""
    configuration = shaped(
        Configuration, _yaml(files[CONFIGURATION], CONFIGURATION), CONFIGURATION
    )
    found = Cargo(f"upptime {configuration.owner}/{configuration.repo}")
    slugs = _slugs(files)
    for site in configuration.sites:
        slug = site.slug or slugs.get(site.url) or slug_of(site.name)
        found.add_service(
            old=slug,
            address=old_address("history", slug),
            name=line(site.name, NAME),
            hostname=_host(site.url),
        )
    if ISSUES in files:
        for issue in read(list[Issue], files[ISSUES], ISSUES):
            if MAINTENANCE in issue.named:
                _add_window(found, issue)
            elif OUTAGE in issue.named:
                found.add_incident(**_incident(found, issue))
    return found


def _yaml(text: str, name: str) -> Any:
    try:
        return yaml_of(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        raise ValidationFailed(f"{name} is not YAML that can be read.") from None


def _slugs(files: Mapping[str, str]) -> dict[str, str]:
    """Return what Upptime calls each site, by the address that it asks."""
    found = {}
    for path in sorted(files):
        if PurePosixPath(path).match(f"{HISTORY}/*.yml"):
            past = shaped(Past, _yaml(files[path], path) or {}, path)
            found[past.url] = PurePosixPath(path).stem
    return found


def _host(url: str) -> str | None:
    """Return the host that is asked; one that only a secret tells stays secret."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return None
    return host if re.fullmatch(r"[a-z0-9.:-]{1,253}", host) else None


def _named(found: Cargo, issue: Issue, names: list[str]) -> dict[str, Any]:
    known = {each.old for each in found.services}
    return {
        "old": str(issue.number),
        "address": old_address("incident", str(issue.number)),
        "title": line(issue.title, TITLE),
        "services": [each for each in names if each in known],
    }


def _incident(found: Cargo, issue: Issue) -> dict[str, Any]:
    entries = list(_entries(issue))
    is_over = issue.state.upper() == "CLOSED"
    over = (issue.closed_at or entries[-1]["at"]) if is_over else None
    return {
        **_named(found, issue, issue.named),
        "severity": "degraded" if "degraded" in issue.title.lower() else "major-outage",
        "status": "resolved" if over else "investigating",
        "started_at": issue.created_at,
        "resolved_at": max(over, issue.created_at) if over else None,
        "entries": entries,
    }


def _entries(issue: Issue) -> Iterator[dict[str, Any]]:
    told = [(issue.created_at, issue.body or issue.title)]
    told += [(each.created_at, each.body) for each in issue.comments]
    for at, text in told:
        is_over = text.startswith("**Resolved:**")
        status = "resolved" if is_over else "investigating"
        for part in passages(text.removeprefix("**Resolved:**")):
            yield {"status": status, "body": part, "at": at}


def _add_window(found: Cargo, issue: Issue) -> None:
    """The times stand in a comment of the text, where readers do not see them."""
    text = issue.body or ""
    said = {n: v for each in _COMMENT.findall(text) for n, v in _MEMBER.findall(each)}
    starts, ends = _moment(said.get("start")), _moment(said.get("end"))
    if starts is None or ends is None or ends <= starts:
        why = "A maintenance needs a start, and an end that is later."
        found.left_out.append((f"issue {issue.number}", why))
        return
    names = [each.strip() for each in said.get("expectedDown", "").split(",")]
    found.add_window(
        **_named(found, issue, names),
        description=fitted(_COMMENT.sub("", text)),
        starts_at=starts,
        ends_at=ends,
        announced_at=issue.created_at,
    )


def _moment(said: str | None) -> datetime | None:
    try:
        return read_foreign_moment(said) if said else None
    except ValueError:
        return None
