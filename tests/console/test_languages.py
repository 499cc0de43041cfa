"""The console in the language of the browser."""

import json
import re

import pytest

from api.http.application import create_app
from models.locales import forget_languages
from models.settings import Settings
from sitegen.theme.console_theme import PART, ConsoleTheme

# A language that no file of ours is in.
SWEDISH = {"Accept-Language": "sv-FI, en;q=0.5"}


def write(folder, tag, part, texts):
    file = folder / "locales" / part / f"{tag}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(texts))


@pytest.fixture
def visit_in_swedish(store, settings, clock, visitor, issue, tmp_path):
    """Sign in to a console that has texts in Swedish."""

    def visit_in_swedish(site, console):
        write(tmp_path, "sv", "", site)
        write(tmp_path, "sv", PART, console)
        console_theme = ConsoleTheme(Settings(templates=str(tmp_path)))
        app = create_app(settings, clock=clock, console_theme=console_theme)
        someone = type(visitor())(app.test_client())
        someone.sign_in(issue("*", name="On call"))
        return someone

    yield visit_in_swedish
    forget_languages()


def test_language_of_the_browser(visit_in_swedish):
    """A browser that prefers Swedish gets Swedish, and another one English."""
    person = visit_in_swedish(
        {"site.skip": "Till innehållet"}, {"menu.overview": "Översikt"}
    )

    swedish, english = person.get(headers=SWEDISH), person.get()

    assert '<html lang="sv" dir="ltr">' in swedish.text
    assert "Till innehållet" in swedish.text
    assert ">Översikt</a>" in swedish.text
    # English is the fallback for what Swedish lacks.
    assert ">Incidents</a>" in swedish.text
    assert '<html lang="en" dir="ltr">' in english.text
    assert ">Overview</a>" in english.text


def test_language_that_the_browser_refuses(visit_in_swedish):
    """A language with quality zero is not used, though everything else is accepted."""
    person = visit_in_swedish({}, {"menu.overview": "Översikt"})

    page = person.get(headers={"Accept-Language": "sv;q=0, *"})

    assert '<html lang="en" dir="ltr">' in page.text


def test_language_without_texts_for_the_console(store, settings, clock, tmp_path):
    """A language that only the site has is not a language of the console."""
    write(tmp_path, "sv", "", {"site.skip": "Till innehållet"})
    console_theme = ConsoleTheme(Settings(templates=str(tmp_path)))

    assert console_theme.in_language(["sv"]).locale.tag == "en"


def test_script_in_the_language(visit_in_swedish):
    """The script has its texts in the language of the page."""
    person = visit_in_swedish({}, {"script.copied": "Kopierat"})
    name = re.compile(r'src="(/console/assets/console\.[^"]+)"')

    [swedish] = name.findall(person.get(headers=SWEDISH).text)
    [english] = name.findall(person.get().text)

    assert swedish != english
    assert '"Kopierat"' in person.client.get(swedish).text
    assert '"Copied"' in person.client.get(english).text


def test_script_of_another_process(tmp_path):
    """A process serves scripts for pages that another one has sent."""
    write(tmp_path, "sv", "", {})
    write(tmp_path, "sv", PART, {"script.copied": "Kopierat"})
    settings = Settings(templates=str(tmp_path))
    first, second = ConsoleTheme(settings), ConsoleTheme(settings)
    first.in_language(["sv"])
    [name] = first.assets.keys() - second.assets.keys()

    assert b"Kopierat" in second.asset(name)


def test_unknown_script(monkeypatch):
    """A request for an unknown script loads no other language."""
    console_theme, loaded = ConsoleTheme(Settings()), []
    monkeypatch.setattr(console_theme, "_in", loaded.append)

    for name in ("console.0a1b2c3d4e.js", "console.xx.0a1b2c3d4e.js", "other.js"):
        assert console_theme.asset(name) is None
    assert console_theme.asset("console.de.0a1b2c3d4e.js") is None
    assert loaded == ["de"]
