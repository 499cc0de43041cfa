"""
Render images: their size, captions, the picture behind a click, and when they load.

Which file an image shows is decided when a page is made, as for links. Until then an
image is its target's number, its alternative text and its attributes between marks.
"""

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from markdown_it.common.normalize_url import normalizeLink
from markdown_it.token import Token

from sitegen.markdown.headings import inline_text
from sitegen.markdown.link_targets import LinkTarget, is_allowed_image, link_target

# Surrounds the parts of an image that is resolved later; documents cannot contain it.
IMAGE_MARK = "\x02"
# How much longer than its target and its text a resolved image can be.
RESOLVED_IMAGE_BYTES = 400
# Authors give these to pictures that are for one of the two colour schemes.
SCHEMES = ("dark", "light")

_IMAGE_TAG = re.compile(
    rf'<img( class="only-[a-z]+")? src="{IMAGE_MARK}(\d+ [01])"'
    r' alt="([^"<>]*+)"([^<>]*+)>'
)
_VIDEO_TAG = re.compile(
    rf'<video src="{IMAGE_MARK}(\d+)" title="([^"<>]*+)"([^<>]*+)></video>'
)

# Width and height in pixels.
Size = tuple[int, int]


def image(token: Token, env: Any) -> str:
    """Return an image, a text if its address is unsafe, or what is resolved later."""
    source = str(token.attrs["src"])
    title = "" if "caption" in token.meta else str(token.attrs.get("title") or "")
    alternative_text = inline_text(token.children)
    html = render_image(
        source, alternative_text, title, _scheme(token), env, _size(token)
    )
    return anchor(token) + html + _caption(token)


def video(token: Token, env: Any) -> str:
    """Return what becomes a video once its source is found among the site's files."""
    source = str(token.attrs["src"])
    number = env["links"].setdefault(source, len(env["links"]))
    env["limit"].add_link(RESOLVED_IMAGE_BYTES + len(escape(source).encode()))
    name = escape(source.rpartition("/")[2])
    return f'<video src="{IMAGE_MARK}{number}" title="{name}"{_size(token)}></video>\n'


def render_image(
    source: str,
    alternative_text: str,
    title: str,
    scheme: str,
    env: Any,
    size: str = "",
) -> str:
    alt = escape(alternative_text)
    if not is_allowed_image(source):
        return alt
    attributes = (f' title="{escape(title)}"' if title else "") + size
    # The first is likely to be seen at once.
    attributes += ' loading="lazy"' if env["images"] else ""
    attributes += ' decoding="async"'
    env["images"] += 1
    scheme_class = f' class="only-{scheme}"' if scheme else ""
    if link_target(source) is LinkTarget.WEB:
        href = escape(normalizeLink(source.strip()))
        return f'<img{scheme_class} src="{href}" alt="{alt}"{attributes}>'
    number = env["links"].setdefault(source, len(env["links"]))
    env["limit"].add_link(RESOLVED_IMAGE_BYTES + 2 * len(escape(source).encode()))
    # A picture without a text says nothing that a link to it could be called.
    is_linked = bool(alternative_text.strip()) and not env["open_links"]
    if env["is_cleaned"]:
        # The sanitiser has to see the attributes as such; `mark_images` follows it.
        mark = f"{IMAGE_MARK}{number} {is_linked:d}"
        return f'<img{scheme_class} src="{mark}" alt="{alt}"{attributes}>'
    parts = ("", f"{number} {is_linked:d}{scheme_class}", alt, attributes, "")
    return IMAGE_MARK.join(parts)


def mark_images(html: str) -> str:
    """Put the marks of images and videos that are resolved later into cleaned HTML."""
    return _VIDEO_TAG.sub(
        rf"{IMAGE_MARK}\1 video{IMAGE_MARK}\2{IMAGE_MARK}\3{IMAGE_MARK}",
        _IMAGE_TAG.sub(
            rf"{IMAGE_MARK}\2\1{IMAGE_MARK}\3{IMAGE_MARK}\4{IMAGE_MARK}", html
        ),
    )


def resolve_images(
    html: str,
    links: Sequence[str],
    resolve: Callable[[str], str | None],
    size_of: Callable[[str], Size | None],
) -> str:
    """
    Put addresses and sizes into the images; one without an address becomes its text.

    A picture leads to itself, so that a reader can see the whole of it.
    """
    if IMAGE_MARK not in html:
        return html
    parts = html.split(IMAGE_MARK)
    # Between images, each of which has three parts.
    for index in range(1, len(parts), 4):
        head, alt, attributes = parts[index : index + 3]
        parts[index] = _resolved(head, alt, attributes, links, resolve, size_of)
        parts[index + 1] = parts[index + 2] = ""
    return "".join(parts)


def _resolved(
    head: str,
    alt: str,
    attributes: str,
    links: Sequence[str],
    resolve: Callable[[str], str | None],
    size_of: Callable[[str], Size | None],
) -> str:
    number, _, rest = head.partition(" ")
    address = resolve(links[int(number)])
    is_video = rest == "video"
    if address is None or not is_allowed_image(address):
        return alt
    if is_video and not address.startswith("/files/"):
        return alt
    href = escape(address)
    if is_video:
        return f'<video src="{href}" controls preload="metadata"{attributes}></video>'
    # The author's own size, if there is one, is among the attributes.
    size = None if " width=" in attributes else size_of(address)
    is_linked, scheme_class = rest[0] == "1", rest[1:]
    sides = f' width="{size[0]}" height="{size[1]}"' if size else ""
    picture = f' src="{href}" alt="{alt}"{sides}{attributes}>'
    if not (is_linked and size):
        return f"<img{scheme_class}{picture}"
    return f'<a{scheme_class} href="{href}"><img{picture}</a>'


def mark_figures(tokens: Sequence[Token]) -> None:
    """Make a paragraph that is one image with a title a figure with a caption."""
    for index, token in enumerate(tokens):
        if token.type != "paragraph_open" or token.hidden:
            continue
        children = tokens[index + 1].children or []
        if len(children) == 1 and children[0].type == "image":
            picture, closing = children[0], tokens[index + 2]
            if picture.attrs.get("title"):
                token.tag = closing.tag = "figure"
                picture.meta["caption"] = str(picture.attrs["title"])
                if scheme := _scheme(picture):
                    token.attrSet("class", f"only-{scheme}")


def _caption(token: Token) -> str:
    """Return the caption of an image that is a figure, nothing for any other."""
    text = token.meta.get("caption")
    return f"<figcaption>{escape(text)}</figcaption>" if text else ""


def anchor(token: Token) -> str:
    """Return an element with the id of an image or link, which may become text."""
    id = token.attrs.get("id")
    return f'<span id="{escape(str(id))}"></span>' if id else ""


def _size(token: Token) -> str:
    """Return the size that the author gave; both parts are numbers."""
    names = [name for name in ("width", "height") if name in token.attrs]
    return "".join(f' {name}="{token.attrs[name]}"' for name in names)


def _scheme(token: Token) -> str:
    classes = str(token.attrs.get("class") or "").split()
    return next((scheme for scheme in SCHEMES if scheme in classes), "")
