"""Generate `_headers`, from which static hosts read the headers of every file."""

from collections.abc import Iterator, Mapping

from models.response_headers import HEADERS, KEEPING, PLACES, TYPES, policy_of
from sitegen.page import SHARED, BuildContext, Page, pages

# File name extensions whose type hosts do not know.
DECLARED_TYPES = (".atom", ".ics", ".md", ".rss")


@pages(SHARED)
def headers(context: BuildContext) -> Iterator[Page]:  # noqa: ARG001
    rules = [_rule("/*", HEADERS)]
    rules += [
        _rule(f"/*{extension}", {"Content-Type": TYPES[extension]})
        for extension in DECLARED_TYPES
    ]
    rules += [
        _rule(
            pattern,
            {
                "Cache-Control": KEEPING[cache],
                "Content-Security-Policy": policy_of(pattern),
            },
        )
        for pattern, cache in PLACES.items()
    ]
    yield Page("_headers", "\n".join(rules))


def _rule(pattern: str, headers: Mapping[str, str]) -> str:
    lines = [f"  {name}: {value}\n" for name, value in headers.items()]
    return f"{pattern}\n{''.join(lines)}"
