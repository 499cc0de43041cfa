"""Render the tokens of a document as safe HTML, styled by classes only."""

from collections.abc import Callable, Sequence

from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from sitegen.markdown import code_blocks, footnotes, tables, tabs
from sitegen.markdown.images import image
from sitegen.markdown.links import link_close, link_open
from sitegen.markdown.math import to_mathml
from sitegen.markdown.raw_html import HtmlRun
from sitegen.markdown.texts import text_mark


class HtmlRenderer(RendererHTML):
    """
    The parser's renderer, with RENDER_RULES for the HTML that differs.

    `env` is the state of one rendering: the targets of its links, the closing tags of
    open links, the number of tables, and how much work and highlighted code are still
    allowed.
    """

    def __init__(self, parser: object = None) -> None:
        super().__init__(parser)
        own = RENDER_RULES.keys() | {"html_block", "html_inline"}
        self.rules = {name: self.rules[name] for name in self.rules.keys() - own}

    def renderInline(
        self, tokens: Sequence[Token], options: OptionsDict, env: EnvType
    ) -> str:
        if "has_html" in env:
            return self._render_html(tokens, options, env, HtmlRun(env))
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
        if token.type == "html_block":
            run = HtmlRun(env, is_block=True)
            return self._render_html(token.children or (), options, env, run)
        if token.nesting == -1 and not token.hidden:
            # Closing tags are half of all tags, and have no attributes.
            return f"</{token.tag}>\n" if token.block else f"</{token.tag}>"
        if token.nesting == 1 and not token.block and not token.attrs:
            return f"<{token.tag}>"
        return super().renderToken(tokens, idx, options, env)

    def _render_html(
        self, tokens: Sequence[Token], options: OptionsDict, env: EnvType, run: HtmlRun
    ) -> str:
        """Render inline tokens with HTML among them."""
        html = []
        for index, token in enumerate(tokens):
            if token.type == "html_inline":
                html.append(run.tag(token))
                continue
            if token.nesting == -1:
                html.append(run.leave_element())
            if not run.is_in_video:
                if token.type != "text" or token.content.strip():
                    html.append(run.start_text())
                one = tokens[index : index + 1]
                html.append(super().renderInline(one, options, env))
            if token.nesting == 1:
                run.enter_element()
        return "".join([*html, run.close_tags()])


def heading_close(token: Token, _: EnvType) -> str:
    heading = token.meta.get("heading")
    if heading is None or heading.level == 1:
        return f"</{token.tag}>\n"
    label = text_mark("docs.link-to-section", heading.text)
    return (
        f' <a class="anchor" href="#{heading.id}" aria-label="{label}">'
        f'<span aria-hidden="true">#</span></a></{token.tag}>\n'
    )


def math_inline(token: Token, _: EnvType) -> str:
    return to_mathml(token.content, is_display=bool(token.info))


def math_block(token: Token, _: EnvType) -> str:
    formula = to_mathml(token.content, is_display=True)
    return f'<div class="math" tabindex="0">{formula}</div>\n'


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
    "fence": code_blocks.fence,
    "code_block": code_blocks.code_block,
    "math_inline": math_inline,
    "math_block": math_block,
    "alert_open": alert_open,
    "alert_title_open": alert_title_open,
    "list_item_open": list_item_open,
    **footnotes.RENDER_RULES,
    **tables.RENDER_RULES,
    **tabs.RENDER_RULES,
}
