"""The headers of all responses that the server itself sends."""

import pytest

from api.operation import OPERATIONS
from models.platform.keys import KeyRow
from models.response_headers import DEFAULT_HEADERS, site_headers
from tests.conftest import ROUTES
from tests.factories.projects import make_project

every = pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.route)
OWN = ["/healthz", "/readyz", "/metrics", "/openapi.json"]
# Hosts that are invented, oversized or foreign.
STRANGE = [
    ("GET", "/nowhere"),
    ("GET", "/platform/v1/nothing"),
    ("POST", "/healthz"),
    ("DELETE", "/metrics"),
    ("OPTIONS", "/platform/v1/keys/list"),
    ("TRACE", "/"),
    ("BREW", "/status/v1/services/list"),
    ("GET", "/%ff%00"),
]


def is_safe(response):
    """Assert that no response is executed, sniffed, framed or cached by default."""
    result = response.headers
    assert result["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in result["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in result["Content-Security-Policy"]
    assert result["X-Request-Id"]
    assert result["Cache-Control"]
    assert "Server" not in result
    assert "Set-Cookie" not in result
    assert all(len(result.getlist(name)) == 1 for name in DEFAULT_HEADERS)
    return response


def is_private(response):
    """
    Assert that an API response is cached by no one else and hidden from other sites.
    """
    cache_control = is_safe(response).headers["Cache-Control"]
    assert cache_control == "no-store" or cache_control.startswith("private")
    assert "Access-Control-Allow-Origin" not in response.headers
    return response


@every
def test_operation(operation, app, send, issue):
    """The responses of each operation, by each method, are safe and private."""
    key, client = issue("*"), app.test_client()

    assert is_private(send(operation)).status_code == 401
    assert is_private(send(operation, issue("a"))).status_code == 403
    assert is_private(send(operation, key)).status_code < 500
    assert is_private(send(operation, key, data=b"[" * 100)).status_code < 500
    assert is_private(client.put(operation.path)).status_code == 405
    assert is_private(client.head(operation.path)).data == b""


def test_head_tells_the_length(issue, app):
    """HEAD returns the headers of GET, without a body."""
    headers = {"Authorization": f"Bearer {issue('*')}"}
    body = {"path": "/status/v1/services/list", "headers": headers}
    client = app.test_client()

    head, get = (client.open(method=method, **body) for method in ("HEAD", "GET"))

    assert head.data == b""
    names = {"Content-Type", "Content-Length", "Cache-Control", *DEFAULT_HEADERS}
    assert all(head.headers[name] == get.headers[name] for name in names)


def test_answer_that_is_held_already(api, clock):
    """A 304 has the same headers as the response that it stands for."""
    make_project("docs", clock.now, builtin=True)
    route = "GET /projects/v1/published/list"
    tag = is_private(api(route)).headers["ETag"]

    response = api(route, headers={"If-None-Match": tag})

    assert is_private(response).status_code == 304


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", OWN)
def test_own_addresses(app, path, method):
    """Health, metrics and the OpenAPI document are safe; the last is public."""
    response = is_safe(app.test_client().open(path, method=method))

    assert response.status_code == 200
    is_open = response.headers.get("Access-Control-Allow-Origin") == "*"
    assert is_open == (path == "/openapi.json")


@pytest.mark.parametrize(("method", "path"), STRANGE)
def test_strange_requests(app, method, path, refusal):
    """A rejected request gets a problem with the headers of one."""
    response = is_private(app.test_client().open(path, method=method))

    assert response.status_code in (404, 405)
    assert response.headers["Cache-Control"] == "no-store"
    assert response.mimetype == "application/problem+json"


def test_mistake_of_ours(send, issue):
    """A 500 has the safe headers too."""
    key = issue("*")
    KeyRow.update(scopes="no list").execute()

    response = send(ROUTES["GET /platform/v1/keys/list"], key)

    assert is_private(response).status_code == 500


def test_files_of_the_site(app, build_site, output):
    """Each file has the headers that hosts are told to set."""
    build_site()
    client = app.test_client()
    files = [path for path in output.rglob("*") if path.is_file()]
    names = [path.relative_to(output).as_posix() for path in files]
    shown = [name for name in names if name[0] not in "._"]
    assert len(shown) > 30
    for name in shown:
        address = "/" + name.removesuffix("index.html")

        response = client.get(address, buffered=True)

        assert response.status_code == 200, name
        result = {n: response.headers[n] for n in site_headers(name)}
        assert result == site_headers(name), name


@pytest.mark.parametrize(
    ("path", "status"), [("/status", 308), ("/nowhere/", 404), ("/status/", 200)]
)
def test_answers_beside_the_files(app, build_site, path, status):
    """Redirects to folders and the 404 page have the safe headers too."""
    build_site()
    client = app.test_client()

    response = client.get(path, headers={"Accept": "text/html"}, buffered=True)

    assert is_safe(response).status_code == status
    assert response.mimetype == "text/html"
