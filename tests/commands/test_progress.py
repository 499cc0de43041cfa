"""How far a long command is."""

from api.commands.terminal import show_progress


def test_progress_in_lines(monkeypatch, capsys):
    """Where there is no terminal, long work tells in lines how far it is."""
    monkeypatch.setattr("api.commands.terminal.PROGRESS_SECONDS", 0)

    assert list(show_progress("page")(["a", "b"])) == ["a", "b"]
    assert list(show_progress("record")(iter("a"))) == ["a"]

    assert capsys.readouterr().err == "page 1 of 2\npage 2 of 2\nrecord 1\n"
