"""The examples for nginx and Caddy, each run before a built site and the API."""

import json
import os
import re
from getpass import getuser
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

import pytest

from api.http.application import create_app
from models.notifications.subscriptions.secrets import token_of
from sitegen.theme.console_theme import ConsoleTheme
from sitegen.theme.site_theme import reader_page_renderer
from tests.deploy.conftest import DEPLOY, get, needed
from tests.factories.readers import newest, states
from tests.ports import free_port, served

SITE, API = "status.example.com", "masthead.internal"
# By default its workers run as nobody, and could not read the folder.
NGINX = """
user {user};
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b;
  fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  include {folder}/masthead.conf;
}}
"""
# The programs that serve the files of the site.
COMPARED = (
    *("Access-Control-Allow-Origin", "Cache-Control", "Content-Security-Policy"),
    *("Content-Type", "Referrer-Policy", "X-Content-Type-Options", "X-Robots-Tag"),
)
PERMANENT = (301, 308)


@pytest.fixture
def masthead(store, settings, clock):
    """The port of Masthead itself, behind the front."""
    app = create_app(
        settings,
        clock=clock,
        render_page=reader_page_renderer(settings),
        console_theme=ConsoleTheme(settings),
    )
    with served(app, threads=2) as port:
        yield port


def example(name, folder, port, masthead):
    """Return the example with only its folder and ports replaced, and without TLS."""
    text = (DEPLOY / name).read_text().replace("/srv/masthead", str(folder))
    text = text.replace("127.0.0.1:8000", f"127.0.0.1:{masthead}")
    text = text.replace("  listen [::]:80;\n", "")
    return text.replace("listen 80;", f"listen 127.0.0.1:{port};")


def started_nginx(run, folder, text, port, _):
    (folder / "masthead.conf").write_text(text)
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, user=getuser()))
    command = [needed("nginx"), "-p", str(folder), "-c", str(folder / "nginx.conf")]
    run(port, [*command, "-e", str(folder / "error.log")])


