"""Search over 100,000 work items."""

from bench.server import Client, empty_database, p95, served
from bench.work import fill

SEARCH = "/projects/v1/search/list?q="
QUESTIONS = (
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
        with served(path) as (port, _):
            client = Client(port, secret)
            paths = [SEARCH + each for each in QUESTIONS]
            calls = [lambda path=path: client.get(path) for path in paths]
            alive, *times = p95(lambda: client.get("/healthz"), *calls, count=60)
            yield "healthz, p95 ms", f"{alive:.2f}", ""
            for question, taken in zip(QUESTIONS, times, strict=True):
                what = f"search {question[:42]}, p95 in healthz"
                yield what, f"{taken / alive:.1f}", "<= 20"
