"""
Render images: their size, captions, the picture behind a click, and when they load.

Which file an image shows is decided when a page is made, as for links.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from markdown_it.common.normalize_url import normalizeLink
from markdown_it.token import Token

from sitegen.markdown.headings import inline_text
from sitegen.markdown.links import (
    TARGET_MARK,
    LinkTarget,
    anchor_of,
    link_target,
    target_number,
)

# How much longer than its target and its text a resolved image can be.
RESOLVED_IMAGE_BYTES = 400
# Authors give these to pictures that are for one of the two colour schemes.
SCHEMES = ("dark", "light")

# In rendered HTML, where attributes are escaped.
_IMAGE = re.compile(
    rf'<img( class="only-[a-z]+")? src="{TARGET_MARK}(\d+) ([01])"'
    r' alt="([^"<>]*+)"([^<>]*+)>'
)
_VIDEO = re.compile(r"<video([^<>]*+)>(?:[^<]++|<(?!/?video))*+</video>")
_SOURCE = re.compile(rf' src="{TARGET_MARK}(\d+)"')

# Width and height in pixels.
Size = tuple[int, int]


def is_allowed_image(source: str) -> bool:
    """Return whether an image is at an https address or on the site itself."""
    target = link_target(source)
    if target is LinkTarget.WEB:
        return source.strip().lower().startswith("https:")
    return target is LinkTarget.SITE and bool(source.strip())


def image(token: Token, env: Any) -> str:
    """Return an image, a text if its address is unsafe, or what is resolved later."""
    caption = token.meta.get("caption")
    html = anchor_of(token) + _image(token, env, "" if caption else _title(token))
    return f"{html}<figcaption>{escape(caption)}</figcaption>" if caption else html


def _image(token: Token, env: Any, title: str) -> str:
    source, alternative_text = str(token.attrs["src"]), inline_text(token.children)
    alt = escape(alternative_text)
    if not is_allowed_image(source):
        return alt
    attributes = (f' title="{escape(title)}"' if title else "") + size_of(token.attrs)
    # The first is likely to be seen at once.
    attributes += ' loading="lazy"' if env["images"] else ""
    attributes += ' decoding="async"'
    env["images"] += 1
    scheme = _scheme(token)
    scheme_class = f' class="only-{scheme}"' if scheme else ""
    src = escape(normalizeLink(source.strip()))
    if link_target(source) is LinkTarget.SITE:
        env["limit"].add_link(RESOLVED_IMAGE_BYTES + 2 * len(escape(source).encode()))
        # A picture without a text says nothing that a link to it could be called.
        is_linked = bool(alternative_text.strip()) and not env["open_links"]
        src = f"{TARGET_MARK}{target_number(source, env)} {is_linked:d}"
    return f'<img{scheme_class} src="{src}" alt="{alt}"{attributes}>'


def put_image_addresses(
    html: str,
    links: Sequence[str],
    addresses: Sequence[str | None],
    picture_size: Callable[[str], Size | None],
) -> str:
    """
    Put addresses and sizes into images and videos; one without becomes its text.

    A picture leads to itself, so that a reader can see the whole of it.
    """

    def picture(image: re.Match[str]) -> str:
        scheme_class, number, is_linked, alt, attributes = image.groups("")
        address = addresses[int(number)]
        if address is None or not is_allowed_image(address):
            return alt
        href = escape(address)
        # The author's own size, if there is one, is among the attributes.
        size = None if " width=" in attributes else picture_size(address)
        sides = f' width="{size[0]}" height="{size[1]}"' if size else ""
        html = f' src="{href}" alt="{alt}"{sides}{attributes}>'
        if is_linked == "0" or not size:
            return f"<img{scheme_class}{html}"
        return f'<a{scheme_class} href="{href}"><img{html}</a>'

    def video(video: re.Match[str]) -> str:
        # Of its own source and those in it, the first that is a file of the site.
        numbers = list(map(int, _SOURCE.findall(video[0])))
        found = (addresses[number] or "" for number in numbers)
        src = next((each for each in found if each.startswith("/files/")), None)
        if src is None:
            return escape(links[numbers[0]].rpartition("/")[2]) if numbers else ""
        size = _SOURCE.sub("", video[1])
        return f'<video src="{escape(src)}" controls preload="metadata"{size}></video>'

    if "<video" in html:
        html = _VIDEO.sub(video, html)
    return _IMAGE.sub(picture, html) if "<img" in html else html


def mark_figures(tokens: Sequence[Token]) -> None:
    """Make a paragraph that is one image with a title a figure with a caption."""
    for index, token in enumerate(tokens):
        if token.type != "paragraph_open" or token.hidden:
            continue
        children = tokens[index + 1].children or []
        if len(children) == 1 and children[0].type == "image":
            picture, closing = children[0], tokens[index + 2]
            if title := _title(picture):
                token.tag = closing.tag = "figure"
                picture.meta["caption"] = title
                if scheme := _scheme(picture):
                    token.attrSet("class", f"only-{scheme}")


def _title(token: Token) -> str:
    return str(token.attrs.get("title") or "")


def size_of(attributes: Mapping[str, Any]) -> str:
    """Return the size that the author gave; both parts are numbers."""
    names = [name for name in ("width", "height") if name in attributes]
    return "".join(f' {name}="{attributes[name]}"' for name in names)


def _scheme(token: Token) -> str:
    classes = str(token.attrs.get("class") or "").split()
    return next((scheme for scheme in SCHEMES if scheme in classes), "")
