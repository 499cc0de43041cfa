"""Rules for every command."""

import fcntl
import io
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

import app
from models.runtime.commands import BROKEN_PIPE, INTERRUPTED
from models.storage.database import database
from tests.commands.conftest import ROOT
from tests.conventions.test_docs import COMMANDS as BY_NAME
from tests.interrupts import heed_interrupts
from tests.ports import free_port

COMMANDS = {tuple(words.split()): parser for words, parser in BY_NAME.items()}
SERVING = {("serve",), ("demo",)}
# They run anywhere, without a database; their own tests have the rest of their life.
PROBE = ("probe",)
REMOTE = ("incident", "maintenance")
ANYWHERE = {
    words
    for words in COMMANDS
    if words[0] in ("probe", "convert", "publish", "notify", *REMOTE)
}
# The required arguments of each command.
NEEDS = {
    PROBE: ["probe.toml"],
    ("status", "import"): [str(ROOT / "tests/elsewhere/cstate")],
    ("backup",): ["copy.db"],
    ("notify", "test"): ["ada@example.com"],
    ("export",): ["out"],
    ("move",): ["moved.db"],
    ("keys", "bootstrap"): ["--email", "ada@example.com"],
    ("docs", "import"): ["tree", "--collection", "guides"],
    ("incident", "open"): [
        *("Title", "--service", "hello", "--severity", "degraded"),
        *("--message", "Text"),
    ],
    ("maintenance", "plan"): [
        *("Title", "--service", "hello", "--starts", "now", "--for", "2h")
    ],
}
ENDING = [each for each in COMMANDS if each not in SERVING | ANYWHERE]


def named(words):
    return " ".join(words)


in_each = pytest.mark.parametrize("words", COMMANDS, ids=named)
in_stored = pytest.mark.parametrize(
    "words", [w for w in COMMANDS if w not in ANYWHERE | {("openapi",)}], ids=named
)


def arguments_of(words):
    port = ["--port", str(free_port())] if words in SERVING else []
    return [*words, *NEEDS.get(words, []), *port]


@in_each
def test_help(words, capsys):
    """The help of a command has a sentence, and describes each argument."""
    parser = COMMANDS[words]

    with pytest.raises(SystemExit) as ended:
        app.main([*words, "--help"])

    assert ended.value.code == 0
    assert re.fullmatch(r"[A-Z].*\.", parser.description)
    assert parser.description in capsys.readouterr().out
    for action in parser._actions:
        assert action.help, action.dest


@in_each
@pytest.mark.parametrize("wrong", [["--nonsense"], ["--json=maybe"], ["a", "b", "c"]])
def test_wrong_arguments(words, wrong, capsys):
    """An unknown argument ends the command with 2 and its usage."""
    with pytest.raises(SystemExit) as ended:
        app.main([*arguments_of(words), *wrong])

    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("usage: app.py")


@pytest.mark.parametrize("words", [[], ["keys"], ["docs"], ["nonsense"]])
def test_no_command(words, capsys):
    """An unknown command is rejected."""
    with pytest.raises(SystemExit, match="2"):
        app.main(words)
    assert "COMMAND" in capsys.readouterr().err


def one_sentence(code, err):
    """Assert that the output is one sentence with exit code 2, and return it."""
    assert code == 2, err
    assert re.fullmatch(r"masthead: .+\.\n", err), err


@pytest.mark.parametrize("words", [("build",), *sorted(SERVING)], ids=named)
@pytest.mark.parametrize("path", ["file", "file/inside"])
def test_no_output(words, path, command, place, monkeypatch):
    """A path that cannot be a folder is named."""
    command("migrate")
    monkeypatch.setenv("MASTHEAD_OUTPUT", str(place / path))

    code, _, err = command(*arguments_of(words))

    one_sentence(code, err)
    assert path in err


@in_each
def test_wrong_setting(words, command, place, monkeypatch):
    """An invalid setting ends every command with a sentence that names it."""
    monkeypatch.setenv("MASTHEAD_PORT", "many")

    code, _, err = command(*arguments_of(words))

    one_sentence(code, err)
    assert "MASTHEAD_PORT" in err


