"""Name the paths of the site's files and the addresses of their JSON twins."""

REFERENCE = "/reference/"
HOW = "status/how/index.html"


def service_path(slug: str) -> str:
    return f"status/services/{slug}/index.html"


def data_path(slug: str, extension: str) -> str:
    return f"status/data/{slug}.{extension}"


def incident_path(id: str) -> str:
    return f"status/incidents/{id}/index.html"


def maintenance_path(id: str) -> str:
    return f"status/maintenance/{id}/index.html"


def history_path(month: str | None = None) -> str:
    return (
        f"status/history/{month}/index.html" if month else "status/history/index.html"
    )


def markdown_path(path: str) -> str:
    """Return the path of a document page's Markdown, which is beside its folder."""
    return twin(path).lstrip("/").removesuffix(".json") + ".md"


def twin(path: str) -> str:
    """Return the address of a page's JSON twin, which is beside its folder."""
    stem = path.removesuffix("/index.html")
    if stem.endswith("/index"):
        # index.json beside the folder is the list of the collection.
        stem += "/index"
    return f"/{stem}.json"
