"""Convert the HTML tags that occur in the texts of status pages to Markdown."""

import re

_LINK = re.compile(
    r"<a\s[^<>]*?href\s*=\s*([\"'])(?P<href>[^\"'<>\s]*)\1[^<>]*>"
    r"(?P<text>[^<>]*)</a\s*>",
    re.IGNORECASE,
)
# Each pattern of tags, and the Markdown that replaces them.
_REPLACEMENTS = [
    (re.compile(rf"<(?:{tags})>", re.IGNORECASE), markdown)
    for tags, markdown in (
        (r"/?(?:span|font|small|u)\b[^<>]*|/li\s*", ""),
        (r"/?(?:b|strong)\s*", "**"),
        (r"/?(?:i|em)\s*", "*"),
        (r"/?code\s*", "`"),
        (r"br\s*/?", "\n"),
        (r"li\b[^<>]*", "\n- "),
        (r"/?(?:p|div|ul|ol|h[1-6]|blockquote)\b[^<>]*", "\n\n"),
    )
]


def strip_comments(text: str) -> str:
    """Return the text without its HTML comments, which readers never saw."""
    return _split_comments(text)[0]


def html_comments(text: str) -> list[str]:
    """Return the contents of the HTML comments."""
    return _split_comments(text)[1]


def html_to_markdown(text: str) -> str:
    """
    Return a text with HTML tags as Markdown that looks the same.

    Single line breaks, which Markdown ignores, are kept.
    """
    text = strip_comments(text)
    for tags, markdown in _REPLACEMENTS:
        text = tags.sub(markdown, text)
    lines = [line.strip() for line in _LINK.sub(_markdown_link, text).split("\n")]
    paragraphs = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    return re.sub(r"(?<=\S)\n(?=\S)", "  \n", paragraphs)


def _split_comments(text: str) -> tuple[str, list[str]]:
    """Return the text without comments, and the comments; an open one is text."""
    parts, comments, position = [], [], 0
    while (start := text.find("<!--", position)) >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            break
        parts.append(text[position:start])
        comments.append(text[start + 4 : end])
        position = end + 3
    return "".join(parts) + text[position:], comments


def _markdown_link(match: re.Match[str]) -> str:
    text = " ".join(match["text"].split())
    return f"[{text}](<{match['href']}>)" if text else match["href"]
