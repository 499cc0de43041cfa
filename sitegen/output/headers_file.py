"""Generate `_headers`, from which static hosts read the headers of every file."""

from collections.abc import Iterator, Mapping

from models.response_headers import (
    CACHE_CONTROL,
    CONTENT_TYPES,
    PATH_RULES,
    SITE_HEADERS,
    content_security_policy,
)
from sitegen.output.manifest import SHARED
from sitegen.page import BuildContext, Page, pages

# File name extensions whose type hosts do not know.
DECLARED_TYPES = (".atom", ".ics", ".md", ".rss")


@pages(SHARED)
def headers(context: BuildContext) -> Iterator[Page]:
    form_origin, path = context.settings.form_origin, context.settings.site_path
    rules = [_rule(f"{path}/*", SITE_HEADERS)]
    rules += [
        _rule(f"{path}/*{extension}", {"Content-Type": CONTENT_TYPES[extension]})
        for extension in DECLARED_TYPES
    ]
    rules += [
        _rule(
            path + pattern,
            {
                "Cache-Control": CACHE_CONTROL[cache],
                "Content-Security-Policy": content_security_policy(
                    pattern, form_origin
                ),
            },
        )
        for pattern, cache in PATH_RULES.items()
    ]
    yield Page("_headers", "\n".join(rules))


def _rule(pattern: str, headers: Mapping[str, str]) -> str:
    lines = [f"  {name}: {value}\n" for name, value in headers.items()]
    return f"{pattern}\n{''.join(lines)}"
