"""Load templates and assets, render pages, and compute the version of the theme."""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

import babel
from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    nodes,
)
from jinja2.bccache import Bucket, BytecodeCache
from jinja2.compiler import CodeGenerator, Frame

from models.colours import accent_pair, accent_rule
from models.display_text import balance_directions
from models.locales import (
    Locale,
    available_languages,
    forget_languages,
    load_locale,
    match_language,
    text_direction,
)
from models.response_headers import page_security_policy
from models.settings import Settings
from sitegen.markdown.highlighting import stylesheet
from sitegen.markdown.rendering import RENDERER_VERSION
from sitegen.theme.card import HEIGHT, WIDTH, Card
from sitegen.theme.filters import (
    FILTERS,
    fragment_renderer,
    locale_filters,
    translator,
)
from sitegen.theme.switcher import Switcher, read_switcher

DEFAULT_TEMPLATES = Path(__file__).parents[2] / "templates"
CARD = "card.png"

# In a style sheet, the file of a font; in a script, the name of a text, which is
# replaced by the text in the language of the site, as JSON.
_FONT = re.compile(r'url\("([a-z0-9-]+\.woff2)"\)')
# In a style sheet, a colour for a light and a dark screen.
_COLOUR = re.compile(
    r"--([a-z-]{1,40}): ?light-dark\((#[0-9a-f]{6}), ?(#[0-9a-f]{6})\)", re.I
)
# The files of the font for texts; that of Latin letters has the shortest name.
_TEXT_FONT = re.compile(r"wix-madefor-text-[a-z-]+\.woff2")
# The parts of that font besides Latin that texts of a language need.
_FONT_PARTS = {
    **dict.fromkeys(("cs", "pl", "tr"), ("latin-ext",)),
    **dict.fromkeys(("ru", "uk"), ("cyrillic",)),
    "vi": ("vietnamese",),
}
_TEXT_IN_SCRIPT = re.compile(r'TEXT\("([a-z0-9.-]+)"\)')


class _MemoryBytecodeCache(BytecodeCache):
    """Compiled templates; compiling them again would take most of a small build."""

    def __init__(self) -> None:
        self._code: dict[str, tuple[str, Any]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        checksum, code = self._code.get(bucket.key, ("", None))
        if checksum == bucket.checksum:
            bucket.code = code

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key] = (bucket.checksum, bucket.code)


# Shared by all themes of this process.
_BYTECODE = _MemoryBytecodeCache()


class _CodeGenerator(CodeGenerator):
    """
    Compiles no result of a filter into a template, unlike Jinja for constants.

    Compiled templates are shared by themes in several languages.
    """

    def _output_child_to_const(
        self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo
    ) -> str:
        if isinstance(node, nodes.TemplateData):
            return super()._output_child_to_const(node, frame, finalize)
        raise nodes.Impossible


class _Environment(Environment):
    """Looks up keys of dicts first, since nearly all data of templates is in dicts."""

    code_generator_class = _CodeGenerator

    def getattr(self, obj: Any, attribute: str) -> Any:
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


def _is_html(template: str | None) -> bool:
    """Return whether a template escapes: all do but messages of plain text and JSON."""
    name = (template or "").removeprefix("masthead/")
    return name.endswith(".html") or not name.startswith("messages/")


def _balance_directions(value: Any) -> Any:
    """Return what a template prints, which cannot change the direction of our words."""
    return balance_directions(value) if type(value) is str else value


