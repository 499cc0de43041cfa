"""The template filters of the status pages, whose results depend on the language."""

from collections.abc import Callable
from typing import Any

from models.locales import Locale
from sitegen.status.filters.day_bars import DayBars
from sitegen.status.filters.labels import StateLabels
from sitegen.status.filters.moments import Moments
from sitegen.status.filters.service_lists import ServiceLists


def status_filters(locale: Locale) -> dict[str, Callable[..., Any]]:
    labels, moments = StateLabels(locale), Moments(locale)
    days, services = DayBars(labels, moments), ServiceLists(labels, moments)
    return {
        "affected_services": services.affected_services,
        "bars_start": days.bars_start,
        "checked_state_label": labels.checked_state_label,
        "join_links": services.join_links,
        "join_markup": services.join_markup,
        "join_names": services.join_names,
        "milliseconds": labels.milliseconds,
        "missing_services": services.missing_services,
        "moment": moments.moment,
        "moment_with_age": moments.moment_with_age,
        "overall_label": labels.overall_label,
        "percent": labels.percent,
        "response_time_rows": days.response_time_rows,
        "service_links": services.service_links,
        "service_names": services.service_names,
        "short_moment": moments.short_moment,
        "sparkline": days.sparkline,
        "state_label": labels.state_label,
        "uptime_bars": days.uptime_bars,
        "uptime_figure": labels.uptime_figure,
        "uptime_rows": days.uptime_rows,
    }
