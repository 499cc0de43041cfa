"""A command of the product, run on an instance of its own."""

import pytest

import app
from models.database import database


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run a command on an instance of its own; return (exit, output, errors)."""
    monkeypatch.setenv("MASTHEAD_DATABASE", str(tmp_path / "data/masthead.db"))
    monkeypatch.setenv("MASTHEAD_OUTPUT", str(tmp_path / "output"))
    monkeypatch.setenv("MASTHEAD_LOG_LEVEL", "error")
    monkeypatch.chdir(tmp_path)

    def ran(*words):
        code = app.main([str(word) for word in words])
        told = capsys.readouterr()
        return code, told.out, told.err

    yield ran
    database.close()
