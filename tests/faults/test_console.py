"""The console while nothing can be written."""

from pathlib import Path

import pytest

from api.http.application import create_app
from models.settings import Settings
from models.status.incidents.incidents import IncidentRow
from sitegen.theme.console_theme import ConsoleTheme
from tests.console.conftest import Person
from tests.faults.conftest import ADD, SERVICE

OPEN = "incidents/open/"
WORDS = {"title": "Late", "services": ["api"], "severity": "degraded", "body": "Look"}


@pytest.fixture
def person(store, settings, clock):
    theme = ConsoleTheme(Settings())
    app = create_app(settings, clock=clock, console_theme=theme)
    return Person(app.test_client())


@pytest.mark.sqlite
def test_read_only(api, as_user, settings, clock, issue, reader, person):
    """Pages are shown, a form is rejected with its input kept, and sent again later."""
    api(ADD, SERVICE)
    assert person.sign_in(issue("*")).status_code == 303
    person.get()
    as_user()
    Path(settings.database).chmod(0o444)
    # The session is to be renewed, which cannot be.
    clock.pass_(hours=1)

    refused = person.fill(OPEN, OPEN, **WORDS)

    assert refused.status_code == 503
    assert "Nothing was saved" in refused.text
    assert ">\nLook</textarea>" in refused.text
    Path(settings.database).chmod(0o644)
    assert person.refill(refused, OPEN).status_code == 303
    assert [row.title for row in IncidentRow] == ["Late"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "", 503),
        ("GET", "sign-in/", 200),
        ("POST", "sign-in/", 503),
        ("POST", "sign-out/", 503),
        ("POST", OPEN, 503),
    ],
)
def test_unreachable(person, raw_database, issue, caplog, method, path, status):
    """
    While the database cannot be read, a page says so, and no stack trace is logged.
    """
    key = issue("*")
    assert person.sign_in(key).status_code == 303
    raw_database.lose()

    answer = person.get(path) if method == "GET" else person.post(path, {"key": key})

    assert (answer.status_code, answer.mimetype) == (status, "text/html")
    assert "Traceback" not in caplog.text