class Theme:
    """The templates and assets of a site; custom ones take precedence."""

    def __init__(
        self,
        settings: Settings,
        language: str | None = None,
        part: str = "",
        make_card: Callable[[Card], bytes | None] = lambda _: None,
    ) -> None:
        """
        Prepare the templates in a language, by default that of the site.

        `part` names the texts that are added to those of the site. `make_card` makes
        the card of pages that others link to; without it there is only the operator's.
        """
        self._settings = settings
        self._language = language or settings.language
        self._part = part
        self._make_card = make_card
        custom = [Path(settings.templates)] if settings.templates else []
        self._folders = [*custom, DEFAULT_TEMPLATES]
        default = FileSystemLoader(DEFAULT_TEMPLATES)
        # So that a custom template can extend the default one of the same name.
        prefixed = PrefixLoader({"masthead": default})
        loaders = [*map(FileSystemLoader, custom), default, prefixed]
        self._jinja = _Environment(
            # `version` describes the templates as they were read.
            auto_reload=False,
            autoescape=_is_html,
            bytecode_cache=_BYTECODE,
            finalize=_balance_directions,
            loader=ChoiceLoader(loaders),
            lstrip_blocks=True,
            optimized=False,
            trim_blocks=True,
            undefined=StrictUndefined,
        )
        self._jinja.globals["fragment"] = fragment_renderer(self._jinja)
        self._load_locale()

    def _load_locale(self) -> None:
        self.locale = load_locale(self._language, self._settings.templates, self._part)
        # The console is on the host of the API, without the path of the site.
        site_url = self._settings.site_url if self._part else ""
        self._jinja.filters.update(FILTERS | locale_filters(self.locale, site_url))
        self._jinja.globals.update(t=translator(self.locale), locale=self.locale)

    @cached_property
    def assets(self) -> dict[str, tuple[str, bytes]]:
        """Return the path, which contains a digest, and the content of each asset."""
        assets: dict[str, tuple[str, bytes]] = {}
        # Style sheets last, since they name fonts by their paths.
        files = sorted(self._files("assets").items(), key=_fonts_first)
        for name, file in files:
            content = file.read_bytes()
            if name == "style.css":
                content += f"\n{stylesheet()}\n{self._accent()}".encode()
            if name == "status.css":
                content += b"\n" + self._freshness().encode()
            if name.endswith(".css"):
                content = _name_fonts(content.decode(), assets).encode()
            if name.endswith(".js"):
                content = self.localise(content)
            assets[name] = (_asset_path(name, content), content)
        if self._drawn_card:
            assets[CARD] = (_asset_path(CARD, self._drawn_card), self._drawn_card)
        return assets

    @cached_property
    def colours(self) -> dict[str, tuple[str, str]]:
        """Return the colours of the style sheet, for a light and a dark screen."""
        files = [folder / "assets" / "style.css" for folder in reversed(self._folders)]
        sheets = [file.read_text(encoding="utf-8") for file in files if file.is_file()]
        found = _COLOUR.findall("\n".join([*sheets, self._accent()]))
        return {name: (light, dark) for name, light, dark in found}

    @cached_property
    def version(self) -> str:
        """Return a digest of the templates, the assets and the settings of pages."""
        digest = hashlib.sha256()
        for folder in reversed(self._folders):
            for file in sorted(folder.rglob("*")):
                path = file.relative_to(folder)
                # No page of the site is made of the console's templates and texts, or
                # of programs.
                is_shown = "console" not in path.parts[:2] and path.suffix != ".py"
                if file.is_file() and is_shown:
                    digest.update(path.as_posix().encode())
                    digest.update(file.read_bytes())
        settings = self._settings
        names = (settings.site_name, settings.site_url, settings.site_logo)
        languages = (settings.language, babel.__version__)
        styles = (settings.accent_colour, settings.freshness_seconds, stylesheet())
        forms = (settings.form_action, page_security_policy(settings.form_origin))
        words = (settings.tagline, settings.feedback_url)
        others = (settings.indexing, self.switcher, self._drawn_card, *words)
        inputs = (names, *languages, *styles, RENDERER_VERSION, *forms, *others)
        digest.update(repr(inputs).encode())
        return digest.hexdigest()[:16]

    @cached_property
    def switcher(self) -> Switcher:
        """The menus that lead to other languages and versions, from their file."""
        return read_switcher(self._settings)

    def reload(self) -> bool:
        """Read templates and assets again if one has changed, and return whether."""
        vars(self).pop("switcher", None)
        vars(self).pop("_drawn_card", None)
        previous = vars(self).pop("version", None)
        if self.version == previous:
            return False
        vars(self).pop("assets", None)
        forget_languages()
        self._load_locale()
        assert self._jinja.cache is not None
        self._jinja.cache.clear()
        return True

    def asset(self, name: str) -> bytes:
        """Return the content of a script of the site."""
        return self.localise(self._files("assets")[name].read_bytes())

    def localise(self, script: bytes) -> bytes:
        """Return a script with its texts in the language of the theme."""
        return insert_texts(script.decode(), self.locale).encode()

    def locale_for(self, language: str | None) -> Locale:
        """Return the locale of a text, that of the site if there is none for it."""
        if language is None:
            return self.locale
        own_folder = self._settings.templates
        tag = match_language([language], available_languages(own_folder))
        return load_locale(tag, own_folder) if tag else self.locale

    def render(self, template: str, **variables: Any) -> str:
        return self._jinja.get_template(template).render(**variables)

    def site(self, navigation: Mapping[str, Any]) -> dict[str, Any]:
        """Return the variable `site` of all templates, with what they link to."""
        return {
            "name": self._settings.site_name,
            "url": self._settings.site_url,
            "logo": self._logo(),
            "card": self._card(),
            "fonts": self._fonts(),
            # In each page too, for hosts that do not send our headers.
            "policy": page_security_policy(self._settings.form_origin),
            "subscribe": self._settings.form_action,
            "tagline": self._settings.tagline,
            "feedback": self._settings.feedback_url,
            "is_indexed": self._settings.indexing == "on",
            "switcher": self.switcher.menus,
            "assets": {name: f"/{path}" for name, (path, _) in self.assets.items()},
            **navigation,
        }

    def _logo(self) -> str | None:
        """Return the logo's address; settings name an asset without its digest."""
        logo = self._settings.site_logo
        folder, _, name = logo.rpartition("/")
        if folder == "/assets" and name in self.assets:
            return "/" + self.assets[name][0]
        return logo or None

    def _fonts(self) -> list[str]:
        """Return the files of the font that every page in the language needs."""
        parts = ("latin", *_FONT_PARTS.get(self.locale.tag, ()))
        names = (f"wix-madefor-text-{part}.woff2" for part in parts)
        return [f"/{self.assets[name][0]}" for name in names if name in self.assets]

    def _card(self) -> dict[str, Any] | None:
        """Return the picture for links to the site, with its size; None without one."""
        if CARD not in self.assets:
            return None
        path, content = self.assets[CARD]
        width, height = (WIDTH, HEIGHT) if self._drawn_card else _size_of(content)
        return {"href": f"/{path}", "width": width, "height": height}

    @cached_property
    def _drawn_card(self) -> bytes | None:
        """Return the card of the site, None if the operator's replaces it."""
        files = self._files("assets")
        if CARD in files:
            return None
        names = sorted(filter(_TEXT_FONT.fullmatch, files), key=len)
        settings = self._settings
        card = Card(
            settings.site_name,
            settings.tagline,
            accent_pair(settings.accent_colour)[0],
            tuple(files[name].read_bytes() for name in names),
            is_mirrored=text_direction(settings.language) == "rtl",
        )
        return self._make_card(card)

    def _accent(self) -> str:
        default = type(self._settings)().accent_colour
        colour = self._settings.accent_colour
        return "" if colour == default else accent_rule(colour)

    def _freshness(self) -> str:
        """Say after how long an embed, which has no script, is out of date."""
        return f".embed {{ --freshness: {self._settings.freshness_seconds}s; }}"

    def _files(self, folder: str) -> dict[str, Path]:
        by_name: dict[str, Path] = {}
        for root in reversed(self._folders):
            files = (root / folder).glob("[!.]*")
            by_name |= {file.name: file for file in files if file.is_file()}
        return by_name


