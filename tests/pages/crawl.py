"""A crawler of a built site, which collects and checks all links."""

from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlsplit

LINK_ATTRIBUTES = {"a": "href", "link": "href", "script": "src", "img": "src"}


class _Page(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids.add(found.get("id"))
        if found.get(LINK_ATTRIBUTES.get(tag)) and found.get("rel") != "canonical":
            self.links.append(found[LINK_ATTRIBUTES[tag]])


def files_of(output):
    """Return the files of a site by their address."""
    return {
        "/" + path.relative_to(output).as_posix().removesuffix("index.html"): path
        for path in output.rglob("[!.]*")
        if path.is_file()
    }


def lost_links(output):
    """Return (page, link) for each broken link within the site."""
    files = files_of(output)
    pages = {
        at: _Page(path.read_text(encoding="utf-8"))
        for at, path in files.items()
        if path.suffix == ".html"
    }
    lost = []
    for at, page in pages.items():
        for link in page.links:
            parts = urlsplit(urljoin(at, link))
            if parts.scheme or parts.netloc:
                continue
            target, fragment = unquote(parts.path), unquote(parts.fragment)
            is_there = target in files
            if is_there and fragment and target in pages:
                is_there = fragment in pages[target].ids
            if not is_there:
                lost.append((at, link))
    return lost
