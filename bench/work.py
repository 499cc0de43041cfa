"""Compare lists of 100,000 work items with /healthz, and time creations and cycles."""

import json
import random
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, pairwise

from bench.server import Client, empty_database, now, p95, server_process
from models.base import epoch_ms, new_id
from models.projects.planning.rows import LabelRow
from models.projects.projects.rows import ProjectRow
from models.projects.search.text_index import IndexedTextRow
from models.projects.work.relationships import shortest_path
from models.projects.work.rows import (
    BUCKETS,
    PRIORITIES,
    WorkAssigneeRow,
    WorkItemRow,
    WorkLabelRow,
    WorkRelationshipRow,
)
from models.storage.database import database, writing

WORK_ITEMS, PROJECTS, PEOPLE, LABELS = 100_000, 10, 200, 20
THREADS, CREATIONS_PER_THREAD, CHAIN_LENGTH = 8, 25, 20_000
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
WORK_ITEM_FIELDS = (
    *("id", "project", "number", "type", "title", "description", "status"),
    *("priority", "bucket", "creator_id", "creator_type"),
    *("due_at", "created_at", "updated_at", "completed_at"),
)
TEXT_FIELDS = ("project", "entity_type", "entity_id", "title", "body")
LIST_PATH = "/projects/v1/work-items/list?limit=20"
QUERIES = (
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
        ids = fill()
        with server_process(path) as (port, _):
            yield from measure_lists(Client(port, secret), ids)
            yield from measure_creations(port, secret)
    with empty_database():
        label = f"searching a path in a chain of {CHAIN_LENGTH:,}, ms"
        yield label, f"{path_search_milliseconds():.0f}", "< 100"


def measure_lists(client, ids):
    paths = [LIST_PATH + query.format(**ids) for query in QUERIES]
    calls = [lambda path=path: client.get(path) for path in paths]
    healthz, *times = p95(lambda: client.get("/healthz"), *calls, count=60)
    yield "healthz, p95 ms", f"{healthz:.2f}", ""
    for query, milliseconds in zip(QUERIES, times, strict=True):
        label = f"list {query[:44]}, p95 ÷ healthz"
        yield label, f"{milliseconds / healthz:.1f}", "<= 10"


def measure_creations(port, secret):
    """Create work items in threads with a connection each; check their numbers."""
    project = json.loads(Client(port, secret).get("/projects/v1/projects/get?slug=p0"))
    body = {"projectId": project["data"]["id"], "type": "task", "title": "More"}
    before = ProjectRow.get(ProjectRow.slug == "p0").last_number

    def create(_):
        client = Client(port, secret)
        responses = [
            client.post("/projects/v1/work-items/create", json.dumps(body))
            for _ in range(CREATIONS_PER_THREAD)
        ]
        return [json.loads(response)["data"]["number"] for response in responses]

    started = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as pool:
        numbers = sorted(chain.from_iterable(pool.map(create, range(THREADS))))
    seconds = time.perf_counter() - started
    assert numbers == list(
        range(before + 1, before + 1 + THREADS * CREATIONS_PER_THREAD)
    )
    label = f"work-items/create, {THREADS} threads, writes/s"
    yield label, f"{len(numbers) / seconds:.0f}", ">= 300"


def path_search_milliseconds():
    """Return the slower of a search without a result and one along the whole chain."""
    with writing():
        project = create_project("chain")
        ids = insert_work_items([project], CHAIN_LENGTH + 1)
        insert_rows(
            WorkRelationshipRow,
            ((a, b, "blocks", "x", epoch_ms(now())) for a, b in pairwise(ids)),
            ("source", "target", "relationship", "created_by", "created_at"),
        )
    started = time.perf_counter()
    assert shortest_path("blocks", ids[-1], ids[0]) == []
    not_found = (time.perf_counter() - started) * 1000
    started = time.perf_counter()
    assert len(shortest_path("blocks", ids[0], ids[-1])) == CHAIN_LENGTH + 1
    found = (time.perf_counter() - started) * 1000
    return max(not_found, found)


def fill():
    """Insert work items with assignees, labels and relationships; return some ids."""
    rng, created_at = random.Random(1), now()
    people = [new_id(created_at) for _ in range(PEOPLE)]
    with writing():
        projects = [create_project(f"p{number}") for number in range(PROJECTS)]
        labels = [new_id(created_at) for _ in range(LABELS)]
        insert_rows(
            LabelRow,
            ((id, f"l{n}", epoch_ms(created_at)) for n, id in enumerate(labels)),
            ("id", "name", "created_at"),
        )
        ids = insert_work_items(projects, WORK_ITEMS, rng)
        assigned = [id for id in ids if rng.random() < 0.7]
        insert_rows(
            WorkAssigneeRow,
            ((id, rng.choice(people)) for id in assigned),
            ("work", "account_id"),
        )
        insert_rows(
            WorkLabelRow,
            ((id, label) for id in ids for label in rng.sample(labels, 2)),
            ("work", "label"),
        )
        pairs = {tuple(sorted(rng.sample(ids, 2))) for _ in range(WORK_ITEMS // 10)}
        insert_rows(
            WorkRelationshipRow,
            ((a, b, "blocks", people[0], epoch_ms(created_at)) for a, b in pairs),
            ("source", "target", "relationship", "created_by", "created_at"),
        )
    return {"account": people[3], "label": labels[0], "other": labels[1]}


def create_project(slug):
    created_at = now()
    return ProjectRow.create(
        id=new_id(created_at),
        slug=slug,
        name=slug,
        status="active",
        owner_id=new_id(created_at),
        builtin=False,
        last_number=WORK_ITEMS,
        created_at=created_at,
        updated_at=created_at,
    )


def insert_work_items(projects, count, rng=None):
    """Insert items that were created one second apart; return their ids."""
    rng, end = rng or random.Random(2), now()
    start = epoch_ms(end) - count * 1000
    ids = []
    rows, texts = [], []
    for number in range(1, count + 1):
        project, id = rng.choice(projects), new_id(end)
        ids.append(id)
        title = f"{rng.choice(WORDS)} {rng.choice(WORDS)} w{rng.randrange(1000)}"
        created = start + number * 1000
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
    insert_rows(WorkItemRow, map(tuple, rows), WORK_ITEM_FIELDS)
    insert_rows(IndexedTextRow, texts, TEXT_FIELDS)
    return ids


def insert_rows(model, rows, fields):
    """Insert rows directly, because creating them by the rules would take minutes."""
    columns = [model._meta.fields[field].column_name for field in fields]
    placeholders = ", ".join("?" * len(columns))
    table = model._meta.table_name
    sql = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({placeholders})"
    database.connection().executemany(sql, list(rows))
