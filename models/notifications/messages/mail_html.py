"""
Write the HTML of mails, in the look of the site and readable without images.

Mail programs ignore style sheets of pages, and some ignore <style>: the light scheme is
in the elements, and the dark one overrides it where <style> is heeded.

The module is pure: it reads no rows, no clock and no settings.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from models.display_text import printable
from models.locales import Locale
from models.notifications.messages.notice import NoticeState

# The colours of the site, for a light and a dark screen.
Colour = tuple[str, str]
COLOURS: dict[str, Colour] = {
    "paper": ("#fdfdfb", "#13151c"),
    "line": ("#e2e2dd", "#2d313d"),
    "ink": ("#1c1e26", "#e9eaef"),
    "soft": ("#5a5d69", "#a5aab8"),
}
STATE_COLOURS: dict[NoticeState, Colour] = {
    "operational": ("#1a774d", "#52c08d"),
    "maintenance": ("#3a66c4", "#86a8f5"),
    "degraded": ("#8d6200", "#e3b54a"),
    "partial-outage": ("#b04c08", "#f2935a"),
    "major-outage": ("#bd2333", "#ff7f83"),
}
ACCENT: Colour = ("#3538a3", "#aab2ff")
_SANS = (
    "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Noto Sans',Helvetica,Arial,"
    "sans-serif"
)
_PARAGRAPH = "margin:0 0 16px;line-height:1.6"


@dataclass(frozen=True)
class Button:
    """The link that a mail is about."""

    text: str
    url: str


@dataclass(frozen=True)
class MailPage:
    """What the HTML of a mail shows, from top to bottom."""

    locale: Locale
    site_name: str
    # What happened, in our words, and to what, in the operator's.
    headline: str
    # HTML, as `paragraph` returns it, or a message has it.
    body: str
    button: Button
    title: str = ""
    # Names and values of a table, such as "Started" and when.
    facts: Sequence[tuple[str, str]] = ()
    # Paragraphs of HTML in small print.
    footer: Sequence[str] = ()
    state_colour: Colour | None = None
    accent: Colour = ACCENT


def html_of(page: MailPage) -> str:
    """Return the document; everything but `body` and `footer` is escaped."""
    colour = page.state_colour or page.accent
    locale, direction = page.locale, page.locale.direction
    # Mail programs know no logical properties.
    start, end = ("right", "left") if direction == "rtl" else ("left", "right")
    facts = "".join(_fact(name, value, start, end) for name, value in page.facts)
    table = f'<table class="soft" style="{_TABLE}">{facts}</table>' if facts else ""
    footer = "".join(f'<p style="margin:0 0 6px">{line}</p>' for line in page.footer)
    body = f'<div class="said" dir="auto">\n{page.body}\n</div>' if page.body else ""
    heading = escape(page.headline)
    if page.title:
        pattern = escape(locale.pattern("notice.heading"))
        heading = pattern.format(headline=heading, title=_text(page.title))
    # Again on an element, because some programs drop those of the document.
    language = f'lang="{escape(locale.tag)}" dir="{direction}"'
    return f"""<!DOCTYPE html>
<html {language}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>{escape(page.headline)}</title>
<style>
{_style(page.accent, colour, start, end)}
</style>
</head>
<body class="paper ink" style="{_BODY}">
<div {language} style="max-width:600px;margin:0 auto;padding:32px 20px">
<p class="soft" style="{_OVERLINE}">{_text(page.site_name)}</p>
<h1 class="state" style="{_HEADING};padding-{start}:16px;\
border-{start}:4px solid {colour[0]}">\
<span class="ink" style="color:{COLOURS["ink"][0]}">{heading}</span></h1>
{body}
{table}
<p style="margin:24px 0"><a class="button" href="{escape(page.button.url)}" \
style="{_BUTTON};background:{page.accent[0]}">{escape(page.button.text)}</a></p>
<div class="soft line" style="{_FOOTER}">
{footer}
</div>
</div>
</body>
</html>
"""


def paragraph(text: str) -> str:
    """Return plain text as HTML."""
    return f'<p style="{_PARAGRAPH}">{escape(text)}</p>'


def quiet_link(text: str, url: str) -> str:
    """Return a link of the small print as HTML."""
    style = f"color:{COLOURS['soft'][0]}"
    return f'<a class="soft" href="{escape(url)}" style="{style}">{escape(text)}</a>'


def _text(text: str) -> str:
    """Return a text of an operator, which keeps its direction to itself."""
    return f"<bdi>{escape(printable(text))}</bdi>"


def _fact(name: str, value: str, start: str, end: str) -> str:
    cell, ink = f"{_CELL};text-align:{start}", COLOURS["ink"][0]
    return (
        f'<tr><th scope="row" style="{cell};padding-{end}:20px;font-weight:400">'
        f'{escape(name)}</th><td class="ink" style="{cell};color:{ink}">'
        f"{_text(value)}</td></tr>"
    )


def _style(accent: Colour, state: Colour, start: str, end: str) -> str:
    """Return the rules of the dark scheme, and of elements without inline styles."""
    dark = {name: colours[1] for name, colours in COLOURS.items()}
    return f""":root {{ color-scheme: light dark; }}
.said p {{ margin: 0 0 16px; line-height: 1.6; }}
.said pre {{ overflow-x: auto; padding: 12px; border: 1px solid #8888; }}
.said :is(th, td) {{ padding: 4px 0; padding-{end}: 12px; text-align: {start}; }}
.said a {{ color: inherit; }}
@media (prefers-color-scheme: dark) {{
  .paper {{ background: {dark["paper"]} !important; }}
  .ink {{ color: {dark["ink"]} !important; }}
  .soft {{ color: {dark["soft"]} !important; }}
  .line {{ border-color: {dark["line"]} !important; }}
  .state {{ border-color: {state[1]} !important; }}
  .button {{ background: {accent[1]} !important; color: {dark["paper"]} !important; }}
}}"""


_BODY = (
    f"margin:0;padding:0;background:{COLOURS['paper'][0]};color:{COLOURS['ink'][0]};"
    f"font-family:{_SANS};font-size:16px"
)
_OVERLINE = (
    "margin:0 0 20px;font-size:12px;font-weight:600;letter-spacing:1px;"
    f"text-transform:uppercase;color:{COLOURS['soft'][0]}"
)
_HEADING = (
    "margin:0 0 24px;padding:2px 0;font-size:24px;font-weight:600;line-height:1.25"
)
_TABLE = (
    f"margin:24px 0 16px;border-collapse:collapse;font-size:14px;"
    f"color:{COLOURS['soft'][0]}"
)
_CELL = "padding:3px 0;vertical-align:top"
_BUTTON = (
    "display:inline-block;padding:11px 20px;border-radius:6px;font-size:15px;"
    "font-weight:600;text-decoration:none;color:#ffffff"
)
_FOOTER = (
    f"padding-top:16px;border-top:1px solid {COLOURS['line'][0]};font-size:13px;"
    f"line-height:1.5;color:{COLOURS['soft'][0]}"
)
