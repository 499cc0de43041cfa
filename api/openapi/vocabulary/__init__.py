"""What each member of the shapes means, with an example of what it may say."""

from typing import Any

from api.openapi.vocabulary import platform, projects, shared, status

# A meaning, with an example where the schema gives none.
Word = str | tuple[str, Any]

_AREAS: dict[str, dict[str, Word]] = {
    "platform": platform.MEMBERS,
    "projects": projects.MEMBERS,
    "status": status.MEMBERS,
}
_SHOWN = {
    "platform": platform.SHOWN,
    "projects": projects.SHOWN,
    "status": status.SHOWN,
}


def word_of(area: str, shape: str, member: str) -> Word:
    """Return what is said of a member: in this shape, in this area, or everywhere."""
    of_area = _AREAS[area]
    own = of_area.get(f"{shape}.{member}", of_area.get(member))
    return shared.MEMBERS[member] if own is None else own


def meaning_of(area: str, shape: str, member: str) -> str:
    word = word_of(area, shape, member)
    return word if isinstance(word, str) else word[0]


def shown_of(area: str, shape: str) -> tuple[str, ...]:
    """Return the members that an example shows beside those that must be sent."""
    return _SHOWN[area].get(shape, ())
