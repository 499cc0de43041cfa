"""Propose a slug for a form in which none was entered."""

import re

MAX_LENGTH = 64


def proposed_slug(name: str) -> str:
    """Return the slug that a name or a title suggests, or an empty text."""
    words = re.findall(r"[a-z0-9]+", name.lower(), re.ASCII)
    return "-".join(words)[:MAX_LENGTH].strip("-")
