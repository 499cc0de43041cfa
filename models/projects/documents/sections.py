"""Nest sections by their names: "Operating / Backups" is inside "Operating"."""

SEPARATOR = " / "


def section_parts(section: str | None) -> tuple[str, ...]:
    """Return the names of a section and of the sections around it, outermost first."""
    return tuple(part for part in (section or "").split(SEPARATOR) if part.strip())
