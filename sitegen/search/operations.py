"""Search the API reference: its pages, and its operations with their descriptions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from models.locales import Locale
from sitegen.page import BuildContext
from sitegen.reference.openapi_view import operations_by_page
from sitegen.reference.pages import reference_areas
from sitegen.search.inverted_index import HEADING, Text
from sitegen.urls import REFERENCE


@dataclass(frozen=True)
class Operation:
    """An operation, or a page of the reference that lists operations."""

    href: str
    title: str
    where: str
    description: str

    def text(self) -> Text:
        """Return what is searched; guides with the same words in titles come first."""
        return Text(self.title, self.where, self.description, title_weight=HEADING)


def search_operations(context: BuildContext) -> tuple[Operation, ...]:
    """Return everything in the reference, the same objects while it is the same."""
    return context.memoize(_operations, context.openapi, context.theme.locale)


def _operations(openapi: Mapping[str, Any], locale: Locale) -> tuple[Operation, ...]:
    return tuple(_reference_pages(openapi, locale)) if openapi else ()


def _reference_pages(openapi: Mapping[str, Any], locale: Locale) -> Iterator[Operation]:
    title, summary = locale.text("site.api-reference"), locale.text("search.reference")
    yield Operation(REFERENCE, title, summary, "")
    by_page = operations_by_page(openapi)
    for area in reference_areas(openapi):
        for noun in area["nouns"]:
            where = locale.text("search.operations", area=area["title"])
            yield Operation(noun["href"], noun["title"], where, "")
            yield from map(_operation, by_page[noun["href"]])


def _operation(operation: Mapping[str, Any]) -> Operation:
    """Return an operation under its short name, such as keys/add."""
    spec = operation["spec"]
    name = "/".join(operation["path"].split("/")[-2:])
    where = f"{operation['method']} {operation['path']} · {spec['summary']}"
    return Operation(operation["href"], name, where, spec["description"])
