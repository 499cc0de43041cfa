"""Name the addresses of the site's pages that responses and notices link to."""


def incident_address(id: str) -> str:
    return f"/status/incidents/{id}/"


def maintenance_address(id: str) -> str:
    return f"/status/maintenance/{id}/"


def service_address(slug: str) -> str:
    return f"/status/services/{slug}/"
