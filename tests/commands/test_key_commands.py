"""The commands about keys."""

import io
import json
import subprocess
import sys
from functools import partial

import pytest

from tests.commands.conftest import ROOT


@pytest.fixture
def secret(command):
    return command("keys", "bootstrap", "--email", "ada@example.com")[1].strip()


def test_list(command, secret):
    """Every key is listed, and no secret is."""
    code, out, _ = command("keys", "list")

    assert code == 0
    assert secret[:11] in out
    assert secret[12:] not in out


def test_scope_that_opens_nothing(command):
    """A mistyped scope is reported at once, and in every list."""
    words = ["--email", "ada@example.com", "--scope", "status:service:list"]

    code, out, err = command("keys", "bootstrap", *words)
    listed = command("keys", "list")[1]
    records = json.loads(command("keys", "list", "--json")[1])

    assert (code, out.startswith("mh_"), out.count("\n")) == (0, True, 1)
    assert "status:service:list (nearest: status:services:list)" in err
    assert "status:service:list (opens no operation)" in listed
    assert records[0]["unknownScopes"] == ["status:service:list"]


@pytest.mark.parametrize(("days", "is_stale"), [("0", True), ("1", False)])
def test_stale(days, is_stale, command, secret):
    """A key that was not used for this number of days is listed."""
    _, out, _ = command("keys", "stale", "--days", days)

    assert (secret[:11] in out) == is_stale


def test_stale_of_rubbish(command, secret):
    """An invalid number of days is rejected with a sentence."""
    assert command("keys", "stale", "--days", "-1")[0] == 2


@pytest.mark.parametrize(("cut", "code"), [(None, 0), (-1, 1)])
def test_check(cut, code, command, secret, monkeypatch):
    """
    The secret is read from standard input; the exit code says whether it is valid.
    """
    monkeypatch.setattr("sys.stdin", io.StringIO(secret[:cut] + "\n"))

    found, out, err = command("keys", "check")

    assert found == code
    assert secret[12:-1] not in out + err


def test_without_a_database(command):
    """A wrong path is not taken for an instance without keys."""
    for words in (["list"], ["stale"], ["check"]):
        code, _, err = command("keys", *words)

        assert code == 2
        assert "There is no database" in err


def test_unknown_scope_in_a_new_process(environment):
    """A process that has loaded few modules knows the unknown scopes."""
    words = [sys.executable, "app.py", "keys"]
    bootstrap = [*words, "bootstrap", "--email", "a@example.com"]
    scopes = ["--scope", "status:nothing", "--scope", "status:services:list"]
    run = partial(
        subprocess.run, cwd=ROOT, env=environment, capture_output=True, text=True
    )

    issued = run([*bootstrap, *scopes])
    listed = run([*words, "list", "--json"])

    assert "open no operation: status:nothing (nearest: status:" in issued.stderr
    assert [key["unknownScopes"] for key in json.loads(listed.stdout)] == [
        ["status:nothing"]
    ]
