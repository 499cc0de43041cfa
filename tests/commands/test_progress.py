"""How far a long command is."""

import app


def test_progress_in_lines(monkeypatch, capsys):
    """Where there is no terminal, long work tells in lines how far it is."""
    monkeypatch.setattr("app.TELL_SECONDS", 0)

    assert list(app._bar("page")(["a", "b"])) == ["a", "b"]
    assert list(app._bar("record")(iter("a"))) == ["a"]

    assert capsys.readouterr().err == "page 1 of 2\npage 2 of 2\nrecord 1\n"
