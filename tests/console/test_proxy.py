"""Sign-in by a proxy, and problems with its key or its header."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from api.console.sessions.signing_in import read_proxy_key
from api.http.application import BODY_LIMITS, create_app
from models.errors import PayloadTooLarge
from models.settings import SettingError
from tests.console.conftest import SAME_ORIGIN
from tests.ports import free_port

ROOT = Path(__file__).parents[2]

MAIL = "grace@example.com"
ASSERT = "platform:actors:assert"
PROXY = {"REMOTE_ADDR": "10.1.2.3"}


@pytest.fixture
def key_file(tmp_path, issue):
    file = tmp_path / "key"
    file.write_text(issue("*", ASSERT) + "\n")
    return file


@pytest.fixture
def trusting(settings, key_file):
    """Settings with a proxy in 10.0.0.0/8."""
    return replace(
        settings,
        console_trusted_header="X-Forwarded-Email",
        console_key_file=str(key_file),
        console_trusted_proxies=("10.0.0.0/8",),
    )


@pytest.fixture
def proxied(store, trusting, clock, console_theme):
    """The application, and a function with which the proxy passes a request on."""
    application = create_app(trusting, clock=clock, console_theme=console_theme)

    def passed(path, method="GET", email=MAIL, **more):
        headers = SAME_ORIGIN | {"X-Forwarded-Email": email}
        return application.test_client().open(
            f"/console/{path}",
            method=method,
            headers=headers,
            environ_base=PROXY,
            **more,
        )

    passed.application = application
    return passed


def remove(file):
    file.unlink()


def make_a_folder(file):
    file.unlink()
    file.mkdir()


def write_umlauts(file):
    file.write_text("schlüssel", encoding="latin-1")


def mistype(file):
    file.write_text("mh_mistyped")


BREAKS = pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (remove, "No such file or directory."),
        (make_a_folder, "Is a directory."),
        (write_umlauts, "It is not ASCII."),
        (mistype, "It has no API key, or one that is mistyped."),
    ],
)


@BREAKS
def test_a_key_file_that_cannot_be_read(proxied, key_file, caplog, spoil, reason):
    """Every page, and the log, report the problem; signing out works."""
    assert proxied("").status_code == 200
    spoil(key_file)

    for path in ("", "operations/", "sign-in/"):
        response = proxied(path)
        assert response.status_code == 503
        assert "The console&#39;s key file" in response.text
        assert reason in response.text
    assert reason in caplog.text
    assert proxied("sign-out/", "POST", data={"everywhere": "1"}).status_code == 303


def test_a_large_form_without_a_key_file(proxied, key_file):
    """Without a key file, a large form is rejected as without a session."""
    remove(key_file)
    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/console/documents/new/",
        "CONTENT_LENGTH": "1000000",
        "HTTP_X_FORWARDED_EMAIL": MAIL,
        **PROXY,
    }

    with pytest.raises(PayloadTooLarge):
        proxied.application.extensions[BODY_LIMITS](environ)


@BREAKS
def test_the_file_is_read_when_the_server_starts(key_file, spoil, reason):
    """The error of an unreadable file names the setting."""
    assert read_proxy_key(str(key_file)).startswith("mh_")
    spoil(key_file)

    with pytest.raises(SettingError, match="MASTHEAD_CONSOLE_KEY_FILE") as error:
        read_proxy_key(str(key_file))

    assert str(error.value).endswith(reason)


def test_a_server_without_the_file_does_not_start(tmp_path):
    """The server stops at once, with the sentence."""
    environment = {
        "MASTHEAD_DATABASE": str(tmp_path / "masthead.db"),
        "MASTHEAD_OUTPUT": str(tmp_path / "output"),
        "MASTHEAD_CONSOLE_TRUSTED_HEADER": "X-Forwarded-Email",
        "MASTHEAD_CONSOLE_TRUSTED_PROXIES": "10.0.0.0/8",
        "MASTHEAD_CONSOLE_KEY_FILE": str(tmp_path / "ghost"),
    }
    command = [sys.executable, ROOT / "app.py", "serve", "--port", str(free_port())]

    ended = subprocess.run(
        command,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert ended.returncode == 2
    assert "MASTHEAD_CONSOLE_KEY_FILE, cannot be read: No such file" in ended.stderr


@pytest.mark.parametrize(
    "email", ["not-mail", "a@b, evil@b", "\u00e9@example.com", "a b@c"]
)
def test_what_is_no_address(proxied, email):
    """A malformed address is rejected as by operations."""
    for path in ("", "session/", "audit/"):
        response = proxied(path, email=email)
        assert response.status_code == 422
        assert "it must be one address, in ASCII" in response.text


def test_a_key_that_may_not_act_for_people(proxied, key_file, issue):
    """A key that may not act for people shows no page to anyone."""
    key_file.write_text(issue("*"))

    response = proxied("audit/")

    assert response.status_code == 403
    assert ASSERT in response.text
