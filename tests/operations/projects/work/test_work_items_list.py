"""The list of work items over HTTP."""

import pytest

from models.projects.work.links import SpecificationLink
from tests.factories.projects import CONTRIBUTOR, OWNER, READER, account, make_project
from tests.factories.work import change, label, milestone, relate, specification, work

pytestmark = pytest.mark.both_engines

LIST = "GET /projects/v1/work-items/list"


@pytest.fixture
def register(store, clock):
    """
    Six items of atlas, a minute apart, one of another project and one of an old one.
    """
    sample_project = make_project("atlas", clock.now)
    red, blue = label(sample_project, clock.now, "red"), label(None, clock.now, "blue")
    one, spec = (
        milestone(sample_project, clock.now),
        specification(sample_project, clock.now),
    )
    link = SpecificationLink(specification_id=spec.id, relationship="implements")
    days = {n: clock.now.replace(day=n) for n in (5, 6)}
    fields_by_title = {
        "a": {"type": "bug", "priority": "high", "due_at": days[6]},
        "b": {"status": "done", "bucket": "now", "label_ids": [red.id]},
        "c": {"assignee_ids": [READER, OWNER], "label_ids": [red.id, blue.id]},
        "d": {"milestone_id": one.id, "priority": "critical", "status": "planned"},
        "e": {"specifications": [link], "due_at": days[5], "bucket": "later"},
        "f": {"title": "f cursor", "description": "100% Größe"},
    }
    items_by_title = {}
    for title, fields in fields_by_title.items():
        clock.pass_(minutes=1)
        actor = account(CONTRIBUTOR) if title == "c" else account(OWNER)
        items_by_title[title] = work(
            sample_project, clock, actor, **{"title": title} | fields
        )
    relate(items_by_title["a"], items_by_title["d"], "blocks", clock)
    relate(items_by_title["b"], items_by_title["e"], "blocks", clock)
    items_by_title["f"].change({"archived_at": clock.now}, clock.now)
    clock.pass_(minutes=1)
    items_by_title["g"] = work(make_project("other", clock.now), clock, title="g")
    old = make_project("old", clock.now)
    items_by_title["h"] = work(old, clock, title="h")
    old.change({"archived_at": clock.now}, clock.now)
    return {"red": red.id, "blue": blue.id, "one": one.id, "spec": spec.id}


def titles(response):
    assert response.status_code == 200, response.json
    return "".join(item["title"][0] for item in response.json["data"])


@pytest.fixture(params=["few", "many"])
def rarity(request, monkeypatch):
    """Run the test for filters with few matches, which are looked up, and with many."""
    if request.param == "many":
        monkeypatch.setattr("models.projects.work.filters.MAX_SELECTIVE_ROWS", 0)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("", "gedcba"),
        ("order=asc", "abcdeg"),
        ("projectSlug=atlas", "edcba"),
        ("projectSlug=old", "h"),
        ("archived=only", "f"),
        ("archived=include&projectSlug=atlas", "fedcba"),
        ("type=bug", "a"),
        ("status=done,planned", "db"),
        ("priority=high,critical", "da"),
        ("bucket=now,later", "eb"),
        ("bucket=none", "gdca"),
        (f"assigneeId={READER}", "c"),
        ("assigneeId=none", "gedba"),
        (f"creatorId={CONTRIBUTOR}", "c"),
        ("labelId=$red", "cb"),
        ("labelId=$red,$blue", "c"),
        ("labelId=$red,$blue&status=done", ""),
        ("labelId=$red,$blue&labelMode=any", "cb"),
        ("milestoneId=$one", "d"),
        ("milestoneId=none", "gecba"),
        ("specificationId=$spec", "e"),
        ("specificationId=$spec&specRelationship=references", ""),
        ("specRelationship=implements", "e"),
        ("specificationStatus=draft", "e"),
        ("specificationStatus=superseded,approved", ""),
        ("blocked=true", "d"),
        ("blocked=false", "gecba"),
        ("ready=true", "geca"),
        ("ready=false", "db"),
        ("ready=false&archived=include", "fdb"),
        ("dueAfter=2026-03-05T12:00:00Z", "ea"),
        ("dueAfter=2026-03-05T12:00:00Z&dueBefore=2026-03-06T12:00:00Z", "e"),
        ("createdAfter=2026-03-01T12:04:00Z", "ged"),
        ("createdBefore=2026-03-01T12:02:00Z", "a"),
        ("updatedAfter=2026-03-01T12:06:00Z", "g"),
        ("updatedBefore=2026-03-01T12:03:00Z", "ba"),
        ("completedAfter=2026-03-01T12:02:00Z", "b"),
        ("completedBefore=2026-03-01T12:02:00Z", ""),
        ("q=CURSOR&archived=include", "f"),
        ("q=curs*&archived=only", "f"),
        ("q=grosse&archived=include", ""),
        ("q=größe&archived=include&sort=relevance", "f"),
        ("q=cursor&sort=relevance", ""),
        ("q=cursor&sort=relevance&archived=only&order=asc", "f"),
        ("q=%25", ""),
        ("sort=number&projectSlug=atlas", "edcba"),
        ("sort=createdAt&order=asc", "abcdeg"),
        ("sort=dueAt&projectSlug=atlas", "aedcb"),
        ("sort=dueAt&projectSlug=atlas&order=asc", "eabcd"),
        ("sort=priority&projectSlug=atlas&priority=high,critical", "da"),
        ("sort=priority&priority=high,critical&order=asc", "ad"),
        ("sort=bucket&bucket=now,later", "be"),
    ],
)
def test_list(api, register, rarity, parameters, expected):
    """The default list is without archived items, last changed first."""
    for name, id in register.items():
        parameters = parameters.replace(f"${name}", id)
    query = (
        dict(parameter.split("=") for parameter in parameters.split("&"))
        if parameters
        else {}
    )
    query = {name: value.replace("%25", "%") for name, value in query.items()}

    assert titles(api(LIST, query)) == expected


