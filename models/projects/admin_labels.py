"""Global labels as operators see them: each with how widely it is used."""

from typing import Any

from models.base import Shape
from models.pagination import CursorQuery, Limit, Page, ascending, page_of
from models.projects.label import LabelRow
from models.projects.labelling import uses_of
from models.projects.labels import Label, LabelStart


class LabelUse(Shape):
    """A label, and how many items in how many projects bear it."""

    label: Label
    uses: int
    projects: int


class ListGlobalLabels(CursorQuery):
    q: LabelStart | None = None
    limit: Limit = 100


def label_uses_listed(asked: ListGlobalLabels) -> Page[dict[str, Any]]:
    """Return a page of the global labels by name; archived items count as well."""
    query = LabelRow.select().where(LabelRow.project.is_null())
    if asked.q is not None:
        query = query.where(LabelRow.name.startswith(asked.q))
    page = page_of(query, asked, ascending(LabelRow.name), ascending(LabelRow.id))
    uses = uses_of([label.id for label in page.items])
    told = []
    for label in page.items:
        items, projects = uses.get(label.id, (0, 0))
        told.append({"label": label, "uses": items, "projects": projects})
    return Page(told, page.meta)
