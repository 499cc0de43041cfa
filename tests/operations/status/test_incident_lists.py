"""Lists of incidents and of windows: filters, order and pages, over HTTP."""

import pytest

from tests.factories.status import LIST_INCIDENTS, LIST_WINDOWS, UPDATE_INCIDENT, World

ROUTES = [LIST_INCIDENTS, LIST_WINDOWS]


@pytest.fixture
def world(api, clock):
    world = World(api, clock)
    world.service("api")
    world.service("mail")
    return world


@pytest.fixture
def ids(api):
    def listed(route, **query):
        return [each["id"] for each in api(route, query).json["data"]]

    return listed


def make(world, route, seconds=0, slugs="api"):
    if route == LIST_INCIDENTS:
        return world.incident(slugs, started=seconds)
    return world.window(slugs, seconds, seconds + 60)


@pytest.mark.parametrize("route", ROUTES)
def test_newest_first(world, ids, route):
    """By startedAt or startsAt, then by id, the later one first."""
    made = [make(world, route, seconds) for seconds in (-30, -10, -20, -10)]

    first, second = sorted([made[1], made[3]], reverse=True)
    assert ids(route) == [first, second, made[2], made[0]]


@pytest.mark.parametrize("route", ROUTES)
def test_pages(api, world, route):
    """
    An incident that is added between two pages neither shifts the second nor is on it.
    """
    made = [make(world, route, -n) for n in range(5)]

    first = api(route, {"limit": 2}).json
    make(world, route, 10)
    make(world, route, -0.5)
    second = api(route, {"limit": 3, "cursor": first["meta"]["cursor"]}).json

    assert [each["id"] for each in first["data"]] == made[:2]
    assert [each["id"] for each in second["data"]] == made[2:]
    assert second["meta"] == {"cursor": None}


@pytest.mark.parametrize("route", ROUTES)
def test_pages_through_equal_times(api, world, route):
    """Rows of one instant are neither skipped nor repeated."""
    made = {make(world, route) for _ in range(5)}
    found, cursor = [], {}
    while cursor is not None:
        page = api(route, {"limit": 2} | cursor).json
        found += [each["id"] for each in page["data"]]
        cursor = page["meta"]["cursor"] and {"cursor": page["meta"]["cursor"]}

    assert len(found) == 5
    assert set(found) == made


@pytest.mark.parametrize("route", ROUTES)
def test_cursor_of_other_filters(api, world, route):
    """A cursor is bound to its list and filters; with others it is rejected."""
    for n in range(3):
        make(world, route, -n)
    cursor = api(route, {"limit": 1, "slug": "api"}).json["meta"]["cursor"]
    other = next(each for each in ROUTES if each != route)

    assert api(route, {"slug": "api", "cursor": cursor}).status_code == 200
    for filters in ({}, {"slug": "mail"}, {"slug": "api", "from": world.text()}):
        response = api(route, filters | {"cursor": cursor})
        assert response.status_code == 400
        assert response.json["type"].endswith("/problems/invalid-cursor/")
    assert api(other, {"slug": "api", "cursor": cursor}).status_code == 400
    altered = ("B" if cursor[0] == "A" else "A") + cursor[1:]
    for damaged in ("", "x", cursor[:-2], altered, cursor + "é"):
        body = {"slug": "api", "cursor": damaged}
        assert api(route, body).status_code == 400


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    ("limit", "status"),
    [("1", 200), ("100", 200), ("0", 422), ("101", 422), ("-1", 422), ("x", 422)],
)
def test_limit(api, route, limit, status):
    """A limit is from 1 to 100."""
    assert api(route, {"limit": limit}).status_code == status


@pytest.mark.parametrize("route", ROUTES)
def test_default_limit(api, world, route):
    """The default limit is twenty, with a cursor if there are more."""
    for n in range(20):
        make(world, route, -n)

    assert api(route).json["meta"] == {"cursor": None}
    make(world, route)
    page = api(route).json
    assert len(page["data"]) == 20
    assert page["meta"]["cursor"]


@pytest.mark.parametrize("route", ROUTES)
def test_slug(world, ids, route):
    """
    The incidents that affect the service, alone or with others; none for an unknown
    slug.
    """
    one, both = make(world, route), make(world, route, -1, "api mail")
    make(world, route, -2, "mail")

    assert ids(route, slug="api") == [one, both]
    assert ids(route, slug="ghost") == ids(route, slug="") == []


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    "body",
    [
        {"status": "open"},
        {"status": ""},
        {"from": "yesterday"},
        {"to": ""},
        {"group": "x"},
        {"From": "2026-03-01T12:00:00Z"},
    ],
)
def test_wrong_filters(api, route, body):
    """An unknown filter or value is rejected by name."""
    response = api(route, body)

    assert response.status_code == 422
    assert response.json["errors"][0]["parameter"] == next(iter(body))


@pytest.mark.parametrize("route", ROUTES)
def test_reversed_range(api, world, route):
    """`to` may equal `from`, but not precede it."""
    to, from_ = world.text(), world.text(0.001)

    assert api(route, {"from": to, "to": to}).status_code == 200
    response = api(route, {"from": from_, "to": to})
    assert response.status_code == 422
    assert response.json["errors"][0]["parameter"] == "to"


@pytest.mark.parametrize("route", ROUTES)
def test_overlap(api, world, ids, route):
    """[start, end) overlaps [from, to); touching at an end is no overlap."""
    id = make(world, route, -120)
    if route == LIST_INCIDENTS:
        body = {"id": id, "status": "resolved", "resolvedAt": world.text(-60)}
        api(UPDATE_INCIDENT, body)

    def found(**range_):
        return ids(route, **{key: world.text(at) for key, at in range_.items()})

    assert found(to=-120) == []
    assert found(to=-119.999) == [id]
    assert found(**{"from": -60}) == []
    assert found(**{"from": -60.001}) == [id]
    assert found(**{"from": -100, "to": -90}) == [id]


def test_overlap_of_unresolved(world, ids):
    """An unresolved incident lasts until now."""
    id = world.incident("api", started=-120)

    assert ids(LIST_INCIDENTS, **{"from": world.text(-0.001)}) == [id]
    assert ids(LIST_INCIDENTS, **{"from": world.text()}) == []


def test_status_of_incidents(api, world, ids):
    """An incident is active if it is not resolved, even if it starts in the future."""
    active, ahead = world.incident("api"), world.incident("api", started=60)
    resolved = world.incident("api", started=-60, status="resolved")

    assert ids(LIST_INCIDENTS, status="active") == [ahead, active]
    assert ids(LIST_INCIDENTS, status="resolved") == [resolved]


def test_offset_in_a_query(world, ids):
    """A time with any offset is the same instant."""
    id = world.window("api", 0, 60)

    assert ids(LIST_WINDOWS, to="2026-03-01T13:00:00.001+01:00") == [id]
    assert ids(LIST_WINDOWS, to="2026-03-01T13:00:00+01:00") == []
