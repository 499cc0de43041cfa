"""The size of forms, and the rate of requests for pages."""

import pytest

from api.console.console import MAX_FORM_FIELDS
from api.console.console_page import MAX_FORM_BYTES
from api.console.documents.pictures import MAX_BYTES as MAX_PICTURE_BYTES
from api.console.operations.operations import MAX_BYTES
from api.http.application import BODY_LIMITS
from api.http.server.limits import KEYLESS_BODY_BYTES
from models.errors import InsufficientScope, PayloadTooLarge

CREATE = "operations/projects/documents/create/"
URL_ENCODED = "application/x-www-form-urlencoded"


@pytest.mark.parametrize("path", [CREATE, "documents/new/", "sign-in/"])
def test_the_number_of_fields(person, path):
    """A form with too many fields is rejected before it is parsed."""

    def status(body):
        return person.post(path, body, content_type=URL_ENCODED).status_code

    assert status("a=&" * (MAX_FORM_FIELDS - 1)) != 413
    assert status("a=&" * MAX_FORM_FIELDS) == 413
    assert status("&" * MAX_FORM_FIELDS) == 413


@pytest.fixture
def admitted(person, console_app):
    """Return the maximum size of a form that is sent to a page."""

    def most_bytes(path, by=person, length=0):
        token = by.client.get_cookie("masthead-console").value
        environ = {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": f"/console/{path}",
            "CONTENT_LENGTH": str(length),
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "localhost",
            "HTTP_COOKIE": f"masthead-console={token}",
        }
        return console_app.extensions[BODY_LIMITS](environ).max_bytes

    return most_bytes


@pytest.mark.parametrize(
    ("path", "size"),
    [
        (CREATE, MAX_BYTES),
        ("documents/new/", MAX_PICTURE_BYTES),
        ("documents/pictures/", MAX_PICTURE_BYTES),
        ("incidents/open/", MAX_FORM_BYTES),
        ("sign-out/", KEYLESS_BODY_BYTES),
        ("operations/projects/documents/ghost/", KEYLESS_BODY_BYTES),
        ("operations/", KEYLESS_BODY_BYTES),
        ("ghost/", KEYLESS_BODY_BYTES),
    ],
)
def test_each_page_has_its_own_size(admitted, path, size):
    """Large forms are accepted only where a file can be sent."""
    assert admitted(path, length=size) == size
    with pytest.raises(PayloadTooLarge):
        admitted(path, length=size + 1)


def test_a_large_form_needs_the_scope(admitted, visitor, issue):
    """Without the scope of the operation, no large form is received for it."""
    someone = visitor()
    someone.sign_in(issue("projects:documents:get"))

    with pytest.raises(InsufficientScope, match="projects:documents:create"):
        admitted(CREATE, by=someone)


@pytest.mark.parametrize("path", ["operations/", "session/", "documents/new/"])
def test_every_page_takes_a_request_of_the_key(visitor, issue, clock, path):
    """A page that calls no operation has a rate limit too, and says when to retry."""
    someone = visitor()
    someone.sign_in(issue("status:services:list", rate_capacity=3, rate_refill=0.1))

    answers = [someone.get(path) for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[-1].headers["Retry-After"] == "10"
    assert "Too many requests" in answers[-1].text
    clock.pass_(seconds=10)
    assert someone.get(path).status_code == 200


def test_each_operation_of_a_page_takes_a_request_of_the_key(visitor, issue):
    """A page of two operations costs what they cost over HTTP, and its own request."""
    someone = visitor()
    someone.sign_in(issue("status:incidents:list", rate_capacity=3, rate_refill=0.1))

    answers = [someone.get("incidents/") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 429]
    assert "rate limit" in answers[-1].text


@pytest.mark.parametrize(
    ("path", "fields", "status", "reason"),
    [
        (
            "operations/status/incidents/add/",
            {"title": "Slow", "body": "a" * 262_144},
            413,
            "The body may have at most 262144 bytes.",
        ),
        (
            "operations/status/measurements/record/",
            {"source": "probe", "measurements": '[{"slug": "\\ud800"}]'},
            400,
            "The body is not JSON in UTF-8.",
        ),
    ],
)
def test_a_form_is_bounded_as_a_request_over_http(person, path, fields, status, reason):
    """What the operation would refuse in a body, it refuses in a form."""
    answer = person.post(path, fields | {"_send": "1"})

    assert answer.status_code == status
    assert reason in answer.text


def test_a_refusal_of_an_operation_counts_once(person):
    """The metrics count what an operation refuses in a form, as over HTTP."""

    def count():
        lines = person.client.get("/metrics").text.splitlines()
        name = 'masthead_refusals_total{kind="validation-failed"} '
        return [line.removeprefix(name) for line in lines if line.startswith(name)]

    before = count()
    answer = person.post("operations/status/incidents/add/", {"_send": "1"})

    assert answer.status_code == 422
    assert (before, count()) == (["0.0"], ["1.0"])