def test_list_of_mine(api, issue, register):
    """`me` is the account that the key acts for; without one the list is empty."""
    key = issue("projects:work-items:list", "platform:actors:assert")
    headers = {"Act-As-Account": READER}

    assert titles(api(LIST, {"assigneeId": "me"}, key=key, headers=headers)) == "c"
    refused = api(LIST, {"assigneeId": "me"})
    assert refused.status_code == 422
    assert refused.json["errors"][0]["parameter"] == "assigneeId"


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize(
    "sort", ["updatedAt", "createdAt", "number", "dueAt", "priority", "bucket"]
)
def test_list_in_pages(api, register, sort, order):
    """Pages have no gaps, in every order."""
    query, listed = (
        {"sort": sort, "order": order, "limit": 1, "archived": "include"},
        "",
    )
    whole = titles(api(LIST, query | {"limit": 100}))
    while "cursor" not in query or query["cursor"] is not None:
        response = api(LIST, query)
        listed += titles(response)
        query["cursor"] = response.json["meta"]["cursor"]

    assert listed == whole
    assert sorted(listed) == list("abcdefgh")


def test_list_by_relevance_in_pages(api, store, clock):
    """The best match comes first, a title before a text, on all pages."""
    sample_project = make_project("atlas", clock.now)
    work(sample_project, clock, title="a", description="lock " + "and more " * 50)
    work(sample_project, clock, title="b lock")
    work(sample_project, clock, title="c", description="lock")
    query, listed = {"q": "lock", "sort": "relevance", "limit": 1}, ""
    while "cursor" not in query or query["cursor"] is not None:
        response = api(LIST, query)
        listed += titles(response)
        query["cursor"] = response.json["meta"]["cursor"]

    assert listed == "bca"
    assert (
        titles(api(LIST, {"q": "lock", "sort": "relevance", "order": "asc"})) == "acb"
    )


def test_newest_are_ranked(api, store, clock, monkeypatch):
    """
    If there are more matches than are ranked, the newest come first, in either order.
    """
    monkeypatch.setattr("models.projects.search.ranking.MAX_RANKED", 2)
    sample_project = make_project("atlas", clock.now)
    for title in ("a lock", "b lock and more", "c lock"):
        clock.pass_(minutes=1)
        work(sample_project, clock, title=title)

    for order, listed in (("desc", "cb"), ("asc", "bc")):
        query = {"q": "lock", "sort": "relevance", "order": order}
        first = api(LIST, query)
        assert titles(first) == listed
        cursor = first.json["meta"]["cursor"]
        rest = api(LIST, query | {"cursor": cursor})
        assert titles(rest) == "a"
        assert rest.json["meta"] == {"cursor": None, "sortedBy": "time"}
    assert titles(api(LIST, {"q": "lock"})) == "cba"


@pytest.mark.parametrize(
    "q", ["NOT (", '"', 'a"b', "a*b:c^", "*", "a OR", "NEAR(a b)", "-", "{x}: y", "'"]
)
def test_hostile_search(api, register, q):
    """Search input is never interpreted as an operator."""
    for sort in ("updatedAt", "relevance"):
        assert api(LIST, {"q": q, "sort": sort}).status_code == 200


def test_cursor_with_other_filters(api, register):
    """A cursor is bound to its filters."""
    cursor = api(LIST, {"limit": 1}).json["meta"]["cursor"]

    for other in ({"sort": "number"}, {"status": "done"}, {"archived": "include"}):
        assert api(LIST, {"cursor": cursor} | other).status_code == 400


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ({"sort": "relevance"}, "The query: Sorting by relevance requires q."),
        ({"ready": "1"}, "ready: Must be true or false."),
        ({"status": ""}, None),
        ({"labelId": "red"}, None),
        ({"assigneeId": "nobody"}, None),
        ({"milestoneId": "me"}, None),
        ({"limit": 101}, None),
        ({"dueAfter": "tomorrow"}, None),
        ({"q": ""}, None),
    ],
)
def test_list_in_a_wrong_shape(api, query, detail):
    """A wrong parameter is rejected with a sentence."""
    refused = api(LIST, query)

    assert refused.status_code == 422
    assert detail is None or refused.json["detail"] == detail


def test_queries_of_a_page(api, raw_database, clock):
    """
    The relations of a page of items are read in three queries, whatever the page size.
    """
    sample_project, counts = make_project("atlas", clock.now), []
    api(LIST)

    for _ in range(2):
        for _ in range(5):
            change(work(sample_project, clock), clock, assignee_ids=[OWNER])
        with raw_database.statements() as statements:
            assert len(api(LIST).json["data"]) in (5, 10)
        counts.append(len(statements))

    assert counts[0] == counts[1] > 3
