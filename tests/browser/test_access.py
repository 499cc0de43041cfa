"""axe has no findings on any kind of page, and no page needs a script."""

import json
from urllib.request import urlopen

import pytest

from tests.browser.axe import FEW_LOOKS, WIDTHS, findings

PAGES = {
    "front": "/",
    "collection": "/guides/",
    "document": "/guides/keys/",
    "uneven document": "/guides/words/",
    "renamed document": "/guides/renamed/",
    "status": "/status/",
    "service": "/status/services/search/",
    "incident": "/status/incidents/{incident}/",
    "window": "/status/maintenance/{window}/",
    "embed": "/status/embed/",
    "search": "/search/?q=limits",
    "problem": "/problems/not-found/",
    "problems": "/problems/",
    "reference": "/reference/",
    "noun": "/reference/status/incidents/",
    "noun with much to it": "/reference/projects/work-items/",
    "not found": "/404.html",
}
REAL = (
    *("introduction", "introduction/glossary", "introduction/faq"),
    *("concepts/data_model", "instrumenting/exporters", "visualization/grafana"),
    *("practices/histograms", "practices/rules"),
)

of_each = pytest.mark.parametrize("name", PAGES)


@pytest.fixture(scope="module")
def addresses(site):
    """Return the address of a page of each kind."""
    newest = {}
    for kind, path in (("incident", "incidents"), ("window", "maintenance")):
        with urlopen(f"{site}/status/{path}.json") as result:
            newest[kind] = json.load(result)["data"][0]["id"]
    return {name: site + path.format(**newest) for name, path in PAGES.items()}


@of_each
def test_nothing_is_found(open_strictly, addresses, name):
    """A page of every kind has no findings, narrow and light, wide and dark."""
    assert findings(open_strictly(addresses[name]), FEW_LOOKS[:2]) == {}


@pytest.mark.nightly
@of_each
def test_nothing_is_found_anyhow(open_strictly, addresses, name):
    """There are no findings at both widths in both schemes."""
    assert findings(open_strictly(addresses[name])) == {}


def test_nothing_is_found_in_results(open_strictly, site):
    """The open panel of results has no findings either."""
    page = open_strictly(site)

    page.keyboard.press("/")
    page.keyboard.insert_text("limits")
    page.locator(".results li").first.wait_for()

    assert findings(page) == {}


@of_each
def test_scripts_off(open_strictly, addresses, name):
    """
    Without scripts every page is complete, has no errors, and calls no other host.
    """
    for width in WIDTHS:
        page = open_strictly(
            addresses[name],
            java_script_enabled=False,
            viewport={"width": width, "height": 700},
        )
        assert page.locator("h1").first.inner_text().strip()


@pytest.mark.parametrize("path", REAL)
def test_real_docs(open_strictly, real_site, path):
    """Pages of real documentation have no findings either, and call no other host."""
    assert findings(open_strictly(f"{real_site}/guides/{path}/"), FEW_LOOKS[:2]) == {}
