"""Yield the pages with which web servers answer where something was removed."""

from collections.abc import Iterable, Iterator

from models.site_addresses import GONE_PAGE, incident_address, maintenance_address
from models.status.incidents.incidents import removed_incidents
from models.status.maintenance.windows import removed_windows
from sitegen.page import BuildContext, Page, Stage, pages


@pages("status", Stage.ENTRY_POINTS)
def gone_pages(context: BuildContext) -> Iterator[Page]:
    """Yield a page for each removed incident and maintenance window."""
    incidents = (incident_address(row.id) for row in removed_incidents())
    windows = (maintenance_address(row.id) for row in removed_windows())
    yield from _pages(context, incidents, "incident")
    yield from _pages(context, windows, "maintenance")


def _pages(
    context: BuildContext, addresses: Iterable[str], kind: str
) -> Iterator[Page]:
    locale = context.theme.locale
    text = locale.text(f"{kind}.was-removed")
    for address in addresses:
        yield Page(
            f"{address.lstrip('/')}{GONE_PAGE}",
            {"text": text},
            template="status/gone.html",
            title=locale.text(f"{kind}.removed"),
            description=text,
        )
