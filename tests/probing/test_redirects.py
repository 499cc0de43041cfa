"""Redirects are followed as far as the file says, and no further."""

import pytest

from tests.probing.conftest import answer


@pytest.fixture
def stairs(serve):
    """A server whose /3 leads to /2, /2 to /1 and so on; /0 answers."""
    seen = []

    def step(connection, asked):
        seen.append(asked.decode())
        number = int(asked.split()[1].strip(b"/"))
        told = answer(302, Location=f"/{number - 1}") if number else answer()
        told(connection, asked)

    return serve(step), seen


@pytest.mark.parametrize(("steps", "status"), [(2, "operational"), (3, "down")])
def test_at_most_so_many(stairs, looked, steps, status):
    """Two redirects are followed where two are allowed; the third is not."""
    where, seen = stairs

    found = looked("http", f'url = "http://{where}/{steps}"', "max_redirects = 2")

    assert found[0] == status
    assert len(seen) == 3


def test_none_by_default(stairs, looked):
    """Without a word in the file a redirect is an answer like any other."""
    where, seen = stairs

    refused = looked("http", f'url = "http://{where}/1"')
    expected = looked("http", f'url = "http://{where}/1"', "status = [302]")

    assert refused[:2] == ("down", "answered 302 instead of 200-299")
    assert expected[0] == "operational"
    assert len(seen) == 2


def test_loop(serve, looked):
    """A server that redirects to itself is left after the last allowed time."""
    where = serve(answer(301, Location="/"))

    found = looked("http", f'url = "http://{where}/"', "max_redirects = 5")

    assert found[:2] == ("down", "redirected more than 5 times")


@pytest.mark.parametrize("location", ["file:///etc/passwd", "gopher://x/", "http://[x"])
def test_to_what_is_no_address(serve, looked, location):
    """A redirect leads to HTTP or nowhere."""
    where = serve(answer(302, Location=location))

    status, why, _ = looked("http", f'url = "http://{where}/"', "max_redirects = 5")

    assert status == "down"
    assert "redirected to" in why


def test_headers_stay_at_home(serve, looked):
    """What the file says to its target is not said to whom that redirects."""
    seen = []

    def note(connection, asked):
        seen.append(asked.decode())
        answer()(connection, asked)

    where = serve(answer(302, Location=f"http://{serve(note)}/"))
    url = f'url = "http://{where}/"'
    told = 'headers = { Authorization = "Basic c2VjcmV0" }'
    found = looked("http", url, told, "max_redirects = 1")

    assert found[0] == "operational"
    assert "Authorization" not in seen[0]
