"""What the API refuses with, one page a kind; and its description for programs."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sitegen.page import SHARED, Edition, Page, Rank, pages


@pages(SHARED)
def problems(edition: Edition) -> Iterator[Page]:
    """The pages that the `type` of every problem points at."""
    kinds = edition.problems
    for kind, told in kinds.items():
        yield Page(
            f"problems/{kind}/index.html",
            {"kind": kind} | told,
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
        {"kinds": listed},
        template="problems.html",
        title="Problems",
        description="Every way in which the API refuses, and what to do.",
        rank=Rank.LIST,
    )


@pages(SHARED)
def openapi(edition: Edition) -> Iterator[Page]:
    yield edition.kept(_description, edition.openapi)


def _description(openapi: Mapping[str, Any]) -> Page:
    told = json.dumps(openapi, indent=1, sort_keys=True) + "\n"
    return Page("openapi.json", told, rank=Rank.LIST)
