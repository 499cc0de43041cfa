"""The compose file, run as processes: two hosts, a store and the front."""

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from types import SimpleNamespace
from urllib.parse import unquote, urlsplit

import pytest

from models.response_headers import site_headers
from models.site_addresses import url_path
from models.storage.engines.postgresql_driver import connect_to
from tests.deploy.composing import APIS, FRONT, MADE_UP, SERVICES, WHOLE
from tests.deploy.conftest import FILES, get, needed
from tests.deploy.test_image import HERE, arguments_of
from tests.ports import free_port
from tests.publishing import store as stores

pytestmark = pytest.mark.postgresql

SITE, API = MADE_UP["SITE_HOST"], MADE_UP["API_HOST"]
ENVIRONMENT = SERVICES[APIS[0]]["environment"]
IMAGE = dict(line.split("=", 1) for line in arguments_of("ENV"))
# A build and its publication, on a machine that has other work.
BUILD_SECONDS = 5
ADD = "/status/v1/admin/services/add"
DOCUMENTS = "/projects/v1/documents"


class Public(stores.Handler):
    """A store that serves its objects to clients without a key."""

    def serve(self):
        if "Authorization" in self.headers:
            return super().serve()
        assert self.command in ("GET", "HEAD")
        _, bucket, key = unquote(self.path).split("/", 2)
        self.server.store.requests.append((self.command, f"{bucket}/{key}"))
        return self.get(self.server.store, key, b"")

    do_GET = do_HEAD = serve


@pytest.fixture
def bucket(monkeypatch):
    """The store with the bucket and the key of the compose file."""
    where = urlsplit(ENVIRONMENT["MASTHEAD_PUBLISH"])
    monkeypatch.setattr(stores, "BUCKET", where.netloc)
    monkeypatch.setattr(stores, "KEY", ENVIRONMENT["AWS_ACCESS_KEY_ID"])
    monkeypatch.setattr(stores, "SECRET", ENVIRONMENT["AWS_SECRET_ACCESS_KEY"])
    monkeypatch.setattr(stores, "REGION", "us-east-1")
    monkeypatch.setattr(stores, "Handler", Public)
    with stores.stored() as found:
        yield found


@pytest.fixture
def database(settings):
    """A database of the compose file's role, and nothing else."""
    steps = WHOLE["configs"]["role"]["content"].strip().split("\n")
    with connect_to(settings.database) as server:
        for step in steps:
            server.execute(step)
        folder = settings.database.partition("?host=")[2]
        yield ENVIRONMENT["MASTHEAD_DATABASE"].replace("@postgres:5432/", "@/") + (
            f"?host={folder}"
        )
        server.execute("DROP DATABASE masthead WITH (FORCE)")
        server.execute("DROP ROLE masthead")


