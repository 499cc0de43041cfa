"""The command publish: its output, its errors, and a server that publishes."""

import json
import signal

import pytest

from tests.commands.conftest import fetch
from tests.commands.servers.test_serve import SERVICE, until
from tests.publishing.published import files_of, with_headers
from tests.publishing.store import BUCKET, SECRET, stored


@pytest.fixture
def bucket():
    with stored() as found:
        yield found


@pytest.fixture
def pointed(command, bucket, monkeypatch):
    """Configure the bucket; return the command."""
    for name, value in bucket.environment("site").items():
        monkeypatch.setenv(name, value)
    return command


@pytest.fixture
def built(pointed):
    """A built, unpublished site; return the command."""
    assert pointed("migrate")[0] == pointed("build")[0] == 0
    return pointed


def test_told(built, bucket, tmp_path):
    """
    The output has the number of sent files, or says that there is nothing to send.
    """
    files = files_of(tmp_path / "output")

    code, result, _ = built("publish")

    size = sum(map(len, files.values()))
    start = f"sent {len(files)}, removed 0, unchanged 0, bytes {size}, seconds "
    assert (code, result[: len(start)]) == (0, start)
    assert bucket.site("site") == with_headers(files)
    _, result, _ = built("publish")
    assert result.startswith(f"sent 0, removed 0, unchanged {len(files)}, bytes 0,")


def test_changed(built, bucket):
    """--changed prints only the addresses."""
    _, result, _ = built("publish", "--changed")

    lines = result.splitlines()
    assert "http://127.0.0.1:8000/status/" in lines
    assert all(each.startswith("http://127.0.0.1:8000/") for each in lines)
    assert lines == sorted({*lines})
    assert built("publish", "--changed")[1] == ""


def test_json(built, bucket):
    """--json prints everything."""
    code, result, _ = built("publish", "--json")

    found = json.loads(result)
    assert code == 0
    assert set(found["sent"]) == set(bucket.site("site"))
    assert found["dryRun"] is False
    assert found["hookFailure"] is None


def test_dry_run(built, bucket):
    """A dry run prints each path, and sends nothing."""
    code, result, _ = built("publish", "--dry-run")

    lines = result.splitlines()
    assert code == 0
    assert "send status/index.html" in lines
    assert lines[-2] == "This was a dry run: nothing was published."
    assert not bucket.objects


def test_hook_that_fails(built, monkeypatch):
    """A failing hook exits with 1, and gets all addresses again the next time."""
    monkeypatch.setenv("MASTHEAD_PUBLISH_HOOK", "false")
    code, _, err = built("publish")
    assert (code, err) == (1, "The hook exited with 1: no error message.\n")

    monkeypatch.setenv("MASTHEAD_PUBLISH_HOOK", "true")
    code, result, err = built("publish", "--json")

    found = json.loads(result)
    assert (code, err, found["sent"]) == (0, "", [])
    assert "http://127.0.0.1:8000/status/" in found["changed"]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("MASTHEAD_PUBLISH", "", "MASTHEAD_PUBLISH is not set to a folder or bucket."),
        ("MASTHEAD_PUBLISH", "s3://nobody", "There is no bucket nobody at http"),
        ("MASTHEAD_PUBLISH", f"s3://{BUCKET}/../x", "such as s3://bucket/prefix."),
        ("AWS_SECRET_ACCESS_KEY", "wrong", "denies access to s3://site-bucket/site"),
        ("AWS_SECRET_ACCESS_KEY", None, "There are no credentials for the"),
        ("MASTHEAD_PUBLISH_ENDPOINT", "http://127.0.0.1:1", ":1 does not respond."),
        ("MASTHEAD_PUBLISH_ENDPOINT", "127.0.0.1:1", "must be a URL such as"),
        ("MASTHEAD_PUBLISH_ENDPOINT", "http://127.0.0.1:99999", "be a URL such as"),
        ("MASTHEAD_PUBLISH_REGION", "us east", "REGION must be a region such as"),
        ("MASTHEAD_PUBLISH_HOOK", "sh 'x", "HOOK must be a command: no clos"),
        ("MASTHEAD_PUBLISH", "output", "a folder outside of MASTHEAD_OUTPUT"),
        ("MASTHEAD_PUBLISH", "output/copy", "a folder outside of MASTHEAD_OUTPUT"),
        ("MASTHEAD_PUBLISH", ".", "a folder outside of MASTHEAD_OUTPUT"),
        ("MASTHEAD_PUBLISH", "file", "The folder file cannot be published to: F"),
        ("MASTHEAD_PUBLISH", "file/in", "The folder file/in cannot be published to: N"),
        (
            "MASTHEAD_OUTPUT",
            "elsewhere",
            "contains no site: the folder does not exist. Run",
        ),
        ("MASTHEAD_OUTPUT", "empty", "contains no site: there is no manifest. Run"),
    ],
)
@pytest.mark.parametrize("words", [[], ["--dry-run"]])
def test_refused(words, name, value, expected, pointed, bucket, monkeypatch, tmp_path):
    """An invalid target is a sentence without a secret, and nothing is touched."""
    (tmp_path / "file").touch()
    for folder in ("empty", "output"):
        (tmp_path / folder).mkdir()
    if words and value == "file":
        expected = "The folder file cannot be published to: N"
    if value is None:
        monkeypatch.delenv(name)
    else:
        monkeypatch.setenv(name, value)

    code, _, err = pointed("publish", *words)

    assert code == 2
    assert expected in err
    assert err.startswith("masthead: ")
    assert err.count("\n") == 1
    assert SECRET not in err
    assert not bucket.objects
    assert not (tmp_path / "elsewhere").exists()


def test_folder_that_may_not_be_written(built, monkeypatch, tmp_path):
    """The sentence has the folder and the reason."""
    monkeypatch.setenv("MASTHEAD_PUBLISH", "/proc/nowhere")

    code, _, err = built("publish")

    assert code == 2
    assert err.startswith("masthead: The folder /proc/nowhere cannot be published to:")


def test_server(start, key, bucket, environment, tmp_path):
    """A server publishes each build, and can be stopped during a publication."""
    environment |= bucket.environment("site")
    process, at, _ = start()
    until(lambda: "site/build.json" in bucket.objects)

    fetch(f"{at}/status/v1/admin/services/add", key, SERVICE)

    until(lambda: b"Quayside API" in bucket.site("site")["status/index.html"][0])
    until(lambda: bucket.site("site") == with_headers(files_of(tmp_path / "output")))
    assert "masthead_publications_total" in fetch(f"{at}/metrics")
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0


def test_server_without_a_store(start, environment, tmp_path):
    """A server works while the store is down, and reports the fault."""
    environment["MASTHEAD_PUBLISH"] = str(tmp_path / "file")
    (tmp_path / "file").touch()
    log = tmp_path / "log"
    process, at, _ = start(log=log)

    until(lambda: "publish-failed" in fetch(f"{at}/readyz"))

    assert json.loads(fetch(f"{at}/readyz"))["status"] == "ready"
    assert "state=publish-failed" in log.read_text()
    assert "stack=" not in log.read_text()
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
