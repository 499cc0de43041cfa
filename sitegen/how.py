"""How the status is computed, told from the tables that compute it."""

from collections.abc import Iterator

from models.status import days, periods, published, state, uptime
from sitegen.links import HOW
from sitegen.page import Edition, Page, pages


@pages("status")
def how(edition: Edition) -> Iterator[Page]:
    """A page that cannot say anything but what the rules do."""
    settings = edition.settings
    yield Page(
        HOW,
        {
            "lines": [{"when": e.when, "state": e.state} for e in state.LINES],
            "overalls": list(reversed(state.OVERALLS)),
            "dayLines": [{"when": e.when, "state": e.state} for e in days.LINES],
            "days": periods.DAYS,
            "historyDays": published.HISTORY.days,
            "periods": list(uptime.PERIODS),
            "decimals": uptime.DECIMALS,
            "freshnessSeconds": settings.freshness_seconds,
            "intervalSeconds": settings.probe_interval_seconds,
        },
        template="status/how.html",
        title="How status and uptime are computed",
        description="The rules behind every state and every percentage of this page.",
    )
