"""Lists over 100,000 work items, creations by many at once, and a long chain."""

import json
import random
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, pairwise

from bench.server import Client, empty_database, now, p95, served
from models.base import epoch_ms, new_id
from models.projects.planning.rows import LabelRow
from models.projects.projects.rows import ProjectRow
from models.projects.search.text_index import IndexedTextRow
from models.projects.work.cycles import shortest_path
from models.projects.work.rows import (
    BUCKETS,
    PRIORITIES,
    WorkAssigneeRow,
    WorkItemRow,
    WorkLabelRow,
    WorkRelationshipRow,
)
from models.storage.database import database, writing

ITEMS, PROJECTS, PEOPLE, LABELS = 100_000, 10, 200, 20
THREADS, EACH, CHAIN = 8, 25, 20_000
STATUSES = ("backlog", "planned", "in_progress", "blocked", "review", "done")
WORDS = [
    "cursor",
    "probe",
    "page",
    "build",
    "lock",
    "index",
    "feed",
    "label",
    "draft",
    "graph",
]
WORK = (
    *("id", "project", "number", "type", "title", "description", "status"),
    *("priority", "bucket", "creator_id", "creator_type"),
    *("due_at", "created_at", "updated_at", "completed_at"),
)
TEXT = ("project", "entity_type", "entity_id", "title", "body")
LIST = "/projects/v1/work-items/list?limit=20"
QUESTIONS = (
    "",
    "&projectSlug=p1",
    "&projectSlug=p1&sort=createdAt",
    "&projectSlug=p1&sort=number",
    "&projectSlug=p1&sort=dueAt",
    "&projectSlug=p1&sort=priority",
    "&projectSlug=p1&sort=bucket",
    "&sort=createdAt",
    "&sort=number",
    "&sort=dueAt",
    "&sort=dueAt&order=asc",
    "&sort=priority",
    "&sort=bucket",
    "&projectSlug=p1&status=in_progress,review&priority=high,critical",
    "&projectSlug=p1&status=backlog&sort=priority",
    "&status=in_progress,review&priority=high,critical&type=bug",
    "&assigneeId={account}",
    "&assigneeId={account}&status=planned&sort=dueAt",
    "&assigneeId=none",
    "&labelId={label}",
    "&labelId={label},{other}",
    "&projectSlug=p1&labelId={label}&status=planned",
    "&blocked=true",
    "&blocked=false",
    "&ready=true",
    "&projectSlug=p1&ready=true&sort=priority",
    "&dueAfter=2026-01-01T00:00:00Z&dueBefore=2026-01-03T00:00:00Z",
    "&completedAfter=2026-01-01T00:00:00Z",
    "&q=cursor",
    "&q=cursor+lock&sort=relevance",
    "&projectSlug=p1&q=w777",
)


def run():
    with empty_database() as (path, secret):
        names = fill()
        with served(path) as (port, _):
            yield from lists(Client(port, secret), names)
            yield from creations(port, secret)
    with empty_database():
        yield f"cycle check on a chain of {CHAIN}, ms", f"{long_chain():.0f}", "< 100"


def lists(client, names):
    asked = [LIST + each.format(**names) for each in QUESTIONS]
    calls = [lambda path=path: client.get(path) for path in asked]
    alive, *times = p95(lambda: client.get("/healthz"), *calls, count=60)
    yield "healthz, p95 ms", f"{alive:.2f}", ""
    for question, taken in zip(QUESTIONS, times, strict=True):
        yield f"list {question[:44]}, p95 in healthz", f"{taken / alive:.1f}", "<= 10"


def creations(port, secret):
    """Creations by threads, each with a connection of its own."""
    project = json.loads(Client(port, secret).get("/projects/v1/projects/get?slug=p0"))
    body = {"projectId": project["data"]["id"], "type": "task", "title": "More"}
    before = ProjectRow.get(ProjectRow.slug == "p0").last_number

    def made(_):
        client = Client(port, secret)
        answers = [
            client.post("/projects/v1/work-items/create", json.dumps(body))
            for _ in range(EACH)
        ]
        return [json.loads(each)["data"]["number"] for each in answers]

    started = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as pool:
        numbers = sorted(chain.from_iterable(pool.map(made, range(THREADS))))
    taken = time.perf_counter() - started
    assert numbers == list(range(before + 1, before + 1 + THREADS * EACH))
    yield "creations a second, 8 threads", f"{len(numbers) / taken:.0f}", ">= 300"


