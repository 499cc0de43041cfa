"""Render the API's pages about a subscription in the look of the site."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from models.settings import Settings
from sitegen.theme.theme import Theme


def reader_page_renderer(
    settings: Settings,
) -> Callable[[str, Mapping[str, Any], str], str]:
    """Return a function that renders a template with its data in a language."""

    @cache
    def theme_in(language: str) -> Theme:
        return Theme(settings, language)

    # The assets are those of the site, whose scripts are in its language.
    assets = theme_in(settings.language)

    def render(template: str, data: Mapping[str, Any], language: str) -> str:
        # They have none of the site's navigation, which is known to the builder.
        site = assets.site({"collections": [], "reference": None})
        base = settings.site_base
        theme = theme_in(language)
        return theme.render(template, site=site, data=data, origin=base)

    return render
