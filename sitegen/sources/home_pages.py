"""Write the front matter of home pages as Markdown: VitePress, VuePress, Starlight."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from models.front_matter import FrontMatter, text_of

# The width of the icon of a feature, in pixels.
ICON_WIDTH = 32
# Characters that would end the text or the address of a link.
_IN_TEXT = str.maketrans({"[": r"\[", "]": r"\]"})
_IN_ADDRESS = str.maketrans({each: quote(each) for each in " ()<>"})


def home_page(front_matter: FrontMatter, body: str) -> str:
    """
    Return the body, after the hero and the features that the front matter has.

    The name of the site becomes a heading, which gives the page its title.
    """
    hero = front_matter.get("hero")
    if not isinstance(hero, dict):
        is_home = front_matter.get("home") is True
        is_home = is_home or text_of(front_matter, "layout") == "home"
        hero = _vuepress_hero(front_matter) if is_home else None
    if hero is None:
        return body
    blocks = [
        _name(front_matter, text_of(hero, "name", "title")),
        text_of(hero, "text"),
        text_of(hero, "tagline"),
        " ".join(_pictures(hero.get("image"))),
        text_of(hero, "image.html"),
        " · ".join(_links(hero.get("actions"))),
        "\n".join(_features(front_matter.get("features"))),
        body,
        text_of(front_matter, "footer"),
    ]
    return "\n\n".join(filter(None, blocks))


def _vuepress_hero(front_matter: FrontMatter) -> dict[str, Any]:
    link = {
        "text": text_of(front_matter, "actionText"),
        "link": text_of(front_matter, "actionLink"),
    }
    return {
        "name": text_of(front_matter, "heroText"),
        "tagline": text_of(front_matter, "tagline"),
        "image": {
            "src": text_of(front_matter, "heroImage"),
            "dark": text_of(front_matter, "heroImageDark"),
            "alt": text_of(front_matter, "heroAlt", "heroImageAlt", "heroText"),
        },
        "actions": front_matter.get("actions", [link]),
    }


def _name(front_matter: FrontMatter, name: str) -> str:
    """Return the name as a heading, or as text if the page has another title."""
    title = text_of(front_matter, "title")
    if not title:
        return f"# {name}" if name else ""
    return f"**{name}**" if name not in ("", title) else ""


def _pictures(image: Any, attributes: str = "") -> Iterator[str]:
    """Yield a picture, or one for each colour scheme."""
    if isinstance(image, str):
        image = {"src": image}
    if not isinstance(image, dict):
        return
    alt = text_of(image, "alt").translate(_IN_TEXT)
    dark, light = text_of(image, "dark"), text_of(image, "light", "src", "file")
    for address, scheme in ((light, " .light" if dark else ""), (dark, " .dark")):
        if address:
            options = (attributes + scheme).strip()
            braces = f"{{{options}}}" if options else ""
            yield f"![{alt}]({address.translate(_IN_ADDRESS)}){braces}"


def _links(actions: Any) -> Iterator[str]:
    for action in actions if isinstance(actions, list) else ():
        if isinstance(action, dict) and (text := text_of(action, "text")):
            yield _link(text, text_of(action, "link"))


def _link(text: str, address: str) -> str:
    text = text.translate(_IN_TEXT)
    return f"[{text}]({address.translate(_IN_ADDRESS)})" if address else text


def _features(features: Any) -> Iterator[str]:
    """Yield the lines of a list: the title of each feature, and its text below."""
    for feature in features if isinstance(features, list) else ():
        if not isinstance(feature, dict):
            continue
        address, words = text_of(feature, "link"), text_of(feature, "linkText")
        title = text_of(feature, "title")
        details = [text_of(feature, "details")]
        if words:
            details.append(_link(words, address))
        elif title:
            title = _link(title, address)
        line = f"{_icon(feature.get('icon'))} **{title}**" if title else ""
        if lines := list(filter(None, (line.strip(), *details))):
            yield "- " + "\\\n  ".join(lines)


def _icon(icon: Any) -> str:
    """Return a picture or an emoji; names of icons and drawings mean nothing here."""
    if isinstance(icon, dict):
        return " ".join(_pictures(icon, f"width={ICON_WIDTH}"))
    text = str(icon or "")
    return "" if text.isascii() else text
