"""Render the API's pages about a subscription in the look of the site."""

from collections.abc import Callable, Mapping
from typing import Any

from models.settings import Settings
from sitegen.theme.theme import Theme


def reader_page_renderer(
    settings: Settings,
) -> Callable[[str, Mapping[str, Any]], str]:
    """Return a function that renders a template with its data."""
    theme = Theme(settings)

    def render(template: str, data: Mapping[str, Any]) -> str:
        # They have none of the site's navigation, which is known to the builder.
        site = theme.site({"collections": [], "reference": None})
        base = settings.site_base
        return theme.render(template, site=site, data=data, origin=base)

    return render
