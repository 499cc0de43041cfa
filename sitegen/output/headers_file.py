"""The headers of every file, for hosts that read them from the site itself."""

from collections.abc import Iterator, Mapping

from models.response_headers import HEADERS, KEEPING, PLACES, TYPES, policy_of
from sitegen.page import SHARED, BuildContext, Page, pages

# What hosts do not know by themselves.
TOLD_TYPES = (".atom", ".ics", ".md", ".rss")


@pages(SHARED)
def headers(context: BuildContext) -> Iterator[Page]:  # noqa: ARG001
    rules = [_rule("/*", HEADERS)]
    rules += [_rule(f"/*{end}", {"Content-Type": TYPES[end]}) for end in TOLD_TYPES]
    rules += [
        _rule(
            place,
            {
                "Cache-Control": KEEPING[kept],
                "Content-Security-Policy": policy_of(place),
            },
        )
        for place, kept in PLACES.items()
    ]
    yield Page("_headers", "\n".join(rules))


def _rule(place: str, told: Mapping[str, str]) -> str:
    lines = [f"  {name}: {value}\n" for name, value in told.items()]
    return f"{place}\n{''.join(lines)}"
