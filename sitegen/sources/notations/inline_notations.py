"""Convert notations within a line that Markdown has only in PyMdown and Obsidian."""

import re

from sitegen.markdown.attributes import ATTRIBUTES
from sitegen.markdown.html_tags import ID_CHARACTER

_ID = re.compile(rf"(?:^|\s)#({ID_CHARACTER}++)")
# After a code span, emphasis, an icon, or a text that ends a line or a cell. Those of
# links, pictures and headings are for the renderer.
_ATTRIBUTE_LIST = re.compile(
    r"(?:^|(?<=[*_:~=^+`])|(?<=\S)[ \t]{1,9}(?=\{[^{}]{1,300}\}[ \t]*(?:\||$)))"
    + ATTRIBUTES.pattern
)
_MARK = re.compile(r"(?<![=\w])==(?=[^\s=])([^=\n]{1,1000}?)(?<=\S)==(?![=\w])")
_INSERTION = re.compile(r"(?<!\^)\^\^(?=\S)([^^\n]{1,1000}?)(?<=\S)\^\^(?!\^)")
_KEY = r"[A-Za-z0-9][\w-]{0,30}+|\"[^\"\n+]{1,30}\""
_KEYS = re.compile(rf"(?<![\w+])\+\+((?:{_KEY})(?:\+(?:{_KEY})){{0,9}})\+\+(?![\w+])")
# A picture for one colour scheme, of Material and of GitHub.
_SCHEME = re.compile(
    r"(!\[[^\[\]]{0,300}+\]\([^()\s#]{1,300}+)#(?:only-(light|dark)"
    r"|gh-(light|dark)-mode-only)([^()\n]{0,300}+\))(\{:?)?"
)


def convert_notations(text: str) -> str:
    """Convert a part of a line that is not in code."""
    if "==" in text:
        text = _MARK.sub(r"<mark>\1</mark>", text)
    if "^^" in text:
        text = _INSERTION.sub(r"<ins>\1</ins>", text)
    if "++" in text:
        text = _KEYS.sub(_keys, text)
    if "#only-" in text or "#gh-" in text:
        text = _SCHEME.sub(_with_scheme, text)
    return text


def convert_attributes(text: str) -> str:
    """Keep the ids in attribute lists of a part of a line that is not in code."""
    return _ATTRIBUTE_LIST.sub(_anchor, text) if "{" in text else text


def is_attribute_list(line: str) -> bool:
    """Return whether a line has nothing but the attributes of the block above it."""
    return "{" in line and ATTRIBUTES.fullmatch(line.strip()) is not None


def _anchor(attributes: re.Match[str]) -> str:
    id = _ID.search(attributes[1])
    return f'<a id="{id[1]}"></a>' if id else ""


def _keys(keys: re.Match[str]) -> str:
    return "+".join(f"<kbd>{_key_name(key)}</kbd>" for key in keys[1].split("+"))


def _key_name(key: str) -> str:
    if key.startswith('"'):
        return key.strip('"')
    return key.replace("-", " ").title()


def _with_scheme(picture: re.Match[str]) -> str:
    scheme = picture[2] or picture[3]
    # Attributes that follow are in the same braces.
    return f"{picture[1]}{picture[4]}{{.{scheme}{' ' if picture[5] else '}'}"