def in_a_file(*arguments):
    return pytest.param(*arguments, marks=pytest.mark.sqlite)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["backup", "folder"], "folder cannot be written: it is a folder"),
        (["backup", "."], "it is a folder"),
        (["backup", "file/copy.db"], "file/copy.db cannot be written"),
        (["backup", "nowhere/copy.db"], "nowhere/copy.db cannot be written"),
        in_a_file(["backup", "data/masthead.db"], "it is the database itself"),
        in_a_file(["backup", "data/masthead.db-wal"], "not an earlier copy"),
        (["backup", "/dev/zero"], "not an earlier copy"),
        (["backup", "file"], "not an earlier copy"),
        (["backup", ""], "it is a folder"),
        (["export", "file"], "file is a file"),
        (["export", "folder"], "The folder folder is not empty"),
        (["export", "file/out"], "file/out"),
        (["export", "/proc/nothing"], "/proc/nothing"),
        (["docs", "import", "file", "--collection", "guides"], "no folder file"),
        (["docs", "import", "folder", "--collection", "guides"], "no Markdown"),
        (
            ["docs", "import", "folder", "--collection", "guides", "--base", "a.com"],
            "--base a.com must be a URL",
        ),
        (
            ["docs", "import", "folder", "--collection", "guides", "--path", "/a/"],
            "--path /a/ must be a path such as cli/v2",
        ),
        (["keys", "bootstrap", "--email", "\udcff@example.com"], "UTF-8"),
        (["keys", "stale", "--days", "-1"], "--days"),
        (["probe", "nowhere.toml"], "nowhere.toml"),
        (["incident", "list"], "set MASTHEAD_KEY_FILE to its file"),
        (["maintenance", "list"], "set MASTHEAD_KEY_FILE to its file"),
        (["probe", "folder"], "folder"),
        (["probe", "file"], "file"),
        (["serve", "--host", "no such host"], "no such host"),
        (["serve", "--port", "70000"], "--port must be from 1 to 65535"),
    ],
    ids=lambda each: each if isinstance(each, str) else named(each[:2]),
)
def test_wrong_paths_and_words(words, expected, command, place):
    """An unusable path or word is named; existing files stay unchanged."""
    command("migrate")
    before = (place / "file").read_text()

    code, _, err = command(*words)

    one_sentence(code, err)
    assert expected in err
    assert (place / "file").read_text() == before
    assert list((place / "folder").iterdir()) == [place / "folder/something"]
    assert command("check")[0] == 0


@pytest.mark.parametrize(
    "words", [w for w in ENDING if "--json" in COMMANDS[w].format_help()], ids=named
)
def test_json(words, command, place, monkeypatch):
    """With --json, standard output is JSON for scripts."""
    command("keys", "bootstrap", "--email", "ada@example.com")
    if words == ("check",):
        command("build")
    monkeypatch.setattr("sys.stdin", io.StringIO("mh_wrong\n"))

    code, out, err = command(*arguments_of(words), "--json")

    # A wrong secret, and a page of which a part is missing.
    finds = words in (("keys", "check"), ("status", "import"))
    assert (code, err) == (int(finds), "")
    assert json.loads(out) is not None


def run(words, environment, **more):
    return subprocess.Popen(
        [sys.executable, str(ROOT / "app.py"), *words],
        env=environment,
        preexec_fn=heed_interrupts,
        **more,
    )


def unread(words):
    """Run it with a closed output; return its exit code and errors."""
    reader, writer = os.pipe()
    os.close(reader)
    database.close()
    with open("errors", "w+") as errors:
        child = os.fork()
        if child == 0:
            sys.stdout, sys.stderr = os.fdopen(writer, "w"), errors
            code = app.main(words)
            # As the interpreter does at its end.
            sys.stdout.flush()
            errors.flush()
            os._exit(code)
        os.close(writer)
        _, status = os.waitpid(child, 0)
        errors.seek(0)
        return os.waitstatus_to_exitcode(status), errors.read()


@pytest.mark.parametrize("words", ENDING, ids=named)
def test_closed_pipe(words, command, place, monkeypatch):
    """A reader that stops reading, such as head, causes no traceback."""
    monkeypatch.setattr("sys.stdin", io.StringIO("mh_wrong\n"))
    command("migrate")

    code, result = unread(arguments_of(words))

    # The result of a backup is a message for people.
    assert code == (0 if words == ("backup",) else BROKEN_PIPE), result
    assert "Error" not in result
    assert command("check")[0] in (0, 1)


@pytest.mark.parametrize("times", [1, 2])
def test_closed_pipe_of_a_process(times, place, environment):
    """Nothing is printed at the end of the process either."""
    command = f"{sys.executable} {ROOT / 'app.py'}"
    script = f"{command} migrate; " + f"{command} build | true;" * times

    ran = subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True
    )

    assert ran.stderr == ""


def test_full_disk(place, environment):
    """Output that finds no space is an error with a sentence."""
    with open("/dev/full", "w") as full:
        process = run(["openapi"], environment, stdout=full, stderr=subprocess.PIPE)

    _, err = process.communicate()

    one_sentence(process.returncode, err.decode())


@pytest.mark.parametrize(
    ("words", "seconds"),
    [(["keys", "check"], 0.2), (["keys", "check"], 2), (["build"], 2)],
)
def test_interrupted(words, seconds, place, environment, key):
    """Ctrl-C ends every command without a traceback."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    held_open = place / "output/.masthead.lock"
    held_open.parent.mkdir()
    with held_open.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = run(words, environment, cwd=place, **pipes)
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)

    # Shells report both as 130.
    assert process.returncode in (INTERRUPTED, -signal.SIGINT)
    assert b"Traceback" not in err


def test_ended_server(start):
    """A server that is told to stop ends successfully."""
    process, _, _ = start()

    process.send_signal(signal.SIGINT)

    assert process.wait(timeout=60) == 0
