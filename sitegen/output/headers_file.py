"""The headers of every file, for hosts that read them from the site itself."""

from collections.abc import Iterator, Mapping

from models.response_headers import (
    CACHE_CONTROL,
    CONTENT_TYPES,
    PATH_RULES,
    SITE_HEADERS,
    content_security_policy,
)
from sitegen.page import SHARED, BuildContext, Page, pages

# What hosts do not know by themselves.
TOLD_TYPES = (".atom", ".ics", ".md", ".rss")


@pages(SHARED)
def headers(context: BuildContext) -> Iterator[Page]:  # noqa: ARG001
    rules = [_rule("/*", SITE_HEADERS)]
    rules += [
        _rule(f"/*{end}", {"Content-Type": CONTENT_TYPES[end]}) for end in TOLD_TYPES
    ]
    rules += [
        _rule(
            place,
            {
                "Cache-Control": CACHE_CONTROL[kept],
                "Content-Security-Policy": content_security_policy(place),
            },
        )
        for place, kept in PATH_RULES.items()
    ]
    yield Page("_headers", "\n".join(rules))


def _rule(place: str, told: Mapping[str, str]) -> str:
    lines = [f"  {name}: {value}\n" for name, value in told.items()]
    return f"{place}\n{''.join(lines)}"