@pytest.fixture
def hosts(database, bucket, run, tmp_path):
    """The hosts of the API by name, once their dependencies are done."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith("MASTHEAD_")}

    def environment(name, port=1):
        result = IMAGE | SERVICES[name]["environment"]
        data = str(tmp_path / name)
        result = {key: value.replace("/data", data) for key, value in result.items()}
        return (
            plain
            | result
            | {
                "MASTHEAD_DATABASE": database,
                "MASTHEAD_PUBLISH_ENDPOINT": bucket.address,
                "MASTHEAD_HOST": "127.0.0.1",
                "MASTHEAD_PORT": str(port),
            }
        )

    def done(*words):
        ran = [sys.executable, "app.py", *words]
        env = environment("migrate")
        result = subprocess.run(ran, cwd=HERE, env=env, capture_output=True, check=True)
        return result.stdout.decode().strip()

    done(*SERVICES["migrate"]["command"])
    started = {"key": done("keys", "bootstrap", "--email", "ada@example.com")}
    for name in APIS:
        port = free_port()
        with (tmp_path / f"{name}.log").open("w") as log:
            words = [sys.executable, "app.py", *json.loads(arguments_of("CMD")[0])]
            env = environment(name, port)
            process = run(port, words, cwd=HERE, env=env, stdout=log, stderr=log)
        started[name] = SimpleNamespace(port=port, process=process)
    return started


@pytest.fixture
def front(hosts, bucket, run, tmp_path):
    """The port of the front, which reads the file of the compose file."""
    port, text = (
        free_port(),
        FRONT.replace("store:8333", urlsplit(bucket.address).netloc),
    )
    for name in APIS:
        text = text.replace(f"{name}:8000", f"127.0.0.1:{hosts[name].port}")
    text = text.replace("\ttls internal\n", "")
    own = "{\n\tadmin off\n\tdefault_bind 127.0.0.1\n}\n"
    (tmp_path / "Caddyfile").write_text(own + text)
    given = SERVICES["front"]["environment"]
    named = {name: f"http://{host}:{port}" for name, host in given.items()}
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    command = [needed("caddy"), "run", "--config", str(tmp_path / "Caddyfile")]
    with (tmp_path / "front.log").open("w") as log:
        env = os.environ | home | named
        run(port, [*command, "--adapter", "caddyfile"], env=env, stderr=log)
    return port


def added(front, hosts, slug):
    """Add a service through the front; return the status."""
    result = {"slug": slug, "name": f"Service {slug}"}
    return call(front, hosts, ADD, result, **{"Idempotency-Key": f"add-{slug}"})[0]


def call(front, hosts, at, data=None, **headers):
    """Call an operation through the front; return status and data."""
    headers |= {"Host": API, "Authorization": f"Bearer {hosts['key']}"}
    headers.setdefault("Content-Type", "application/json")
    body = json.dumps(data).encode() if isinstance(data, dict) else data
    request = urllib.request.Request(f"http://127.0.0.1:{front}{at}", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.loads(answer.read())["data"]
    except urllib.error.HTTPError as error:
        with error:
            return error.code, None


def publish_documents(front, hosts):
    """Publish a document with files, and move another one."""
    _, projects = call(front, hosts, "/projects/v1/projects/list")
    note = {"projectId": projects[0]["id"], "type": "note", "collection": "support"}
    for name, content in FILES.items():
        at = f"/projects/v1/files/add?projectId={note['projectId']}&name={name}"
        binary = {"Content-Type": "application/octet-stream"}
        assert call(front, hosts, at, content, **binary)[0] == 200
    links = "".join(f"[{name}]({name})\n" for name in FILES)
    for slug, content in (("files", links), ("limits", "Words.")):
        result = note | {"slug": slug, "title": slug, "content": content}
        _, written = call(front, hosts, f"{DOCUMENTS}/create", result)
        assert (
            call(front, hosts, f"{DOCUMENTS}/publish", {"id": written["id"]})[0] == 200
        )
    moved = {"id": written["id"], "collection": "products"}
    assert call(front, hosts, f"{DOCUMENTS}/update", moved)[0] == 200


def add_with_retries(*arguments):
    """Add it like a client that waits a little and retries."""
    for _ in range(3):
        if (status := added(*arguments)) != 502:
            break
        time.sleep(1)
    return status


def seen(front, words, at="/status/", seconds=30.0):
    """Wait for the words on a page; return how long that took."""
    began = time.monotonic()
    while words not in get(front, at, SITE)[2].decode():
        assert time.monotonic() - began < seconds, "It did not come."
        time.sleep(0.05)
    return time.monotonic() - began


def builder_of(hosts):
    def builds(name):
        with suppress(OSError):
            return get(hosts[name].port, "/status/")[0] == 200
        return False

    return next(name for name in APIS if builds(name))


def wait_for_idle_store(bucket):
    """Wait until the store has had no requests for a while."""
    before = -1
    while before != len(bucket.requests):
        before = len(bucket.requests)
        time.sleep(3)


def kill(host):
    host.process.kill()
    host.process.wait()


@pytest.mark.nightly
def test_builder_dies(front, hosts, bucket):
    """
    A write on either host is on the page. When the builder's host dies, the front keeps
    responding, writes are accepted, and are built within ten seconds. Without any host,
    the site is still there.
    """
    assert [added(front, hosts, f"before-{n}") for n in range(4)] == [200] * 4
    seen(front, "Service before-3")
    # A claim on its publication would otherwise be valid for two minutes.
    wait_for_idle_store(bucket)
    kill(hosts[builder_of(hosts)])

    statuses = [add_with_retries(front, hosts, f"after-{n}") for n in range(4)]
    pages = [get(front, at, host)[0] for at, host in REQUESTS for _ in range(4)]

    assert statuses == [200] * 4
    assert pages == [200] * len(pages)
    assert seen(front, "Service after-3") < 10 + BUILD_SECONDS
    kill(hosts[builder_of(hosts)])
    assert get(front, "/healthz", API)[0] in (502, 503)
    assert get(front, "/status/", SITE)[0] == 200


REQUESTS = [("/healthz", API), ("/status/", SITE), ("/", SITE)]


def test_site(front, hosts, bucket):
    """Each file has its headers, and nothing of the store is revealed."""
    publish_documents(front, hosts)
    assert added(front, hosts, "one") == 200
    seen(front, "Service one")
    seen(front, '"/support/files/"', "/support/")
    seen(front, '"/products/limits/"', "/products/")
    wait_for_idle_store(bucket)
    files = bucket.site()

    for path, (body, *_) in files.items():
        if path.startswith("_"):
            continue
        expected = site_headers(path)
        status, headers, found = get(front, url_path(path), SITE)
        if path == "support/limits/index.html":
            assert (status, headers["Location"]) == (301, "/products/limits/")
            continue
        assert (status, found) == (200, body), path
        result = {name: headers.get_all(name) for name in expected}
        assert result == {name: [value] for name, value in expected.items()}, path
        assert not re.search("(?im)^(x-amz|server)", str(headers))

    nothing_else(front, files["404.html"][0])
    keys = [key for _, key in bucket.requests if key.startswith(("site/", "other"))]
    assert len(keys) > len(files)
    assert not [key for key in keys if "/." in key or key.startswith("site/_")]


HIDDEN = (
    *("/.masthead.published", "/_headers", "/status/../.masthead.published"),
    *("/..%2fother", "/../other/", "/%2e%2e/other", "/status/%2e%2e%2f..%2fother/x.js"),
)


def nothing_else(front, missing):
    """Other addresses get the 404 page; the store allows no writes."""
    for at in ("/nowhere/", "/assets/none.js", "/%252e%252e/a/", *HIDDEN):
        status, headers, body = get(front, at, SITE)
        assert (status, body) == (404, missing), at
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "immutable" not in headers["Cache-Control"]
    for at in ("/status", "/search?q=a%20b", "/support/limits", "/status/incidents.x"):
        status, headers, _ = get(front, at, SITE)
        path, question, query = at.partition("?")
        expected = (308, f"{path}/{question}{query}") if "." not in at else (404, None)
        assert (status, headers["Location"]) == expected
    assert get(front, "/status/?list-type=2", SITE)[0] == 200
    assert get(front, "/metrics", API)[0] == get(front, "/", API)[0] == 404
    request = urllib.request.Request(f"http://127.0.0.1:{front}/x", b"", {"Host": SITE})
    with pytest.raises(urllib.error.HTTPError, match="405"):
        urllib.request.urlopen(request)
