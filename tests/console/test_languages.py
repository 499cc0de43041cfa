"""The console in the language of the browser."""

import json
import re
from html.parser import HTMLParser

import pytest

from api.http.application import create_app
from models.locales import FOLDER, forget_languages
from models.settings import Settings
from sitegen.theme.console_look import PART, ConsoleLook

GERMAN = {"Accept-Language": "de-AT, en;q=0.5"}
# Pages that every operator sees; the texts of the API and of people are data.
PAGES = (
    "",
    "session/",
    "incidents/",
    "incidents/open/",
    "incidents/templates/",
    "maintenance/",
    "maintenance/plan/",
    "services/",
    "documents/",
    "projects/",
    "work/",
    "keys/",
    "subscriptions/",
    "deliveries/",
)
DATA = re.compile(
    # A person's or the API's own words, and addresses and codes of any language.
    r"On call|Masthead|mh_|[a-z]+([.:][a-z*-]+)+|UTC"
)


def write(folder, tag, part, texts):
    file = folder / "locales" / part / f"{tag}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(texts))


def marked(part):
    """Return the English texts of a part, each between marks."""
    texts = json.loads((FOLDER / part / "en.json").read_bytes())
    return {
        name: f"⟦{text}⟧"
        if isinstance(text, str)
        else {form: f"⟦{each}⟧" for form, each in text.items()}
        for name, text in texts.items()
    }


@pytest.fixture
def speak(store, settings, clock, visitor, issue, tmp_path):
    """Sign in to a console that has texts in German."""

    def speak(site, console):
        write(tmp_path, "de", "", site)
        write(tmp_path, "de", PART, console)
        look = ConsoleLook(Settings(templates=str(tmp_path)))
        app = create_app(settings, clock=clock, console_look=look)
        someone = type(visitor())(app.test_client())
        someone.sign_in(issue("*", name="On call"))
        return someone

    yield speak
    forget_languages()


class Texts(HTMLParser):
    """The texts of a page that are of no other language, and those of its labels."""

    VOID = ("input", "meta", "link", "br", "option")

    def __init__(self, page):
        super().__init__()
        self.texts = []
        self._open = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        own = dict(attributes)
        for name in ("aria-label", "placeholder", "title", "data-search"):
            if own.get(name):
                self.texts.append(own[name])
        if tag not in self.VOID:
            skipped = tag in ("bdi", "code", "textarea", "script", "style", "time")
            self._open.append((tag, skipped or ("lang" in own and tag != "html")))

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            while self._open and self._open.pop()[0] != tag:
                pass

    def handle_data(self, data):
        if not any(skipped for _, skipped in self._open):
            self.texts.append(data)


def test_language_of_the_browser(speak):
    """A browser that asks for German gets German, and another one English."""
    person = speak({"site.skip": "Zum Inhalt"}, {"menu.overview": "Überblick"})

    german, english = person.get(headers=GERMAN), person.get()

    assert '<html lang="de" dir="ltr">' in german.text
    assert "Zum Inhalt" in german.text
    assert ">Überblick</a>" in german.text
    # English stands in for what German lacks.
    assert ">Incidents</a>" in german.text
    assert '<html lang="en" dir="ltr">' in english.text
    assert ">Overview</a>" in english.text


def test_language_without_texts_for_the_console(store, settings, clock, tmp_path):
    """A language that only the site has is not that of the console."""
    write(tmp_path, "de", "", {"site.skip": "Zum Inhalt"})
    look = ConsoleLook(Settings(templates=str(tmp_path)))

    assert look.in_language(["de"]).locale.tag == "en"


def test_script_in_the_language(speak):
    """The script has its texts in the language of the page."""
    person = speak({}, {"script.copied": "Kopiert"})
    name = re.compile(r'src="(/console/assets/console\.[^"]+)"')

    [german] = name.findall(person.get(headers=GERMAN).text)
    [english] = name.findall(person.get().text)

    assert german != english
    assert '"Kopiert"' in person.client.get(german).text
    assert '"Copied"' in person.client.get(english).text


def test_texts_of_the_pages(speak):
    """Every word of a page comes from the files of texts, or is data."""
    person = speak(marked(""), marked(PART))

    found = {}
    for page in PAGES:
        response = person.get(page, headers=GERMAN)
        assert response.status_code == 200, page
        left = unmarked("\n".join(Texts(response.text).texts)).splitlines()
        found[page] = {text for text in left if re.search("[A-Za-z]{2}", text)}

    assert {page: texts for page, texts in found.items() if texts} == {}


def unmarked(text):
    """Return what is outside marks, which may be inside others."""
    while "⟦" in text:
        shorter = re.sub("⟦[^⟦⟧]*⟧", "", text)
        if shorter == text:
            break
        text = shorter
    return DATA.sub("", text).strip()
