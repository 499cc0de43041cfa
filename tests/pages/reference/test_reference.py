"""The reference of the API on the built site."""

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import asdict, replace
from functools import partial
from html import unescape
from itertools import pairwise
from types import ModuleType
from urllib.parse import parse_qsl, urlsplit

import pytest

from api.console.operations.operations import _entries
from api.http.problem_types import PROBLEM_TYPES
from api.operation import OPERATIONS
from sitegen.builder.build import build
from sitegen.page import BuildContext
from sitegen.theme.site_theme import site_theme
from tests.conftest import ROUTES
from tests.pages.crawl import lost_links
from tests.pages.html import Reader
from tests.samples.openapi_document import DESCRIBED

ALL_PROBLEMS = {kind: asdict(problem) for kind, problem in PROBLEM_TYPES.items()}
INCIDENTS = "reference/status/incidents/index.html"


@pytest.fixture
def reference(build_site, output):
    """Return the pages of the reference by their addresses."""
    report = build_site(openapi=DESCRIBED)
    assert (report.failed, report.warnings) == ([], [])
    return {
        f"/{path.parent.relative_to(output).as_posix()}/": path.read_text()
        for path in (output / "reference").rglob("index.html")
    }


def test_noun(reference, golden):
    """The page of a noun has all its operations."""
    golden(INCIDENTS)


def test_every_operation(reference):
    """Each operation is on its page, and the index links to it."""
    for each in OPERATIONS:
        result = DESCRIBED["paths"][each.path][each.method.lower()]
        href = result["externalDocs"]["url"]
        page, _, anchor = href.partition("#")

        assert f'<h2 id="{anchor}">' in reference[page]
        assert f"<code>{each.path}</code>" in reference[page]
        assert f"<code>{each.scope}</code>" in reference[page]
        assert f'href="{href}"' in reference["/reference/"]


def test_examples_are_not_for_pasting(reference):
    """Each page says that examples with ids or times cannot be run unchanged."""
    for page in reference.values():
        assert "ids, slugs and times" in page
        assert "replace the ids, slugs and times with your own." in page


def test_links(reference, output):
    """Every link works, including those of the problem pages."""
    lost = [each for each in lost_links(output) if not each[0].startswith("/status")]

    assert lost == []


def test_pages_are_sound(reference):
    """
    A page has one h1, no skipped level, no duplicate id, and conforms to the policy.
    """
    for text in reference.values():
        page = Reader(text)
        ids = [value for name, value in page.attributes() if name == "id"]
        levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h\d", tag)]

        assert levels.count(1) == 1
        assert all(b - a <= 1 for a, b in pairwise(levels[1:]))
        assert len(ids) == len(set(ids))
        assert page.all("style") == page.text_of("script") == []


def test_pages_are_light(reference):
    """Every page is smaller than 20 KB compressed."""
    for href, text in reference.items():
        assert len(gzip.compress(text.encode())) < 20_000, href


def test_requests_are_accepted(reference):
    """Each command is a valid request of its operation."""
    blocks = [each for text in reference.values() for each in _commands(text)]

    requests = [_parsed_curl(shlex.split(block)) for block in blocks]

    assert {each.route for each in requests} == {each.route for each in OPERATIONS}


def _blocks(text):
    blocks = re.findall(r'<pre tabindex="0"><code>(.*?)</code>', text, re.DOTALL)
    return [unescape(re.sub(r"<[^>]+>", "", each)) for each in blocks]


def _commands(text):
    return [block for block in _blocks(text) if block.startswith("curl")]


def _parsed_curl(words):
    url = urlsplit(words[2].removeprefix("$API"))
    options = list(pairwise(words))
    headers = dict(value.split(": ") for flag, value in options if flag == "-H")
    bodies = [value for flag, value in options if flag == "--json"]
    is_post = bodies or "--data-binary" in words
    operation = ROUTES[f"{'POST' if is_post else 'GET'} {url.path}"]
    assert headers["Authorization"] == "Bearer $KEY"
    assert ("Idempotency-Key" in headers) == (operation.idempotent == "required")
    if bodies:
        operation.request.model_validate_json(bodies[0], by_name=False)
    elif operation.request:
        query = dict(parse_qsl(url.query, strict_parsing=bool(url.query)))
        operation.request.model_validate(query, by_name=False)
    return operation


def _sent_by_python(code, tmp_path, monkeypatch):
    """Run an example; return the request that it would send."""
    sent = []

    class Response:
        content = b""

        def raise_for_status(self):
            pass

        def json(self):
            return {"data": None}

    def send(method, url, **options):
        sent.append((method, url, options))
        return Response()

    library = ModuleType("requests")
    library.get, library.post = partial(send, "GET"), partial(send, "POST")
    monkeypatch.setitem(sys.modules, "requests", library)
    monkeypatch.setenv("API", "https://api.test")
    monkeypatch.setenv("KEY", "mh_own")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "setup.png").touch()
    exec(compile(code, "example", "exec"), {})
    ((method, url, options),) = sent
    return method, url, options


