"""Texts, dates, numbers and lists of languages."""

import json
import re
import string
from pathlib import Path

import pytest
from babel import Locale as CldrLocale

from models.locales import (
    FOLDER,
    Locale,
    available_languages,
    load_locale,
    match_language,
)

NOON = "2026-03-01T12:00:00.000Z"
ENGLISH = load_locale("en")
# Each language with the parts that it has: the site, and the console.
LANGUAGES = [(tag, "") for tag in available_languages()]
LANGUAGES += [(tag, "console") for tag in available_languages(part="console")]
MARKUP = re.compile(r"[<>]|&[a-z#]")


def messages(tag, part):
    text = (FOLDER / part / f"{tag}.json").read_bytes()
    return json.loads(text, object_pairs_hook=without_repeats)


def without_repeats(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len({*names}), sorted(names)
    return dict(pairs)


def forms(message):
    return {"": message} if isinstance(message, str) else message


def placeholders(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_moments_in_other_zones():
    """A time is shown in UTC, whatever its offset."""
    assert ENGLISH.date_time(NOON) == "1 Mar 2026, 12:00 UTC"
    assert ENGLISH.date_time("2026-03-01T13:00:00+01:00") == ENGLISH.date_time(NOON)
    assert ENGLISH.long_date(NOON) == "1 March 2026"
    assert ENGLISH.short_date("2026-03-01") == "1 Mar 2026"
    assert ENGLISH.month_name("2026-03") == "March 2026"
    assert ENGLISH.clock_time(NOON) == "12:00 UTC"


@pytest.mark.parametrize(
    ("end", "text"),
    [
        ("2026-03-01T12:00:59Z", "less than a minute"),
        ("2026-03-01T12:01:00Z", "1 min"),
        ("2026-03-01T13:12:00Z", "1 h 12 min"),
        ("2026-03-01T14:00:00Z", "2 h"),
        ("2026-03-02T11:59:59Z", "23 h 59 min"),
        ("2026-03-02T12:59:00Z", "1 d"),
        ("2026-03-04T15:30:00Z", "3 d 3 h"),
        ("2026-03-01T11:00:00Z", "less than a minute"),
    ],
)
def test_duration(end, text):
    """A duration has its two largest units, rounded down, and is never negative."""
    assert ENGLISH.duration(NOON, end) == text


def test_what_stands_between_sentences_and_words():
    """Chinese and Japanese have no spaces, and other languages do."""
    gaps = {tag: Locale(tag, {}).sentence_gap for tag in ("en", "ja", "ko", "zh-Hant")}

    assert gaps == {"en": " ", "ja": "", "ko": " ", "zh-Hant": ""}


def test_day_of_a_year_that_is_known():
    """A date without its year has month and day."""
    assert ENGLISH.short_day(NOON) == "1 Mar"


def test_numbers_and_lists():
    """Numbers are grouped, never rounded, and lists read as in a sentence."""
    assert ENGLISH.number(129600) == "129,600"
    assert ENGLISH.percent(99.999) == "99.999 %"
    assert ENGLISH.percent(100.0) == "100 %"
    assert ENGLISH.join_list(["A", "B", "C"]) == "A, B and C"
    assert ENGLISH.rough_duration(3 * 86400 + 5) == "3 days"
    assert ENGLISH.period("24h") == "24 hours"
    assert ENGLISH.period("90d") == "90 days"
    assert ENGLISH.rough_duration(59) == "less than a minute"


@pytest.mark.parametrize(
    ("tag", "name"),
    [("en", "English"), ("fr", "Français"), ("pt-BR", "Português (Brasil)")],
)
def test_name_of_a_language(tag, name):
    """A language has its own name, as in menus."""
    assert Locale(tag, {}).own_name == name


def test_texts_of_an_operator(tmp_path):
    """An operator's file replaces single texts; English is the fallback."""
    (tmp_path / "locales").mkdir()
    own = {"site.status": "Läget", "front.pages": {"one": "{count} sida"}}
    (tmp_path / "locales" / "sv.json").write_text(json.dumps(own | {"x": "y"}))

    swedish = load_locale("sv", str(tmp_path))

    assert swedish.text("site.status") == "Läget"
    assert swedish.text("site.skip") == ENGLISH.text("site.skip")
    assert swedish.long_date(NOON) == "1 mars 2026"
    assert "sv" in available_languages(str(tmp_path))


def test_english_of_an_operator(tmp_path, monkeypatch):
    """An operator's English text is only a fallback, and replaces no translation."""
    ours, own = tmp_path / "ours", tmp_path / "own"
    for folder in (ours, own / "locales"):
        folder.mkdir(parents=True)
    monkeypatch.setattr("models.locales.FOLDER", ours)
    (ours / "en.json").write_text('{"a": "Fine", "b": "Bad"}')
    (ours / "sv.json").write_text('{"a": "Bra"}')
    (own / "locales" / "en.json").write_text('{"a": "Great", "b": "Poor"}')

    swedish = load_locale("sv", str(own))

    assert [swedish.text(name) for name in "ab"] == ["Bra", "Poor"]


@pytest.mark.parametrize(
    ("requested", "tag"),
    [
        (["de-AT", "en"], "de"),
        (["sv", "pt"], "pt-BR"),
        (["zh-TW"], "zh-Hant"),
        (["zh-CN"], "zh-Hans"),
        (["zh"], "zh-Hans"),
        (["zh-Hans-HK"], "zh-Hans"),
        (["zh_Hant_CN"], "zh-Hant"),
        (["iw-IL"], "he"),
        (["in"], "id"),
        (["sv"], None),
        (["*"], None),
        ([], None),
    ],
)
def test_language_that_is_asked_for(requested, tag):
    """
    The first requested language with a file is chosen; Chinese also by its script.

    A script in the tag takes precedence over that of its country, and old tags are
    known.
    """
    languages = ["de", "en", "he", "id", "pt-BR", "zh-Hans", "zh-Hant"]

    assert match_language(requested, languages) == tag


@pytest.mark.parametrize(
    ("requested", "tag"),
    [
        (["pt-PT"], "pt-PT"),
        (["PT_pt", "pt-BR"], "pt-PT"),
        (["pt"], "pt-BR"),
        (["pt-AO"], "pt-BR"),
        (["de-AT"], "de-AT"),
        (["de"], "de"),
        (["de-CH"], "de"),
        (["zh-TW"], "zh-TW"),
        (["zh-HK"], "zh-Hant"),
    ],
)
def test_language_of_a_country(requested, tag):
    """
    An exact match of the requested tag takes precedence over others of its language.
    """
    languages = ["de", "de-AT", "pt-BR", "pt-PT", "zh-Hant", "zh-TW"]

    assert match_language(requested, languages) == tag
    assert match_language(requested, reversed(languages)) == tag


@pytest.mark.parametrize(("tag", "part"), LANGUAGES)
def test_every_text_in_every_language(tag, part):
    """A language has the names of English, with the same placeholders, sorted."""
    english, own = messages("en", part), messages(tag, part)

    assert own.keys() == english.keys()
    assert list(own) == sorted(own)
    for name, message in own.items():
        expected = placeholders(forms(english[name]).get("other", ""))
        expected |= placeholders(forms(english[name]).get("", ""))
        for text in forms(message).values():
            assert text.strip() == text != "", name
            assert not MARKUP.search(text), name
            # A form for exactly one or two may omit the numbers.
            assert expected - {"count", "reports"} <= placeholders(text) <= expected, (
                name
            )


@pytest.mark.parametrize(("tag", "part"), LANGUAGES)
def test_plural_forms(tag, part):
    """A text that depends on a number has every plural form of its language."""
    rules = CldrLocale.parse(tag, sep="-").plural_form
    needed = {*rules.tags, "other"}
    english = messages("en", part)

    for name, message in messages(tag, part).items():
        if isinstance(english[name], dict):
            assert set(forms(message)) == needed, name
        else:
            assert isinstance(message, str), name


def test_languages_that_the_manual_lists():
    """The manual lists exactly the languages with texts."""
    page = Path(__file__).parents[2] / "manual/operating/languages.md"

    listed = re.findall(r"^\| .+ \| `(.+)` \|$", page.read_text(), re.MULTILINE)

    assert sorted(listed) == list(available_languages())
    assert f"texts in {len(listed)} languages" in page.read_text()


def test_months_beside_other_languages():
    """Languages in one process do not mix their month names."""
    month = {
        tag: load_locale(tag).short_month_name("2026-11")
        for tag in ("he", "tr", "pl", "de", "ja")
    }

    expected = {"he": "נוב׳", "tr": "Kas", "pl": "lis", "de": "Nov.", "ja": "11月"}
    assert month == expected


def test_names_of_the_console():
    """Text names of the console and of the site are distinct."""
    assert not messages("en", "console").keys() & messages("en", "").keys()
    assert set(available_languages(part="console")) <= set(available_languages())
