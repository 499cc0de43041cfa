"""With an invalid database, every command fails with one sentence."""

import pytest

from tests.commands.test_every_command import arguments_of, in_stored, one_sentence


@pytest.mark.sqlite
@in_stored
@pytest.mark.parametrize("path", ["file", "folder", "file/inside.db"])
def test_no_database(words, path, command, place, monkeypatch):
    """An invalid database file ends every command with a sentence that names it."""
    monkeypatch.setenv("MASTHEAD_DATABASE", str(place / path))

    code, _, err = command(*arguments_of(words))

    one_sentence(code, err)
    assert path in err


@in_stored
def test_no_server(words, command, place, monkeypatch):
    """A database that its server does not have is reported without the password."""
    server = "127.0.0.1:1/masthead"
    monkeypatch.setenv("MASTHEAD_DATABASE", f"postgresql://ada:hush@{server}")

    code, _, err = command(*arguments_of(words))

    one_sentence(code, err)
    assert server in err
    assert "hush" not in err
