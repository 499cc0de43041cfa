"""Compare searching 100,000 work items over the API with /healthz."""

import json

from bench.server import Client, empty_database, p95, server_process
from bench.work import fill

SEARCH_PATH = "/projects/v1/search/list?q="
QUERIES = (
    "w777",
    "cursor",
    "description",
    "cursor+lock",
    "cursor+w777",
    "%22cursor+lock%22",
    "w7*",
    "nothing",
    "cursor&projectSlug=p1",
    "cursor+lock&projectSlug=p1",
    "w777&types=work&archived=include",
    "cursor&limit=50",
)


def run():
    with empty_database() as (path, secret):
        fill()
        with server_process(path) as (port, _):
            client = Client(port, secret)
            unranked = "cursor&cursor=" + unranked_cursor(client, "cursor")
            paths = [SEARCH_PATH + query for query in (*QUERIES, unranked)]
            calls = [lambda path=path: client.get(path) for path in paths]
            healthz, *times = p95(lambda: client.get("/healthz"), *calls, count=60)
            yield "healthz, p95 ms", f"{healthz:.2f}", ""
            names = (*QUERIES, "cursor, a page sorted by time")
            for name, time in zip(names, times, strict=True):
                label = f"search {name[:42]}, p95 ÷ healthz"
                yield label, f"{time / healthz:.1f}", "<= 20"


def unranked_cursor(client, query):
    """Return the cursor of a page after those that are sorted by relevance."""
    path = f"{SEARCH_PATH}{query}&limit=50"
    meta = json.loads(client.get(path))["meta"]
    while "sortedBy" not in meta:
        meta = json.loads(client.get(f"{path}&cursor={meta['cursor']}"))["meta"]
    return meta["cursor"]
