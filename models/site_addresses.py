"""Name the addresses of the site, and the files that are served at an address."""

import re
from urllib.parse import quote, unquote

# The page in the folder of something that was removed. Web servers that look for it
# answer 410 with it at the address of what was there.
GONE_PAGE = "gone.html"
# The folder with a note for each address from which a page has moved: its new address.
# Web servers that find a note send the request on to Masthead.
MOVED = "_moved/"
_REFERENCE_URL = re.compile(r'("url": ?")(?=/reference/)')


def incident_address(id: str) -> str:
    return f"/status/incidents/{id}/"


def maintenance_address(id: str) -> str:
    return f"/status/maintenance/{id}/"


def service_address(slug: str) -> str:
    return f"/status/services/{slug}/"


def link_openapi_to_site(openapi: str, site_path: str) -> str:
    """Return the OpenAPI document, as JSON, which links to a site below a path."""
    return _REFERENCE_URL.sub(rf"\g<1>{site_path}", openapi) if site_path else openapi


def url_path(path: str) -> str:
    """Return the URL path of a file; that of an index.html is its folder."""
    folder, slash, name = path.rpartition("/")
    return quote(f"/{folder}{slash}" if name == "index.html" else "/" + path)


def file_for(address: str) -> str:
    """Return the path of the file that is served at an address, not percent-encoded."""
    path = address.lstrip("/")
    return path if path and not path.endswith("/") else f"{path}index.html"


def moved_note(address: str) -> str:
    """Return the path of the note that the page at a URL path of the host has moved."""
    return f"{MOVED}{address.strip('/')}/moved.txt"


def without_query(href: str) -> str:
    """Return a link without its query and fragment."""
    return href.partition("#")[0].partition("?")[0]


def candidate_files(address: str) -> tuple[str, ...]:
    """Return the paths of the files that may be served at a URL path."""
    path = unquote(without_query(address)).lstrip("/")
    if not path or path.endswith("/"):
        return (f"{path}index.html",)
    return path, f"{path}/index.html"
