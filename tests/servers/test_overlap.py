"""Two writers of a PostgreSQL, one of them stopped before each of its statements."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from api.http.application import create_app
from models.audit import broken_links
from models.base import epoch_ms, new_id
from models.changes import mark, marks
from models.platform.keys import KeyRow
from models.projects.projects.activity import ActivityRow
from models.projects.work.rows import WorkItemRow
from models.status.measurements import sources
from models.status.measurements.rollups import HOUR_MS, HourRow, roll_up
from models.status.services.rows import ServiceRow
from models.storage.database import writing
from models.storage.write_locks import SHARED
from tests.conftest import NOON
from tests.servers.stepwise import Run, interleaved, wait_for_waiting
from tests.worlds.projects import OWNER, make_item, make_project

pytestmark = pytest.mark.postgresql

WORK = "/projects/v1/work-items"
RECORD = "/status/v1/admin/measurements/record"


@pytest.fixture
def post(settings, clock, issue):
    """Post to one of two hosts; return the status and the JSON of the response."""
    hosts = [create_app(settings, clock=clock) for _ in range(2)]
    key = issue("*", rate_capacity=100_000)

    def post(host, path, body, secret=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers["Authorization"] = f"Bearer {secret or key}"
        client = hosts[host].test_client()
        response = client.post(path, json=body, headers=headers)
        return response.status_code, response.json

    return post


@pytest.fixture
def get(settings, clock, issue):
    client = create_app(settings, clock=clock).test_client()
    headers = {"Authorization": f"Bearer {issue('*', rate_capacity=100_000)}"}

    def get(path, **query):
        response = client.get(path, query_string=query, headers=headers)
        assert response.status_code == 200, response.text
        return response.json["data"]

    return get


def writers(post, path, body_of, **options):
    """Return the writers of requests on two hosts."""

    def writer(host):
        return lambda at: post(host, path, body_of(at, host), **options)

    return writer(0), writer(1)


def item_body(project, title="Do it"):
    return {"projectId": project.id, "type": "task", "title": title}


def test_numbers_of_a_project(post, settings):
    """Two items of one project get two numbers, without a gap."""
    project = make_project("atlas", NOON)
    one, two = writers(post, f"{WORK}/create", lambda at, host: item_body(project))

    waits = [wait for *_, wait in interleaved(settings.database, one, two)]

    numbers = [row.number for row in WorkItemRow.select().order_by(WorkItemRow.number)]
    assert numbers == list(range(1, 2 * len(waits) + 1))
    rows = WorkItemRow.select().order_by(WorkItemRow.number)
    assert all(a < b for a, b in pairwise(row.updated_at for row in rows))
    assert True in waits


def test_projects_do_not_wait(post, settings):
    """Wherever a writer in one project is stopped, one in another project goes on."""
    projects = [make_project(slug, NOON) for slug in ("atlas", "borea")]
    one, two = writers(
        post, f"{WORK}/create", lambda at, host: item_body(projects[host])
    )

    rounds = list(interleaved(settings.database, one, two))

    assert all(
        not did_wait and [status for status, _ in results] == [200, 200]
        for _, results, did_wait in rounds
    )
    for project in projects:
        rows = WorkItemRow.select().where(WorkItemRow.project == project)
        assert sorted(row.number for row in rows) == list(range(1, len(rounds) + 1))


def test_poll_of_all_projects(post, get, settings):
    """A poll by updatedAfter, and one by afterId, miss no change of two projects."""
    projects = [make_project(slug, NOON) for slug in ("atlas", "borea")]
    one, two = writers(
        post, f"{WORK}/create", lambda at, host: item_body(projects[host])
    )
    post(0, f"{WORK}/create", item_body(projects[0], "First"))
    (first,) = get("/projects/v1/activity/list", limit=1)
    seen, records = {}, [first["id"]]

    def poll():
        newest = max(seen.values(), default="2026-03-01T00:00:00Z")
        for item in get(f"{WORK}/list", updatedAfter=newest, limit=100):
            seen[item["id"]] = item["updatedAt"]
        query = {"afterId": records[-1], "limit": 100}
        new = get("/projects/v1/activity/list", **query)
        records.extend(record["id"] for record in new)

    rounds = [poll() for _ in interleaved(settings.database, one, two, poll)]

    assert len(seen) == WorkItemRow.select().count() == 2 * len(rounds) + 1
    assert sorted(records) == sorted(row.id for row in ActivityRow.select())


def test_project_is_polled_while_another_is_written(post, get, settings):
    """A poll of one project shows a change at once, whoever writes elsewhere."""
    projects = [make_project(slug, NOON) for slug in ("atlas", "borea")]
    one, two = writers(
        post, f"{WORK}/create", lambda at, host: item_body(projects[host])
    )
    counts = []

    def count():
        query = {"updatedAfter": "2026-03-01T00:00:00Z", "limit": 100}
        counts.append(len(get(f"{WORK}/list", projectId=projects[1].id, **query)))

    rounds = list(interleaved(settings.database, one, two, count))

    assert counts == [at for at, *_ in rounds]


def test_cycle_through_four_projects(post, settings):
    """Of two relationships that close a cycle together, one is refused."""
    items = {}
    for at in range(50):
        projects = [make_project(f"p{at}-{number}", NOON) for number in range(4)]
        items[at] = [make_item(project, NOON) for project in projects]
    path = "/projects/v1/relationships/add"

    def edge(at, number):
        source, target = items[at][number], items[at][(number + 1) % 4]
        return {"sourceId": source.id, "targetId": target.id, "relationship": "blocks"}

    for at in items:
        for number in (1, 3):
            assert post(0, path, edge(at, number))[0] == 200
    one, two = writers(post, path, lambda at, host: edge(at, 2 * host))

    for _, results, _ in interleaved(settings.database, one, two):
        assert sorted(status for status, _ in results) == [200, 409]


def test_name_of_a_label(post, settings):
    """Of two labels of one name, one is refused."""
    project = make_project("atlas", NOON)
    one, two = writers(
        post,
        "/projects/v1/labels/create",
        lambda at, host: {"projectId": project.id, "name": f"label-{at}"},
    )

    for _, results, _ in interleaved(settings.database, one, two):
        assert sorted(status for status, _ in results) == [200, 409]


def test_label_of_a_project_and_global_label(post, settings):
    """A project and the installation never have two labels of one name."""
    project = make_project("atlas", NOON)
    bodies = [{"projectId": project.id}, {}]
    one, two = writers(
        post,
        "/projects/v1/labels/create",
        lambda at, host: {"name": f"label-{at}"} | bodies[host],
    )

    for first, second in ((one, two), (two, one)):
        start = 100 if first is two else 0
        for _, results, _ in interleaved(
            settings.database,
            lambda at, run=first, start=start: run(at + start),
            lambda at, run=second, start=start: run(at + start),
        ):
            assert sorted(status for status, _ in results) == [200, 409]


def test_slug_of_a_project(post, settings):
    """Of two projects of one slug, one is refused."""
    one, two = writers(
        post,
        "/projects/v1/projects/create",
        lambda at, host: {"slug": f"p{at}", "name": "P", "ownerId": OWNER},
    )

    for _, results, _ in interleaved(settings.database, one, two):
        assert sorted(status for status, _ in results) == [200, 409]


def test_one_request_for_a_key(post, settings, api):
    """Of two requests with one Idempotency-Key on two hosts, one is refused."""
    for host in (0, 1):
        assert post(host, RECORD, fresh(0, host))[0] == 200

    def writer(host):
        return lambda at: post(
            host, RECORD, fresh(at, host), Idempotency_Key=f"once-{at}"
        )

    for _, results, _ in interleaved(settings.database, writer(0), writer(1)):
        assert sorted(status for status, _ in results) == [200, 422]


def test_chain_of_keys(post, settings):
    """Two changes of keys leave the audit chain whole."""
    one, two = (
        lambda at, h=host: post(
            h,
            "/platform/v1/keys/add",
            {"name": f"key-{at}-{h}", "scopes": ["status:*"]},
            Idempotency_Key=f"key-{at}-{h}",
        )
        for host in (0, 1)
    )

    for _, results, _ in interleaved(settings.database, one, two):
        assert [status for status, _ in results] == [200, 200]
    assert broken_links("platform") == []


def test_chain_and_generation_of_status(post, settings):
    """Two changes of operators leave the chain whole, and get two generations."""
    one, two = (
        lambda at, h=host: post(
            h,
            "/status/v1/admin/services/add",
            {"slug": f"s{at}-{h}", "name": "S"},
            Idempotency_Key=f"s-{at}-{h}",
        )
        for host in (0, 1)
    )

    rounds = list(interleaved(settings.database, one, two))

    assert all(
        [status for status, _ in results] == [200, 200] for _, results, _ in rounds
    )
    assert broken_links("status") == []
    assert marks()["status"] == 2 * len(rounds)


def test_generations_follow_commits(store, settings):
    """Marks of two areas get two generations, and the later commit the higher one."""
    given = []

    def marking(area):
        def run(at):
            with writing(SHARED):
                generation = mark(area)
            given.append(generation)
            return generation

        return run

    for at, results, _ in interleaved(
        settings.database, marking("docs"), marking("status")
    ):
        assert sorted(results) == [2 * at - 1, 2 * at]
    assert max(marks().values()) == len(given)


def sample(at, host, slug="api", source=None):
    observed_at = NOON - timedelta(hours=3) + timedelta(seconds=2 * at + host)
    return {
        "source": source or f"probe-{host}",
        "measurements": [
            {
                "slug": slug,
                "status": "operational",
                "observedAt": observed_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            }
        ],
    }


@pytest.fixture
def api(store):
    return ServiceRow.create(
        id=new_id(NOON),
        slug="api",
        name="API",
        display_order=1,
        enabled=True,
        created_at=NOON,
        updated_at=NOON,
    )


def test_late_measurements_of_two_hosts(post, settings, api):
    """An hour that was counted has the late samples of both."""
    roll_up(NOON)
    for host in (0, 1):
        # Hosts whose sources are known do not wait for that.
        assert post(host, RECORD, fresh(0, host))[0] == 200
    one, two = writers(post, RECORD, sample)

    hour = epoch_ms(NOON) - 3 * HOUR_MS

    for at, *_ in interleaved(settings.database, one, two):
        counted = HourRow.get(HourRow.service == api, HourRow.starts_at == hour)
        assert counted.operational == 2 * at


def test_measurements_do_not_wait(post, settings, api, clock):
    """Two hosts that know their sources record at once, until one marks the site."""
    for host in (0, 1):
        assert post(host, RECORD, fresh(0, host))[0] == 200
    one, two = writers(post, RECORD, fresh)

    rounds = list(interleaved(settings.database, one, two))

    waits = [did_wait for *_, did_wait in rounds]
    # Stopped after its mark, before its commit, the first makes the second wait.
    assert waits[-2:] == [True, False]
    assert not any(waits[:-2])


def fresh(at, host):
    observed_at = NOON + timedelta(milliseconds=at)
    body = sample(at, host)
    text = observed_at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    body["measurements"][0]["observedAt"] = text
    return body


@pytest.mark.parametrize("is_roll_up_first", [True, False])
def test_measurement_and_roll_up(post, settings, api, is_roll_up_first):
    """A sample that comes during the roll-up of its hour is counted."""
    hours = []

    def record(at):
        moment = NOON + timedelta(hours=at - 200, minutes=1)
        body = sample(at, 0)
        text = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
        body["measurements"][0]["observedAt"] = text
        hours.append(epoch_ms(moment) // HOUR_MS * HOUR_MS)
        return post(0, RECORD, body)[0]

    def count(at):
        return roll_up(NOON + timedelta(hours=at - 199))

    pair = (count, record) if is_roll_up_first else (record, count)
    for _ in interleaved(settings.database, *pair):
        pass
    roll_up(NOON)

    rows = HourRow.select().where(HourRow.service == api)
    counted = {epoch_ms(row.starts_at): row.operational for row in rows}
    assert {hour: counted.get(hour) for hour in hours} == dict.fromkeys(hours, 1)


def test_batches_in_opposite_orders(post, settings, store, keeping):
    """Two batches with the same services in opposite orders do not stop each other."""
    for slug in ("a", "b", "c"):
        body = {"slug": slug, "name": slug}
        post(0, "/status/v1/admin/services/add", body, Idempotency_Key=f"add-{slug}")

    def body(at, host):
        slugs = ("a", "b", "c") if host else ("c", "b", "a")
        batch = fresh(at, 0)
        (one,) = batch["measurements"]
        return batch | {"measurements": [one | {"slug": slug} for slug in slugs]}

    assert post(0, RECORD, body(1, 0))[0] == 200
    number = ServiceRow.get(ServiceRow.slug == "b").number
    observed_at = epoch_ms(NOON) + 2
    with keeping.elsewhere(settings.database) as other:
        # Both batches wait for the row in the middle, which then comes to nothing.
        other.execute("BEGIN")
        other.execute(
            "INSERT INTO measurement (service_id, observed_at, source, status)"
            " VALUES (?, ?, 'probe-0', 'down')",
            (number, observed_at),
        )
        runs = [Run(lambda h=host: post(h, RECORD, body(2, h))) for host in (0, 1)]
        for run in runs:
            run.thread.start()
        wait_for_waiting(settings.database, 2)
        other.execute("ROLLBACK")
        results = [run.end() for run in runs]

    assert [status for status, _ in results] == [200, 200]


@pytest.mark.parametrize("is_record_first", [True, False])
def test_measurement_of_a_purged_service(post, settings, store, is_record_first):
    """A batch for a service that is being purged finds it, or reports its slug."""
    for at in range(60):
        body = {"slug": f"s{at}", "name": "S"}
        post(0, "/status/v1/admin/services/add", body, Idempotency_Key=f"add-{at}")

    def record(at):
        return post(0, RECORD, fresh(at, 0) | {"measurements": [measurement(at)]})[0]

    def measurement(at):
        return fresh(at, 0)["measurements"][0] | {"slug": f"s{at}"}

    def purge(at):
        body = {"slug": f"s{at}", "purge": True}
        return post(1, "/status/v1/admin/services/remove", body)[0]

    pair = (record, purge) if is_record_first else (purge, record)
    for _, results, _ in interleaved(settings.database, *pair):
        assert results == (200, 200)
    assert broken_links("status") == []


@pytest.mark.parametrize("is_archive_first", [True, False])
def test_item_in_an_archived_project(post, settings, store, is_archive_first):
    """No item is created in a project after it was archived."""
    projects = {at: make_project(f"p{at}", NOON) for at in range(60)}
    create, archive = (
        lambda at: post(0, f"{WORK}/create", item_body(projects[at])),
        lambda at: post(1, "/projects/v1/projects/remove", {"id": projects[at].id}),
    )
    pair = (archive, create) if is_archive_first else (create, archive)

    for at, results, _ in interleaved(settings.database, *pair):
        (archived, told), (created, _) = (
            results if is_archive_first else reversed(results)
        )
        assert archived == 200
        items = WorkItemRow.select().where(WorkItemRow.project == projects[at])
        assert [row.created_at for row in items] == [
            row.created_at for row in items if row.created_at < moment(told)
        ]
        assert created == (200 if items.count() else 409)


def moment(told):
    return datetime.fromisoformat(told["data"]["archivedAt"])


def test_rotations_of_a_key(post, settings, issue):
    """Of two rotations of one key, one is refused."""
    for at in range(60):
        issue("status:*", name=f"key-{at}")
    ids = [row.id for row in KeyRow.select().where(KeyRow.name.startswith("key-"))]

    def rotate(host):
        return lambda at: post(
            host,
            "/platform/v1/keys/rotate",
            {"id": ids[at]},
            Idempotency_Key=f"rotate-{at}-{host}",
        )

    for _, results, _ in interleaved(settings.database, rotate(0), rotate(1)):
        assert sorted(status for status, _ in results) == [200, 409]
    assert broken_links("platform") == []


@pytest.fixture
def strict(settings):
    """Settings under which a developer has one key, and a source one owner."""
    return replace(settings, developer_keys_max=1, source_policy="owned")


@pytest.fixture
def strict_post(strict, clock, store):
    hosts = [create_app(strict, clock=clock) for _ in range(2)]

    def post(host, path, body, secret, repeat="repeat"):
        headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": repeat}
        response = hosts[host].test_client().post(path, json=body, headers=headers)
        return response.status_code

    return post


def test_keys_of_a_developer(strict_post, settings, issue):
    """A developer never gets more keys than the maximum."""
    portals = [issue("*") for _ in range(60)]

    def create(host):
        body = {"name": f"mine-{host}", "scopes": ["status:services:list"]}
        path = "/platform/v1/developer/keys/create"
        return lambda at: strict_post(host, path, body, portals[at], f"{host}")

    for _, results, _ in interleaved(settings.database, create(0), create(1)):
        assert sorted(results) == [200, 409]


def test_owner_of_a_source(strict_post, settings, issue, api):
    """Of two keys that use a new source at once, one owns it."""
    probes = [issue("*") for _ in range(2)]

    def record(host):
        return lambda at: strict_post(
            host,
            RECORD,
            fresh(at, host) | {"source": f"source-{at}"},
            probes[host],
            f"{at}",
        )

    for _, results, _ in interleaved(settings.database, record(0), record(1)):
        assert sorted(results) == [200, 409]


def test_sources_of_a_service(post, settings, store, monkeypatch):
    """Of two sources for which a service has room once, one is refused."""
    monkeypatch.setattr(sources, "MAX_SOURCES", 1)
    for at in range(60):
        body = {"slug": f"s{at}", "name": "S"}
        post(0, "/status/v1/admin/services/add", body, Idempotency_Key=f"add-{at}")

    def body(at, host):
        batch = fresh(at, host)
        (one,) = batch["measurements"]
        return batch | {"measurements": [one | {"slug": f"s{at}"}]}

    one, two = writers(post, RECORD, body)

    for _, results, _ in interleaved(settings.database, one, two):
        assert sorted(status for status, _ in results) == [200, 409]
