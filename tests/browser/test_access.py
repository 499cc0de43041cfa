"""Zero findings of axe on every kind of page, and no script that a page needs."""

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
    *("introduction", "glossary", "histograms", "data-model"),
    *("faq", "exporters", "rules", "grafana"),
)

of_each = pytest.mark.parametrize("name", PAGES)


@pytest.fixture(scope="module")
def addresses(site):
    """Where a page of each kind stands."""
    newest = {}
    for kind, path in (("incident", "incidents"), ("window", "maintenance")):
        with urlopen(f"{site}/status/{path}.json") as result:
            newest[kind] = json.load(result)["data"][0]["id"]
    return {name: site + path.format(**newest) for name, path in PAGES.items()}


@of_each
def test_nothing_is_found(watched, addresses, name):
    """A page of every kind is without fault, narrow and light, wide and dark."""
    assert findings(watched(addresses[name]), FEW_LOOKS[:2]) == {}


@pytest.mark.nightly
@of_each
def test_nothing_is_found_anyhow(watched, addresses, name):
    """It is so at both widths in both schemes."""
    assert findings(watched(addresses[name])) == {}


def test_nothing_is_found_in_results(watched, site):
    """The open panel of results is without fault as well."""
    page = watched(site)

    page.keyboard.press("/")
    page.keyboard.insert_text("limits")
    page.locator(".results li").first.wait_for()

    assert findings(page) == {}


@of_each
def test_scripts_off(watched, addresses, name):
    """Without scripts every page is there, quiet, and asks nobody else."""
    for width in WIDTHS:
        page = watched(
            addresses[name],
            java_script_enabled=False,
            viewport={"width": width, "height": 700},
        )
        assert page.locator("h1").first.inner_text().strip()


@pytest.mark.parametrize("slug", REAL)
def test_real_docs(watched, real_site, slug):
    """Pages of real docs are without fault too, and ask no other host."""
    assert findings(watched(f"{real_site}/guides/{slug}/"), FEW_LOOKS[:2]) == {}
