"""Two writers of a PostgreSQL, one of them stopped before each of its statements."""

import subprocess
import sys
from datetime import datetime
from itertools import pairwise

import pytest

from models.changes import mark, marks
from models.projects.projects.activity import ActivityRow
from models.projects.work.rows import WorkItemRow
from models.storage.database import writing
from models.storage.write_locks import WriteLock
from tests.conftest import NOON
from tests.factories.projects import OWNER, make_item, make_project
from tests.servers.stepwise import Run, interleaved, wait_for_waiting, writers

pytestmark = pytest.mark.postgresql

WORK = "/projects/v1/work-items"


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


def test_cycle_through_four_projects(post, settings):
    """Of two relationships that together close a cycle, one is rejected."""
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
    """Of two labels with one name, one is rejected."""
    project = make_project("atlas", NOON)
    one, two = writers(
        post,
        "/projects/v1/labels/create",
        lambda at, host: {"projectId": project.id, "name": f"label-{at}"},
    )

    for _, results, _ in interleaved(settings.database, one, two):
        assert sorted(status for status, _ in results) == [200, 409]


def test_label_of_a_project_and_global_label(post, settings):
    """A project and the installation never have two labels with one name."""
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
    """Of two projects with one slug, one is rejected."""
    one, two = writers(
        post,
        "/projects/v1/projects/create",
        lambda at, host: {"slug": f"p{at}", "name": "P", "ownerId": OWNER},
    )

    for _, results, _ in interleaved(settings.database, one, two):
        assert sorted(status for status, _ in results) == [200, 409]


def test_generations_follow_commits(store, settings):
    """Marks of two areas get two generations, and the later commit the higher one."""
    generations = []

    def marking(area, lock):
        def run(at):
            with writing(lock):
                generation = mark(area)
            generations.append(generation)
            return generation

        return run

    docs, status = (
        marking("docs", WriteLock.PROJECTS),
        marking("status", WriteLock.STATUS),
    )
    for at, results, _ in interleaved(settings.database, docs, status):
        assert sorted(results) == [2 * at - 1, 2 * at]
    assert max(marks().values()) == len(generations)


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
        (archived, result), (created, _) = (
            results if is_archive_first else reversed(results)
        )
        assert archived == 200
        items = WorkItemRow.select().where(WorkItemRow.project == projects[at])
        assert [row.created_at for row in items] == [
            row.created_at for row in items if row.created_at < moment(result)
        ]
        assert created == (200 if items.count() else 409)


def moment(event):
    return datetime.fromisoformat(event["data"]["archivedAt"])


def test_opposite_orders(store, settings):
    """Two writes that lock and mark areas in opposite orders wait for no deadlock."""

    def run(locks, areas):
        def write(at):
            with writing(locks):
                return [mark(area) for area in areas]

        return write

    one = run(WriteLock.PROJECTS | WriteLock.STATUS, ("docs", "status"))
    two = run(WriteLock.STATUS | WriteLock.PROJECTS, ("status", "docs"))

    rounds = list(interleaved(settings.database, one, two))

    assert any(did_wait for *_, did_wait in rounds)
    assert marks() == {"docs": 4 * len(rounds), "status": 4 * len(rounds) - 1}


# Take all locks, report it, and never end.
HOLD_LOCKS = """
import sys, time
from models.changes import mark
from models.storage.database import open_database, writing
open_database(sys.argv[1])
with writing():
    mark("docs")
    print("locked", flush=True)
    time.sleep(600)
"""


def test_killed_writer(post, settings):
    """The locks of a killed process are free at once, and its write is rolled back."""
    project = make_project("atlas", NOON)
    words = [sys.executable, "-c", HOLD_LOCKS, settings.database]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "locked\n"
        run = Run(lambda: post(0, f"{WORK}/create", item_body(project)))
        run.thread.start()
        did_wait = wait_for_waiting(settings.database, is_done=run.is_done)
        process.kill()

    status, _ = run.end()

    assert (did_wait, status) == (True, 200)
    assert marks()["docs"] == 0
