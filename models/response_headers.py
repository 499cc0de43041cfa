"""How a published file is to be served: its type, how long to keep it, its headers."""

from collections.abc import Mapping

TYPES = {
    ".atom": "application/atom+xml; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
    ".gif": "image/gif",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".ics": "text/calendar; charset=utf-8",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".png": "image/png",
    ".rss": "application/rss+xml; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
    ".xml": "application/xml; charset=utf-8",
}

# How long who may keep a file. All but the first are asked for anew each time, which
# costs no body; a page that does not tell the present may outlive its origin's fall.
KEEPING = {
    "immutable": "public, max-age=31536000, immutable",
    "page": "public, max-age=0, stale-if-error=604800",
    "volatile": "public, max-age=0, must-revalidate",
    "never": "no-store",
}
# Every place of the site. No two hold the same address: hosts join what several
# rules say of one header, and two lengths of time in one line mean neither.
PLACES = {
    "/assets/*": "immutable",
    "/": "volatile",
    "/404.html": "page",
    "/guides/*": "page",
    "/llms-full.txt": "page",
    "/llms.txt": "page",
    "/manifest.json": "page",
    "/openapi.json": "page",
    "/problems/*": "page",
    "/products/*": "page",
    "/reference/*": "page",
    "/robots.txt": "page",
    "/search/*": "page",
    "/sitemap.xml": "page",
    "/sitemaps/*": "page",
    "/support/*": "page",
    # What stood on the status page that was here before.
    "/affected/*": "page",
    "/history/*": "page",
    "/incident/*": "page",
    "/incidents/*": "page",
    "/issues/*": "page",
    "/api/*": "volatile",
    "/builds/*": "volatile",
    "/history.atom": "volatile",
    "/history.rss": "volatile",
    "/status.txt": "volatile",
    "/status/": "volatile",
    "/status/badge.svg": "volatile",
    "/status/badges/*": "volatile",
    "/status/data/*": "volatile",
    "/status/embed/*": "volatile",
    "/status/feed.atom": "volatile",
    "/status/feed.json": "volatile",
    "/status/feed.rss": "volatile",
    "/status/history/*": "volatile",
    "/status/how/*": "volatile",
    "/status/incidents.json": "volatile",
    "/status/incidents/*": "volatile",
    "/status/index.json": "volatile",
    "/status/maintenance.ics": "volatile",
    "/status/maintenance.json": "volatile",
    "/status/maintenance/*": "volatile",
    "/status/services/*": "volatile",
    "/build.json": "never",
}

# What a page may load. The second part means nothing inside a page.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https:;"
    " connect-src 'self'; base-uri 'none'; form-action 'self'"
)
POLICY = f"{PAGE_POLICY}; frame-ancestors 'none'"
# The only pages that others may show in a frame.
FRAMED = "/status/embed/*"
# Everything here is public, so any program in a browser may read it.
HEADERS: Mapping[str, str] = {
    "Access-Control-Allow-Origin": "*",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Content-Type-Options": "nosniff",
}
# What any answer has that is no file of the site: a browser runs nothing of it, shows
# it in no frame and takes it for nothing else.
ANSWER_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}


def address(path: str) -> str:
    """Return the address of a file: a folder's index is the folder."""
    folder, slash, name = path.rpartition("/")
    return f"/{folder}{slash}" if name == "index.html" else "/" + path


def file_at(address: str) -> str:
    """Return the path of the file that an address of the site is answered with."""
    path = address.lstrip("/")
    return path if path and not path.endswith("/") else f"{path}index.html"


def page_of(href: str) -> str:
    """Return what a link leads to: its address without query and fragment."""
    return href.partition("#")[0].partition("?")[0]


def paths_at(address: str) -> tuple[str, ...]:
    """Return the files that may answer at an address: a folder is its index."""
    path = page_of(address).lstrip("/")
    if not path or path.endswith("/"):
        return (f"{path}index.html",)
    return path, f"{path}/index.html"


def type_of(path: str) -> str:
    """Return the Content-Type; what has no ending is a host's file, and text."""
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    if not stem or not ending:
        return TYPES[".txt"]
    return TYPES.get(dot + ending, "application/octet-stream")


def place_of(path: str) -> str | None:
    """Return the place that holds the file, None for one that is never asked for."""
    place, folder = address(path), path
    while place not in PLACES:
        folder, slash, _ = folder.rpartition("/")
        if not slash:
            return None
        place = f"/{folder}/*"
    return place


def cache_class(path: str) -> str:
    """How long a host may keep it: immutable by name, volatile with the state."""
    return PLACES.get(place_of(path) or "", "page")


def policy_of(place: str | None) -> str:
    """Return what a page of the place may load, and who may show it in a frame."""
    return f"{PAGE_POLICY}; frame-ancestors *" if place == FRAMED else POLICY


def headers_of(path: str) -> dict[str, str]:
    """Return the headers that a file of the site is answered with."""
    return {
        **HEADERS,
        "Content-Security-Policy": policy_of(place_of(path)),
        "Cache-Control": KEEPING[cache_class(path)],
        "Content-Type": type_of(path),
    }
