"""The examples for nginx and Caddy, each run before a built site and the API."""

import json
import os
from dataclasses import replace
from getpass import getuser
from pathlib import Path

import pytest

from models.response_headers import site_headers, url_path
from tests.deploy.conftest import DEPLOY, get, needed
from tests.ports import free_port, served
from tests.worlds.readers import MAIL, app_for_readers

SITE, API = "status.example.com", "masthead.internal"
# Its workers are nobody in particular unless told, and could not read the folder.
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


@pytest.fixture
def behind(store, settings, clock):
    """The port of the API that stands behind the front."""
    app = app_for_readers(replace(settings, **MAIL), clock)
    with served(app, threads=2) as port:
        yield port


def example(name, port, behind, settings):
    """The example as it stands, but for its folder and its ports."""
    text = (DEPLOY / name).read_text()
    text = text.replace("/srv/masthead/output", settings.output)
    return text.replace("127.0.0.1:8000", f"127.0.0.1:{behind}").replace(
        "listen 80;", f"listen 127.0.0.1:{port};"
    )


def started_nginx(run, folder, text, port):
    (folder / "masthead.conf").write_text(text)
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, user=getuser()))
    command = [needed("nginx"), "-p", str(folder), "-c", str(folder / "nginx.conf")]
    run(port, [*command, "-e", str(folder / "error.log")])


def started_caddy(run, folder, text, port):
    for host in (SITE, API):
        text = text.replace(f"\n{host} {{", f"\nhttp://{host}:{port} {{")
    here = "{\n\tadmin off\n\tdefault_bind 127.0.0.1\n}\n"
    (folder / "Caddyfile").write_text(here + text)
    command = [needed("caddy"), "run", "--config", str(folder / "Caddyfile")]
    env = os.environ | {"HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    run(port, [*command, "--adapter", "caddyfile"], env=env)


FRONTS = {"nginx.conf": started_nginx, "Caddyfile": started_caddy}


@pytest.fixture(params=FRONTS)
def front(request, world, behind, run, settings, tmp_path):
    """The port of a front that runs an example."""
    port = free_port()
    text = example(request.param, port, behind, settings)
    (tmp_path / "front").mkdir()
    FRONTS[request.param](run, tmp_path / "front", text, port)
    return port


def files(output):
    return sorted(json.loads((output / "manifest.json").read_text())["files"])


def test_every_file(front, output):
    """Each file comes whole, with the headers that Masthead itself would send."""
    serves_site(front, output)


def serves_site(front, output, below=""):
    for path in files(output):
        if path.startswith("_"):
            continue
        status, headers, body = get(front, below + url_path(path), SITE)
        wanted = site_headers(path)
        told = {name: headers.get_all(name) for name in wanted}
        assert (status, body) == (200, (output / path).read_bytes()), path
        assert told == {name: [value] for name, value in wanted.items()}, path

    no_page(front, output, below)
    removed_incident(front, output, below)
    folder_without_its_slash(front, below)


def no_page(front, output, below):
    """What is not there, and what is not for readers, gets the page that says so."""
    for at in ("/nowhere/", "/.lock", "/_headers", "/assets/none.js"):
        status, headers, body = get(front, below + at, SITE)
        assert (status, body) == (404, (output / "404.html").read_bytes())
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "immutable" not in headers["Cache-Control"]
    assert get(front, f"{below}/..%2fmasthead.db", SITE)[0] in (400, 404)


def removed_incident(front, output, below):
    """Where an incident was, and its JSON, there is a page that says so, with 410."""
    (page,) = (output / "status/incidents").glob("*/gone.html")
    folder = f"{below}/status/incidents/{page.parent.name}"

    for at in (f"{folder}/", folder, f"{folder}/index.html", f"{folder}.json"):
        status, headers, body = get(front, at, SITE)
        assert (status, body) == (410, page.read_bytes()), at
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "must-revalidate" in headers["Cache-Control"]
    assert get(front, f"{below}/status/incidents/none/", SITE)[0] == 404
    assert get(front, f"{below}/status/incidents/none.json?a=1", SITE)[0] == 404


def folder_without_its_slash(front, below):
    """A folder without its slash leads to the folder, on the same host."""
    status, headers, _ = get(front, f"{below}/status", SITE)

    assert status in (301, 308)
    assert headers["Location"] == f"{below}/status/"


def test_api(front):
    """The API answers under its name, and the site's name has none of it."""
    assert get(front, "/healthz", API)[0] == 200
    status, headers, body = get(front, "/status/v1/services/list", API)
    assert (status, headers["Content-Type"]) == (401, "application/problem+json")
    assert json.loads(body)["instance"] == "/status/v1/services/list"

    assert get(front, "/", API)[0] == 404
    assert get(front, "/status/v1/services/list", SITE)[0] == 404
    # What the metrics say is for whoever is on the machine, under either name.
    assert get(front, "/metrics", SITE)[0] == get(front, "/metrics", API)[0] == 404


def test_pages_for_subscribing(front):
    """Readers subscribe under the name of the site, and proxies add no headers."""
    for path in ("/subscribe", "/subscribe/confirm/forged", "/subscribe/end/forged"):
        status, headers, body = get(front, path, SITE)

        assert status == (200 if path == "/subscribe" else 404)
        assert b"Notifications" in body
        for name in ("Content-Security-Policy", "Cache-Control", "X-Robots-Tag"):
            assert len(headers.get_all(name)) == 1, name
        assert headers["Referrer-Policy"] == "no-referrer"
    assert get(front, "/subscribers/", SITE)[2] == get(front, "/nowhere/", SITE)[2]


def test_examples_are_for_the_same_folder():
    """The examples agree on where Masthead lives."""
    for each in (*FRONTS, "masthead.service", "masthead-build.service"):
        assert "/srv/masthead/output" in Path(DEPLOY / each).read_text(), each
