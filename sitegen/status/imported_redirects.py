"""Redirect the addresses of the status page that was imported."""

from collections.abc import Callable, Iterator

from models.display_text import isolate
from models.response_headers import url_path
from models.status.importers.imported_rows import ImportedRow, imported_paths
from sitegen.page import BuildContext, Page, Stage, pages
from sitegen.status.status_data import (
    read_incidents,
    read_maintenance,
    read_snapshot,
)
from sitegen.urls import incident_path, maintenance_path, service_path

PATHS: dict[str, Callable[[str], str]] = {
    "incident": incident_path,
    "maintenance": maintenance_path,
    "service": service_path,
}


@pages("status", Stage.ENTRY_POINTS)
def redirect_pages(context: BuildContext) -> Iterator[Page]:
    """Yield a page at each old address, for hosts that do not read `_redirects`."""
    rows = imported_paths()
    if not rows:
        return
    titles = _titles(context)
    for row in rows:
        title = titles.get((row.type, row.subject))
        if title is not None:
            yield Page(
                f"{str(row.address).lstrip('/')}/index.html",
                {"href": _href(row), "title": title},
                template="docs/redirect.html",
                title=title,
                description=context.theme.locale.text(
                    "docs.has-moved", title=isolate(title)
                ),
                canonical=_href(row),
            )


def imported_redirects() -> Iterator[tuple[str, str]]:
    """Yield old and new addresses, each with and without the final slash."""
    for row in imported_paths():
        for end in ("", "/"):
            yield f"{row.address}{end}", _href(row)


def _href(row: ImportedRow) -> str:
    return url_path(PATHS[str(row.type)](str(row.subject)))


def _titles(context: BuildContext) -> dict[tuple[str, str], str]:
    """Return the titles of everything on the site, by type and by id or slug."""
    incidents = {
        ("incident", row.id): row.title
        for row in context.once_per_build(read_incidents)
    }
    maintenance = {
        ("maintenance", row.id): row.title
        for row in context.once_per_build(read_maintenance)
    }
    services = {
        ("service", row.slug): row.name
        for row in context.once_per_build(read_snapshot).services
    }
    return incidents | maintenance | services
