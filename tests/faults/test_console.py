"""The console while nothing can be written."""

from pathlib import Path

import pytest

from api.http.application import create_app
from models.settings import Settings
from models.status.incidents.incidents import IncidentRow
from sitegen.theme.console_look import ConsoleLook
from tests.console.conftest import Person
from tests.faults.conftest import ADD, SERVICE

OPEN = "incidents/open/"
WORDS = {"title": "Late", "services": ["api"], "severity": "degraded", "body": "Look"}


@pytest.mark.sqlite
def test_read_only(ask, as_user, settings, clock, issue, reader):
    """Pages are shown, a form is refused with its words kept, and sent again later."""
    ask(ADD, SERVICE)
    person = Person(
        create_app(
            settings, clock=clock, console_look=ConsoleLook(Settings())
        ).test_client()
    )
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
