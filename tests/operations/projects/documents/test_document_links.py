"""Where the links of a document lead, before anything is published."""

import pytest

LINKS = "GET /projects/v1/documents/links"


@pytest.fixture
def links(api):
    def read(document, **more):
        response = api(LINKS, {"id": document["id"]} | more)
        assert response.status_code == 200, response.text
        return response.json["data"]

    return read


def brief(found):
    return [(each["target"], each["slug"], each["problem"]) for each in found]


def test_links(docs_project, links):
    """Each link with its target as written, its address and its document."""
    limits = docs_project.publish("limits", "## Rates\n", collection="support")
    text = "[a](limits.md#rates) [b](limits.md#no) [c](gone.md) [d](https://a.test/)"
    keys = docs_project.write("keys", f"{text}\n")

    found = links(keys)

    other = {"documentId": limits["id"], "slug": "limits", "title": "Limits"}
    none = dict.fromkeys(other)
    good = {"target": "limits.md#rates", "href": "/support/limits/#rates"}
    lost = {"target": "limits.md#no", "href": "/support/limits/#no"}
    missing = {"target": "gone.md", "href": None, "problem": "nothing-there"}
    assert found == {
        "documentId": keys["id"],
        "version": 1,
        "outgoing": [good | other | {"problem": None}],
        "incoming": [],
        "broken": [lost | other | {"problem": "no-heading"}, missing | none],
        "truncated": False,
        "unread": 0,
    }


def test_incoming(docs_project, links):
    """The links from published documents that a removal of the page would break."""
    limits = docs_project.publish("limits", "[self](limits.md)\n\n## Rates\n")
    keys = docs_project.publish("keys", "[a](limits.md) [b](/guides/limits/#no)\n")
    docs_project.write("draft", "[a](limits.md)\n")

    found = links(limits)

    assert brief(found["incoming"]) == [
        ("limits.md", "keys", None),
        ("/guides/limits/#no", "keys", "no-heading"),
    ]
    assert {each["documentId"] for each in found["incoming"]} == {keys["id"]}
    assert found["incoming"][1]["href"] == "/guides/limits/#no"


def test_before_it_is_published(docs_project, links, build_site):
    """Links are resolved as if the version were published."""
    limits = docs_project.publish("limits", "## A\n\n## Rates\n\n## B\n")
    docs_project.publish("keys", "[a](limits.md#rates) [b](new.md)\n")
    build_site()
    docs_project.update(limits, content="## A\n\n## Quotas\n\n## B\n")
    docs_project.update(limits, content="## A\n\n## B\n")
    new = docs_project.write("new", "[b](#c) [d](#d)\n\n## C\n")

    problems = [brief(links(limits, version=n)["incoming"]) for n in (1, 2, 3)]

    assert problems[0] == problems[1] == [("limits.md#rates", "keys", None)]
    assert problems[2] == [("limits.md#rates", "keys", "no-heading")]
    assert brief(links(new)["incoming"]) == [("new.md", "keys", None)]
    assert brief(links(new)["outgoing"]) == [("#c", "new", None)]
    assert brief(links(new)["broken"]) == [("#d", "new", "no-heading")]


def test_pages_that_are_no_documents(api, docs_project, links, build_site):
    """Targets that are not documents are looked up in the built site."""
    api("POST /status/v1/admin/services/add", {"slug": "api", "name": "API"})
    targets = ("/status/services/api/", "/status/../../masthead.db", "/status/%00")
    text = " ".join(f"[a]({each})" for each in (*targets, f"/status/{'x' * 5000}"))
    keys = docs_project.publish("keys", f"{text}\n")
    build_site()

    found = links(keys)

    assert [each["target"] for each in found["outgoing"]] == [targets[0]]
    assert [each["problem"] for each in found["broken"]] == ["nothing-there"] * 3


def test_document_without_a_page(docs_project, api, links):
    """A document without a collection has no incoming links; its own are resolved."""
    docs_project.publish("keys", "[a](limits.md)\n")
    limits = docs_project.write("limits", "[a](keys.md) [b](#no)\n", collection=None)

    found = links(limits)

    assert found["incoming"] == []
    assert brief(found["outgoing"]) == [("keys.md", "keys", None)]
    assert brief(found["broken"]) == [("#no", "limits", "no-heading")]


def test_by_slug(api, docs_project):
    """A document is addressed as in documents/get; an unknown version is a 404."""
    docs_project.write("keys")
    named = {"projectSlug": "docs", "slug": "keys"}

    assert api(LINKS, named).json["data"]["version"] == 1
    assert api(LINKS, named | {"version": 2}).status_code == 404
    assert api(LINKS, named | {"slug": "none"}).status_code == 404
    assert api(LINKS, named | {"version": "x"}).status_code == 422
    assert api(LINKS, {"slug": "keys"}).status_code == 422


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (("slug",), "slug requires projectId or projectSlug."),
        (
            ("id", "projectSlug"),
            "projectId and projectSlug can only be used with slug, not with id.",
        ),
        (("projectSlug",), "Give exactly one of id and slug."),
    ],
)
def test_named_wrongly(api, docs_project, body, detail):
    """The problem names only what was sent."""
    keys = docs_project.write("keys") | {"projectSlug": "docs"}

    refused = api(LINKS, {name: keys[name] for name in body})

    assert refused.status_code == 422
    assert detail in refused.text


def test_query_of_a_link(docs_project, links):
    """The query of a link stays in its address, and is ignored in the look-up."""
    limits = docs_project.publish("limits", "## Rates\n", collection="support")
    keys = docs_project.publish("keys", "[a](limits.md?x=1#rates) [b](/support/?y)\n")

    found = links(keys)
    led_to = links(limits)["incoming"]

    result = found["outgoing"] + found["broken"]
    hrefs = ["/support/limits/?x=1#rates", "/support/?y"]
    assert [each["href"] for each in result] == hrefs
    assert brief(led_to) == [("limits.md?x=1#rates", "keys", None)]


def test_without_end(docs_project, links, monkeypatch):
    """
    The number of returned links is limited, and the response says if there are more.
    """
    monkeypatch.setattr("models.projects.documents.linking.links.MAX_LINKS", 3)
    limits = docs_project.publish("limits", "[a](b.md) [a](c.md) [a](d.md)\n")
    text = "[a](limits.md?{0}) [b](no-{0}.md)\n"
    keys = docs_project.publish("keys", "".join(text.format(n) for n in range(2)))
    at_the_limit = links(limits)
    docs_project.publish("more", "".join(text.format(n) for n in range(2)))

    found, led_to = links(keys), links(limits)

    assert (len(found["outgoing"]), len(found["broken"])) == (2, 1)
    assert len(led_to["incoming"]) == 3
    assert found["truncated"]
    assert led_to["truncated"]
    assert not at_the_limit["truncated"]


def test_what_the_site_has_yet_to_read(docs_project, links, build_site, monkeypatch):
    """Unbuilt documents are rendered here, up to a limit; the others are counted."""
    limits = docs_project.publish("limits")
    docs_project.publish("keys", "[a](limits.md)\n")
    read = links(limits)
    monkeypatch.setattr("models.projects.documents.linking.links.MAX_RENDERED_BYTES", 0)
    unread = links(limits)
    build_site()
    built = links(limits)

    assert (len(read["incoming"]), read["unread"]) == (1, 0)
    assert (len(unread["incoming"]), unread["unread"]) == (0, 1)
    assert (len(built["incoming"]), built["unread"]) == (1, 0)
