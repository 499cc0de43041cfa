"""The client of `docs import --to`, against servers that answer as they should not."""

import json

import pytest

import app as masthead
from api.client import operations
from tests.probing.conftest import KEY, answer

PROBLEM = "application/problem+json"


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    """The pauses of the client, which take no time."""
    made = []
    monkeypatch.setattr(operations, "sleep", made.append)
    return made


@pytest.fixture
def key_file(tmp_path):
    file = tmp_path / "key"
    file.touch(mode=0o600)
    file.write_text(KEY)
    return file


@pytest.fixture
def run_import(tmp_path, key_file, monkeypatch, capsys):
    """Import a page into the server at a URL; return (exit, error)."""
    monkeypatch.setenv("MASTHEAD_KEY_FILE", str(key_file))
    monkeypatch.setenv("MASTHEAD_LOG_LEVEL", "error")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/a.md").write_text("# A\n\nWords.\n")

    def brought(url):
        words = ["docs", "import", str(tmp_path / "tree"), "--collection", "guides"]
        code = masthead.main([*words, "--to", url])
        result = capsys.readouterr()
        assert result.out == ""
        assert KEY not in result.err
        assert result.err.count("\n") == 1
        return code, result.err

    return brought


def problem(status, kind, detail, **headers):
    body = {"type": f"https://x/problems/{kind}/", "detail": detail}
    return answer(status, json.dumps(body), Content_Type=PROBLEM, **headers)


@pytest.mark.parametrize(
    ("behave", "sentence"),
    [
        (answer(200, "<h1>Hi", Content_Type="text/html"), "answers 200 with text/html"),
        (answer(405, "<h1>No", Content_Type="text/html"), "answers 405 with text/html"),
        (answer(200, "[]", Content_Type="application/json"), "Check the address"),
        (answer(403, "<h1>WAF"), "the proxy in front of it"),
        (answer(301, "", Location="https://here/"), "redirects to https://here/."),
        (
            problem(404, "not-found", "Nothing exists at this path."),
            "Give the URL of the server, without a path;",
        ),
        (
            problem(422, "validation-failed", "x is unknown."),
            "x is unknown. If it runs another version",
        ),
        (problem(401, "invalid-key", "No such key."), "No such key."),
        (problem(409, "project-archived", "It is archived."), "It is archived."),
        (answer(413, "<h1>413"), "client_max_body_size"),
        (
            answer(200, '{"data": 1}', Content_Type="application/json"),
            "as another version of Masthead does",
        ),
        (
            answer(200, "[" * 100_000, Content_Type="application/json"),
            "answers 200 with application/json",
        ),
        (
            answer(200, f'{{"data": {"9" * 5_000}}}', Content_Type="application/json"),
            "answers 200 with application/json",
        ),
        (problem(400, "x", {"a": 1}), "answers 400 with application/problem+json"),
        (problem(400, "x", "No.\nmasthead: Done."), ": No. masthead: Done.\n"),
        (problem(400, "x", f"It was {KEY}."), ": It was ….\n"),
        (problem(400, "x", "y" * 100_000), f": {'y' * 500}…\n"),
        (answer(302, "", Location=f"https://x/?{KEY}"), "redirects to https://x/?…. "),
        (problem(500, "internal-error", "It failed."), ": It failed.\n"),
    ],
)
def test_answer_that_ends_the_import(run_import, serve, pauses, behave, sentence):
    """It is reported with a sentence, at once, and the exit code is 2."""
    code, error = run_import(f"http://{serve(behave)}")

    assert code == 2
    assert error.startswith("masthead: ")
    assert sentence in error
    assert pauses == []


@pytest.mark.parametrize(
    ("behave", "sentence"),
    [
        (lambda connection, _: connection.close(), "closed connection"),
        (answer(502, "<h1>Bad gateway"), "it answers 502"),
        (lambda connection, _: connection.sendall(b"What?\r\n\r\n"), "cannot be reach"),
        (answer("yes", ""), "cannot be reached: HTTP/1.1 yes Told."),
        (
            lambda connection, _: connection.sendall(
                b"HTTP/1.1 200 Told\r\nContent-Length: 9\r\n\r\n{"
            ),
            "8 more expected",
        ),
        (
            answer(200, "{}", Content_Encoding="gzip"),
            "cannot be reached: incorrect header check",
        ),
    ],
)
def test_server_that_never_answers(run_import, serve, pauses, behave, sentence):
    """A wrong address is reported after seconds and one retry."""
    code, error = run_import(f"http://{serve(behave)}")

    assert (code, pauses) == (2, [2.0])
    assert sentence in error
    assert "Check the address." in error


