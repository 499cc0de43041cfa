"""Links between documents, as a build resolves them."""

import pytest


@pytest.fixture
def body(output):
    """Return the prose of a built document."""

    def read(slug, collection="guides"):
        html = (output / collection / slug / "index.html").read_text()
        return html.partition('<div class="prose">')[2].partition("<footer>")[0]

    return read


@pytest.mark.parametrize(
    ("target", "href"),
    [
        ("limits.md", "/support/limits/"),
        ("./limits.md#rates", "/support/limits/#rates"),
        ("../support/limits.md", "/support/limits/"),
        ("/support/limits/", "/support/limits/"),
        ("/support/limits#rates", "/support/limits/#rates"),
        ("/support/limits.html", "/support/limits/"),
        ("limits", "/support/limits/"),
        ("/status/", "/status/"),
        ("/openapi.json", "/openapi.json"),
        ("/support/limits/?x=1#rates", "/support/limits/?x=1#rates"),
        ("/search/?q=x&kind=y", "/search/?q=x&amp;kind=y"),
        ("#here", "#here"),
        ("https://example.org/x", "https://example.org/x"),
    ],
)
def test_link(docs_project, build_site, body, target, href):
    """A document is linked by slug, path or address; the fragment is kept."""
    docs_project.publish("limits", "## Rates\n", collection="support")
    docs_project.publish("keys", f"See [the limits]({target}).\n\n## Here\n")

    report = build_site()

    assert f'href="{href}"' in body("keys")
    assert report.warnings == []


def test_link_to_what_is_not_published(docs_project, build_site, body):
    """A link to an unpublished document is text, with a warning that names both."""
    docs_project.write("limits")
    docs_project.publish("keys", "See [the limits](limits.md#rates).\n")

    report = build_site()

    assert "See the limits." in body("keys")
    assert report.warnings == ["guides/keys: nothing is at limits.md#rates"]


@pytest.mark.parametrize(
    ("target", "is_there"),
    [
        ("limits.md#rates", True),
        ("limits.md#gr%C3%B6%C3%9Fe", True),
        ("limits.md#größe", True),
        ("limits.md#fixed", True),
        ("limits.md#", True),
        ("limits.md#top", True),
        ("#here", True),
        ("/status/#rates", True),
        ("limits.md?x=1#rates", True),
        ("limits.md?x=1#no", False),
        ("?x=1#here", True),
        ("?x=1#no", False),
        ("limits.md#Rates", False),
        ("/guides/limits#here", False),
        ("#rates", False),
    ],
)
def test_anchor(docs_project, build_site, body, target, is_there):
    """A link to a missing heading leads to its page, with a warning."""
    docs_project.publish("limits", "## Rates\n\n## Größe\n\n## Last {#fixed}\n")
    docs_project.publish("keys", f"See [this]({target}).\n\n## Here\n")

    report = build_site()

    assert "<a" in body("keys").partition("</p>")[0]
    lost = [] if is_there else [f"guides/keys: no heading is at {target}"]
    assert report.warnings == lost


def test_anchor_goes_with_its_heading(docs_project, build_site):
    """A removed heading is reported although only the linked page changed."""
    limits = docs_project.publish("limits", "## Rates\n")
    docs_project.publish("keys", "See [the rates](limits.md#rates).\n")
    before = build_site().warnings

    docs_project.update(limits, content="No rates any more.\n")
    docs_project.release(limits)
    after = build_site(["docs"])

    assert before == []
    assert after.warnings == ["guides/keys: no heading is at limits.md#rates"]
    assert "guides/keys/index.html" not in after.written


@pytest.mark.parametrize(
    ("target", "is_there"),
    [
        ("/status/services/api/", True),
        ("/status/services/api", True),
        ("/status/services/api/#uptime", True),
        ("/problems/not-found/", True),
        ("/guides/", True),
        ("/status.txt", True),
        ("/", True),
        ("/search/?q=x&kind=page#results", True),
        ("/guides/?from=mail", True),
        ("/status?x=1", True),
        ("/status//", False),
        ("/status/./", False),
        ("/support/?from=mail", False),
        ("/status/services/gone/", False),
        ("/status/services/api/no", False),
        ("/problems/none/", False),
        ("/reference/", False),
        ("/support/", False),
    ],
)
def test_link_into_the_site(api, docs_project, build_site, body, target, is_there):
    """
    Targets that are not documents are checked once all pages are built.

    The API reports the same for the document.
    """
    api("POST /status/v1/admin/services/add", {"slug": "api", "name": "API"})
    keys = docs_project.publish("keys", f"See [this]({target}).\n")

    report = build_site()

    lost = [] if is_there else [f"guides/keys: nothing is at {target}"]
    assert report.warnings == lost
    assert "<a" in body("keys").partition("</p>")[0]
    found = api("GET /projects/v1/documents/links", {"id": keys["id"]}).json["data"]
    assert [each["target"] for each in found["outgoing"]] == [target] * is_there


def test_link_to_a_service_that_is_hidden(api, docs_project, build_site):
    """If a service is removed from the status page, links to its page are broken."""
    api("POST /status/v1/admin/services/add", {"slug": "api", "name": "API"})
    docs_project.publish("keys", "See [the API](/status/services/api/).\n")
    before = build_site().warnings

    api("POST /status/v1/admin/services/update", {"slug": "api", "enabled": False})
    after = build_site().warnings

    assert before == []
    assert after == ["guides/keys: nothing is at /status/services/api/"]


def test_link_comes_alive(docs_project, build_site, body):
    """Pages that link to a document are rebuilt when it is published or withdrawn."""
    limits = docs_project.write("limits", collection="support")
    docs_project.publish("keys", "See [the limits](limits.md).\n")
    docs_project.publish("aside", "No link.\n", collection="products")
    build_site()

    docs_project.release(limits)
    alive = build_site(["docs"])
    is_linked = 'href="/support/limits/"' in body("keys")
    docs_project.withdraw(limits)
    dead = build_site(["docs"])

    assert is_linked
    assert alive.warnings == []
    assert 'href="/support/limits/"' not in body("keys")
    assert dead.warnings == ["guides/keys: nothing is at limits.md"]
    assert "guides/keys/index.html" in alive.written
    assert "guides/keys/index.html" in dead.written


def test_warning_is_told_by_every_build(docs_project, build_site):
    """A build that writes nothing still reports broken links."""
    docs_project.publish("keys", "See [the limits](limits.md).\n")
    build_site()

    again = build_site()

    assert again.written == []
    assert again.warnings == ["guides/keys: nothing is at limits.md"]


def test_link_follows_a_move(docs_project, build_site, body):
    """Links follow a document that moves."""
    limits = docs_project.publish("limits")
    docs_project.publish("keys", "See [the limits](/guides/limits/#rates).\n")
    build_site()

    docs_project.update(limits, collection="support")
    build_site(["docs"])

    assert 'href="/support/limits/#rates"' in body("keys")


@pytest.mark.parametrize(
    "target", ["javascript:alert(1)", "//elsewhere.example/", "%6aavascript:x"]
)
def test_hostile_link(docs_project, build_site, body, target):
    """A link to a script or, disguised as a path, to another host is dropped."""
    docs_project.publish("keys", f"See [this]({target}).\n")

    build_site()

    assert "<a" not in body("keys")


def test_two_slashes_in_disguise(docs_project, build_site, body):
    """An escaped second slash does not make an address of another host."""
    docs_project.publish("keys", "See [this](/%2Fstatus/x).\n")

    build_site()

    assert 'href="/status/x"' in body("keys")
