"""What axe-core has to say of a page, at each width and in each scheme."""

from axe_playwright_python.base import AXE_SCRIPT

WIDTHS, SCHEMES = (360, 1280), ("light", "dark")
RUN = "axe.run({resultTypes: ['violations']}).then((told) => told.violations)"


def findings(page):
    """Return each finding once, with where and how it was found first."""
    found = {}
    page.evaluate(AXE_SCRIPT)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            for each in page.evaluate(RUN):
                nodes = [node["html"][:200] for node in each["nodes"]]
                found.setdefault(each["id"], (width, scheme, nodes))
    return found