@pytest.mark.parametrize("again", [b"X: y\r\n", b"HTTP/1.1 100 Continue\r\n\r\n", b" "])
def test_server_that_never_ends_its_answer(
    run_import, serve, pauses, shutdown, monkeypatch, again
):
    """A response that takes too long is given up, even if bytes keep arriving."""
    monkeypatch.setattr(operations, "REQUEST_SECONDS", 1)
    monkeypatch.setattr(operations, "FIRST_PATIENCE_SECONDS", 1)

    def drip(connection, _):
        head = b"" if again.startswith(b"HTTP") else b"HTTP/1.1 200 Told\r\n"
        connection.sendall(head if again != b" " else head + b"\r\n")
        while not shutdown.wait(0.05):
            connection.sendall(again)

    code, error = run_import(f"http://{serve(drip)}")

    assert (code, pauses) == (2, [])
    assert "cannot be reached: no answer within 1 s. Check the address." in error


def test_server_without_tls(run_import, serve):
    """A wrong scheme is reported with a sentence."""
    code, error = run_import(f"https://{serve(answer())}")

    assert code == 2
    assert "cannot be reached" in error


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_to_another_host(run_import, serve, status):
    """Nothing is sent there, least of all the key."""
    seen = []
    other = serve(lambda connection, request: seen.append(request))

    code, error = run_import(
        f"http://{serve(answer(status, Location=f'http://{other}/'))}"
    )

    assert (code, seen) == (2, [])
    assert f"redirects to http://{other}/." in error


def test_address_without_a_server(run_import):
    """The reason is reported."""
    code, error = run_import("http://127.0.0.1:1")

    assert code == 2
    assert "cannot be reached: Connection refused. Check the address." in error


def test_server_that_stays_busy(run_import, serve, pauses):
    """The client waits longer and longer, or as long as requested, but not for ever."""
    busy = problem(503, "server-busy", "The server is busy.", Retry_After="3")

    code, error = run_import(f"http://{serve(busy)}")

    assert code == 2
    assert "does not answer any more: The server is busy." in error
    assert pauses[:5] == [3.0, 4.0, 8.0, 16.0, 30.0]
    assert sum(pauses) <= operations.PATIENCE_SECONDS


def test_untrusted_certificate(run_import, serve, certificate, pauses):
    """Nothing is sent to a server with an untrusted certificate."""
    context, _ = certificate(90)

    code, error = run_import(f"https://{serve(answer(), context)}")

    assert (code, pauses) == (2, [])
    assert "is not trusted: self-signed certificate" in error
    assert "SSL_CERT_FILE" in error


def test_own_authority(run_import, serve, certificate, monkeypatch):
    """A private authority is trusted if the environment names it."""
    context, file = certificate(90)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))

    _, error = run_import(f"https://{serve(answer(200, '<h1>'), context)}")

    assert "answers 200" in error


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://status.example.com", "must begin with https://"),
        ("https://me:secret@example.com", "is not the base URL of a Masthead server"),
        ("status.example.com", "write https://status.example.com."),
        ("https://[", "is not a valid URL"),
    ],
)
def test_address_that_is_not_safe(run_import, url, sentence):
    """A key is sent over HTTPS only, and to an address that is one."""
    code, error = run_import(url)

    assert (code, sentence in error) == (2, True)


def test_key_that_is_not_one(run_import, key_file, monkeypatch):
    """A problem with the key file is reported before anything is sent."""
    key_file.write_text(KEY[:-1])
    _, mistyped = run_import("http://127.0.0.1:1")
    key_file.chmod(0o644)
    _, readable = run_import("http://127.0.0.1:1")
    monkeypatch.setenv("MASTHEAD_KEY_FILE", "/nowhere/key")
    _, missing = run_import("http://127.0.0.1:1")
    monkeypatch.setenv("MASTHEAD_KEY_FILE", "")
    _, unset = run_import("http://127.0.0.1:1")

    assert "The key in MASTHEAD_KEY_FILE is not a valid Masthead key" in mistyped
    assert f"run chmod 600 {key_file}" in readable
    assert missing == (
        "masthead: MASTHEAD_KEY_FILE /nowhere/key: No such file or directory.\n"
    )
    assert "set MASTHEAD_KEY_FILE" in unset


@pytest.mark.parametrize(
    ("url", "better"),
    [
        ("127.0.0.1:8791", "http://127.0.0.1:8791"),
        ("localhost:8791", "http://localhost:8791"),
        ("[::1]:8791", "http://[::1]:8791"),
        ("status.example.com", "https://status.example.com"),
        ("status.example.com:x", "https://status.example.com:x"),
        ("[", "https://["),
    ],
)
def test_address_without_a_scheme(run_import, url, better):
    """The message suggests the address with a scheme."""
    code, error = run_import(url)

    assert (code, error) == (2, f"masthead: {url} has no scheme: write {better}.\n")


def test_empty_key_file(run_import, key_file):
    """The message says that the file is empty, not mistyped."""
    key_file.write_text("\n")

    code, error = run_import("http://127.0.0.1:1")

    assert code == 2
    assert error == (
        f"masthead: MASTHEAD_KEY_FILE {key_file} is empty: write the key into it.\n"
    )
