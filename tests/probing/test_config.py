"""The probe's configuration, and the messages about its mistakes."""

from pathlib import Path

import pytest

from api.client.probe_config import read_config
from models.settings import SettingError
from tests.probing.conftest import KEY

TOP = 'api = "https://masthead.example/"\nsource = "here"\n'
HTTP = '[[targets]]\nservice = "api"\nkind = "http"\nurl = "https://api.example/"\n'
TCP = '[[targets]]\nservice = "mail"\nkind = "tcp"\nhost = "mail.example"\nport = 25\n'
DNS = '[[targets]]\nservice = "dns"\nkind = "dns"\nname = "example.com"\n'


@pytest.fixture
def file(tmp_path):
    return tmp_path / "probe.toml"


@pytest.fixture
def refused(file):
    """Return the message about a file with this text, without the file's name."""

    def read(text, key=KEY):
        file.write_text(text)
        with pytest.raises(SettingError) as caught:
            read_config(file, key)
        return str(caught.value).removeprefix(f"{file}")

    return read


def test_three_kinds(file):
    """Targets inherit the top-level values that they do not set."""
    file.write_text(
        TOP + "interval_seconds = 30\n" + HTTP + TCP + "retries = 5\n" + DNS
    )

    config = read_config(file, KEY)

    assert [target.kind for target in config.targets] == ["http", "tcp", "dns"]
    assert [target.interval_seconds for target in config.targets] == [30, 30, 30]
    assert [target.retries for target in config.targets] == [1, 5, 1]
    assert (config.api, config.key) == ("https://masthead.example", KEY)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("api = ", " is not TOML: "),
        (HTTP, ":\n  source: Is required.\n  api: Is required."),
        (TOP, ": targets: Is required."),
        (TOP + "targets = []", ": targets: List should have at least 1 item"),
        (TOP + "interval = 5\n" + HTTP, ": interval: There is no such option."),
        (TOP + "retries = '3'\n" + HTTP, ": retries: Must be a valid integer."),
        (TOP + HTTP + "statsu = [1]\n", ": target 1 (api), statsu: There is no such"),
        (
            TOP + HTTP + "status = [99]\n",
            ": target 1 (api), status.0: Must be a status",
        ),
        (
            TOP + HTTP + "status = [200, '300-200']\n",
            ": target 1 (api), status.1: Must begin with the lower status",
        ),
        (
            TOP + HTTP + "status = ['500-600']\n",
            ": target 1 (api), status.0: Must be a status",
        ),
        (TOP + HTTP + TCP + "url = 'x'", ": target 2 (mail), url: There is no such"),
        (TOP + HTTP.replace("https:", "ftp:"), ": target 1 (api), url: Must be a URL"),
        (TOP + HTTP.replace("api.", "me:pw@api."), ": target 1 (api), url: Must not"),
        (TOP + HTTP.replace('"http"', '"icmp"'), ": target 1 (api): kind must be http"),
        (TOP + HTTP.replace('"api"', '"API"'), ": target 1 (API), service: Must match"),
        (TOP + HTTP + "ca_file = 'no.pem'", ": target 1 (api), ca_file: "),
        (
            TOP + DNS + "server = 'ns.example'",
            ": target 1 (dns), server: Must be an IP",
        ),
        (
            TOP + HTTP + "contains = 'x'\nmethod = 'HEAD'",
            ": target 1 (api): contains re",
        ),
        (
            TOP + "key = 'mh_x'\n" + HTTP,
            ": a key is a secret and does not belong in this file.",
        ),
        (TOP + HTTP + HTTP, ": 2 targets measure api with the source here, so"),
    ],
)
def test_mistakes(refused, text, expected):
    """A mistake is a sentence with its file, its target and its member."""
    assert refused(text).startswith(expected)


def test_two_voices(file):
    """Two targets may report for one service as two sources."""
    file.write_text(TOP + HTTP + HTTP + 'source = "here-dns"\n')

    config = read_config(file, KEY)

    assert [target.source for target in config.targets] == ["here", "here-dns"]


def test_no_file(file):
    """A file that is not there is named."""
    with pytest.raises(SettingError, match="No such file or directory"):
        read_config(file, KEY)


def test_key_file(file, tmp_path):
    """The key is read from its file, which lies beside; the environment's wins."""
    (tmp_path / "key").write_text(KEY + "\n")
    (tmp_path / "key").chmod(0o400)
    file.write_text(TOP + 'key_file = "key"\n' + HTTP)

    assert read_config(file, "").key == KEY


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_key_file_that_others_may_open(refused, tmp_path, mode):
    """A key file that others may read is not used, and the message says what to do."""
    (tmp_path / "key").write_text(KEY)
    (tmp_path / "key").chmod(mode)

    message = refused(TOP + 'key_file = "key"\n' + HTTP, key="")

    assert "is accessible to others than its owner" in message
    assert f"chmod 600 {tmp_path / 'key'}" in message
    assert KEY not in message


def test_no_key(refused):
    """Without a key the message says where one is looked for."""
    assert "MASTHEAD_PROBE_KEY" in refused(TOP + HTTP, key="")


def test_key_that_is_cut(refused):
    """A truncated key is detected at once, and not shown."""
    message = refused(TOP + HTTP, key=KEY[:-1])

    assert "is not a valid Masthead key" in message
    assert KEY[:-1] not in message


def test_paths_begin_at_the_file(file):
    """A path begins where the file lies, wherever the probe is started."""
    file.write_text(TOP + 'spool = "waiting.jsonl"\n' + HTTP)
    assert read_config(file, KEY).spool == file.parent / "waiting.jsonl"

    file.write_text(TOP + 'spool = "/var/lib/probe/spool"\n' + HTTP)
    assert read_config(file, KEY).spool == Path("/var/lib/probe/spool")
