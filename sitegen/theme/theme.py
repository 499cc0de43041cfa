"""Templates and assets: how data becomes HTML, and what version of it this is."""

import hashlib
from functools import cached_property
from pathlib import Path
from typing import Any

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
)
from jinja2.bccache import Bucket, BytecodeCache

from models.response_headers import PAGE_SECURITY_POLICY
from models.settings import Settings
from sitegen.markdown.highlighting import page_styles
from sitegen.markdown.parser import RENDERER
from sitegen.theme.colours import accent_rule
from sitegen.theme.filters import FILTERS

OURS = Path(__file__).parents[2] / "templates"


class _Compiled(BytecodeCache):
    """The code of templates: most of a small build would go into making it again."""

    def __init__(self) -> None:
        self._code: dict[str, tuple[str, Any]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        checksum, code = self._code.get(bucket.key, ("", None))
        if checksum == bucket.checksum:
            bucket.code = code

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key] = (bucket.checksum, bucket.code)


# One for all looks of this process, and for those that read their templates again.
_COMPILED = _Compiled()


class _Environment(Environment):
    """Looks into a dict at once: nearly all that templates are shown is told in one."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


class Theme:
    """The templates of one site; a folder of its owner goes before ours."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        own = [Path(settings.templates)] if settings.templates else []
        self._folders = [*own, OURS]
        ours = FileSystemLoader(OURS)
        # Under its own name ours is found although another goes before it.
        named = PrefixLoader({"masthead": ours})
        loaders = [*map(FileSystemLoader, own), ours, named]
        self._jinja = _Environment(
            # Read once: `version` names the templates as they are now.
            auto_reload=False,
            autoescape=True,
            bytecode_cache=_COMPILED,
            loader=ChoiceLoader(loaders),
            lstrip_blocks=True,
            trim_blocks=True,
            undefined=StrictUndefined,
        )
        self._jinja.filters.update(FILTERS)

    @cached_property
    def assets(self) -> dict[str, tuple[str, bytes]]:
        """Return each asset's path, which carries its digest, and its content."""
        found = {}
        for name, file in sorted(self._files("assets").items()):
            content = file.read_bytes()
            if name == "docs.css":
                content += b"\n" + page_styles().encode()
            if name == "style.css":
                content += b"\n" + self._accent().encode()
            digest = hashlib.sha256(content).hexdigest()[:10]
            stem, dot, ending = name.partition(".")
            found[name] = (f"assets/{stem}.{digest}{dot}{ending}", content)
        return found

    @cached_property
    def version(self) -> str:
        """Name these looks: other templates, assets or settings, another name."""
        digest = hashlib.sha256()
        for folder in reversed(self._folders):
            for file in sorted(folder.rglob("*")):
                if file.is_file():
                    digest.update(file.relative_to(folder).as_posix().encode())
                    digest.update(file.read_bytes())
        settings = self._settings
        names = (settings.site_name, settings.site_url, settings.site_logo)
        told = (
            names,
            settings.accent_colour,
            page_styles(),
            RENDERER,
            PAGE_SECURITY_POLICY,
        )
        digest.update(repr(told).encode())
        return digest.hexdigest()[:16]

    def read_again(self) -> bool:
        """Read templates and assets anew if one has changed; tell whether it has."""
        before = vars(self).pop("version", None)
        if self.version == before:
            return False
        vars(self).pop("assets", None)
        assert self._jinja.cache is not None
        self._jinja.cache.clear()
        return True

    def render(self, template: str, **names: Any) -> str:
        return self._jinja.get_template(template).render(**names)

    def site(self, collections: list[dict[str, str]]) -> dict[str, Any]:
        """Return what every page knows of the site."""
        return {
            "name": self._settings.site_name,
            "url": self._settings.site_url,
            "logo": self._logo(),
            # Said in each page too, for hosts that send no headers of ours.
            "policy": PAGE_SECURITY_POLICY,
            "assets": {name: f"/{path}" for name, (path, _) in self.assets.items()},
            "collections": collections,
        }

    def _logo(self) -> str | None:
        """Return the logo's address; an asset of one's own is named without digest."""
        named = self._settings.site_logo
        folder, _, name = named.rpartition("/")
        if folder == "/assets" and name in self.assets:
            return "/" + self.assets[name][0]
        return named or None

    def _accent(self) -> str:
        default = type(self._settings)().accent_colour
        colour = self._settings.accent_colour
        return "" if colour == default else accent_rule(colour)

    def _files(self, folder: str) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for each in reversed(self._folders):
            files = (each / folder).glob("[!.]*")
            found |= {file.name: file for file in files if file.is_file()}
        return found
