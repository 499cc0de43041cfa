"""Redirect the addresses of the status page that was imported."""

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from models.display_text import isolate
from models.site_addresses import url_path
from models.status.importers.imported_rows import ImportedPath, imported_paths
from sitegen.page import BuildContext, KeyedPages, Page, Stage, pages
from sitegen.status.published import published_incidents, windows_by_id
from sitegen.status.status_data import read_index, read_services, read_snapshot
from sitegen.urls import incident_path, maintenance_path, service_path

PATHS: dict[str, Callable[[str], str]] = {
    "incident": incident_path,
    "maintenance": maintenance_path,
    "service": service_path,
}
# How many redirects are made again if one of them has changed.
PATHS_OF_CHUNK = 50


@pages("status", Stage.ENTRY_POINTS)
def redirect_pages(context: BuildContext) -> Iterator[KeyedPages]:
    """Yield a page at each old address, for hosts that do not read `_redirects`."""
    paths = imported_paths()
    if not paths:
        return
    index = context.once_per_build(read_index)
    versions: dict[str, Any] = {each.id: each for each in index.incidents}
    versions |= {each.id: each for each in index.windows}
    services = context.once_per_build(read_services)
    versions |= {service.slug: service.name for service in services}
    for start in range(0, len(paths), PATHS_OF_CHUNK):
        chunk = paths[start : start + PATHS_OF_CHUNK]
        # Instead of the paths, which would take memory for nothing.
        digest = hashlib.sha256(repr(chunk).encode()).digest()
        shown = [versions.get(path.subject) for path in chunk]
        make = partial(_redirects, context, chunk)
        yield KeyedPages(f"redirects {start}", (digest, shown), make)


def _redirects(context: BuildContext, paths: list[ImportedPath]) -> Iterator[Page]:
    titles = _titles(context, paths)
    for path in paths:
        title = titles.get((path.type, path.subject))
        if title is not None:
            yield Page(
                f"{path.address.lstrip('/')}/index.html",
                {"href": _href(path), "title": title},
                template="docs/redirect.html",
                title=title,
                description=context.theme.locale.text(
                    "docs.has-moved", title=isolate(title)
                ),
                canonical=_href(path),
            )


def imported_redirects(context: BuildContext) -> Iterator[tuple[str, str]]:
    """
    Yield old and new addresses, each with and without the final slash.

    A service that is not on the site has no page; what else was removed has one.
    """
    paths = imported_paths()
    services = context.once_per_build(read_services) if paths else ()
    slugs = {service.slug for service in services}
    for path in paths:
        if path.type != "service" or path.subject in slugs:
            for end in ("", "/"):
                yield f"{path.address}{end}", _href(path)


def _href(path: ImportedPath) -> str:
    return url_path(PATHS[path.type](path.subject))


def _titles(
    context: BuildContext, paths: list[ImportedPath]
) -> dict[tuple[str, str], str]:
    """Return the titles of what is on the site, by type and by id or slug."""
    ids = [path.subject for path in paths if path.type != "service"]
    now = context.once_per_build(read_snapshot).now
    return {
        **{
            ("incident", id): incident.row.title
            for id, incident in published_incidents(ids).items()
        },
        **{
            ("maintenance", id): row.title
            for id, row in windows_by_id(ids, now).items()
        },
        **{
            ("service", service.slug): service.name
            for service in context.once_per_build(read_services)
        },
    }
