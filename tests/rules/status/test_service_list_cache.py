"""The cached list always equals the one that would be computed now."""

from datetime import timedelta

import pytest

from api.operation import OPERATIONS
from models.changes import mark
from models.status.measurements.measurements import (
    StatusRecordMeasurements,
    record_measurements,
)
from models.status.services.catalogue import StatusAddService, add_service
from models.status.snapshot.service_list_cache import service_list
from models.storage.database import writing
from tests.conftest import NOON

FRESH = timedelta(minutes=5)
pytestmark = pytest.mark.usefixtures("store")


def write(status="operational", at=NOON):
    sample = {"slug": "api", "status": status, "observed_at": at}
    request = StatusRecordMeasurements(source="a", measurements=[sample])
    with writing():
        record_measurements(request, at, retention=timedelta(days=100))
        mark("status")


@pytest.fixture
def service(store):
    with writing():
        add_service(StatusAddService(slug="api", name="API", group="Edge"), NOON)
        mark("status")
    write()


def test_write_is_seen_at_once(service):
    """A marked write invalidates the list, even in the same millisecond."""
    before = service_list(NOON, FRESH).overall
    write("degraded", NOON + timedelta(milliseconds=1))

    after = service_list(NOON + timedelta(milliseconds=1), FRESH).overall

    assert (before, after) == ("operational", "degraded")


def test_time_is_seen_at_once(service):
    """At the deadline the list is still fresh; a millisecond later it is stale."""
    service_list(NOON, FRESH)

    at = service_list(NOON + FRESH, FRESH)
    beyond = service_list(NOON + FRESH + timedelta(milliseconds=1), FRESH)

    assert (at.overall, at.stale) == ("operational", False)
    assert (beyond.overall, beyond.stale) == ("unavailable", True)


def test_clock_set_back(service):
    """A cached list with a time in the future is not used."""
    later = NOON + FRESH + timedelta(seconds=1)
    assert service_list(later, FRESH).stale

    assert not service_list(NOON, FRESH).stale


def test_other_freshness(service):
    """Each freshness has its own cached list."""
    at = NOON + timedelta(minutes=2)
    service_list(at, FRESH)

    assert service_list(at, timedelta(minutes=1)).stale


def test_group_narrows_the_services(service):
    """A group narrows the list, and not the overall state."""
    result = service_list(NOON, FRESH, "Core")

    assert (result.services, result.overall) == ([], "operational")


def test_every_write_marks(service):
    """Every operation of the status area that changes facts marks them."""
    unmarked = [
        each.name
        for each in OPERATIONS
        if each.area == "status" and each.is_mutation and each.rebuilds != "status"
    ]

    # The list shows neither the owners of sources, nor subscribers, nor templates.
    nouns = {name.split(":")[2] for name in unmarked}
    assert nouns == {"deliveries", "incident-templates", "sources", "subscriptions"}
