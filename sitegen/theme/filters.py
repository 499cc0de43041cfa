"""Template filters and functions: texts of a language, dates, Markdown."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from models.display_text import isolate, plain_line, printable
from models.locales import Locale
from sitegen.markdown.links import LinkTarget, link_target
from sitegen.markdown.rendering import (
    render,
    render_entry,
    render_line,
    resolve_links,
)
from sitegen.markdown.texts import insert_texts
from sitegen.status.filters.day_bars import DayBars
from sitegen.status.filters.labels import Moments, StateLabels
from sitegen.status.filters.service_lists import ServiceLists

OUTSIDE = (LinkTarget.WEB, LinkTarget.MAIL, LinkTarget.FRAGMENT)


def translator(locale: Locale) -> Callable[..., Markup]:
    """
    Return the function `t` of templates: a text of the language as safe HTML.

    Values are escaped unless they are markup, such as a link that a template has made.
    """

    @cache
    def pattern(text: str) -> Markup:
        return escape(text)

    # Most texts of a page have no values.
    @cache
    def plain(name: str) -> Markup:
        return pattern(locale.pattern(name))

    def t(name: str, /, **values: Any) -> Markup:
        if not values:
            return plain(name)
        text = pattern(locale.pattern(name, values.get("count")))
        return text.format_map(locale.display(values))

    return t


def fragment_renderer(environment: Environment) -> Callable[..., Markup]:
    """
    Return the function `fragment` of templates, which renders a part of pages.

    The part gets `site` and the values, which are texts or truth values. It is rendered
    once for equal ones, since much is the same on ten thousand pages.
    """
    cached: tuple[Any, dict[Any, Markup]] = (None, {})

    @pass_context
    def fragment(context: Context, template: str, /, **values: Any) -> Markup:
        nonlocal cached
        site, key = context["site"], (template, *values.items())
        if cached[0] is not site:
            cached = (site, {})
        fragments = cached[1]
        if key not in fragments:
            html = environment.get_template(template).render(site=site, **values)
            fragments[key] = Markup(html.strip())  # noqa: S704  templates escape
        return fragments[key]

    return fragment


def locale_filters(locale: Locale, site_url: str = "") -> dict[str, Callable[..., Any]]:
    """
    Return the filters of templates whose result depends on the language.

    Links from the root of the site begin with `site_url`.
    """

    def markdown(text: str) -> Markup:
        """Render the text of an incident or a maintenance window as safe HTML."""
        return Markup(render_entry(text, locale, site_url))  # noqa: S704  it escapes HTML

    def markdown_line(text: str) -> Markup:
        """Render a description, which has no paragraphs, as safe HTML."""
        return Markup(render_line(text, locale))  # noqa: S704  it escapes HTML

    # A long text takes a while, and is often looked at several times.
    @lru_cache(maxsize=16)
    def document(text: str) -> Markup:
        """Render a text that is no page; only links to the web lead away."""
        rendered = render(text)
        body = resolve_links(
            rendered.html,
            rendered.links,
            lambda target: target if link_target(target) in OUTSIDE else None,
        )
        return Markup(insert_texts(body, locale))  # noqa: S704  the renderer escapes

    filters = _by_name(
        locale.date_time,
        document,
        locale.duration,
        locale.join_list,
        locale.long_date,
        markdown,
        markdown_line,
        locale.month_name,
        locale.number,
        locale.period,
        locale.short_date,
        locale.short_day,
        locale.short_month_name,
    )
    return filters | status_filters(locale)


def _by_name(*functions: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    return {function.__name__: function for function in functions}


# Those whose result is the same in every language.
FILTERS = _by_name(isolate, plain_line, printable)


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
