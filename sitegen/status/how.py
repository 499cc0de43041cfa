"""Explain how status and uptime are computed, from the tables that compute them."""

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
    yield Page(
        HOW,
        rules(context.settings),
        template="status/how.html",
        title="How status and uptime are computed",
        description="The rules for every state and every percentage on this site.",
    )


def rules(settings: Settings) -> dict[str, Any]:
    """Return the rules as the code applies them, so that the page cannot differ."""
    return {
        "stateRules": [
            {"when": rule.condition, "state": rule.state} for rule in state.RULES
        ],
        "overallStates": list(reversed(state.OVERALL_STATES)),
        "dayRules": [
            {"when": rule.condition, "state": rule.state}
            for rule in day_state.DAY_RULES
        ],
        "days": periods.DAYS,
        "historyDays": snapshot.HISTORY.days,
        "periods": list(uptime.PERIODS),
        "decimals": uptime.DECIMALS,
        "freshnessSeconds": settings.freshness_seconds,
        "intervalSeconds": settings.probe_interval_seconds,
    }
