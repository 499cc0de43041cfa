"""Plan a publication: which files to upload and remove, and in which order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from sitegen.output.generations import change_of
from sitegen.output.manifest import BUILDS, LIVE, MANIFEST
from sitegen.output.publishing.lease import TouchedFiles
from sitegen.output.publishing.source import SiteFiles
from sitegen.output.publishing.targets import PublishedFile

# The fingerprint of each file that is published, by path.
Fingerprints = Mapping[str, str]


@dataclass
class PublishPlan:
    """
    The difference between the site and what is published.

    `touched` are files of an interrupted publication, which may be in any state, and
    `confirmed` those to check that are at the target as recorded.
    """

    files: SiteFiles
    published: Fingerprints
    touched: TouchedFiles
    verify: bool = False
    confirmed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        files, published, touched = self.files, self.published, self.touched
        changed = {
            path
            for path, file in files.items()
            if published.get(path) != file.fingerprint
        }
        # Their state at the target is not known.
        self.uncertain = set(files) if self.verify else files.keys() & touched.keys()
        self.to_upload = changed | self.uncertain
        self.obsolete = (published.keys() | touched.keys()) - files.keys()

    @property
    def is_empty(self) -> bool:
        return not (self.to_upload or self.obsolete or self.touched)

    def files_to_touch(self) -> dict[str, list[str]]:
        """Return the files that may be changed, with the fingerprints they may get."""
        paths = sorted({*self.to_upload, *self.obsolete, *self.touched})
        return {path: sorted(self._possible_fingerprints(path)) for path in paths}

    def files_to_check(self) -> dict[str, set[str]]:
        """Return the files to check at the target, with the accepted fingerprints."""
        uncertain = {path: {self.files[path].fingerprint} for path in self.uncertain}
        # A file that somebody else has put in the place of ours must not be removed.
        obsolete = {path: self._possible_fingerprints(path) for path in self.obsolete}
        return uncertain | obsolete

    @property
    def uploads(self) -> list[PublishedFile]:
        stages = (*self.page_stages(), *self.index_stages())
        return [file for stage in stages for file in stage]

    @property
    def removals(self) -> list[str]:
        return sorted(self.obsolete & self.confirmed)

    def page_stages(self) -> list[list[PublishedFile]]:
        """
        Return what to upload before anything is removed, stage by stage.

        New files come first, because nothing links to them yet, then changed ones;
        within both, deeper files come before the lists that link to them.
        """
        paths = self.to_upload - self.confirmed
        pages = [path for path in paths if not _is_build_index(path)]
        pages.sort(key=lambda path: (*self._stage(path), path))
        stages = groupby(pages, key=self._stage)
        return [[self.files[path] for path in stage] for _, stage in stages]

    def index_stages(self) -> list[list[PublishedFile]]:
        """Return the files that describe the build, to upload when it is complete."""
        paths = self.to_upload - self.confirmed
        builds = sorted(path for path in paths if path.startswith(f"{BUILDS}/"))
        return [
            [self.files[path] for path in stage if path in paths]
            for stage in (builds, [MANIFEST], [LIVE])
        ]

    def changed_urls(self, site_url: str) -> list[str]:
        """Return the URLs whose content may have changed for readers."""
        paths = {*self.to_upload - self.uncertain, *self.touched, *self.obsolete}
        paths |= self.to_upload - self.confirmed
        return sorted(change_of(paths, self.published, self.files, site_url).purge)

    def _stage(self, path: str) -> tuple[bool, int]:
        return path in self.published, -path.count("/")

    def _possible_fingerprints(self, path: str) -> set[str]:
        touched: Iterable[str] = self.touched.get(path, [])
        published = [self.published[path]] if path in self.published else []
        new = [self.files[path].fingerprint] if path in self.files else []
        return {*touched, *published, *new}


def _is_build_index(path: str) -> bool:
    return path in (MANIFEST, LIVE) or path.startswith(f"{BUILDS}/")
