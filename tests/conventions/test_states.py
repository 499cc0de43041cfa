"""The states and limits in the manual are those of the code."""

import re

from api.http.server import limits
from models.runtime.faults import HARMLESS_STATES, STATES
from tests.conventions.words import ROOT

PAGE = (ROOT / "manual/operating/troubleshooting.md").read_text(encoding="utf-8")
STATE = re.compile(r"^\| `([a-z-]+)` \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)


def test_states():
    """Every state has a row, in the order of the code, and every row a state."""
    rows = STATE.findall(PAGE)

    assert tuple(row[0] for row in rows) == STATES
    assert all(each.endswith(".") for row in rows for each in row[1:])


def test_harmless_states():
    """The manual lists the states in which the service is still ready."""
    ready = {row[0] for row in STATE.findall(PAGE) if "returns 200" in row[2]}

    assert ready == HARMLESS_STATES


def test_limits():
    """The limits of connections in the manual are those of the code."""
    result = re.findall(r"^\| [^|]+ \| ([0-9]+) \|$", PAGE, re.MULTILINE)

    assert [int(each) for each in result] == [
        limits.MAX_CONNECTIONS,
        limits.HIGH_WATER_CONNECTIONS,
        limits.TIMEOUT_SECONDS,
        limits.MIN_BYTES_PER_SECOND / 1024,
        limits.MAX_HEADER_BYTES / 1024,
        limits.KEYLESS_BODY_BYTES / 1024,
        limits.MAX_SPOOLED_BYTES / 1024 / 1024,
        limits.MAX_UNREAD_BYTES / 1024 / 1024,
    ]
