"""Render the tokens of a document as safe HTML, styled by classes only."""

from collections.abc import Callable, Sequence
from html import escape

from markdown_it.common.normalize_url import normalizeLink
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from sitegen.markdown import code_blocks, footnotes, tabs
from sitegen.markdown.html_cleaning import TARGET_MARK
from sitegen.markdown.images import anchor as anchor_of
from sitegen.markdown.images import image, video
from sitegen.markdown.link_targets import EXTERNAL, LinkTarget, link_target
from sitegen.markdown.math import to_mathml
from sitegen.markdown.texts import text_mark

# Surrounds the links that are resolved later. `render` removes it from documents, and
# entities cannot produce it, so that a document cannot contain it.
LINK_MARK = "\x01"
# How much longer than its target a resolved link can be.
RESOLVED_LINK_BYTES = 100


class HtmlRenderer(RendererHTML):
    """
    The parser's renderer, with RENDER_RULES for the HTML that differs.

    `env` is the state of one rendering: the targets of its links, the closing tags of
    open links, the number of tables, and how much work and highlighted code are still
    allowed.
    """

    def render(
        self, tokens: Sequence[Token], options: OptionsDict, env: EnvType
    ) -> str:
        html: list[str] = []
        rules = self.rules
        for index, token in enumerate(tokens):
            if token.type == "inline":
                html.append(self.renderInline(token.children or (), options, env))
            elif rule := rules.get(token.type):
                html.append(rule(tokens, index, options, env))
            else:
                html.append(self.renderToken(tokens, index, options, env))
        return "".join(html)

    def renderInline(
        self, tokens: Sequence[Token], options: OptionsDict, env: EnvType
    ) -> str:
        # Half of all text has no markup.
        if len(tokens) == 1 and tokens[0].type == "text":
            return escapeHtml(tokens[0].content)
        return super().renderInline(tokens, options, env)

    def renderToken(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        token = tokens[idx]
        env["limit"].step()
        if render := RENDER_RULES.get(token.type):
            html = render(token, env)
            env["limit"].add_html(len(html))
            return html
        if token.nesting == -1 and not token.hidden:
            # Closing tags are half of all tags, and have no attributes.
            return f"</{token.tag}>\n" if token.block else f"</{token.tag}>"
        if token.nesting == 1 and not token.block and not token.attrs:
            return f"<{token.tag}>"
        return super().renderToken(tokens, idx, options, env)

    def __init__(self, parser: object = None) -> None:
        super().__init__(parser)
        self.rules = {
            name: rule for name, rule in self.rules.items() if name not in RENDER_RULES
        }


def heading_close(token: Token, _: EnvType) -> str:
    heading = token.meta.get("heading")
    if heading is None or heading.level == 1:
        return f"</{token.tag}>\n"
    label = text_mark("docs.link-to-section", heading.text)
    return (
        f' <a class="anchor" href="#{heading.id}" aria-label="{label}">'
        f'<span aria-hidden="true">#</span></a></{token.tag}>\n'
    )


def link_open(token: Token, env: EnvType) -> str:
    # The parser allows <https://…> inside links; only the outer link is rendered.
    is_inner = bool(env["open_links"])
    opening, closing = ("", "") if is_inner else _link_tags(token, env)
    env["open_links"].append(closing)
    return opening


def link_close(_: Token, env: EnvType) -> str:
    return str(env["open_links"].pop())


def _link_tags(token: Token, env: EnvType) -> tuple[str, str]:
    target, title = str(token.attrs["href"]), _title(token)
    anchor = anchor_of(token)
    kind = link_target(target)
    if kind is LinkTarget.UNSAFE:
        return anchor, ""
    if kind in (LinkTarget.SITE, LinkTarget.FRAGMENT):
        number = env["links"].setdefault(target, len(env["links"]))
        env["limit"].add_link(RESOLVED_LINK_BYTES + len(escape(target).encode()))
        if env["is_cleaned"]:
            # The sanitiser checks that elements are nested, so it has to see the link.
            return f'{anchor}<a href="{TARGET_MARK}{number}"{title}>', "</a>"
        return f"{anchor}{LINK_MARK}{number}{title}{LINK_MARK}", LINK_MARK * 2
    external = EXTERNAL if kind is LinkTarget.WEB else ""
    return f'{anchor}<a{external} href="{_href(target)}"{title}>', "</a>"


def math_inline(token: Token, _: EnvType) -> str:
    return to_mathml(token.content, is_display=bool(token.info))


def math_block(token: Token, _: EnvType) -> str:
    formula = to_mathml(token.content, is_display=True)
    return f'<div class="math" tabindex="0">{formula}</div>\n'


def pre_open(_: Token, __: EnvType) -> str:
    return '<div class="code"><pre tabindex="0">'


def pre_close(_: Token, __: EnvType) -> str:
    return "</pre></div>\n"


def table_open(_: Token, env: EnvType) -> str:
    # Screen readers need a distinct name for each region.
    env["tables"] += 1
    is_first = env["tables"] == 1
    label = text_mark(*(["docs.table"] if is_first else ["docs.tables", env["tables"]]))
    return (
        f'<div class="table" role="{env["table_role"]}" tabindex="0"'
        f' aria-label="{label}">\n<table>\n'
    )


def table_close(_: Token, __: EnvType) -> str:
    return "</table>\n</div>\n"


def cell_open(token: Token, _: EnvType) -> str:
    side = str(token.attrs.get("style", "")).removeprefix("text-align:")
    return f'<{token.tag} class="align-{side}">' if side else f"<{token.tag}>"


def demote_empty_headers(tokens: Sequence[Token]) -> None:
    """Make empty header cells plain cells: screen readers would announce them."""
    for index, token in enumerate(tokens):
        if token.type == "th_open" and not tokens[index + 1].content.strip():
            token.tag = tokens[index + 2].tag = "td"


def alert_open(token: Token, _: EnvType) -> str:
    return f'<div class="admonition {token.info.lower()}" role="note">\n'


def alert_title_open(token: Token, _: EnvType) -> str:
    return f'<p class="admonition-title">{text_mark(token.info)}'


def leave_alert_titles(tokens: Sequence[Token]) -> None:
    """Leave the titles of alerts to the language of the page."""
    for index, token in enumerate(tokens):
        if token.type == "alert_title_open":
            token.info = f"docs.admonition-{tokens[index - 1].info.lower()}"
            tokens[index + 1].children = []


def list_item_open(token: Token, _: EnvType) -> str:
    if "checked" not in token.meta:
        return "<li>"
    is_done = token.meta["checked"]
    state = " checked" if is_done else ""
    label = text_mark("docs.task-done" if is_done else "docs.task-open")
    box = f'<input type="checkbox" disabled{state} aria-label="{label}">'
    return f'<li class="task-list-item">{box} '


RENDER_RULES: dict[str, Callable[[Token, EnvType], str]] = {
    "heading_close": heading_close,
    "link_open": link_open,
    "link_close": link_close,
    "image": image,
    "video": video,
    "fence": code_blocks.fence,
    "code_block": code_blocks.code_block,
    "math_inline": math_inline,
    "math_block": math_block,
    "pre_open": pre_open,
    "pre_close": pre_close,
    "table_open": table_open,
    "table_close": table_close,
    "th_open": cell_open,
    "td_open": cell_open,
    "alert_open": alert_open,
    "alert_title_open": alert_title_open,
    "list_item_open": list_item_open,
    **footnotes.RENDER_RULES,
    **tabs.RENDER_RULES,
}


def _title(token: Token) -> str:
    title = token.attrs.get("title")
    return f' title="{escape(str(title))}"' if title else ""


def _href(target: str) -> str:
    return escape(normalizeLink(target.strip()))
