"""Offer scopes with their meanings, and sets of them for common purposes."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from api.operation import AREAS, Operation
from models.platform.scopes import ASSERT_ACTORS, ESCALATE

# Scopes that operations check besides their own, with the names of their texts.
SPECIAL = {ASSERT_ACTORS: "scope.act-for-others", ESCALATE: "scope.escalate"}
# The texts that name nouns, where other pages have them; the others are `noun.<noun>`.
_NOUNS = {
    "activity": "common.activity",
    "audit": "menu.audit",
    "comments": "field.comments",
    "deliveries": "menu.deliveries",
    "documents": "menu.documents",
    "files": "field.files",
    "incident-templates": "incidents.templates-of-incidents",
    "incidents": "menu.incidents",
    "keys": "menu.keys",
    "labels": "common.labels",
    "maintenance": "menu.maintenance",
    "measurements": "field.measurements",
    "members": "projects.members",
    "milestones": "projects.milestones",
    "projects": "menu.projects",
    "references": "specifications.references",
    "relationships": "field.relationships",
    "roadmap": "work.roadmap",
    "services": "menu.services",
    "specifications": "common.specifications",
    "subscriptions": "menu.subscriptions",
    "uptime": "service.uptime",
    "work-items": "projects.work-items",
}


@dataclass(frozen=True)
class ScopeSet:
    """Scopes for a common purpose, which the texts of `keys.set-<name>` describe."""

    name: str
    scopes: tuple[str, ...]


_READ_STATUS = (
    *("status:incidents:*", "status:maintenance:*"),
    *("status:services:*", "status:uptime:get"),
)
SCOPE_SETS = (
    ScopeSet(
        "probe",
        ("status:admin:measurements:record",),
    ),
    ScopeSet(
        "on-call",
        (
            *_READ_STATUS,
            *("status:admin:incidents:*", "status:admin:incident-updates:*"),
            *("status:admin:incident-templates:*", "status:admin:maintenance:*"),
            *("status:admin:services:list", "status:admin:sources:list"),
            "status:admin:deliveries:list",
        ),
    ),
    ScopeSet(
        "author",
        (
            *("projects:documents:*", "projects:document-revisions:*"),
            *("projects:files:*", "projects:projects:list", "projects:projects:get"),
            *("projects:access:get", "projects:search:list"),
        ),
    ),
    ScopeSet(
        "gateway",
        ("platform:keys:verify",),
    ),
    ScopeSet(
        "reader",
        (*_READ_STATUS, "projects:published:*"),
    ),
)


@dataclass(frozen=True)
class ScopeChoice:
    """
    A scope with its meaning: a text of ours, or the API's words.

    `what` names the text for what our text is about.
    """

    scope: str
    text: str = ""
    what: str = ""
    summary: str = ""


EVERYTHING = ScopeChoice("*", "scope.everything")


@dataclass(frozen=True)
class NounScopes:
    """The scopes of a noun, the wildcard for all of them first; `name` is of a text."""

    name: str
    is_administration: bool
    choices: list[ScopeChoice]


@dataclass(frozen=True)
class AreaScopes:
    """The scopes of an area: those of all its nouns, and of each."""

    name: str
    choices: list[ScopeChoice]
    nouns: list[NounScopes]


def scope_set(name: str) -> ScopeSet | None:
    return next((chosen for chosen in SCOPE_SETS if chosen.name == name), None)


def scope_areas(
    operations: Iterable[Operation], hidden: Collection[str] = ()
) -> list[AreaScopes]:
    """Return all scopes by area and noun, without the hidden ones."""
    known = {o.scope: ScopeChoice(o.scope, summary=_summary(o)) for o in operations}
    known |= {scope: ScopeChoice(scope, text) for scope, text in SPECIAL.items()}
    areas = []
    for area in AREAS:
        scopes = sorted(scope for scope in known if scope.startswith(f"{area}:"))
        stems = groupby(scopes, key=lambda scope: scope.rpartition(":")[0])
        nouns = [
            _noun(stem, [known[s] for s in group], hidden) for stem, group in stems
        ]
        wildcards = [ScopeChoice(f"{area}:*", "scope.area", f"value.{area}")]
        if area == "status":
            wildcards.append(ScopeChoice("status:admin:*", "scope.status-changes"))
        shown = _shown(wildcards, hidden)
        nouns = [noun for noun in nouns if noun.choices]
        if shown or nouns:
            areas.append(AreaScopes(area, shown, nouns))
    return areas


def all_scopes(areas: Iterable[AreaScopes]) -> Iterator[str]:
    yield EVERYTHING.scope
    for area in areas:
        yield from (choice.scope for choice in area.choices)
        for noun in area.nouns:
            yield from (choice.scope for choice in noun.choices)


def _noun(stem: str, choices: list[ScopeChoice], hidden: Collection[str]) -> NounScopes:
    _, *parts = stem.split(":")
    is_administration = parts[0] == "admin"
    noun = "-".join(parts[is_administration:])
    name = _NOUNS.get(noun, f"noun.{noun}")
    if len(choices) > 1:
        text = "scope.administration" if is_administration else "scope.noun"
        choices = [ScopeChoice(f"{stem}:*", text, name), *choices]
    return NounScopes(name, is_administration, _shown(choices, hidden))


def _shown(choices: list[ScopeChoice], hidden: Collection[str]) -> list[ScopeChoice]:
    return [choice for choice in choices if choice.scope not in hidden]


def _summary(operation: Operation) -> str:
    """Return the first sentence of the operation's description."""
    text = " ".join((operation.handler.__doc__ or "").strip().split("\n\n")[0].split())
    sentence, dot, _ = text.partition(". ")
    return sentence + dot.strip()
