"""Redirects are followed up to the configured number."""

import pytest

from tests.probing.conftest import answer


@pytest.fixture
def redirects(serve):
    """A server whose /3 redirects to /2, /2 to /1 and so on; /0 responds."""
    requests = []

    def respond(connection, request):
        requests.append(request.decode())
        number = int(request.split()[1].strip(b"/"))
        response = answer(302, Location=f"/{number - 1}") if number else answer()
        response(connection, request)

    return serve(respond), requests


@pytest.mark.parametrize(("steps", "status"), [(2, "operational"), (3, "down")])
def test_at_most_so_many(redirects, check, steps, status):
    """Two redirects are followed where two are allowed; the third is not."""
    address, requests = redirects

    result = check("http", f'url = "http://{address}/{steps}"', "max_redirects = 2")

    assert result[0] == status
    assert len(requests) == 3


def test_none_by_default(redirects, check):
    """By default a redirect is a response like any other."""
    address, requests = redirects

    refused = check("http", f'url = "http://{address}/1"')
    expected = check("http", f'url = "http://{address}/1"', "status = [302]")

    assert refused[:2] == ("down", "answered 302 instead of 200-299")
    assert expected[0] == "operational"
    assert len(requests) == 2


def test_loop(serve, check):
    """A server that redirects to itself is left after the last allowed time."""
    address = serve(answer(301, Location="/"))

    result = check("http", f'url = "http://{address}/"', "max_redirects = 5")

    assert result[:2] == ("down", "redirected more than 5 times")


@pytest.mark.parametrize("location", ["file:///etc/passwd", "gopher://x/", "http://[x"])
def test_to_what_is_no_address(serve, check, location):
    """A redirect to another scheme than HTTP is not followed."""
    address = serve(answer(302, Location=location))

    status, why, _ = check("http", f'url = "http://{address}/"', "max_redirects = 5")

    assert status == "down"
    assert "redirected to" in why


def test_headers_stay_at_home(serve, check):
    """Configured headers are not sent to another host after a redirect."""
    requests = []

    def record_request(connection, request):
        requests.append(request.decode())
        answer()(connection, request)

    address = serve(answer(302, Location=f"http://{serve(record_request)}/"))
    url = f'url = "http://{address}/"'
    response = 'headers = { Authorization = "Basic c2VjcmV0" }'
    result = check("http", url, response, "max_redirects = 1")

    assert result[0] == "operational"
    assert "Authorization" not in requests[0]
