"""Measure how long a site's build is delayed by documents that are made to be slow."""

import time

from bench.kills import instance
from bench.server import now
from bench.write_requests import Write, publish_request
from models.projects.documents.rows import DocumentRow
from models.projects.projects.projects import docs_project
from sitegen.builder.build import build

DOCUMENTS, LENGTH = 4, 499_000
# Every line opens dozens of lists, at each of which the parser looks at the line again.
LINE = "- " * 45 + "a\n"


def run():
    with instance() as masthead:
        client = masthead.test_client()
        for number in range(DOCUMENTS):
            publish(masthead, client, number)
        context, started = masthead.context(now()), time.thread_time()
        report = build(context)
        seconds = time.thread_time() - started
        started = time.thread_time()
        build(masthead.context(now()))
        again = time.thread_time() - started
    label = f"first build with {DOCUMENTS} such documents, CPU seconds"
    yield label, f"{seconds:.1f}", "<= 10"
    yield "the next build, CPU seconds", f"{again:.1f}", ""
    yield "documents shown as written", str(len(report.warnings)), ""


def publish(masthead, client, number):
    body = {"projectId": docs_project().id, "type": "note", "title": f"List {number}"}
    content = LINE * (LENGTH // len(LINE))
    body |= {"slug": f"list-{number}", "collection": "guides", "content": content}
    create = "/projects/v1/documents/create"
    write = Write(create, body, DocumentRow.title, body["title"])
    headers = {"Authorization": f"Bearer {masthead.key}"}
    document = client.post(write.path, json=body, headers=headers).json["data"]
    masthead.send(publish_request(document), client)
