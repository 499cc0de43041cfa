"""How the status is computed, told from the tables that compute it."""

from collections.abc import Iterator
from typing import Any

from models.settings import Settings
from models.status import state
from models.status.snapshot import snapshot
from models.status.uptime import day_state, periods, uptime
from sitegen.page import BuildContext, Page, pages
from sitegen.urls import HOW


@pages("status")
def how(context: BuildContext) -> Iterator[Page]:
    """A page that cannot say anything but what the rules do."""
    yield Page(
        HOW,
        told(context.settings),
        template="status/how.html",
        title="How status and uptime are computed",
        description="The rules behind every state and every percentage of this page.",
    )


def told(settings: Settings) -> dict[str, Any]:
    """Return the tables as they stand now."""
    return {
        "lines": [
            {"when": each.condition, "state": each.state} for each in state.RULES
        ],
        "overalls": list(reversed(state.OVERALL_STATES)),
        "dayLines": [
            {"when": each.condition, "state": each.state}
            for each in day_state.DAY_RULES
        ],
        "days": periods.DAYS,
        "historyDays": snapshot.HISTORY.days,
        "periods": list(uptime.PERIODS),
        "decimals": uptime.DECIMALS,
        "freshnessSeconds": settings.freshness_seconds,
        "intervalSeconds": settings.probe_interval_seconds,
    }
