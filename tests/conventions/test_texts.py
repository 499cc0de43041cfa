"""Texts are in the locale files, and every text there is used."""

import json
import re

import pytest

from models.locales import FALLBACK, FOLDER
from tests.conventions.source import ROOT

CONTROL = re.compile(r'<(?:input|select|textarea)\b[^>]* name="([A-Za-z]\w*)"')
QUOTED = re.compile(r"""["']([\w.-]+)["']""")
# The prefixes and suffixes of text names that the code completes with a state, a kind,
# a field or the like.
PUT_TOGETHER = {
    "": (
        "docs.admonition-",
        "duration.",
        "feed.maintenance-",
        "how.day-",
        "how.state-",
        "incident.was-removed",
        "maintenance.active",
        "maintenance.was-removed",
        "notice.incident.",
        "notice.maintenance.",
        "notice.subscription.",
        "overall.",
        "reason.",
        "response.gap-",
        "response.hour",
        "response.last-",
        "response.table-",
        "service.answer-",
        "state.",
    ),
    "console": (
        "activity.",
        "closed-role.",
        "closed.",
        "documents.link-",
        "documents.was-",
        "field.",
        "form.at-least-",
        "form.at-most-",
        "form.from-to-",
        "form.leave-it-out",
        "form.send-",
        "keys.set-",
        "menu.",
        "notice.",
        "noun.",
        "relation.",
        "specifications.finding-",
        "value.",
    ),
}


def literals():
    """Return the string literals of the code and the templates."""
    folders = [ROOT / name for name in ("api", "models", "sitegen", "templates")]
    files = (file for folder in folders for file in folder.rglob("*.*"))
    return {
        literal
        for file in files
        if file.suffix in (".py", ".html", ".js") or file.parent.name == "messages"
        for literal in QUOTED.findall(file.read_text(encoding="utf-8"))
    }


@pytest.mark.parametrize("part", ["", "console"])
def test_texts_that_nothing_says(part):
    """The code names every text, or builds its name as listed here."""
    names = json.loads((FOLDER / part / f"{FALLBACK}.json").read_bytes()).keys()
    prefixes = PUT_TOGETHER[part]

    unnamed = names - literals()

    assert not {name for name in unnamed if not name.startswith(prefixes)}
    needed = {
        prefix for prefix in prefixes for name in unnamed if name.startswith(prefix)
    }
    assert needed == {*prefixes}


def test_names_of_controls():
    """The contents of a form that can be resumed have names."""
    templates = (ROOT / "templates/console").rglob("*.html")
    # The filters of lists and the sign-in are never stored.
    stored = [
        file for file in templates if file.name not in ("list.html", "sign-in.html")
    ]
    names = {name for file in stored for name in CONTROL.findall(file.read_text())}
    labels = json.loads((FOLDER / "console" / f"{FALLBACK}.json").read_bytes())

    assert names
    assert [name for name in names if f"field.{name}" not in labels] == []