def _asset_path(name: str, content: bytes) -> str:
    digest = hashlib.sha256(content).hexdigest()[:10]
    stem, dot, extension = name.partition(".")
    return f"assets/{stem}.{digest}{dot}{extension}"


def _size_of(picture: bytes) -> tuple[int, int]:
    # It loads an HTTP client: two megabytes, and a wait that no command should have.
    import imagesize  # type: ignore[import-untyped]

    width, height = imagesize.get(BytesIO(picture))
    return width, height


def _fonts_first(item: tuple[str, Path]) -> tuple[bool, str]:
    return item[0].endswith(".css"), item[0]


def _name_fonts(style_sheet: str, assets: Mapping[str, tuple[str, bytes]]) -> str:
    """Name fonts as their files are named; they are beside the style sheet."""

    def hashed(match: re.Match[str]) -> str:
        path, _ = assets.get(match[1], (match[1], b""))
        return f'url("{path.rpartition("/")[2]}")'

    return _FONT.sub(hashed, style_sheet)


def insert_texts(script: str, locale: Locale) -> str:
    """Replace each `TEXT("name")` of a script by the text, or by its plural forms."""
    return _TEXT_IN_SCRIPT.sub(
        lambda match: json.dumps(locale.message(match[1]), ensure_ascii=False), script
    )
