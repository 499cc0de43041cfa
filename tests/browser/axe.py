"""The findings of axe-core about a page, at each width and in each scheme."""

from axe_playwright_python.base import AXE_SCRIPT

WIDTHS, SCHEMES = (360, 1280), ("light", "dark")
RUN = "axe.run({resultTypes: ['violations']}).then((told) => told.violations)"


LOOKS = tuple((width, scheme, "none") for width in WIDTHS for scheme in SCHEMES)
# The fewest that show each width, scheme and forced colours.
FEW_LOOKS = (360, "light", "none"), (1280, "dark", "none"), (1280, "light", "active")


def findings(page, theme=LOOKS):
    """Return each finding once, with where and how it was found first."""
    found = {}
    page.evaluate(AXE_SCRIPT)
    for width, scheme, forced in theme:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme, forced_colors=forced)
        for each in page.evaluate(RUN):
            nodes = [node["html"][:200] for node in each["nodes"]]
            found.setdefault(each["id"], (width, scheme, forced, nodes))
    return found
