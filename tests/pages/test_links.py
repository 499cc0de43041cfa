"""Every link and asset of a whole site works."""

from urllib.parse import unquote, urlsplit

import pytest

from api.http.problem_types import PROBLEM_TYPES
from tests.pages.docs.test_docs import BODY
from tests.pages.html import Reader
from tests.pages.status.test_status import sample_status  # noqa: F401  (a fixture)

LINK_ATTRIBUTES = {"a": "href", "link": "href", "script": "src", "img": "src"}


@pytest.fixture
def site(sample_status, docs_project, build_site, output):  # noqa: F811
    """A build with documents in every place and the sample status page."""
    docs_project.publish(
        "welcome", "[Keys](keys-and-scopes.md#asking) and [status](/status/)"
    )
    docs_project.publish("keys-and-scopes", BODY + "\n# Asking\n", section="Start")
    docs_project.publish("sign-in", "[Up](#below)\n\n## Below\n", section="A & B")
    moved = docs_project.publish("limits", "## Rates\n", collection="support")
    docs_project.update(moved, collection="products", section="Start")
    report = build_site()
    assert (report.failed, report.warnings) == ([], [])
    return {
        "/" + path.relative_to(output).as_posix().removesuffix("index.html"): path
        for path in output.rglob("[!.]*")
        if path.is_file()
    }


def addresses_in(page):
    """Return the site's addresses on a page, without its canonical one."""
    for tag, attributes in page.elements:
        address = attributes.get(LINK_ATTRIBUTES.get(tag))
        if address and attributes.get("rel") != "canonical":
            parts = urlsplit(address)
            if not parts.scheme:
                yield parts.path, unquote(parts.fragment)


def test_every_link_leads_somewhere(site):
    """Each address is a file of the site, and a fragment is an id of its page."""
    pages = {at: Reader(p.read_text()) for at, p in site.items() if p.suffix == ".html"}
    ids = {
        at: [found["id"] for _, found in page.elements if "id" in found]
        for at, page in pages.items()
    }

    for at, page in pages.items():
        for path, fragment in addresses_in(page):
            target = path or at
            assert target in site, (at, path)
            assert not fragment or fragment in ids[target], (at, path, fragment)
        assert len(ids[at]) == len(set(ids[at])), at


def test_every_page_has_its_header(site):
    """
    Each page has one h1 and its canonical address, which is the new one if it moved.
    """
    for at, path in site.items():
        if path.suffix == ".html":
            page = Reader(path.read_text())
            canonical = [e["href"] for e in page.all("link") if e["rel"] == "canonical"]
            assert len(page.all("h1")) == 1, at
            assert canonical == [f"http://127.0.0.1:8000{stands_for(at)}"]


def stands_for(at):
    """A redirect or an embed names its canonical page."""
    at = at.replace("/support/", "/products/")
    if at == "/status/embed/":
        return "/status/"
    return at.replace("/status/embed/", "/status/services/")


def test_every_problem_has_a_page(site):
    """The `type` of every problem is the address of a page about it."""
    for kind in PROBLEM_TYPES:
        assert f"/problems/{kind}/" in site
