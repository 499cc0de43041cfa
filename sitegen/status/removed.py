"""Yield the pages with which web servers answer where something was removed."""

from collections.abc import Iterator, Sequence
from functools import partial

from models.site_addresses import GONE_PAGE, incident_address, maintenance_address
from models.status.incidents.incidents import removed_incident_ids
from models.status.maintenance.windows import removed_window_ids
from sitegen.page import BuildContext, KeyedPages, Page, Stage, pages


@pages("status", Stage.ENTRY_POINTS)
def gone_pages(context: BuildContext) -> Iterator[KeyedPages]:
    """Yield a page for each removed incident and maintenance window."""
    incidents = [incident_address(id) for id in removed_incident_ids()]
    windows = [maintenance_address(id) for id in removed_window_ids()]
    for kind, addresses in (("incident", incidents), ("maintenance", windows)):
        yield KeyedPages(
            f"removed {kind}", addresses, partial(_pages, context, addresses, kind)
        )


def _pages(
    context: BuildContext, addresses: Sequence[str], kind: str
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
