"""Name the addresses of the site's pages that responses and notices link to."""

import re

# The page in the folder of something that was removed. Web servers that look for it
# answer 410 with it at the address of what was there.
GONE_PAGE = "gone.html"
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
