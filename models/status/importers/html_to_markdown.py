"""The few tags of HTML that stand in the texts of status pages, as Markdown."""

import re

_LINK = re.compile(
    r"<a\s[^<>]*?href\s*=\s*([\"'])(?P<to>[^\"'<>\s]*)\1[^<>]*>(?P<text>[^<>]*)</a\s*>",
    re.IGNORECASE,
)
# Each kind of tag, and the sign that Markdown has for it.
_SIGNS = [
    (re.compile(rf"<(?:{tags})>", re.IGNORECASE), sign)
    for tags, sign in (
        (r"/?(?:span|font|small|u)\b[^<>]*|/li\s*", ""),
        (r"/?(?:b|strong)\s*", "**"),
        (r"/?(?:i|em)\s*", "*"),
        (r"/?code\s*", "`"),
        (r"br\s*/?", "\n"),
        (r"li\b[^<>]*", "\n- "),
        (r"/?(?:p|div|ul|ol|h[1-6]|blockquote)\b[^<>]*", "\n\n"),
    )
]


def uncommented(text: str) -> str:
    """Return the text without the comments that its readers never saw."""
    return _parted(text)[0]


def comments_in(text: str) -> list[str]:
    """Return what stands in these comments."""
    return _parted(text)[1]


def _parted(text: str) -> tuple[str, list[str]]:
    """Return the text and its comments; one that does not end is none."""
    kept, comments, at = [], [], 0
    while (start := text.find("<!--", at)) >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            break
        kept.append(text[at:start])
        comments.append(text[start + 4 : end])
        at = end + 3
    return "".join(kept) + text[at:], comments


def as_markdown(text: str) -> str:
    """
    Return what readers saw of a text with tags in it, as Markdown shows it.

    Such a text is no Markdown: its new lines are seen.
    """
    text = uncommented(text)
    for tag, sign in _SIGNS:
        text = tag.sub(sign, text)
    lines = "\n".join(line.strip() for line in _LINK.sub(_link, text).split("\n"))
    passages = re.sub(r"\n{3,}", "\n\n", lines).strip()
    return re.sub(r"(?<=\S)\n(?=\S)", "  \n", passages)


def _link(found: re.Match[str]) -> str:
    text = " ".join(found["text"].split())
    return f"[{text}](<{found['to']}>)" if text else found["to"]
