"""What the clock alone will next make of a state, for a page to show in time."""

from copy import copy
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from models.fields import format_moment
from models.status.incidents.incidents import IncidentRow
from models.status.maintenance.windows import MaintenanceRow
from models.status.snapshot.snapshot import StatusSnapshot
from models.status.state import MAX_CLOCK_SKEW, overall_state
from sitegen.page import BuildContext
from sitegen.status.status_data import board_of


class Turn(NamedTuple):
    """A state, and from when on."""

    at: str
    state: str


class Turns:
    """The next turn of each service by its slug, and that of the whole."""

    def __init__(self, context: BuildContext) -> None:
        self._board = context.once(board_of)
        self._boundaries = _boundaries(self._board)
        self._later = {at: _at(self._board, at) for at in self._boundaries.values()}

    @cached_property
    def whole(self) -> Turn | None:
        at = min(self._boundaries.values(), default=None)
        if at is None:
            return None
        now, then = (
            overall_state(
                [seen.state_of(each).state for each in seen.services], stale=False
            )
            for seen in (self._board, self._later[at])
        )
        return Turn(format_moment(at), then) if then != now else None

    @cached_property
    def services(self) -> dict[str, Turn]:
        return {
            each.slug: Turn(format_moment(at), then)
            for each in self._board.services
            if (at := self._boundaries.get(each.number))
            and (then := self._later[at].state_of(each).state)
            != self._board.state_of(each).state
        }


def _boundaries(seen: StatusSnapshot) -> dict[int, datetime]:
    """
    Return when a window or an incident next begins or ends, by the service.

    What comes after the page has gone out of date is of no use to it.
    """
    found: dict[int, datetime] = {}
    horizon = seen.now + seen.freshness + MAX_CLOCK_SKEW
    shown = {each.number for each in seen.services}
    subjects: list[IncidentRow | MaintenanceRow] = [*seen.incidents, *seen.windows]
    for subject in subjects:
        coming = [at for at in _edges(subject) if seen.now < at <= horizon]
        affected = [each.service_id for each in subject.services]
        for number in shown.intersection(affected) if coming else ():
            found[number] = min(found.get(number, coming[0]), *coming)
    return found


def _edges(subject: IncidentRow | MaintenanceRow) -> list[datetime]:
    if isinstance(subject, IncidentRow):
        return [subject.started_at]
    by_clock = subject.written == "scheduled"
    return [subject.starts_at, subject.ends_at] if by_clock else []


def _at(seen: StatusSnapshot, at: datetime) -> StatusSnapshot:
    """Return what is known now as it will be judged then."""
    windows = [copy(each).set_status_at(at) for each in seen.windows]
    return replace(seen, now=at, windows=windows)
