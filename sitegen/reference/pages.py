"""The API for those who call it: its operations, its refusals, its description."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from models.base import canonical_json
from models.projects.documents.published import PublishedPage
from models.response_headers import file_for
from sitegen.docs.collections import document_summary
from sitegen.docs.document_page_cache import DocumentPageCache
from sitegen.page import SHARED, BuildContext, Page, Stage, pages
from sitegen.reference.openapi_view import detail_of, nouns, operation_line, refusing

REFERENCE = "/reference/"
AREAS = {
    "platform": "Keys: who may ask for what, and how often.",
    "projects": "Projects with their work, specifications and documents.",
    "status": "Services, what probes measure of them, incidents and maintenance.",
}

Openapi = Mapping[str, Any]


@pages("docs", Stage.LISTS)
def reference(context: BuildContext) -> Iterator[Page]:
    """
    The nouns, each with its operations and the documents that link to it.

    The links of documents are known at this stage, since their pages come before.
    """
    if not context.openapi:
        return
    told = (context.openapi, context.problems)
    name = context.memoize(_name, *told)
    linking = context.once_per_process(DocumentPageCache).documents_linking_to(
        REFERENCE
    )
    for href in context.memoize(nouns, context.openapi):
        guides = _lines(linking, href)
        yield context.memoize(_noun, *told, name, href, guides, name=href)
    yield context.memoize(_register, context.openapi, _lines(linking, REFERENCE))


@pages(SHARED, Stage.LISTS)
def problems(context: BuildContext) -> Iterator[Page]:
    """The pages that the `type` of every problem points at."""
    kinds = context.problems
    refused = context.memoize(refusing, context.openapi)
    for kind, told in kinds.items():
        yield Page(
            f"problems/{kind}/index.html",
            {"kind": kind, "operations": refused.get(kind)} | told,
            template="problem.html",
            title=told["title"],
            description=told["meaning"],
        )
    listed = [
        {
            "kind": kind,
            "title": told["title"],
            "status": told["status"],
            "href": f"/problems/{kind}/",
        }
        for kind, told in kinds.items()
    ]
    yield Page(
        "problems/index.html",
        {"kinds": listed, "hasReference": bool(context.openapi)},
        template="problems.html",
        title="Problems",
        description="Every way in which the API refuses, and what to do.",
    )


@pages(SHARED, Stage.LISTS)
def openapi(context: BuildContext) -> Iterator[Page]:
    yield context.memoize(_description, context.openapi)


def _name(openapi: Openapi, problems: Openapi) -> str:
    """Name all that the reference is made of: to tell pages apart by it is cheap."""
    return hashlib.sha256(canonical_json([openapi, problems])).hexdigest()


def _noun(
    openapi: Openapi, problems: Openapi, name: str, href: str, guides: list[Any]
) -> Page:
    _, area, noun = href.strip("/").split("/")
    operations = nouns(openapi)[href]
    title = _words(noun)

    def data() -> dict[str, Any]:
        details = [detail_of(each, openapi, problems) for each in operations]
        return {
            "title": title,
            "area": _words(area),
            "areas": _areas(openapi),
            "operations": details,
            "guides": guides,
        }

    verbs = ", ".join(each["id"] for each in operations)
    return Page(
        file_for(href),
        data,
        template="reference/noun.html",
        title=f"{title} ({area})",
        description=f"What the API can do with {title.lower()}: {verbs}.",
        key=[name, guides],
    )


def _lines(linking: dict[str, list[PublishedPage]], href: str) -> list[Any]:
    return [document_summary(each) for each in linking.get(href, ())]


def _register(openapi: Openapi, guides: list[Any]) -> Page:
    return Page(
        file_for(REFERENCE),
        {"areas": _areas(openapi), "guides": guides},
        template="reference/index.html",
        title="API reference",
        description="Every operation of the API: what it takes, gives and refuses.",
    )


def _areas(openapi: Openapi) -> list[dict[str, Any]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for href, operations in nouns(openapi).items():
        _, area, noun = href.strip("/").split("/")
        lines = [operation_line(each) for each in operations]
        line = {"title": _words(noun), "href": href, "operations": lines}
        found.setdefault(area, []).append(line)
    return [
        {"area": area, "title": _words(area), "summary": AREAS[area], "nouns": listed}
        for area, listed in found.items()
    ]


def _words(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _description(openapi: Openapi) -> Page:
    told = json.dumps(openapi, indent=1, sort_keys=True) + "\n"
    return Page("openapi.json", told)