def test_python(reference, tmp_path, monkeypatch):
    """Each operation's example in Python sends the request of the curl command."""
    for text in reference.values():
        blocks = _blocks(text)
        commands = [block for block in blocks if block.startswith("curl")]
        programs = [block for block in blocks if "import requests" in block]
        for command, program in zip(commands, programs, strict=True):
            method, url, options = _sent_by_python(program, tmp_path, monkeypatch)

            words = shlex.split(command)
            request = urlsplit(words[2].removeprefix("$API"))
            assert url == f"https://api.test{request.path}"
            assert options.get("params", {}) == dict(parse_qsl(request.query))
            assert options["headers"].pop("Authorization") == "Bearer mh_own"
            keys = [word for word in words if word.startswith("Idempotency-Key")]
            assert [
                f"Idempotency-Key: {v}" for v in options["headers"].values()
            ] == keys
            bodies = [json.loads(b) for a, b in pairwise(words) if a == "--json"]
            assert [options[name] for name in ("json",) if name in options] == bodies
            assert (method == "POST") == bool(bodies or "data" in options)


@pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed")
def test_javascript(reference, tmp_path):
    """Each operation's example in JavaScript sends the request of the curl command."""
    pages = [_blocks(text) for text in reference.values()]
    programs = [block for page in pages for block in page if "await fetch(" in block]
    commands = [command for text in reference.values() for command in _commands(text)]
    (tmp_path / "setup.png").touch()
    for number, program in enumerate(programs):
        (tmp_path / f"{number}.mjs").write_text(program)
    (tmp_path / "run.mjs").write_text(RUN_JAVASCRIPT)

    environment = {
        "API": "https://api.test",
        "KEY": "mh_own",
        "PATH": os.environ["PATH"],
    }
    run = subprocess.run(
        ["node", "run.mjs", str(len(programs))],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    sent = json.loads(run.stdout.splitlines()[-1])
    for command, (url, method, headers, body) in zip(commands, sent, strict=True):
        words = shlex.split(command)
        assert url == words[2].replace("$API", "https://api.test")
        assert headers.pop("Authorization") == "Bearer mh_own"
        keys = [word for word in words if word.startswith("Idempotency-Key")]
        key = headers.pop("Idempotency-Key", None)
        assert [f"Idempotency-Key: {key}"] * bool(key) == keys
        bodies = [json.loads(b) for a, b in pairwise(words) if a == "--json"]
        assert [json.loads(text) for text in (body,) if text] == bodies
        assert headers == ({"Content-Type": "application/json"} if body else {})
        assert (method == "POST") == bool(bodies or "--data-binary" in words)


RUN_JAVASCRIPT = """
const sent = [];
globalThis.fetch = async (url, { method = "GET", headers, body }) => {
  sent.push([url, method, headers, typeof body === "string" ? body : null]);
  const json = async () => ({ data: null });
  return { ok: true, json, arrayBuffer: async () => new ArrayBuffer(0) };
};
for (let n = 0; n < Number(process.argv[2]); n++) await import(`./${n}.mjs`);
console.log(JSON.stringify(sent));
"""


def test_no_keys_in_examples(reference):
    """Examples read keys from the environment."""
    for block in (block for text in reference.values() for block in _blocks(text)):
        if "Bearer" in block:
            assert "mh_" not in block
            assert re.search(r"Bearer (\$KEY|\" \+ os|\$\{process)", block)


def test_tabs_of_examples(reference):
    """The languages of each example are the choices of radio buttons."""
    page = Reader(reference["/reference/status/incidents/"])
    radios = [attributes for tag, attributes in page.elements if tag == "input"]

    names = [radio["name"] for radio in radios]
    assert len(names) == 3 * len(set(names))
    assert sum("checked" in radio for radio in radios) == len(set(names))


def test_console(reference, output, settings, clock):
    """Each operation links to its form in the console, if there is one."""
    for each in OPERATIONS:
        href = DESCRIBED["paths"][each.path][each.method.lower()]["externalDocs"]["url"]
        page, _, anchor = href.partition("#")
        path = f"operations/{page.removeprefix('/reference/')}{anchor}/"
        assert f'"{settings.api_origin}/console/{path}"' in reference[page]
        (entry,) = [entry for entry in _entries() if entry.path == path]
        assert entry.operation is each

    without = replace(settings, console="off")
    context = BuildContext(
        clock.now,
        without,
        site_theme(without),
        openapi=DESCRIBED,
        problems=ALL_PROBLEMS,
    )
    build(context, ["docs"])

    assert "/console/" not in (output / INCIDENTS).read_text()


def test_other_language(store, output, settings, clock, tmp_path):
    """
    The page's own texts are in the site's language; descriptions of the API are
    English.
    """
    (tmp_path / "own/locales").mkdir(parents=True)
    texts = {"reference.errors": "أخطاء", "search.service": "خدمة"}
    (tmp_path / "own/locales/ar.json").write_text(json.dumps(texts))
    own = replace(settings, language="ar", templates=str(tmp_path / "own"))
    context = BuildContext(
        clock.now, own, site_theme(own), openapi=DESCRIBED, problems=ALL_PROBLEMS
    )

    build(context, ["docs"])

    page = (output / INCIDENTS).read_text()
    assert '<html lang="ar" dir="rtl">' in page
    assert "<h3>أخطاء</h3>" in page
    assert '<p class="summary" lang="en" dir="ltr">Open an incident.</p>' in page
    assert '<dd lang="en" dir="ltr">The title, on one line.</dd>' in page
    problem = (output / "problems/incident-not-found/index.html").read_text()
    assert '<h1 lang="en" dir="ltr">' in problem


def test_members(reference):
    """Each member has its type, its limits, its default and its description."""
    page = reference["/reference/status/measurements/"]

    assert "<code>measurements[].responseTimeMs</code>" in page
    assert "list of object; 1 to 200 items" in page
    assert "The response time in milliseconds." in page
    assert "default <code>20</code>" in reference["/reference/status/incidents/"]


def test_refusals(reference, output):
    """Operations link to their problems, and the problems link back."""
    problems = output / "problems"

    assert "/problems/incident-not-found/" in reference["/reference/status/incidents/"]
    own = (problems / "incident-not-found/index.html").read_text()
    assert 'href="/reference/status/incidents/#update"' in own
    assert "/reference/status/incidents/#add" not in own
    shared = (problems / "rate-limited/index.html").read_text()
    assert 'Any operation in the <a href="/reference/">' in shared
    for kind in PROBLEM_TYPES.keys() - {"not-found", "method-not-allowed"}:
        assert "/reference/" in (problems / kind / "index.html").read_text(), kind


def test_guides(reference, build_site, docs_project, output):
    """The page of a noun links to the published documents that link to it."""
    assert "Related guides" not in (output / INCIDENTS).read_text()
    guide = docs_project.publish(
        "outages", "[Open](/reference/status/incidents/#add) one."
    )
    docs_project.publish("others", "See [others](/reference/status/incident-updates/).")

    build_site(openapi=DESCRIBED)
    assert '<a href="/guides/outages/">' in (output / INCIDENTS).read_text()
    assert "/guides/others/" not in (output / INCIDENTS).read_text()

    docs_project.withdraw(guide)
    build_site(openapi=DESCRIBED)
    assert "Related guides" not in (output / INCIDENTS).read_text()


def test_nothing_new(reference, build_site):
    """An unchanged description is not written again."""
    assert build_site(openapi=DESCRIBED).written == []
    assert build_site(["status"], openapi=DESCRIBED).removed == []


def test_sitemap(reference, output):
    """Every page is in the sitemap."""
    result = (output / "sitemaps/site.xml").read_text()

    assert [href for href in reference if f"{href}</loc>" not in result] == []


def test_served_description(reference, output):
    """The OpenAPI document is served beside the pages."""
    assert json.loads((output / "openapi.json").read_text()) == DESCRIBED


def test_every_page_leads_to_the_reference(reference, output):
    """The footer of each page links to the reference, if there is one."""
    pages = [*output.glob("index.html"), *output.glob("status/**/index.html")]
    pages = [page for page in pages if "embed" not in page.parts]

    assert pages
    for page in pages:
        assert '<li><a href="/reference/">API reference</a></li>' in page.read_text()


def test_search_has_the_reference(reference, output):
    """The search finds every page of the reference and every operation."""
    (root,) = (output / "search").glob("root-*.json")
    (level,) = json.loads(root.read_text())["levels"]
    head = output / "search" / level["key"] / "head.json"
    rows = json.loads(head.read_text())["pages"]

    operations = {f"{each.method} {each.path}" for each in OPERATIONS}
    summary = DESCRIBED["paths"]["/platform/v1/keys/rotate"]["post"]["summary"]
    assert {href for href, *_ in rows} >= reference.keys()
    assert {where.split(" · ")[0] for *_, where in rows} >= operations
    assert [
        "/reference/platform/keys/#rotate",
        "keys/rotate",
        f"POST /platform/v1/keys/rotate · {summary}",
    ] in rows


def test_site_without_reference(build_site, output):
    """A site without a reference has no links to it."""
    build_site()

    (root,) = (output / "search").glob("root-*.json")
    assert json.loads(root.read_text()) == {"levels": []}
    assert "/reference/" not in (output / "index.html").read_text()


def test_descriptions_are_markdown(reference):
    """Markdown in descriptions is rendered: backticks become code."""
    measurements = reference["/reference/status/measurements/"]

    for href, page in reference.items():
        assert "`" not in re.sub(r"<pre.*?</pre>", "", page, flags=re.DOTALL), href
    assert "are returned in <code>unknown</code>, and" in measurements
