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
        title=context.theme.locale.text("how.title"),
        description=context.theme.locale.text("how.description"),
    )


def rules(settings: Settings) -> dict[str, Any]:
    """Return the rules as the code applies them, so that the page cannot differ."""
    return {
        "stateRules": [
            _rule("how.state", rule.name, rule.threshold, rule.state)
            for rule in state.RULES
        ],
        "overallStates": list(reversed(state.OVERALL_STATES)),
        "dayRules": [
            _rule("how.day", rule.name, rule.threshold, rule.state)
            for rule in day_state.DAY_RULES
        ],
        "days": periods.DAYS,
        "historyDays": snapshot.HISTORY.days,
        "periods": list(uptime.PERIODS),
        "decimals": uptime.DECIMALS,
        "freshnessSeconds": settings.freshness_seconds,
        "intervalSeconds": settings.probe_interval_seconds,
    }


def _rule(
    prefix: str, name: str, threshold: float | None, state: str | None
) -> dict[str, Any]:
    """Return a rule as the page has it: the name of its text, its share, its state."""
    share = None if threshold is None else threshold * 100
    return {"when": f"{prefix}-{name}", "share": share, "state": state}
