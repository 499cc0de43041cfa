"""Where things stood on the status page that was here before: the ways from there."""

from collections.abc import Callable, Iterator

from models.response_headers import url_path
from models.status.importers.imported_rows import ImportedRow, imported_paths
from sitegen.page import BuildContext, Page, Rank, pages
from sitegen.status.status_data import board_of, every_incident, every_window
from sitegen.urls import incident_path, maintenance_path, service_path

PATHS: dict[str, Callable[[str], str]] = {
    "incident": incident_path,
    "maintenance": maintenance_path,
    "service": service_path,
}


@pages("status")
def arrivals(context: BuildContext) -> Iterator[Page]:
    """For every host: a page at the old address that says where the thing is now."""
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
                description=f"{title} has moved.",
                canonical=_href(row),
                rank=Rank.LAST,
            )


def ways() -> Iterator[tuple[str, str]]:
    """Yield old and new address, with the final slash and without."""
    for row in imported_paths():
        for end in ("", "/"):
            yield f"{row.address}{end}", _href(row)


def _href(row: ImportedRow) -> str:
    return url_path(PATHS[str(row.type)](str(row.subject)))


def _titles(context: BuildContext) -> dict[tuple[str, str], str]:
    """Return what is on the site, by its kind and its name in addresses."""
    found = {("incident", e.id): e.title for e in context.once(every_incident)}
    found |= {("maintenance", e.id): e.title for e in context.once(every_window)}
    services = context.once(board_of).services
    return found | {("service", each.slug): each.name for each in services}
