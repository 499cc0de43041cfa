"""
Measure how often the search of a built site finds what a query is about.

The queries follow from the documents by a rule: the titles of pages, their headings,
and the identifiers of their code, in lower case. A query is answered if one of the
first three results is a page of that title, with that heading, or, for an identifier,
with it in a heading if any page has that, else in its text. The script of the site
itself searches, in a browser.
"""

import json
import re
import sys
from collections import defaultdict
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from threading import Thread

from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM

COLLECTIONS = ("guides", "products", "support")
# Of each kind of query, spread evenly over the tree.
MAX_QUERIES = 100
FIRST_RESULTS = 3
SEARCH = """async ([queries, count]) => {
  const box = document.querySelector("[data-search]");
  const { search } = await import(box.dataset.search);
  const found = [];
  for (const query of queries) {
    const { results } = await search(query);
    const first = await Promise.all(results.slice(0, count).map((result) => result()));
    found.push(first.map(({ href }) => href));
  }
  return found;
}"""
FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?^ {0,3}\1", re.M | re.S)
HEADING = re.compile(r"^#{1,6}[ \t]+(.+)", re.M)
CODE = re.compile(r"`([^`\n]+)`")
# At least two words: rate_limit, rateLimit, rate-limit, rate.limit, rate::limit.
IDENTIFIER = re.compile(r"[A-Za-z]\w*?(?:(?:[-_.]|::)[A-Za-z]\w*|[a-z][A-Z]\w*)+")
MARKUP = re.compile(r"\{#[^}]*\}|\]\([^)]*\)|[`*\[\]]|<[^>]*>")


def queries_answered(output_folder):
    """Return how many queries were answered, and how many were asked."""
    answers = queries_of(read_documents(output_folder))
    found = search_all(output_folder, list(answers))
    return sum(
        not right.isdisjoint(found[query]) for query, right in answers.items()
    ), len(answers)


def unanswered(output_folder):
    """Yield the queries that were not answered, with what was expected and found."""
    answers = queries_of(read_documents(output_folder))
    found = search_all(output_folder, list(answers))
    for query, right in answers.items():
        if right.isdisjoint(found[query]):
            yield query, sorted(right)[:FIRST_RESULTS], found[query]


def read_documents(output_folder):
    """Return the title and the Markdown of each published document, by its address."""
    documents = {}
    for collection in COLLECTIONS:
        folder = Path(output_folder, collection)
        for file in folder.rglob("*.md"):
            data = json.loads(file.with_suffix(".json").read_text())["data"]
            # That of the first page of a collection is in a folder of that name.
            path = file.relative_to(folder).with_suffix("").as_posix()
            href = f"/{collection}/{path}/".removesuffix("index/index/")
            page = Path(output_folder, href.strip("/"), "index.html")
            if "noindex" in page.read_text(encoding="utf-8"):
                # Its author hid it.
                continue
            documents[href] = data["title"], file.read_text(encoding="utf-8")
    return documents


def queries_of(documents):
    """Return the queries, each with the addresses of the pages that answer it."""
    titles, headings, identifiers = (defaultdict(set) for _ in range(3))
    in_headings = defaultdict(set)
    for href, (title, content) in documents.items():
        titles[plain(title)].add(href)
        content = FENCE.sub("", content)
        for heading in HEADING.findall(content):
            headings[plain(heading)].add(href)
            for name in IDENTIFIER.findall(heading):
                in_headings[name.lower()].add(href)
        for code in CODE.findall(content):
            if IDENTIFIER.fullmatch(code) and len(code) <= 40:
                identifiers[code.lower()].add(href)
    for name in identifiers:
        identifiers[name] = in_headings[name] or pages_with(name, documents)
    # A heading may be a title, too: then any of these pages is an answer.
    answers = defaultdict(set)
    for kind in (titles, headings, identifiers):
        for query in spread(sorted(query for query in kind if query)):
            answers[query] |= kind[query] | titles.get(query, set())
    return dict(answers)


def pages_with(name, documents):
    """Return the pages that contain an identifier, also in larger blocks of code."""
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.I)
    return {href for href, (_, content) in documents.items() if pattern.search(content)}


def plain(text):
    """Return a title or a heading as somebody would type it."""
    return " ".join(MARKUP.sub("", text).lower().rstrip("# ").split())


def spread(items):
    step = max(1, len(items) / MAX_QUERIES)
    positions = (int(number * step) for number in range(len(items)))
    return [items[n] for n in islice(positions, MAX_QUERIES) if n < len(items)]


def search_all(output_folder, queries):
    """Return the addresses of the first results of each query."""
    handler = partial(QuietHandler, directory=str(output_folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox"]
            )
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/search/")
            found = page.evaluate(SEARCH, [queries, FIRST_RESULTS])
            browser.close()
        server.shutdown()
    return dict(zip(queries, found, strict=True))


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


if __name__ == "__main__":
    for query, expected, found in unanswered(sys.argv[1]):
        print(f"{query!r}: expected {expected}, found {found}")
    print(*queries_answered(sys.argv[1]), sep=" of ")
