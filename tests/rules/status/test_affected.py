"""The services that an incident or a window affects."""

from datetime import UTC, datetime, timedelta

from models.status.incidents.incidents import (
    StatusAddIncident,
    StatusUpdateIncident,
    open_incident,
    update_incident,
)
from models.status.services.affected import affected_services
from models.status.services.catalogue import (
    StatusAddService,
    add_service,
    service_with_slug,
)
from models.status.snapshot.snapshot import status_snapshot
from models.storage.database import writing

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def opened():
    with writing():
        for slug in ("api", "mail"):
            add_service(StatusAddService(slug=slug, name=slug.title()), NOW)
        request = StatusAddIncident(
            title="Errors",
            severity="partial-outage",
            services=["mail"],
            body="Looking.",
        )
        return open_incident(request, NOW)


def test_affected_services_are_known_by_number(store):
    """An affected service has its number, which identifies it, and its name."""
    incident = opened()

    (found,) = affected_services([incident.id])[incident.id]

    assert found.service_id == service_with_slug("mail").number
    assert found.name == "Mail"


def test_affected_after_a_purge(store):
    """A purged service is still affected, by its last slug and name."""
    incident = opened()
    with writing():
        service_with_slug("mail").delete_instance()

    (found,) = affected_services([incident.id])[incident.id]

    assert (found.service_id, found.slug, found.name) == (None, "mail", "Mail")


def test_incident_decides_the_state_of_what_it_affects(store):
    """The severity of an active incident applies to its services and no others."""
    incident = opened()

    api, mail = status_snapshot(NOW, timedelta(minutes=5)).service_list().services

    assert (api.state, api.active_incident_ids) == ("unknown", [])
    assert (mail.state, mail.active_incident_ids) == ("partial-outage", [incident.id])


def test_naming_a_service_that_was_added_again(store):
    """
    A new service with the same slug is another service; naming it links the incident.
    """
    incident = opened()
    with writing():
        service_with_slug("mail").delete_instance()
        add_service(StatusAddService(slug="mail", name="New mail"), NOW)
        request = StatusUpdateIncident(id=incident.id, services=["mail"])
        _, changes = update_incident(request, NOW)

    _, mail = status_snapshot(NOW, timedelta(minutes=5)).service_list().services

    assert set(changes) == {"services"}
    assert mail.state == "partial-outage"
