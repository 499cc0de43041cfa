"""Yield the API reference, the problem types and the OpenAPI document."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from models.base import canonical_json
from models.locales import Locale
from models.projects.documents.published import PublishedPage
from models.settings import Settings
from models.site_addresses import file_for, link_openapi_to_site
from sitegen.docs.collections import document_summary
from sitegen.docs.document_page_cache import DocumentPageCache
from sitegen.page import BuildContext, Page, Stage, pages
from sitegen.reference.openapi_view import (
    OpenApi,
    operation_detail,
    operation_summary,
    operations_by_page,
    operations_by_problem,
)
from sitegen.urls import REFERENCE

AREAS = {
    "platform": "API keys, their scopes and rate limits.",
    "projects": "Projects with their work items, specifications and documents.",
    "status": "Services, measurements, incidents and maintenance.",
}


@pages("docs", Stage.LISTS)
def reference(context: BuildContext) -> Iterator[Page]:
    """
    Yield a page for each noun, with its operations and the documents that link to it.

    The links of documents are known at this stage, since their pages come before.
    """
    if not context.openapi:
        return
    openapi = context.openapi
    sources = (openapi, context.problems)
    digest = context.memoize(_digest, *sources)
    locale, console = context.theme.locale, _console_address(context.settings)
    linking = context.once_per_process(DocumentPageCache).documents_linking_to(
        REFERENCE
    )
    for href in context.memoize(operations_by_page, openapi):
        guides = _guides(linking, href)
        shown = (href, guides, console, locale)
        yield context.memoize(_noun_page, *sources, digest, *shown, name=href)
    guides = _guides(linking, REFERENCE)
    yield context.memoize(_index_page, openapi, guides, locale)


@pages("docs", Stage.LISTS)
def problems(context: BuildContext) -> Iterator[Page]:
    """Yield the pages to which the `type` of problem details points."""
    text = context.theme.locale.text
    operations = context.memoize(operations_by_problem, context.openapi)
    for problem_type, problem in context.problems.items():
        yield Page(
            f"problems/{problem_type}/index.html",
            {"type": problem_type, "operations": operations.get(problem_type)}
            | problem,
            template="problem.html",
            title=problem["title"],
            description=problem["meaning"],
        )
    types = [
        {
            "type": problem_type,
            "title": problem["title"],
            "status": problem["status"],
            "href": f"/problems/{problem_type}/",
        }
        for problem_type, problem in context.problems.items()
    ]
    yield Page(
        "problems/index.html",
        {"types": types, "hasReference": bool(context.openapi)},
        template="problems.html",
        title=text("reference.errors"),
        description=text("problem.description"),
    )


@pages("docs", Stage.LISTS)
def openapi(context: BuildContext) -> Iterator[Page]:
    path = context.settings.site_path
    yield context.memoize(_openapi_file, context.openapi, path)


def _digest(openapi: OpenApi, problems: OpenApi) -> str:
    """Return a digest of all data of the reference, a cheap key of its pages."""
    return hashlib.sha256(canonical_json([openapi, problems])).hexdigest()


def _console_address(settings: Settings) -> str | None:
    """Return the address of the console's operations, None if there is no console."""
    is_on = settings.console == "on"
    return f"{settings.api_origin}/console/operations/" if is_on else None


def _noun_page(
    openapi: OpenApi,
    problems: OpenApi,
    digest: str,
    href: str,
    guides: list[Any],
    console: str | None,
    locale: Locale,
) -> Page:
    _, area, noun = href.strip("/").split("/")
    operations = operations_by_page(openapi)[href]
    title = _title(noun)

    def data() -> dict[str, Any]:
        return {
            "title": title,
            "area": _title(area),
            "areas": reference_areas(openapi),
            "operations": [
                operation_detail(operation, openapi, problems)
                for operation in operations
            ],
            # An operation has the same id there.
            "console": f"{console}{area}/{noun}/" if console else None,
            "guides": guides,
        }

    names = ", ".join(operation["id"] for operation in operations)
    text = locale.text
    return Page(
        file_for(href),
        data,
        template="reference/noun.html",
        title=f"{title} ({area})",
        description=text("reference.noun-description", noun=title, operations=names),
        key=[digest, guides, console],
    )


def _guides(linking: dict[str, list[PublishedPage]], href: str) -> list[Any]:
    return [document_summary(document) for document in linking.get(href, ())]


def _index_page(openapi: OpenApi, guides: list[Any], locale: Locale) -> Page:
    return Page(
        file_for(REFERENCE),
        {"areas": reference_areas(openapi), "guides": guides},
        template="reference/index.html",
        title=locale.text("site.api-reference"),
        description=locale.text("reference.description"),
    )


def reference_areas(openapi: OpenApi) -> list[dict[str, Any]]:
    """Return the areas of the API with their nouns, and the operations of each."""
    nouns_by_area: dict[str, list[dict[str, Any]]] = {}
    for href, operations in operations_by_page(openapi).items():
        _, area, noun = href.strip("/").split("/")
        nouns_by_area.setdefault(area, []).append(
            {
                "title": _title(noun),
                "href": href,
                "operations": list(map(operation_summary, operations)),
            }
        )
    return [
        {"area": area, "title": _title(area), "summary": AREAS[area], "nouns": nouns}
        for area, nouns in nouns_by_area.items()
    ]


def _title(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _openapi_file(openapi: OpenApi, site_path: str) -> Page:
    text = json.dumps(openapi, indent=1, sort_keys=True) + "\n"
    return Page("openapi.json", link_openapi_to_site(text, site_path))
