"""Prepare the reason for a state for the templates that say it in a language."""

from typing import Any

from models.fields import format_moment
from models.status.state import Reason


def reason_facts(reason: Reason) -> dict[str, Any]:
    """Return what the text about a reason is made of."""
    return {
        # The name of its text.
        "kind": reason.status or reason.kind,
        "title": reason.subject and reason.subject.title,
        "at": format_moment(reason.at) if reason.at else None,
        "reports": reason.reports,
        "sources": reason.sources,
    }
