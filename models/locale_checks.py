"""Check the files of texts that an operator has written, before a page needs them."""

import json
from pathlib import Path
from string import Formatter
from typing import Any

from models.locales import (
    FALLBACK,
    FOLDER,
    Message,
    is_known_language,
    read_messages,
)
from models.settings import SettingError

CONSOLE = "console"
PLURAL_CATEGORIES = ("zero", "one", "two", "few", "many", "other")


def check_locales(own_folder: str) -> None:
    """Raise SettingError if a file of texts in `own_folder` could not be used."""
    if not own_folder:
        return
    site, console = _english(""), _english(CONSOLE)
    # The texts of an operator's own templates begin with another word.
    our_words = {_first_word(name) for name in site | console}
    # The pages of the console have texts of the site, and those can be others there.
    for part, english in (("", site), (CONSOLE, site | console)):
        for file in sorted((Path(own_folder) / "locales" / part).glob("*.json")):
            _check_file_name(file)
            for name, message in read_messages(file).items():
                where = f"MASTHEAD_TEMPLATES: '{name}' in {file}"
                if name in english:
                    _check_kind(where, message, english[name])
                elif name in console:
                    raise SettingError(f"{where} belongs in {CONSOLE}/{file.name}.")
                elif _first_word(name) in our_words:
                    raise SettingError(
                        f"{where} is the name of no text, and may be an old one of a"
                        " text that has been renamed. Remove it."
                    )
                _check_forms(where, message, english.get(name))


def _first_word(name: str) -> str:
    return name.partition(".")[0]


def _english(part: str) -> dict[str, Message]:
    return read_messages(FOLDER / part / f"{FALLBACK}.json")


def _check_file_name(file: Path) -> None:
    tag = _spelled(file.stem)
    if not is_known_language(tag):
        raise SettingError(
            f"MASTHEAD_TEMPLATES: {file} must have the name of a language that CLDR"
            " knows, such as sv.json or pt-PT.json."
        )
    if tag != file.stem:
        raise SettingError(f"MASTHEAD_TEMPLATES: {file} must be named {tag}.json.")


def _spelled(tag: str) -> str:
    """Return a tag with the letter case of BCP 47: "pt-BR", "zh-Hant"."""
    language, *rest = tag.replace("_", "-").split("-")
    # A script has four letters, a country two or three, and a variant more.
    cases = {4: str.title, 3: str.upper, 2: str.upper}
    parts = [cases.get(len(part), str.lower)(part) for part in rest]
    return "-".join([language.lower(), *parts])


def _check_kind(where: str, message: Any, english: Message) -> None:
    """Require a text where English has one, and plural forms where it has these."""
    if isinstance(english, str) and not isinstance(message, str):
        raise SettingError(f"{where} must be a text, such as {_quoted(english)}.")
    if not isinstance(english, str) and not isinstance(message, dict):
        raise SettingError(
            f"{where} depends on a number, and must be an object with its plural forms,"
            f" such as {_quoted(english)}."
        )


def _check_forms(where: str, message: Any, english: Message | None) -> None:
    forms = message if isinstance(message, dict) else {"other": message}
    if unknown := forms.keys() - {*PLURAL_CATEGORIES}:
        raise SettingError(
            f"{where} has the plural form '{min(unknown)}', which must be one of"
            f" {', '.join(PLURAL_CATEGORIES)}."
        )
    if "other" not in forms:
        raise SettingError(
            f"{where} must have the plural form 'other', which stands in for others."
        )
    for text in forms.values():
        if not isinstance(text, str):
            raise SettingError(f"{where} must have texts, not {_quoted(text)}.")
        _check_placeholders(where, text, english)


def _check_placeholders(where: str, text: str, english: Message | None) -> None:
    try:
        fields = [field for field in Formatter().parse(text) if field[1] is not None]
    except ValueError as error:
        raise SettingError(
            f"{where} may have braces only around placeholders: {error}."
        ) from None
    for _, name, format_spec, conversion in fields:
        if format_spec or conversion:
            raise SettingError(
                f"{where} must have the placeholder {{{name}}} without a format."
            )
    if english is None:
        return
    allowed = _placeholders(english)
    if wrong := sorted({str(name) for _, name, *_ in fields} - allowed):
        names = ", ".join(f"{{{name}}}" for name in sorted(allowed))
        raise SettingError(
            f"{where} has the placeholder {{{wrong[0]}}}, and may have"
            f" {f'only {names}' if names else 'none'}."
        )


def _placeholders(message: Message) -> set[str]:
    texts = [message] if isinstance(message, str) else message.values()
    parsed = (field for text in texts for field in Formatter().parse(text))
    return {name for _, name, *_ in parsed if name}


def _quoted(message: Any) -> str:
    return json.dumps(message, ensure_ascii=False)
