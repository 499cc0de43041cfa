"""Servers of one PostgreSQL on several hosts: one site, one order, one rate."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from threading import Event

import pytest

from models.platform.keys import CreateKey, issue_key
from models.projects.work.rows import WorkItemRow
from models.status.services.rows import ServiceRow
from models.storage.database import reading, writing
from models.storage.integrity import integrity_problems
from tests.conftest import NOON
from tests.factories.projects import make_project
from tests.servers.conftest import SERVER_DOWN, until

pytestmark = pytest.mark.postgresql

ADD = "/status/v1/admin/services/add"
LIST = "/platform/v1/keys/list"
WORK = "/projects/v1/work-items"


def builder_of(servers):
    return next((each for each in servers if each.builds), None)


def added(server, key, slug):
    body = {"slug": slug, "name": f"Service {slug}"}
    status, result = server.api(ADD, body, key, repeat=f"add-{slug}")
    assert status == 200, result


def test_one_builds(servers, key):
    """Of several servers one has the site; the others name it."""
    found = servers(3)
    until(lambda: builder_of(found))

    status, result = next(e for e in found if not e.builds).api("/status/")

    assert [each.builds for each in found].count(True) == 1
    assert status == 404
    assert "Another server builds the site" in json.loads(result)["detail"]


def test_write_on_any_host_wakes_the_builder(servers, key):
    """A write on another host is on the page long before the next regular check."""
    found = servers(2)
    builder, _ = until(lambda: builder_of(found))
    other = next(each for each in found if each is not builder)

    added(other, key, "api")
    _, seconds = until(lambda: "Service api" in builder.api("/status/")[1])

    assert seconds < 5


def test_another_takes_over(servers, key):
    """
    When the builder dies, another one builds within ten seconds, with nothing stale.
    """
    found = servers(2)
    builder, _ = until(lambda: builder_of(found))
    other = next(each for each in found if each is not builder)
    builder.kill()
    added(other, key, "late")

    _, seconds = until(lambda: other.builds)

    assert seconds < 10
    assert "Service late" in other.api("/status/")[1]


def test_one_answer_and_one_list(servers, key, docs_project):
    """A repeat on another host gets the first response, and cursors are valid there."""
    one, other = servers(2)
    body = {"projectId": docs_project.project.id, "type": "task", "title": "Once"}
    answers = [e.api(f"{WORK}/create", body, key, "once") for e in (one, other)]
    body |= {"title": "Twice"}
    two = json.loads(other.api(f"{WORK}/create", body, key, "twice")[1])["data"]

    first = json.loads(one.api(f"{WORK}/list?limit=1&sort=number", key=key)[1])
    cursor = first["meta"]["cursor"]
    path = f"{WORK}/list?limit=1&sort=number&cursor={cursor}"
    second = json.loads(other.api(path, key=key)[1])

    assert answers[0] == answers[1]
    assert two["number"] == 2
    assert [e["data"][0]["title"] for e in (first, second)] == ["Twice", "Once"]


def test_site_outlives_the_database(servers, key, engine, settings):
    """While the database is down, the last built site stays available."""
    (server,) = servers(1)
    until(lambda: server.builds)

    with engine.away(settings.database):
        until(lambda: server.api("/readyz")[0] == 503)
        shown = [server.api("/status/")[0] for _ in range(20) if not time.sleep(0.2)]
        status, result = server.api(LIST, key=key)

    assert set(shown) == {200}
    assert (status, json.loads(result)["state"]) == (503, "database-unreachable")
    until(lambda: server.api(LIST, key=key)[0] == 200)


def test_rate_is_one_for_all(servers, store, clock):
    """A key has its capacity once, whatever the number of servers."""
    request = CreateKey(name="few", scopes=["*"], rate_capacity=20, rate_refill=0.1)
    with writing():
        _, secret = issue_key(request, clock.now, issuer="ada@example.com")
    found = servers(2)

    def api(number):
        return found[number % 2].api(LIST, key=secret.text)[0]

    began = time.monotonic()
    with ThreadPoolExecutor(8) as threads:
        result = list(threads.map(api, range(60)))

    most = 20 + int((time.monotonic() - began) * 0.1) + 1
    assert 20 <= result.count(200) <= most
    assert result.count(200) + result.count(429) == 60


def test_revocation_is_seen_by_all(servers, store, key, clock):
    """After the response to a revocation, no server accepts the key again."""
    request = CreateKey(name="leaked", scopes=["*"])
    with writing():
        row, secret = issue_key(request, clock.now, issuer="ada@example.com")
    found = servers(2)
    for _ in range(10):
        assert {each.api(LIST, key=secret.text)[0] for each in found} == {200}

    body = {"id": row.id}
    status, result = found[0].api("/platform/v1/keys/remove", body, key, "revoke")

    assert status == 200, result
    for _ in range(10):
        assert {each.api(LIST, key=secret.text)[0] for each in found} == {401}


class Writer:
    """Writes to any running server, and repeats unanswered requests."""

    def __init__(self, servers, key, projects, rng):
        self.servers, self.key, self.projects = servers, key, projects
        self.rng, self.numbers, self.slugs = rng, [], []

    def insist(self, path, body, repeat):
        while True:
            with suppress(*SERVER_DOWN):
                status, result = self.rng.choice(self.servers).api(
                    path, body, self.key, repeat
                )
                if status == 200:
                    return json.loads(result)["data"]
                assert status in (409, 429, 503), result
            time.sleep(0.02)

    def run(self, name, is_enough):
        number = 0
        while not is_enough.is_set():
            number += 1
            title = f"{name}-{number}"
            project = self.rng.choice(self.projects)
            body = {"projectId": project, "type": "task", "title": title}
            made = self.insist(f"{WORK}/create", body, f"work-{title}")
            self.numbers.append((project, made["number"], title))
            if number % 5 == 0:
                body = {"slug": title, "name": f"Service {title}"}
                self.insist(ADD, body, f"add-{title}")
                self.slugs.append(title)
                self.insist("/status/v1/admin/measurements/record", self.seen(), None)

    def seen(self):
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")[:-4] + "Z"
        each = {"status": "operational", "responseTimeMs": 12, "observedAt": now}
        return {
            "source": "probe",
            "measurements": [each | {"slug": s} for s in self.slugs],
        }


def loaded(found, writers, rng):
    """Have them write while the builder is killed, and after that one more."""
    is_enough = Event()

    def written_after(count):
        goal = count + sum(len(each.numbers) for each in writers)
        until(lambda: sum(len(each.numbers) for each in writers) >= goal)

    with ThreadPoolExecutor(len(writers)) as threads:
        runs = [
            threads.submit(w.run, f"w{n}", is_enough) for n, w in enumerate(writers)
        ]
        try:
            written_after(50)
            until(lambda: builder_of(found))[0].kill()
            written_after(50)
            up, _ = until(lambda: [each for each in found if each.is_up])
            rng.choice(up).kill()
            written_after(50)
        finally:
            is_enough.set()
        for each in runs:
            each.result()


def test_load_with_two_killed(servers, key, docs_project, rng):
    """
    Four servers, eight clients in a hundred projects, two servers killed in turn.

    Each acknowledged write is stored once; numbers have no gaps or duplicates; the
    audit chains are intact; the builder's page then shows everything.
    """
    projects = [make_project(f"project-{number}", NOON).id for number in range(99)]
    # Half of the writes are in one of them.
    projects += [docs_project.project.id] * 99
    found = servers(4)
    until(lambda: builder_of(found))
    writers = [Writer(found, key, projects, rng) for _ in range(8)]

    loaded(found, writers, rng)

    result = sorted(item for each in writers for item in each.numbers)
    assert stored_work() == result
    slugs = sorted(slug for each in writers for slug in each.slugs)
    assert stored_slugs() == slugs
    with reading():
        assert integrity_problems() == []
    builder, _ = until(lambda: builder_of(found))
    names = [f"Service {slug}" for slug in slugs]
    until(lambda: has_all_names(names, builder.api("/status/")[1]))


def has_all_names(names, page):
    return all(name in page for name in names)


def stored_work():
    """Return the stored items, whose numbers have no gap in any project."""
    row = WorkItemRow
    kept = sorted(row.select(row.project, row.number, row.title).tuples())
    for _, items in groupby(kept, key=itemgetter(0)):
        numbers = [number for _, number, _ in items]
        assert numbers == list(range(1, len(numbers) + 1))
    return kept


def stored_slugs():
    return sorted(row.slug for row in ServiceRow.select())
