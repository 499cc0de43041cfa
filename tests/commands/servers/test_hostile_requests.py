"""Requests that no honest client sends, byte by byte to a running server."""

import re
import socket
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests.commands.conftest import ROOT
from tests.ports import free_port

HOST = b"Host: x\r\n"
POST = b"POST /platform/v1/keys/verify HTTP/1.1\r\n" + HOST
GET = b"GET /healthz HTTP/1.1\r\n" + HOST
# A proxy could take it for the body; the server must not take it for a request.
HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
LAST = b"0\r\n\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"


def with_length(length, body=b"12345"):
    return POST + b"Content-Length: " + length + b"\r\n\r\n" + body + HIDDEN


def in_chunks(body, more=b""):
    return POST + CHUNKED + more + b"\r\n" + body + HIDDEN


REFUSED = {
    "length-and-chunks": in_chunks(LAST, b"Content-Length: 6\r\n"),
    "length-of-all-and-chunks": in_chunks(LAST, b"Content-Length: 80\r\n"),
    "length-none-and-chunks": in_chunks(LAST, b"Content-Length: 0\r\n"),
    "chunks-of-http-1.0": in_chunks(
        LAST, b"Connection: keep-alive\r\nContent-Length: 5\r\n"
    ).replace(b"HTTP/1.1", b"HTTP/1.0", 1),
    "chunks-with-a-space": in_chunks(LAST).replace(b"Encoding:", b"Encoding :"),
    "chunks-after-a-tab": in_chunks(LAST).replace(b" chunked", b" \x0bchunked"),
    "chunks-otherwise": in_chunks(LAST).replace(b"chunked", b"xchunked"),
    "chunks-and-more": in_chunks(LAST).replace(b"chunked", b"chunked, identity"),
    "chunks-of-chunks": in_chunks(LAST).replace(b"chunked", b"chunked, chunked"),
    "chunks-twice": in_chunks(LAST, CHUNKED),
    "two-lengths": with_length(b"5\r\nContent-Length: 0"),
    "two-lengths-alike": with_length(b"5\r\nContent-Length: 5"),
    "list-of-lengths": with_length(b"5, 5"),
    "length-plus": with_length(b"+5"),
    "length-minus": with_length(b"-1"),
    "length-hexadecimal": with_length(b"0x5"),
    "length-superscript": with_length(b"\xb2"),
    "length-underscore": with_length(b"0_5"),
    "length-beyond-all": with_length(b"9" * 20),
    "length-of-5000-digits": with_length(b"9" * 5000),
    "chunk-nonsense": in_chunks(b"zz\r\n"),
    "chunk-minus": in_chunks(b"-1\r\n"),
    "chunk-plus": in_chunks(b"+2\r\nab\r\n" + LAST),
    "chunk-0x": in_chunks(b"0x2\r\nab\r\n" + LAST),
    "chunk-underscore": in_chunks(b"0_2\r\nab\r\n" + LAST),
    "chunk-shorter": in_chunks(b"2\r\nabcdef\r\n" + LAST),
    "chunk-line-feeds": in_chunks(b"2\nab\n0\n\n"),
    "chunk-extension": in_chunks(b"2;\nxx\r\nab\r\n" + LAST),
    "header-line-feed": GET.replace(b"x\r\n", b"x\r\nA: b\nC: d\r\n") + b"\r\n",
    "header-carriage-return": GET + b"A: b\rC: d\r\n\r\n",
    "header-nul": GET + b"A: b\x00c\r\n\r\n",
    "header-without-colon": GET + b"Content-Length\r\n\r\n",
    "header-name-of-spaces": GET + b"A B: c\r\n\r\n",
    "header-huge": GET + b"A: " + b"a" * 100_000 + b"\r\n\r\n",
    "headers-many": GET + b"".join(b"X-%d: a\r\n" % n for n in range(9000)) + b"\r\n",
    "address-huge": GET.replace(b"/healthz", b"/" + b"a" * 100_000) + b"\r\n",
    "address-that-is-none": GET.replace(b"/healthz", b"http://[x/healthz") + b"\r\n",
    "address-not-in-ascii": GET.replace(b"/healthz", b"/\xc3\xa9") + b"\r\n",
    "method-in-small-letters": GET.replace(b"GET", b"get") + b"\r\n",
    "method-of-signs": GET.replace(b"GET", b"G@T") + b"\r\n",
    "spaces": b"GET  /healthz  HTTP/1.1\r\n\r\n",
    "bytes": bytes(range(256)) + b"\r\n\r\n",
    "tls": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"a" * 99 + b"\r\n\r\n",
}
CLOSE = b"Connection: close\r\n\r\n"
HARMLESS = {
    "folded": GET + b"A: b\r\n c\r\n" + CLOSE,
    "no-host": b"GET /healthz HTTP/1.1\r\n" + CLOSE,
    "two-hosts": GET + b"Host: evil.example\r\n" + CLOSE,
    "host-of-signs": GET.replace(b"x", b'evil.example/"<>') + CLOSE,
    "address-elsewhere": GET.replace(b"/h", b"http://evil.example/h") + CLOSE,
    "tunnel": b"CONNECT evil.example:443 HTTP/1.1\r\n" + HOST + CLOSE,
    "star": b"OPTIONS * HTTP/1.1\r\n" + HOST + CLOSE,
    "no-version": b"GET /healthz\r\n\r\n",
    "version-0.9": GET.replace(b"1.1", b"0.9") + CLOSE,
    "version-9.9": GET.replace(b"1.1", b"9.9") + CLOSE,
    "http-2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "method-long": GET.replace(b"GET", b"A" * 5000) + CLOSE,
    "underscores": POST + b"Content_Length: 5\r\n" + CLOSE,
    "forwarded": GET
    + b"X-Forwarded-Host: evil.example\r\nForwarded: host=evil.example\r\n"
    + b"X-Original-URL: /metrics\r\nX-HTTP-Method-Override: DELETE\r\n"
    + CLOSE,
    "request-id-broken": GET + b"X-Request-Id: a%0d%0aSet-Cookie: evil=1\r\n" + CLOSE,
    "request-id-of-bytes": GET + b"X-Request-Id: \xff\x7f\xc3\xa9evil\r\n" + CLOSE,
    "idempotency-text": POST + b"Idempotency-Key: \xff\x7fevil\r\n" + CLOSE,
    "path-of-line-ends": GET.replace(b"/h", b"/%0d%0aSet-Cookie:%20evil=1") + CLOSE,
    "cookie": GET + b"Cookie: \xff=\xff; ;;=\r\n" + CLOSE,
    "accepts": GET.replace(b"healthz", b"no/")
    + b"Accept: ;;;q=x,,/*,text/html;q=1e999\r\nAccept-Encoding: \xff\r\n"
    + CLOSE,
    "conditions": GET.replace(b"healthz", b"status/")
    + b'If-None-Match: "\xff, W/""""\r\nIf-Modified-Since: Mon, 99 Foo 9999999\r\n'
    + b"If-Range: x\r\nRange: bytes=9-1,\r\n"
    + CLOSE,
    "query": GET.replace(b"/healthz", b"/status/v1/services/list?%ff=%00&&==%zz")
    + CLOSE,
    "key-of-bytes": POST + b"Authorization: Bearer \xff\xfe\r\n" + CLOSE,
    "key-long": POST + b"Authorization: Bearer " + b"a" * 20_000 + b"\r\n" + CLOSE,
    "expects": POST + b"Expect: the-worst\r\n" + CLOSE,
}
OUTSIDE = [
    *("/../masthead.db", "/..%2fmasthead.db", "/%2e%2e/masthead.db", "//masthead.db"),
    *("/%2e%2e%2fmasthead.db", "/..\\masthead.db", "/..%5cmasthead.db", "/%5c..%5cm"),
    *("/status/../../masthead.db", "/status/%2e%2e/%2e%2e/masthead.db", "/..%c0%afm"),
    *(
        "/%252e%252e/masthead.db",
        "/..%00/masthead.db",
        "/masthead.db%00.html",
        "/~root",
    ),
    *("/status/index.html%00", "/.masthead.lock", "/_headers", "/./_headers", "/%5fh"),
    *(
        "/status/../_headers",
        "/status//../_headers",
        "///etc/passwd",
        "/%2fetc%2fpasswd",
    ),
    *("/status/%2e/index.html", "/status/index.html/", "/status/index.html/..", "/..."),
    *("/%2fetc%2fpasswd", "/~root", "/C:/windows", "/assets/..", "/assets/%2e%2e/"),
    *("/.", "/..", "/%2e%2e", "/%"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory, environment_in):
    """One server for all requests, which must survive them; its log is stored."""
    folder = tmp_path_factory.mktemp("instance")
    port, log = free_port(), folder / "log"
    words = [sys.executable, "app.py", "serve", "--port", str(port)]
    with log.open("w") as errors:
        process = subprocess.Popen(
            words,
            cwd=ROOT,
            env=environment_in(folder),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    while "listening on" not in (line := process.stdout.readline()):
        assert line, log.read_text()
    yield SimpleNamespace(port=port, log=log, process=process)
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.fixture
def sent(server):
    """Send these bytes; return all received bytes, and the status of each response."""

    def responses(data):
        back = b""
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as line:
            try:
                line.sendall(data)
                while some := line.recv(65536):
                    back += some
            except ConnectionError:
                # It was rejected before all of it was sent.
                pass
        return back, [int(n) for n in re.findall(rb"HTTP/1\.[01] (\d{3}) ", back)]

    return responses


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, sent, server):
    """An ambiguous or invalid request is rejected and the connection closed."""
    before = server.log.read_text().count("/hidden")

    back, statuses = sent(REFUSED[name])

    assert len(statuses) <= 1
    assert set(statuses) <= {400, 413, 431, 501}
    assert statuses or name in ("header-huge", "headers-many", "address-huge")
    assert b"/hidden" not in back
    assert server.log.read_text().count("/hidden") == before


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless(name, sent):
    """
    An unusual request gets one response, and nothing of it is reflected as a header.
    """
    back, statuses = sent(HARMLESS[name])

    head, _, _ = back.partition(b"\r\n\r\n")
    assert len(statuses) == 1
    assert statuses[0] < 500
    assert b"evil" not in head
    assert b"Set-Cookie" not in head
    assert b"evil.example" not in back or b'"instance"' in back


@pytest.mark.parametrize("path", OUTSIDE)
def test_outside(path, sent):
    """No address leads out of the site's folder, or to its hidden files."""
    back, statuses = sent(b"GET " + path.encode() + b" HTTP/1.1\r\n" + HOST + CLOSE)

    assert statuses == [404]
    assert b"SQLite" not in back
    assert b"root:" not in back


def test_server_is_well(sent, server):
    """After all hostile requests the server responds, and its log has no errors."""
    line = re.compile(r'time=\S+Z level=\w+ logger=\S+( \w+=([!-~]+|".*"))+')

    _, statuses = sent(GET + CLOSE)

    assert statuses == [200]
    assert server.process.poll() is None
    for each in server.log.read_text().splitlines():
        assert line.fullmatch(each), each
        assert "level=ERROR" not in each
