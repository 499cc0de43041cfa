"""The text files of operators are checked before pages need them."""

import json

import pytest

from models.locale_checks import check_locales
from models.locales import FOLDER
from models.settings import SettingError


@pytest.fixture
def write(tmp_path):
    """Write a file into an operator's folder of templates, and return the folder."""

    def write(path, content):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content)
        file.write_text(text, encoding="utf-8")
        return str(tmp_path)

    return write


@pytest.mark.parametrize(
    ("path", "content", "sentence"),
    [
        ("README.json", {}, "README.json must have the name of a language that CLDR"),
        ("xx.json", {}, "xx.json must have the name of a language that CLDR knows"),
        ("console/xx.json", {}, "console/xx.json must have the name of a language"),
        ("pt_BR.json", {}, "locales/pt_BR.json must be named pt-BR.json."),
        ("pt-br.json", {}, "locales/pt-br.json must be named pt-BR.json."),
        ("ZH-hant.json", {}, "locales/ZH-hant.json must be named zh-Hant.json."),
        ("sv.json", '{"site.skip": "Hoppa",}', "sv.json is not valid JSON: .*line 1"),
        ("sv.json", "", "locales/sv.json is not valid JSON: "),
        ("sv.json", [], "locales/sv.json must contain an object with texts by names"),
        ("sv.json", {"site.skp": "x"}, "'site.skp' in .*sv.json is the name of no"),
        ("sv.json", {"menu.overview": "x"}, "'menu.overview' .* in console/sv.json."),
        ("sv.json", {"site.skip": {"other": "x"}}, "'site.skip' .* must be a text"),
        ("sv.json", {"site.skip": None}, "'site.skip' .* must be a text, such as"),
        (
            "sv.json",
            {"search.results": "{count} träffar"},
            '\'search.results\' .* plural forms, such as {"one": "{count} result"',
        ),
        (
            "sv.json",
            {"front.pages": {"one": "{count} sida"}},
            "'front.pages' .* must have the plural form 'other'",
        ),
        (
            "sv.json",
            {"front.pages": {"plural": "{count} sidor", "other": "{count} sidor"}},
            "'front.pages' .* has the plural form 'plural', .* zero, one, two",
        ),
        ("sv.json", {"front.pages": {"other": 2}}, "'front.pages' .* texts, not 2."),
        (
            "sv.json",
            {"front.pages": {"one": "{antal} sida", "other": "{count} sidor"}},
            "'front.pages' .* the placeholder {antal}, and may have only {count}.",
        ),
        ("sv.json", {"site.skip": "{x}"}, "the placeholder {x}, and may have none."),
        ("sv.json", {"front.as-of": "{time:d}"}, "placeholder {time} without a format"),
        ("sv.json", {"front.as-of": "{time!r}"}, "placeholder {time} without a format"),
        ("sv.json", {"front.as-of": "{time"}, "'front.as-of' .* braces only around"),
        ("console/sv.json", {"menu.x": "x"}, "'menu.x' in .*console/sv.json is the"),
    ],
)
def test_wrong_file(write, path, content, sentence):
    """The message names the file and the text, and what to change."""
    folder = write(f"locales/{path}", content)

    with pytest.raises(SettingError, match=rf"^MASTHEAD_TEMPLATES: .*{sentence}"):
        check_locales(folder)


@pytest.mark.parametrize(
    "tag", ["sv", "pt-PT", "zh-Hant-HK", "iw", "ca-valencia", "en-001"]
)
def test_file_of_a_language(write, tag):
    """Every tag in CLDR can have a file, with some of the texts or all."""
    write("locales/README.md", "Notes")
    write(f"locales/{tag}.json", {"front.pages": {"other": "sidor"}})

    folder = write(f"locales/console/{tag}.json", {"site.skip": "Hoppa"})

    check_locales(folder)


def test_copied_files(write):
    """A copy of each of our own files is valid."""
    for part in ("", "console"):
        for file in (FOLDER / part).glob("*.json"):
            folder = write(f"locales/{part}/{file.name}", file.read_text("utf-8"))

    check_locales(folder)


def test_texts_of_own_templates(write):
    """Custom templates can have texts under their own prefix."""
    check_locales(write("locales/en.json", {"acme.address": "Acme, {city}"}))

    folder = write("locales/en.json", {"docs.address": "Acme, {city}"})
    with pytest.raises(SettingError, match=r"'docs\.address' .* no text.*Remove it\."):
        check_locales(folder)


def test_no_own_files(tmp_path):
    """An operator needs neither text files nor a folder of templates."""
    check_locales("")
    check_locales(str(tmp_path))
