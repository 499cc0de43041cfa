"""The table of decisions, section 5: facts, the state of service api, the whole."""

from dataclasses import dataclass, field
from datetime import timedelta


@dataclass(frozen=True)
class Vector:
    """
    Seconds are relative to now, which is T.

    `samples` are (source, status, observed) in the order of their arrival,
    `incidents` (severity, started, resolved?), `windows` (starts, ends).
    """

    name: str
    state: str | None
    overall: str
    stale: bool
    samples: tuple = ()
    incidents: tuple = ()
    windows: tuple = ()
    checked: int | None = field(default=None)


def at(now, seconds):
    return now + timedelta(seconds=seconds)


UP, BAD, DOWN = "operational", "degraded", "down"
OPEN = (-60, 60)

VECTORS = [
    Vector("nothing", "unknown", "unavailable", True),
    Vector("just fresh", UP, UP, False, (("a", UP, -300),), checked=-300),
    Vector(
        "just stale", "unknown", "unavailable", True, (("a", UP, -301),), checked=-301
    ),
    Vector(
        "one, down",
        "major-outage",
        "major-outage",
        False,
        (("a", DOWN, -10),),
        checked=-10,
    ),
    Vector(
        "half down",
        "partial-outage",
        "partial-outage",
        False,
        (("a", DOWN, -10), ("b", UP, -10)),
        checked=-10,
    ),
    Vector(
        "a third down",
        BAD,
        BAD,
        False,
        (("a", DOWN, -10), ("b", UP, -10), ("c", UP, -10)),
        checked=-10,
    ),
    Vector("degraded", BAD, BAD, False, (("a", BAD, -10),), checked=-10),
    Vector(
        "a stale source has no say",
        UP,
        UP,
        False,
        (("a", DOWN, -400), ("b", UP, -10)),
        checked=-10,
    ),
    Vector(
        "a late arrival is not the latest",
        UP,
        UP,
        False,
        (("a", UP, -10), ("a", DOWN, -60)),
        checked=-10,
    ),
    Vector(
        "maintenance hides a probe",
        "maintenance",
        "maintenance",
        False,
        (("a", DOWN, -10),),
        windows=(OPEN,),
        checked=-10,
    ),
    Vector(
        "an incident outranks maintenance",
        BAD,
        BAD,
        False,
        (("a", UP, -10),),
        ((BAD, -60, False),),
        (OPEN,),
        checked=-10,
    ),
    Vector("maintenance, unseen", "maintenance", "unavailable", True, windows=(OPEN,)),
    Vector(
        "an incident, unseen",
        "major-outage",
        "major-outage",
        True,
        incidents=(("major-outage", -60, False),),
    ),
    Vector(
        "an incident dated ahead",
        UP,
        UP,
        False,
        (("a", UP, -10),),
        (("major-outage", 60, False),),
        checked=-10,
    ),
    Vector(
        "at startsAt",
        "maintenance",
        "maintenance",
        False,
        (("a", UP, -10),),
        windows=((0, 60),),
        checked=-10,
    ),
    Vector(
        "a millisecond before startsAt",
        UP,
        UP,
        False,
        (("a", UP, -10),),
        windows=((0.001, 60),),
        checked=-10,
    ),
    Vector(
        "at endsAt", UP, UP, False, (("a", UP, -10),), windows=((-60, 0),), checked=-10
    ),
    Vector(
        "a millisecond before endsAt",
        "maintenance",
        "maintenance",
        False,
        (("a", UP, -10),),
        windows=((-60, 0.001),),
        checked=-10,
    ),
    Vector(
        "the worse incident is resolved",
        BAD,
        BAD,
        False,
        (("a", UP, -10),),
        ((BAD, -60, False), ("major-outage", -60, True)),
        checked=-10,
    ),
    Vector(
        "the worse of two incidents",
        "major-outage",
        "major-outage",
        False,
        (("a", UP, -10),),
        (("major-outage", -60, False), (BAD, -50, False)),
        checked=-10,
    ),
]
IDS = [each.name for each in VECTORS]
