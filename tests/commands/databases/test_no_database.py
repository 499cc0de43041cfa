"""A database that is none: every command says so in one sentence."""

import pytest

from tests.commands.test_every_command import asked, held, in_stored


@pytest.mark.sqlite
@in_stored
@pytest.mark.parametrize("path", ["file", "folder", "file/inside.db"])
def test_no_database(words, path, command, place, monkeypatch):
    """A database that is none ends every command with a sentence that names it."""
    monkeypatch.setenv("MASTHEAD_DATABASE", str(place / path))

    code, _, err = command(*asked(words))

    held(code, err)
    assert path in err


@in_stored
def test_no_server(words, command, place, monkeypatch):
    """Nor is one that no server has; what lets us in is not told."""
    server = "127.0.0.1:1/masthead"
    monkeypatch.setenv("MASTHEAD_DATABASE", f"postgresql://ada:hush@{server}")

    code, _, err = command(*asked(words))

    held(code, err)
    assert server in err
    assert "hush" not in err