def long_chain():
    """Milliseconds of the check that refuses to close the longest of rings."""
    with writing():
        project = make_project("chain")
        ids = make_items([project], CHAIN + 1)
        make_rows(
            WorkRelationshipRow,
            ((a, b, "blocks", "x", epoch_ms(now())) for a, b in pairwise(ids)),
            ("source", "target", "relationship", "created_by", "created_at"),
        )
    started = time.perf_counter()
    assert shortest_path("blocks", ids[-1], ids[0]) == []
    taken = (time.perf_counter() - started) * 1000
    started = time.perf_counter()
    assert len(shortest_path("blocks", ids[0], ids[-1])) == CHAIN + 1
    return max(taken, (time.perf_counter() - started) * 1000)


def fill():
    """Work of ten projects, of which a few have most people and labels."""
    rng, at = random.Random(1), now()
    people = [new_id(at) for _ in range(PEOPLE)]
    with writing():
        projects = [make_project(f"p{number}") for number in range(PROJECTS)]
        labels = [new_id(at) for _ in range(LABELS)]
        make_rows(
            LabelRow,
            ((id, f"l{place}", epoch_ms(at)) for place, id in enumerate(labels)),
            ("id", "name", "created_at"),
        )
        ids = make_items(projects, ITEMS, rng)
        some = [id for id in ids if rng.random() < 0.7]
        make_rows(
            WorkAssigneeRow,
            ((id, rng.choice(people)) for id in some),
            ("work", "account_id"),
        )
        make_rows(
            WorkLabelRow,
            ((id, label) for id in ids for label in rng.sample(labels, 2)),
            ("work", "label"),
        )
        pairs = {tuple(sorted(rng.sample(ids, 2))) for _ in range(ITEMS // 10)}
        make_rows(
            WorkRelationshipRow,
            ((a, b, "blocks", people[0], epoch_ms(at)) for a, b in pairs),
            ("source", "target", "relationship", "created_by", "created_at"),
        )
    return {"account": people[3], "label": labels[0], "other": labels[1]}


def make_project(slug):
    at = now()
    return ProjectRow.create(
        id=new_id(at),
        slug=slug,
        name=slug,
        status="active",
        owner_id=new_id(at),
        builtin=False,
        last_number=ITEMS,
        created_at=at,
        updated_at=at,
    )


def make_items(projects, count, rng=None):
    rng, at = rng or random.Random(2), now()
    stamp = epoch_ms(at) - count * 1000
    ids = []
    rows, texts = [], []
    for number in range(1, count + 1):
        project, id = rng.choice(projects), new_id(at)
        ids.append(id)
        title = f"{rng.choice(WORDS)} {rng.choice(WORDS)} w{rng.randrange(1000)}"
        created = stamp + number * 1000
        status = rng.choice(STATUSES)
        rows.append(
            {
                "id": id,
                "project": project.id,
                "number": number,
                "type": rng.choice(("task", "bug", "idea")),
                "title": title,
                "description": "A description of some length. " * 5,
                "status": status,
                "priority": rng.randrange(len(PRIORITIES)),
                "bucket": rng.randrange(len(BUCKETS)),
                "creator_id": project.owner_id,
                "creator_type": "account",
                "due_at": created if rng.random() < 0.3 else None,
                "created_at": created,
                "updated_at": created + rng.randrange(10**7),
                "completed_at": created if status == "done" else None,
            }.values()
        )
        texts.append((project.id, "work", id, title, "A description."))
    make_rows(WorkItemRow, map(tuple, rows), WORK)
    make_rows(IndexedTextRow, texts, TEXT)
    return ids


def make_rows(model, rows, names):
    """Rows as they are, for which the rules would take minutes."""
    columns = [model._meta.fields[name].column_name for name in names]
    marks = ", ".join("?" * len(columns))
    table = model._meta.table_name
    sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"
    database.connection().executemany(sql, list(rows))
