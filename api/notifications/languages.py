"""Choose the language in which a reader is written to."""

from models.locales import Locale, available_languages, load_locale, match_language
from models.settings import Settings


def language_for(settings: Settings, *wanted: str | None) -> str:
    """Return the first wanted language that there is, or else that of the site."""
    languages = available_languages(settings.templates)
    return match_language(filter(None, wanted), languages) or settings.language


def locale_for(settings: Settings, *wanted: str | None) -> Locale:
    return load_locale(language_for(settings, *wanted), settings.templates)
