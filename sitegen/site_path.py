"""
Put a site below a path: its addresses begin with the path of MASTHEAD_SITE_URL.

Templates, texts and data name pages from the root of the site, as "/status/", and the
files of the output folder are where they are without a path. The path is added last, to
what readers get.
"""

import re

# Templates of operators may have values between single quotes.
_TAG = re.compile(r"""<[a-zA-Z](?:[^<>"']|"[^"]*"|'[^']*')*>""")
_ATTRIBUTE = re.compile(r"""(?<=\s)([^\s"'=<>]+)=("[^"]*"|'[^']*')""")
_ADDRESSES = frozenset({"action", "data-search", "href", "poster", "src"})
_REFRESH = "0; url="


def add_site_path(html: str, site_path: str) -> str:
    """Return the page with the path before every address from the root of the site."""
    if not site_path:
        return html

    def attribute(match: re.Match[str]) -> str:
        name, quoted = match.groups()
        quote, value = quoted[0], quoted[1:-1]
        start = _REFRESH if name == "content" and value.startswith(_REFRESH) else ""
        address = value.removeprefix(start)
        if address[:1] != "/" or address[:2] == "//":
            return match[0]
        if not start and name not in _ADDRESSES:
            return match[0]
        return f"{name}={quote}{start}{site_path}{address}{quote}"

    return _TAG.sub(lambda tag: _ATTRIBUTE.sub(attribute, tag[0]), html)
