"""Name the paths of the site's files, and put the site below a path of its host."""

import re
from math import ceil

from models.site_addresses import (
    incident_address,
    maintenance_address,
    service_address,
)

REFERENCE = "/reference/"
HOW = "status/how/index.html"
# A change of one page rewrites the sitemap that lists it, so sitemaps are short.
ADDRESSES_OF_SITEMAP = 1000
# Templates of operators may have values between single quotes.
_TAG = re.compile(r"""<[a-zA-Z](?:[^<>"']|"[^"]*"|'[^']*')*>""")
_ATTRIBUTE = re.compile(r"""(?<=\s)([^\s"'=<>]+)=("[^"]*"|'[^']*')""")
_ADDRESSES = frozenset({"action", "data-search", "href", "poster", "src"})
_REFRESH = "0; url="


def service_path(slug: str) -> str:
    return _file_at(service_address(slug))


def data_path(slug: str, extension: str) -> str:
    return f"status/data/{slug}.{extension}"


def incident_path(id: str) -> str:
    return _file_at(incident_address(id))


def maintenance_path(id: str) -> str:
    return _file_at(maintenance_address(id))


def calendar_path(id: str) -> str:
    """Return the path of the calendar with one maintenance window."""
    return f"status/maintenance/{id}.ics"


def history_path(month: str | None = None) -> str:
    return (
        f"status/history/{month}/index.html" if month else "status/history/index.html"
    )


def sitemap_paths(collection: str, addresses: int) -> list[str]:
    """Return the paths of the sitemaps of a collection with so many addresses."""
    count = ceil(addresses / ADDRESSES_OF_SITEMAP)
    return [sitemap_path(f"{collection}-{number}") for number in range(1, count + 1)]


def sitemap_path(name: str) -> str:
    return f"sitemaps/{name}.xml"


def markdown_path(path: str) -> str:
    """Return the path of a document page's Markdown, which is beside its folder."""
    return json_path(path).removesuffix(".json") + ".md"


def json_path(path: str) -> str:
    """Return the path of a page's data, which are beside its folder."""
    stem = path.removesuffix("/index.html")
    # The first page of a collection has none beside it: index.json is the list.
    return f"{stem}.json" if "/" in stem else f"{stem}/index/index.json"


def _file_at(address: str) -> str:
    """Return the path of the page at an address of a folder."""
    return f"{address[1:]}index.html"


def add_site_path(html: str, site_path: str) -> str:
    """
    Return the page with the path of MASTHEAD_SITE_URL before the site's addresses.

    Templates, texts and data name pages from the root of the site, as "/status/", and
    the files of the output folder are where they are without a path. The path is added
    last, to what readers get.
    """
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
