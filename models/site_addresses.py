"""Name the addresses of the site's pages that responses and notices link to."""

# The page in the folder of something that was removed. Web servers that look for it
# answer 410 with it at the address of what was there.
GONE_PAGE = "gone.html"


def incident_address(id: str) -> str:
    return f"/status/incidents/{id}/"


def maintenance_address(id: str) -> str:
    return f"/status/maintenance/{id}/"


def service_address(slug: str) -> str:
    return f"/status/services/{slug}/"
