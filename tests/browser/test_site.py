"""The built sample site as readers see it: narrow and wide, light and dark."""

import json
from itertools import product
from urllib.request import urlopen

import pytest

PAGES = ("front", "status", "service", "incident", "collection", "document")
SIDEWAYS = "document.documentElement.scrollWidth"


@pytest.fixture(scope="package")
def paths(site):
    """Return the path of a page of each kind."""
    with urlopen(f"{site}/status/incidents.json") as result:
        incident = json.load(result)["data"][0]["id"]
    found = ("/", "/status/", "/status/services/search/")
    found += (f"/status/incidents/{incident}/", "/guides/", "/guides/keys/")
    return dict(zip(PAGES, found, strict=True))


@pytest.fixture
def visit(open_strictly, site, paths):
    """Open the page of a kind with browser options."""
    return lambda name, **more: open_strictly(site + paths[name], **more)


@pytest.mark.parametrize(("name", "scheme"), list(product(PAGES, ("light", "dark"))))
def test_page(visit, name, scheme):
    """Every page fits every width, in both schemes, and has one h1."""
    page = visit(name, color_scheme=scheme)

    for width in (1280, 360, 320):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate(SIDEWAYS) <= width, width
    assert page.locator("h1").count() == 1
    assert page.locator("h1:visible").count() == 1


@pytest.mark.parametrize("name", PAGES)
def test_page_without_scripts(visit, name):
    """With scripts off all text is there, and no useless control."""
    page = visit(
        name, java_script_enabled=False, viewport={"width": 360, "height": 700}
    )

    assert page.locator("h1").inner_text().strip()
    assert page.locator("button:visible").count() == 0


def test_banner_grows_old(visit):
    """Once the reader's clock passes the deadline, the page says it is out of date."""
    page = visit("status")
    assert page.locator("h1").inner_text() != "Status data out of date"

    page.clock.run_for(5 * 60 * 1000 + 10_000)

    assert page.locator("h1").inner_text() == "Status data out of date"


def test_anchor_leads_down_the_page(visit):
    """A link in the table of contents scrolls to its heading."""
    page = visit("document", viewport={"width": 1280, "height": 400})

    page.locator(".contents a").last.click()

    # The browser scrolls in its next frame, not within the click; and the page's policy
    # forbids waiting for that with an expression inside it.
    for _ in range(50):
        if page.evaluate("scrollY") > 0:
            break
        page.wait_for_timeout(100)
    assert page.evaluate("scrollY") > 0
