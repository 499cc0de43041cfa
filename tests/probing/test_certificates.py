"""Certificates: trust, and expiry."""

import pytest

from tests.probing.conftest import answer


def test_one_that_nobody_vouches_for(serve, check, certificate):
    """An untrusted certificate is down, because a browser would show an error."""
    context, _ = certificate(90)
    address = serve(answer(), context)

    status, why, _ = check("http", f'url = "https://{address}/"')

    assert status == "down"
    assert "the certificate is not trusted" in why


def test_name_of_another(serve, check, certificate):
    """A certificate for an address is not valid for a name that resolves to it."""
    context, file = certificate(90)
    port = serve(answer(), context).rpartition(":")[2]

    url, trust = f'url = "https://localhost:{port}/"', f'ca_file = "{file}"'
    status, why, _ = check("http", url, trust)

    assert status == "down"
    assert "the certificate is not trusted" in why


@pytest.mark.parametrize(("limit", "status"), [(4, "operational"), (6, "degraded")])
def test_days_left(serve, check, certificate, limit, status):
    """With fewer days left than certificate_days the service is degraded."""
    context, file = certificate(5)
    url = f'url = "https://{serve(answer(), context)}/"'

    result = check("http", url, f'ca_file = "{file}"', f"certificate_days = {limit}")

    assert result[0] == status
    assert status == "operational" or "expires in 5.0 days" in result[1]


def test_endless_handshake(serve, check):
    """A server that never completes the handshake is down after the timeout."""

    def read_forever(connection, request):
        while connection.recv(100):
            pass

    address = serve(read_forever)

    result = check("http", f'url = "https://{address}/"', "timeout_seconds = 0.2")

    assert result == ("down", "no answer within 0.2 s", None)
