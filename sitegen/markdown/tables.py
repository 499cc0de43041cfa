"""Tables: a region with a name that scrolls, aligned by classes."""

from collections.abc import Sequence

from markdown_it.token import Token
from markdown_it.utils import EnvType

from sitegen.markdown.texts import text_mark

TABLE_END = "</table>\n</div>\n"


def table_open(_: object, env: EnvType) -> str:
    # Screen readers need a distinct name for each region.
    env["tables"] += 1
    is_first = env["tables"] == 1
    label = text_mark(*(["docs.table"] if is_first else ["docs.tables", env["tables"]]))
    return (
        f'<div class="table" role="{env["table_role"]}" tabindex="0"'
        f' aria-label="{label}">\n<table>\n'
    )


def table_close(_: Token, __: EnvType) -> str:
    return TABLE_END


def cell_open(token: Token, _: EnvType) -> str:
    side = str(token.attrs.get("style", "")).removeprefix("text-align:")
    return f'<{token.tag} class="align-{side}">' if side else f"<{token.tag}>"


def demote_empty_headers(tokens: Sequence[Token]) -> None:
    """Make empty header cells plain cells: screen readers would announce them."""
    for index, token in enumerate(tokens):
        if token.type == "th_open" and not tokens[index + 1].content.strip():
            token.tag = tokens[index + 2].tag = "td"


RENDER_RULES = {
    "table_open": table_open,
    "table_close": table_close,
    "th_open": cell_open,
    "td_open": cell_open,
}
