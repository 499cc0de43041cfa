"""Data of a month of the history, the list of months, and the page of the rules."""

from models.settings import Settings
from sitegen.status.history import list_of_months
from sitegen.status.how import rules
from tests.pages.sample_status import (
    COMING,
    INCIDENT,
    RESOLVED,
    WINDOW,
    incident_item,
    window_item,
)

ITEMS = [
    incident_item(RESOLVED, []) | {"maintenance": None},
    window_item(WINDOW) | {"incident": None},
]


def turned(month):
    return {"month": month, "href": f"/status/history/{month}/"}


MONTH = {
    "month": "2026-02",
    "days": [
        {"date": "2026-02-26", "items": ITEMS},
        {"date": "2026-02-03", "items": ITEMS[1:]},
    ],
    "earlier": [
        incident_item(INCIDENT, []) | {"maintenance": None},
        window_item(COMING | {"status": "cancelled"}) | {"incident": None},
    ],
    "previous": turned("2026-01"),
    "next": turned("2026-03"),
}
MONTHS = list_of_months(
    [
        turned("2026-02")
        | {"incidents": 1204, "windows": 1, "worst": "major-outage"}
        | {"newest": ITEMS[:1]},
        turned("2026-01") | {"incidents": 0, "windows": 1, "worst": None, "newest": []},
    ]
)
NO_MONTHS = list_of_months([])
HOW = rules(Settings())
