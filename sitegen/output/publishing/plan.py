"""What has to travel, and in which order, so that no link leads to nothing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from sitegen.output.generations import file_changes
from sitegen.output.manifest import BUILDS, LIVE, MANIFEST
from sitegen.output.publishing.claim import Touched
from sitegen.output.publishing.source import Files
from sitegen.output.publishing.targets import File

Marks = Mapping[str, str]


@dataclass
class Plan:
    """
    The files as they are wanted, against what is noted and what may be different.

    `standing` holds what of the doubtful stands at the target all the same.
    """

    wanted: Files
    noted: Marks
    claimed: Touched
    is_verified: bool = False
    standing: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        wanted, noted, claimed = self.wanted, self.noted, self.claimed
        differing = {p for p, each in wanted.items() if noted.get(p) != each.mark}
        # After a death a file may be anything that was on its way to it.
        self.doubtful = wanted.keys() & claimed.keys()
        if self.is_verified:
            self.doubtful = set(wanted)
        self.differing = differing | self.doubtful
        self.gone = (noted.keys() | claimed.keys()) - wanted.keys()

    @property
    def is_empty(self) -> bool:
        return not (self.differing or self.gone or self.claimed)

    def touched(self) -> dict[str, list[str]]:
        """Return what may be touched, with every mark that a file may then have."""
        paths = sorted({*self.differing, *self.gone, *self.claimed})
        return {path: sorted(self._marks(path)) for path in paths}

    def asked(self) -> dict[str, set[str]]:
        """Return what the target must be asked for: what is doubtful, and what goes."""
        wanted = {path: {self.wanted[path].mark} for path in self.doubtful}
        # What a stranger has put in the place of ours is not ours to take away.
        return wanted | {path: self._marks(path) for path in self.gone}

    @property
    def sent(self) -> list[File]:
        return [each for stage in self.stages() for each in stage]

    @property
    def removed(self) -> list[str]:
        return sorted(self.gone & self.standing)

    def stages(self) -> list[list[File]]:
        """
        Return what is sent before anything is removed, stage by stage.

        What is new comes first, while nothing leads to it yet; then what changes. In
        both, leaves lie deeper than the lists that lead to them.
        """
        paths = self.differing - self.standing
        pages = [path for path in paths if not _is_teller(path)]
        order = sorted(pages, key=lambda p: (*self._stage(p), p))
        staged = groupby(order, key=self._stage)
        return [[self.wanted[path] for path in each] for _, each in staged]

    def tellers(self) -> list[list[File]]:
        """Return what tells of all that stands: sent when all of it does."""
        paths = self.differing - self.standing
        builds = sorted(p for p in paths if p.startswith(f"{BUILDS}/"))
        stages = (builds, [p for p in (MANIFEST,) if p in paths], [LIVE])
        return [
            [self.wanted[path] for path in stage if path in paths] for stage in stages
        ]

    def purged(self, site_url: str) -> list[str]:
        """Return the addresses at which readers may find something else now."""
        touched = {*self.differing - self.doubtful, *self.claimed, *self.gone}
        touched |= self.differing - self.standing
        return sorted(file_changes(touched, self.noted, self.wanted, site_url).purge)

    def _stage(self, path: str) -> tuple[bool, int]:
        return path in self.noted, -path.count("/")

    def _marks(self, path: str) -> set[str]:
        known: Iterable[str] = self.claimed.get(path, [])
        noted = [self.noted[path]] if path in self.noted else []
        wanted = [self.wanted[path].mark] if path in self.wanted else []
        return {*known, *noted, *wanted}


def _is_teller(path: str) -> bool:
    return path in (MANIFEST, LIVE) or path.startswith(f"{BUILDS}/")
