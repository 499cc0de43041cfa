"""A site below a path: every address has the path, and the files stay in place."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from models.site_addresses import file_for
from sitegen.builder.build import build
from sitegen.page import BuildContext
from sitegen.theme.site_theme import site_theme
from sitegen.urls import add_site_path
from tests.factories.readers import MAIL
from tests.pages.crawl import lost_links
from tests.pages.docs.test_docs import BODY
from tests.pages.html import Reader
from tests.pages.output.test_headers_file import rules_in
from tests.pages.status.test_status import sample_status  # noqa: F401  (a fixture)
from tests.samples.openapi_document import DESCRIBED

PATH = "/docs/v2"
SITE = f"https://example.com{PATH}"


@pytest.fixture
def settings(settings, home):
    """The folder is mounted at the path, on a host that serves nothing else."""
    output = str(home / "host") + PATH
    return replace(settings, site_url=f"{SITE}/", output=output, **MAIL)


@pytest.fixture
def site(sample_status, docs_project, build_site, output):  # noqa: F811
    docs_project.add("disk.svg", b'<svg xmlns="http://www.w3.org/2000/svg"/>')
    docs_project.publish("welcome", "[Keys](keys-and-scopes.md) and [status](/status/)")
    docs_project.publish("keys-and-scopes", BODY + "\n![Disk](/files/docs/disk.svg)\n")
    moved = docs_project.publish("limits", "## Rates\n", collection="support")
    docs_project.update(moved, collection="products", section="Start")
    report = build_site(openapi=DESCRIBED)
    assert report.failed == []
    return output


def test_every_link_leads_somewhere(site, home):
    """On a host with the folder at the path, no link and no asset is broken."""
    assert len(list(site.rglob("*.html"))) > 20

    assert lost_links(home / "host") == []


def test_no_address_lacks_the_path(site):
    """
    Addresses that no link check covers have the path too: forms, redirects, the search.
    """
    front, status, moved = (
        Reader((site / path).read_text())
        for path in ("index.html", "status/index.html", "support/limits/index.html")
    )

    (search,) = (e["data-search"] for _, e in front.elements if "data-search" in e)
    assert search.startswith(f"{PATH}/assets/search.")
    (form,) = status.all("form")
    assert form["action"] == "https://example.com/subscribe"
    (refresh,) = (e for e in moved.all("meta") if e.get("http-equiv") == "refresh")
    assert refresh["content"] == f"0; url={PATH}/products/limits/"


def test_canonical_addresses(site):
    """Canonical addresses are those at which readers find the pages."""
    page = Reader((site / "guides/welcome/index.html").read_text())

    (canonical,) = (e for e in page.all("link") if e["rel"] == "canonical")
    assert canonical["href"] == f"{SITE}/guides/welcome/"
    assert f"{SITE}/guides/welcome/" in (site / "sitemaps/guides-1.xml").read_text()
    assert f"Sitemap: {SITE}/sitemap.xml" in (site / "robots.txt").read_text()
    assert f"{SITE}/status/" in (site / "status/feed.atom").read_text()
    page = json.loads((site / "api/v2/summary.json").read_text())["page"]
    assert page["url"] == SITE


def test_hosts_are_told_whole_addresses(site):
    """The configuration of hosts has the complete paths, as hosts match them."""
    headers = rules_in((site / "_headers").read_text())
    redirects = (site / "_redirects").read_text().splitlines()

    assert all(place.startswith(f"{PATH}/") for place in headers)
    assert f"{PATH}/support/limits/ {PATH}/products/limits/ 301" in redirects
    assert redirects[-1] == f"{PATH}/* {PATH}/404.html 404"


def test_data_that_names_addresses(site):
    """Programs can follow addresses in data unchanged."""
    service = json.loads((site / "status/services/api.json").read_text())
    openapi = json.loads((site / "openapi.json").read_text())

    assert service["meta"]["counters"] == f"{PATH}/status/data/api.json"
    links = [tag["externalDocs"]["url"] for tag in openapi["tags"]]
    assert links
    assert all(link.startswith(f"{PATH}/reference/") for link in links)


def test_files_are_where_they_were(site):
    """The manifest lists paths in the folder; the purge list has addresses."""
    files = json.loads((site / "manifest.json").read_text())["files"]
    records = [json.loads(e.read_text()) for e in (site / "builds").glob("*.json")]

    purged = [url for record in records for url in record["purge"]]
    assert "status/index.html" in files
    assert all((site / path).is_file() for path in files)
    assert f"{SITE}/status/" in purged
    assert not any("/_" in url for url in purged)
    assert all(
        file_for(url.removeprefix(SITE)) in files
        for url in purged
        if "manif" not in url
    )


def test_other_path_is_another_site(site, build_site, settings, clock):
    """Every page is written again when the path changes."""
    moved = replace(settings, site_url="https://example.com/v3")
    build(BuildContext(clock.now, moved, site_theme(moved)))

    for page in Path(settings.output).rglob("*.html"):
        assert PATH not in page.read_text(), page


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ('<a href="/">', '<a href="/v2/">'),
        ('<a class="x" href="/status/#a">', '<a class="x" href="/v2/status/#a">'),
        ('<img src="/files/a.png" alt="a">', '<img src="/v2/files/a.png" alt="a">'),
        ('<video poster="/a.png" src="/b">', '<video poster="/v2/a.png" src="/v2/b">'),
        ("<a title='\"' href='/a/'>", "<a title='\"' href='/v2/a/'>"),
        ('<meta content="0; url=/a/">', '<meta content="0; url=/v2/a/">'),
        *(
            (same, same)
            for same in (
                '<a href="//example.com/">',
                '<a href="https://example.com/">',
                '<a href="#a">',
                '<a href="b/">',
                '<a href="">',
                '<p title="/status/">',
                '<meta content="/status/">',
                # In text, quotes need not be escaped.
                '<code>&lt;a href="/status/"&gt; and src="/x"</code>',
                '<a title="a href=" data-x="/x">',
                '<img alt=" href="/>',
                """<img alt='" href="/x"'>""",
            )
        ),
    ],
)
def test_addresses_alone_change(html, found):
    """An address from the root of the site gets the path, and no other text does."""
    assert add_site_path(html, "/v2") == found
    assert add_site_path(html, "") == html
