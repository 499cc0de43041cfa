"""How far a long command is."""

from models.commands.telling import progress


def test_progress_in_lines(monkeypatch, capsys):
    """Where there is no terminal, long work tells in lines how far it is."""
    monkeypatch.setattr("models.commands.telling.TELL_SECONDS", 0)

    assert list(progress("page")(["a", "b"])) == ["a", "b"]
    assert list(progress("record")(iter("a"))) == ["a"]

    assert capsys.readouterr().err == "page 1 of 2\npage 2 of 2\nrecord 1\n"
