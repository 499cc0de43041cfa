"""What the API refuses with, one page a kind; and its description for programs."""

import json
from collections.abc import Iterator

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
    told = json.dumps(edition.openapi, indent=1, sort_keys=True) + "\n"
    yield Page("openapi.json", told, rank=Rank.LIST)
