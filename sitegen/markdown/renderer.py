"""From the tokens of a document to its HTML: classes only, and nothing unsafe."""

import re
from collections.abc import Callable, Sequence
from html import escape

from markdown_it.common.normalize_url import normalizeLink
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from sitegen.markdown import footnotes
from sitegen.markdown.headings import words_of
from sitegen.markdown.highlighting import highlighted
from sitegen.markdown.link_targets import Target, may_show, target_of
from sitegen.markdown.work_limits import spend

# Stands around what is filled in later. `render` takes it out of every document, and
# no entity can make it, so a document cannot hold one.
MARK = "\x01"
# The most that stands for a link on its page, beside what the author wrote of it.
ADDRESS = 100
LANGUAGE = re.compile(r"\s*([A-Za-z0-9_+#.\-]{1,40})")


class Markup(RendererHTML):
    """
    The parser's renderer, with the functions of WRITERS for what we write ourselves.

    `env` carries what one rendering gathers: the targets of its links, the closing
    tags of those that are open, the number of tables, the bytes that its links will
    have, and the work and the coloured code that are still allowed.
    """

    def renderToken(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        token = tokens[idx]
        if write := WRITERS.get(token.type):
            return write(token, env)
        if token.nesting == -1 and not token.hidden:
            # Half of all tags, which have nothing beside their name.
            return f"</{token.tag}>\n" if token.block else f"</{token.tag}>"
        return super().renderToken(tokens, idx, options, env)

    def __init__(self, parser: object = None) -> None:
        super().__init__(parser)
        self.rules = {k: v for k, v in self.rules.items() if k not in WRITERS}


def heading_close(token: Token, _: EnvType) -> str:
    heading = token.meta.get("heading")
    if heading is None or heading.level == 1:
        return f"</{token.tag}>\n"
    label = escape(f"Link to this section: {heading.text}")
    return (
        f' <a class="anchor" href="#{heading.id}" aria-label="{label}">'
        f'<span aria-hidden="true">#</span></a></{token.tag}>\n'
    )


def link_open(token: Token, env: EnvType) -> str:
    # The parser keeps links out of links, but not <https://…>: the outer one counts.
    is_inner = bool(env["open"])
    opening, closing = ("", "") if is_inner else _link_tags(token, env)
    env["open"].append(closing)
    return opening


def link_close(_: Token, env: EnvType) -> str:
    return str(env["open"].pop())


def _link_tags(token: Token, env: EnvType) -> tuple[str, str]:
    target, title = str(token.attrs["href"]), _title(token)
    # A long address that is defined once can be used many times.
    spend(env, len(target) + len(title))
    kind = target_of(target)
    if kind is Target.REFUSED:
        return "", ""
    if kind in (Target.SITE, Target.FRAGMENT):
        number = env["links"].setdefault(target, len(env["links"]))
        env["addresses"] += ADDRESS + len(escape(target).encode())
        return f"{MARK}{number}{title}{MARK}", MARK * 2
    external = ' class="external" rel="noopener"' if kind is Target.WEB else ""
    return f'<a{external} href="{_address(target)}"{title}>', "</a>"


def image(token: Token, env: EnvType) -> str:
    source, title = str(token.attrs["src"]), _title(token)
    spend(env, len(source) + len(title))
    alt = escape(words_of(token.children))
    if not may_show(source):
        return alt
    return (
        f'<img src="{_address(source)}" alt="{alt}"{title} '
        'loading="lazy" decoding="async">'
    )


def fence(token: Token, env: EnvType) -> str:
    named = LANGUAGE.match(token.info)
    language = named[1].removeprefix("language-") if named else ""
    if len(token.content) > env["coloured"]:
        return _code(escape(token.content), language)
    env["coloured"] -= len(token.content)
    return _code(highlighted(token.content, language), language)


def code_block(token: Token, _: EnvType) -> str:
    return _code(escape(token.content), "")


def table_open(_: Token, env: EnvType) -> str:
    # Two regions of one name would be the same place to a screen reader.
    env["tables"] += 1
    label = "Table" if env["tables"] == 1 else f"Table {env['tables']}"
    return (
        f'<div class="table" role="{env["tables_are"]}" tabindex="0"'
        f' aria-label="{label}">\n<table>\n'
    )


def table_close(_: Token, __: EnvType) -> str:
    return "</table>\n</div>\n"


def cell_open(token: Token, _: EnvType) -> str:
    side = str(token.attrs.get("style", "")).removeprefix("text-align:")
    return f'<{token.tag} class="align-{side}">' if side else f"<{token.tag}>"


def without_empty_headers(tokens: Sequence[Token]) -> None:
    """Make a header that says nothing a plain cell: it would be read out as one."""
    for index, token in enumerate(tokens):
        if token.type == "th_open" and not tokens[index + 1].content.strip():
            token.tag = tokens[index + 2].tag = "td"


def alert_open(token: Token, _: EnvType) -> str:
    return f'<div class="admonition {token.info.lower()}" role="note">\n'


def alert_title_open(_: Token, __: EnvType) -> str:
    return '<p class="admonition-title">'


def list_item_open(token: Token, _: EnvType) -> str:
    if "checked" not in token.meta:
        return "<li>"
    state, label = (" checked", "Done") if token.meta["checked"] else ("", "To do")
    box = f'<input type="checkbox" disabled{state} aria-label="{label}">'
    return f'<li class="task-list-item">{box} '


WRITERS: dict[str, Callable[[Token, EnvType], str]] = {
    "heading_close": heading_close,
    "link_open": link_open,
    "link_close": link_close,
    "image": image,
    "fence": fence,
    "code_block": code_block,
    "table_open": table_open,
    "table_close": table_close,
    "th_open": cell_open,
    "td_open": cell_open,
    "alert_open": alert_open,
    "alert_title_open": alert_title_open,
    "list_item_open": list_item_open,
    **footnotes.RENDER_RULES,
}


def _title(token: Token) -> str:
    title = token.attrs.get("title")
    return f' title="{escape(str(title))}"' if title else ""


def _address(target: str) -> str:
    return escape(normalizeLink(target.strip()))


def _code(html: str, language: str) -> str:
    box = f' data-language="{language}"' if language else ""
    kind = f' class="language-{language}"' if language else ""
    return (
        f'<div class="code"{box}><pre tabindex="0"><code{kind}>'
        f"{html}</code></pre></div>\n"
    )