def started_caddy(run, folder, text, port, environment):
    for host in (SITE, API):
        text = text.replace(f"\n{host} {{", f"\nhttp://{host}:{port} {{")
    text = text.replace("\ttls internal\n", "")
    here = "{\n\tadmin off\n\tdefault_bind 127.0.0.1\n}\n"
    (folder / "Caddyfile").write_text(here + text)
    command = [needed("caddy"), "run", "--config", str(folder / "Caddyfile")]
    env = os.environ | {"HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    run(port, [*command, "--adapter", "caddyfile"], env=env | environment)


FRONTS = {"nginx.conf": started_nginx, "Caddyfile": started_caddy}


@pytest.fixture(params=FRONTS)
def start(request, run, home, tmp_path):
    """
    Start a front that runs an example before a port; return its own port.

    It can have the optional lines.
    """

    def started(masthead, has_optional_lines=False):
        port = free_port()
        text = example(request.param, home, port, masthead)
        if has_optional_lines:
            text = re.sub(r"^(\s+)#(?! )", r"\1", text, flags=re.MULTILINE)
        (tmp_path / "front").mkdir()
        FRONTS[request.param](run, tmp_path / "front", text, port, {})
        return port

    return started


@pytest.fixture
def guarded(start, world, masthead):
    """The port of a front with the optional lines."""
    return start(masthead, has_optional_lines=True)


@pytest.fixture
def front(start, world, masthead):
    """The port of a front before Masthead."""
    return start(masthead)


def files(output):
    return sorted(json.loads((output / "manifest.json").read_text())["files"])


def answer(port, at, **more):
    """Return a response, as far as it must be equal on all servers."""
    status, headers, body = get(port, at, SITE, **more)
    if status in PERMANENT:
        return "permanent", urljoin(at, headers["Location"])
    result = {name: headers.get_all(name) for name in COMPARED}
    # At the root of the host, Masthead describes the API itself, in fewer bytes.
    return status, result, None if at == "/openapi.json" else body


def difference(answered, expected):
    """Return how two responses differ; of bodies, only whether they do."""
    if answered == expected or len(answered) == len(expected) == 2:
        return None if answered == expected else (answered, expected)
    if answered[0] != expected[0]:
        return answered[:2], expected[:2]
    headers = [(n, answered[1][n], expected[1][n]) for n in COMPARED]
    return [each for each in headers if each[1] != each[2]] or "the body"


def addresses(output, below):
    """Return the address of every file and folder, with each form of a folder's."""
    for path in files(output):
        folder, _, name = f"{below}/{quote(path)}".rpartition("/")
        yield f"{folder}/{name}"
        yield f"{folder}/{name}/"
        yield f"{folder}/"
        yield folder or "/"
        yield f"{folder}/moved.txt"
        if name == "_under.png":
            # Custom content must be harmless in any spelling.
            folder = folder.removeprefix(below)
            for start in ("/", "//", "/%2f", "/%66", "/F"):
                yield f"{below}{start}{folder[1:]}//{name}"


def odd_addresses(output, below):
    """Return unlinked addresses: missing, hidden, moved, removed, and misspelt."""
    for line in (output / "_redirects").read_text().splitlines()[:-1]:
        old = line.split()[0]
        yield from (old, f"{old.rstrip('/')}/", f"{old.rstrip('/')}?a=1", f"{old}/x")
    for page in (output / "status/incidents").glob("*/gone.html"):
        folder = f"{below}/status/incidents/{page.parent.name}"
        ends = ("", "/", "/index.html", ".json", ".json?a=1", "/gone.html", "/x", ".md")
        yield from (folder + end for end in ends)
    yield from (
        below + at
        for at in (
            *("/nowhere", "/nowhere/", "/nowhere.html", "/assets/none.js", "/files/x/"),
            *("/files/none.pdf", "/status/embed/none/", "/index.htm", "/404", "/moved"),
            *("/.lock", "/status/.hidden", "/.well-known/x", "/_other", "/_moved/"),
            *("/%2elock", "/%5fheaders", "/%5Fredirects", "/status%2findex.html"),
            *(
                "/status?a=1",
                "/search?q=a%20b&c",
                "/%73tatus/",
                "/STATUS/",
                "/status//",
            ),
            *("/status/?a=/../", "/status.txt?a", "/status.txt%20", "/d%C3%B6cs%2f"),
            *("/status/incidents/none/", "/status/incidents/none.json?a=1"),
            *(
                "/" + "a" * 3000,
                "/" + "a/" * 500,
                "/%f6",
                "/a%0ab",
                "/a%20b/",
                "/~",
                "/*",
            ),
        )
    )


def test_every_address(front, masthead, output):
    """Every file, folder and unusual address gets the response of Masthead."""
    compare(front, masthead, output)


def compare(front, masthead, output, below=""):
    paths = {*addresses(output, below), *odd_addresses(output, below)}

    found = {at: difference(answer(front, at), answer(masthead, at)) for at in paths}

    assert {at: found[at] for at in sorted(paths) if found[at]} == {}
    assert {f"{below}/_redirects", f"{below}/setup.html"} < paths
    leads_nowhere_else(front, below)


def leads_nowhere_else(front, below):
    """No spelling leads out of the folder, or to another host."""
    for at in ("/..%2fmasthead.db", "/%2e%2e/masthead.db", "/status/..%00", "/../x"):
        assert get(front, below + at, SITE)[0] in (400, 404), at
    for at in (f"/{below}/status", f"//{below}/guides", f"{below}//status"):
        _, headers, _ = get(front, at, SITE)
        assert not headers.get("Location", "").startswith("//"), at


def test_moved_page_without_masthead(start, world, output):
    """
    While Masthead is down, readers get the page that redirects to the new address.
    """
    front = start(free_port())

    for at in ("/support/limits/", "/support/limits", "/setup.html"):
        status, headers, body = get(front, at, SITE)
        assert status == 200, at
        assert b'http-equiv="refresh"' in body
        assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert get(front, "/support/limits.md", SITE)[0] in (404, 502)
    assert get(front, "/subscribe", SITE)[0] == 502
    assert get(front, "/products/limits/", SITE)[0] == 200


def test_files_are_only_read(front):
    """A file allows GET and HEAD only."""
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert get(front, "/status/", SITE, method)[0] == 405, method
    assert get(front, "/status/", SITE, "HEAD")[0] == 200


def test_file_that_a_client_has(front, output):
    """A file that has not changed is not sent again."""
    asset = next(path for path in files(output) if path.startswith("files/"))
    for at in ("/status/", f"/{asset}"):
        _, headers, _ = get(front, at, SITE)
        known = {"If-None-Match": headers["ETag"]}

        assert get(front, at, SITE, **known)[0] == 304


def test_api(front):
    """The API is at its host name only, and not on the site's."""
    assert get(front, "/healthz", API)[0] == 200
    status, headers, body = get(front, "/status/v1/services/list", API)
    assert (status, headers["Content-Type"]) == (401, "application/problem+json")
    assert json.loads(body)["instance"] == "/status/v1/services/list"

    assert get(front, "/", API)[0] == 404
    assert get(front, "/status/v1/services/list", SITE)[0] == 404
    # The metrics are only for this machine, under either name.
    assert get(front, "/metrics", SITE)[0] == get(front, "/metrics", API)[0] == 404


@pytest.mark.parametrize(
    ("has_optional_lines", "requested"),
    [
        (
            False,
            [
                (SITE, "/support/limits/"),
                (SITE, "/subscribe"),
                (API, "/platform/v1/keys/verify"),
                (API, "/console/"),
                (API, "/readyz"),
            ],
        ),
        (True, [(SITE, "/status/v1/admin/measurements/record")]),
    ],
)
def test_forwarded_headers(start, world, has_optional_lines, requested):
    """Masthead sees the requested host, and of the client what the front saw."""
    seen = []

    def record(environ, start_response):
        seen.append((environ["HTTP_HOST"], environ["HTTP_X_FORWARDED_FOR"]))
        start_response("200 OK", [("Content-Length", "0")])
        return [b""]

    with served(record, threads=1) as port:
        front = start(port, has_optional_lines)
        for host, path in requested:
            get(front, path, f"{host}:8443", **{"X-Forwarded-For": "192.0.2.7"})

    assert seen == [(f"{host}:8443", "127.0.0.1") for host, _ in requested]


def test_readers_and_operators_arrive(front, output, settings):
    """With the URLs of the manual, forms and links lead to working addresses."""
    page = (output / "status/index.html").read_text()
    action = re.search(r'method="post" action="([^"]+)"', page)[1]
    form = {"Content-Type": "application/x-www-form-urlencoded"}

    url = urlsplit(urljoin(f"{settings.site_url}/status/", action))
    sent = "email=ada%40example.com&kind=incidents"
    assert get(front, url.path, url.netloc, "POST", sent, **form)[0] == 200
    assert states() == ["pending"]

    host = urlsplit(settings.subscribe_origin).netloc
    confirm = f"/subscribe/confirm/{token_of(newest().id, 'confirm')}"
    assert get(front, confirm, host)[0] == 200

    page = (output / "reference/status/incidents/index.html").read_text()
    url = urlsplit(re.search(r'href="([^"]+/console/operations/[^"]+)"', page)[1])
    status, headers, _ = get(front, url.path, url.netloc)
    assert (status, headers["Location"].split("?")[0]) == (303, "/console/sign-in/")
    host = urlsplit(settings.api_origin).netloc
    assert get(front, "/status/v1/services/list", host)[0] == 401


def test_api_for_probes_alone(guarded):
    """From outside the network, probes can send measurements, and nothing else."""
    record = "/status/v1/admin/measurements/record"
    sent, json_type = b'{"source": "a"}', {"Content-Type": "application/json"}

    status, headers, _ = get(guarded, record, SITE, "POST", sent, **json_type)

    assert (status, headers["Content-Type"]) == (401, "application/problem+json")
    for at in ("/status/v1/services/list", f"{record}/x", "/console/", "/readyz"):
        assert get(guarded, at, SITE)[0] == 404
        assert get(guarded, at, API)[0] == 403
    assert get(guarded, "/status/", SITE)[0] == 200


def test_pages_for_subscribing(front):
    """Readers subscribe on the site's host, and proxies add no headers."""
    for path in ("/subscribe", "/subscribe/confirm/forged", "/subscribe/end/forged"):
        status, headers, body = get(front, path, SITE)

        assert status == (200 if path == "/subscribe" else 404)
        assert b"Notifications" in body
        for name in ("Content-Security-Policy", "Cache-Control", "X-Robots-Tag"):
            assert len(headers.get_all(name)) == 1, name
        # The paths of the others contain tokens.
        referrer = "same-origin" if path == "/subscribe" else "no-referrer"
        assert headers["Referrer-Policy"] == referrer
    assert get(front, "/subscribers/", SITE)[2] == get(front, "/nowhere/", SITE)[2]


def test_examples_are_for_the_same_folder():
    """The examples agree on where Masthead lives."""
    for each in (*FRONTS, "masthead.service", "masthead-build.service"):
        assert "/srv/masthead/output" in Path(DEPLOY / each).read_text(), each
