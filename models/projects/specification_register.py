"""The register of specifications."""

from typing import Any, Literal

from models.pagination import Page
from models.projects.register import ListVersioned, registered
from models.projects.specification import SPECIFICATIONS, SpecificationRow
from models.projects.specifications import SpecificationStatus
from models.projects.words import Commas


class ListSpecifications(ListVersioned):
    status: Commas[SpecificationStatus] | None = None
    sort: Literal["updatedAt", "createdAt", "title", "slug"] = "updatedAt"


SORTS = {
    "updatedAt": SpecificationRow.updated_at,
    "createdAt": SpecificationRow.created_at,
    "title": SpecificationRow.title,
    "slug": SpecificationRow.slug,
}


def specifications_listed(asked: ListSpecifications) -> Page[SpecificationRow]:
    where: list[Any] = []
    if asked.status is not None:
        where.append(SpecificationRow.status.in_(asked.status))
    if asked.q is not None:
        where.append(
            SpecificationRow.title.contains(asked.q)
            | SpecificationRow.slug.contains(asked.q)
        )
    return registered(SPECIFICATIONS, asked, SORTS[asked.sort], where)
