"""Find the pages that the author's generator would not publish, and say why."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from models.front_matter import FrontMatter
from sitegen.sources.source_file import SourceFile

# Shown in place of missing pages, and not a page itself.
NOT_FOUND_PAGE = "404"
# Folders of texts that pages include.
PARTIAL_FOLDERS = {"snippets", "partials", "includes"}
# In lower case: Hugo's names have any.
_PUBLISH_DATES = ("publishdate", "pubdate")
_EXPIRY_DATES = ("expirydate", "unpublishdate")
# Readers who know the address find the page.
_UNLISTED = ("unlisted", "hidden")
# Of generators that do not publish pages whose date is in the future.
_DATED_CONFIGS = (
    *("hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config.toml"),
    "_config.yml",
)


@dataclass(frozen=True)
class HiddenPages:
    """The rules of a tree; without `now`, dates do not hide pages."""

    now: datetime | None
    has_dates: bool

    @classmethod
    def from_folder(cls, folder: Path, now: datetime | None) -> "HiddenPages":
        places = (folder, folder.resolve().parent)
        has_dates = any(
            (place / name).is_file() for place in places for name in _DATED_CONFIGS
        )
        return cls(now, has_dates)

    def reason(self, file: SourceFile) -> str:
        """Return why the page is hidden, or ""."""
        return next(self._reasons(file), "")

    def _reasons(self, file: SourceFile) -> Iterator[str]:
        if file.is_draft and file.remark:
            yield f"{file.remark} A line of it marks the page as a draft."
        elif file.is_draft:
            yield "The front matter marks it as a draft."
        if file.path.name.startswith("_") and not file.is_index:
            yield "Its name begins with '_', so it is a partial of other pages."
        if file.path.stem == NOT_FOUND_PAGE:
            yield "It is shown for missing pages only."
        fields = {name.lower(): value for name, value in _named(file.front_matter)}
        if fields.get("headless") is True:
            yield "The front matter marks it as headless."
        build = fields.get("build", fields.get("_build"))
        render = build.get("render") if isinstance(build, dict) else None
        # YAML reads a bare `never` as text, but Hugo knew true and false before.
        if render in ("never", "link", False):
            yield "The front matter says that it is not rendered."
        yield from self._reasons_by_date(fields)

    def _reasons_by_date(self, fields: dict[str, Any]) -> Iterator[str]:
        if self.now is None:
            return
        names = (*_PUBLISH_DATES, *(["date"] if self.has_dates else []))
        starts = [at for name in names if (at := moment(fields.get(name)))]
        # The date of publication takes precedence over that of the page.
        if starts and starts[0] > self.now:
            yield f"The front matter publishes it on {starts[0]:%Y-%m-%d}."
        ends = [at for name in _EXPIRY_DATES if (at := moment(fields.get(name)))]
        if ends and ends[0] <= self.now:
            yield f"It expired on {ends[0]:%Y-%m-%d}, by its front matter."


def is_listed(file: SourceFile) -> bool:
    """Return whether the front matter lets navigation, search and sitemap have it."""
    fields = {name.lower(): value for name, value in _named(file.front_matter)}
    return not any(fields.get(name) is True for name in _UNLISTED)


def folder_of_partials(file: SourceFile) -> str:
    """Return the folder around the file whose texts are parts of pages, or ""."""
    names = file.path.parent.parts
    return next((name for name in names if name.lower() in PARTIAL_FOLDERS), "")


def _named(front_matter: FrontMatter) -> Iterator[tuple[str, Any]]:
    # A key of YAML can be anything.
    return ((name, value) for name, value in front_matter.items() if str(name) == name)


def moment(value: Any) -> datetime | None:
    """Return the time that a value of front matter means, None if it is none."""
    if isinstance(value, str):
        try:
            # Jekyll's have a space before the offset from UTC.
            value = datetime.fromisoformat(value.strip().replace(" +", "+"))
        except ValueError:
            return None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time())
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)
