"""Incidents, from the console's front page to the resolved one."""

import pytest

from models.notifications.rows import EventRow
from models.status.incidents.incidents import IncidentRow, IncidentUpdateRow
from tests.console.conftest import Controls
from tests.factories.notifications import subscribe

ADD = {
    "title": "Errors",
    "services": ["api"],
    "severity": "degraded",
    "body": "Looking.",
}
OPEN, TEMPLATES = "incidents/open/", "incidents/templates/"
UPDATE = "POST /status/v1/admin/incidents/update"
ADD_UPDATE = "POST /status/v1/admin/incident-updates/add"
GET = "GET /status/v1/incidents/get"
LIST_TEMPLATES = "GET /status/v1/admin/incident-templates/list"

pytestmark = pytest.mark.both_engines


@pytest.fixture(autouse=True)
def services(api):
    for slug, name in (("api", "Public <API>"), ("mail", "Mail")):
        api("POST /status/v1/admin/services/add", {"slug": slug, "name": name})


@pytest.fixture
def incident(person):
    person.fill(OPEN, OPEN, **ADD)
    return IncidentRow.get()


def test_open(person, audited, woken):
    """Two texts and two choices open an incident, as the operation does."""
    response = person.fill(OPEN, OPEN, **ADD)

    assert response.status_code == 303
    page = person.client.get(response.headers["Location"]).text
    assert "The incident is open." in page
    assert "Looking" in page
    assert "Public &lt;API&gt;" in page
    row = IncidentRow.get()
    assert (row.title, row.severity) == ("Errors", "degraded")
    assert row.status == "investigating"
    assert audited()[-1] == "incident.opened"
    assert woken[-1] == "status"


def test_sent_twice(person):
    """A form that is sent twice opens one incident."""
    page = person.get(OPEN)

    first, second = (person.refill(page, OPEN, **ADD) for _ in range(2))

    assert first.headers["Location"] == second.headers["Location"]
    assert IncidentRow.select().count() == 1


def test_sent_again_with_other_words(person):
    """
    If the text is changed and sent again, the page says that the first one was sent.
    """
    page = person.get(OPEN)
    person.refill(page, OPEN, **ADD)

    refused = person.refill(page, OPEN, **ADD | {"title": "Other"})

    assert refused.status_code == 422
    assert "was sent before" in refused.text
    assert IncidentRow.select().count() == 1
    again = person.refill(refused, OPEN)
    assert again.status_code == 303
    assert IncidentRow.select().count() == 2


def test_a_refusal_keeps_what_was_typed(person):
    """Each problem is shown beside its field, and the input is kept."""
    words = ADD | {"title": "\u202eLate <b>", "services": [], "body": "\nFirst\n" * 3}

    refused = person.fill(OPEN, OPEN, **words)

    assert refused.status_code == 422
    assert IncidentRow.select().count() == 0
    assert 'aria-invalid="true"' in refused.text
    assert 'Services</a>: <span lang="en">Is required.' in refused.text
    done = person.refill(refused, OPEN, services=["mail"])
    assert done.status_code == 303
    assert IncidentUpdateRow.get().body == "\nFirst\n" * 3
    assert IncidentRow.get().title == "\u202eLate <b>"


def test_preview(person, audited):
    """A preview shows the text as readers will see it, and changes nothing."""
    shown = person.fill(OPEN, OPEN, **ADD | {"body": "*Late*"}, _preview="1")

    assert shown.status_code == 200
    assert "<em>Late</em>" in shown.text
    assert audited()[-1] == "service.added"
    assert person.refill(shown, OPEN).status_code == 303
    assert IncidentUpdateRow.get().body == "*Late*"


def test_the_words_of_an_earlier_incident(person, incident):
    """The form can start with the text of an earlier incident."""
    form = person.get(f"{OPEN}?words={incident.id}")

    person.refill(form, OPEN)

    first, second = IncidentRow.select()
    assert (first.title, first.severity) == (second.title, second.severity)
    assert {row.body for row in IncidentUpdateRow} == {"Looking."}


def test_update_and_resolve(person, incident, audited):
    """An update is posted with a status; the button Resolve sets its own."""
    page, action = f"incidents/{incident.id}/", f"incidents/{incident.id}/update/"

    person.fill(page, action, body="Found it.", status="identified")
    assert IncidentRow.get().status == "identified"
    done = person.fill("", action, body="Fixed.", _resolve="1")

    assert "done=incident-resolved" in done.headers["Location"]
    assert IncidentRow.get().status == "resolved"
    assert audited()[-2:] == ["incident.update-posted"] * 2


@pytest.fixture
def events(api, clock):
    """Return the types of the events, with their severities, oldest first."""
    subscribe(clock.now)

    def types():
        rows = EventRow.select().order_by(EventRow.number)
        details = [(row.type, row.data["incident"]["incident"]) for row in rows]
        return [(type, incident["severity"]) for type, incident in details]

    return types


@pytest.mark.parametrize("page", ["", "incidents/{}/"])
def test_update_with_a_severity(person, incident, api, events, page):
    """
    Severity, status and text that are sent together are one update and one message.
    """
    page = person.get(page.format(incident.id))
    action = f"incidents/{incident.id}/update/"
    words = {"body": "Worse.", "status": "identified", "severity": "major-outage"}

    first, second = (person.refill(page, action, **words) for _ in range(2))

    assert first.location == second.location
    changed = IncidentRow.get()
    assert (changed.severity, changed.status) == ("major-outage", "identified")
    assert events() == [("incident.updated", "major-outage")]
    assert IncidentUpdateRow.select().count() == 2


def test_refused_update_with_a_severity(person, incident, audited):
    """Without a text neither is changed, and the choice of the severity is kept."""
    page, action = f"incidents/{incident.id}/", f"incidents/{incident.id}/update/"

    refused = person.fill(page, action, severity="major-outage")

    assert refused.status_code == 422
    assert IncidentRow.get().severity == "degraded"
    assert audited()[-1] == "incident.opened"
    shown = Controls(refused.text).forms[f"/console/{action}"]
    assert shown["severity"] == ["major-outage"]
    assert person.refill(refused, action, body="Worse.").status_code == 303
    assert IncidentRow.get().severity == "major-outage"


def test_preview_of_a_severity(person, incident, audited):
    """A preview shows the text with the severity, and changes nothing."""
    page, action = f"incidents/{incident.id}/", f"incidents/{incident.id}/update/"
    words = {"body": "Worse.", "severity": "major-outage"}

    shown = person.fill(page, action, **words, _preview="1").text

    preview = shown.partition('class="preview"')[2].partition("</section>")[0]
    assert "Major outage" in preview
    assert IncidentRow.get().severity == "degraded"
    assert audited()[-1] == "incident.opened"


def test_severity_that_somebody_else_has_changed(person, incident, api):
    """An update keeps a severity that someone else set; changing both is a conflict."""
    page, action = f"incidents/{incident.id}/", f"incidents/{incident.id}/update/"
    shown = person.get(page)
    api(UPDATE, {"id": incident.id, "severity": "major-outage"})

    done = person.refill(shown, action, body="Still.")
    against = person.refill(
        shown, action, body="Better.", severity="partial-outage", _key="another"
    )

    assert (done.status_code, against.status_code) == (303, 409)
    assert "<bdi>Major outage</bdi>" in against.text
    assert IncidentRow.get().severity == "major-outage"


def test_update_by_a_key_that_changes_no_incident(visitor, issue, incident):
    """A key that may not change incidents posts text, without a severity field."""
    someone = visitor()
    someone.sign_in(issue("status:incidents:*", "status:admin:incident-updates:add"))
    page, action = f"incidents/{incident.id}/", f"incidents/{incident.id}/update/"

    form = Controls(someone.get(page).text).forms[f"/console/{action}"]
    assert "severity" not in form
    assert someone.fill(page, action, body="Still.").status_code == 303


def test_correct(person, incident, api):
    """An update is corrected in place; the earlier text stays readable here."""
    page, entry = f"incidents/{incident.id}/", IncidentUpdateRow.get()
    action = f"incidents/{incident.id}/updates/{entry.id}/correct/"

    stale = person.get(page)
    person.refill(stale, action, body="Looking closer.")

    shown = person.get(page).text
    assert "Looking closer." in shown
    assert "edited" in shown
    assert "Earlier words" in shown
    assert IncidentUpdateRow.get().created_at == entry.created_at
    again = person.refill(stale, action, body="Other", _key="another")
    assert again.status_code == 409
    assert ">\nOther</textarea>" in again.text
    assert IncidentUpdateRow.get().body == "Looking closer."


def test_remove_an_entry(person, incident):
    """After a confirmation, the text is removed, and the timeline says so."""
    page, entry = f"incidents/{incident.id}/", IncidentUpdateRow.get()
    action = f"incidents/{incident.id}/updates/{entry.id}/remove/"

    assert "Really remove it?" in person.get(page).text
    person.fill(page, action)

    assert IncidentUpdateRow.get().body == "This update was removed."
    assert f"{entry.id}/correct/" not in person.get(page).text


def test_words_fill_in_what_is_empty(person, incident):
    """Only empty fields are filled in from a template; other input stays."""
    shown = person.fill(
        OPEN, OPEN, title="Mine", words=incident.id, _use_words="1", services=["mail"]
    )
    assert IncidentRow.select().count() == 1

    person.refill(shown, OPEN)

    second = IncidentRow.get(IncidentRow.title == "Mine")
    assert second.severity == "degraded"
    assert {row.body for row in IncidentUpdateRow} == {"Looking."}


def test_the_words_of_a_template(person, api):
    """A template has title, severity and message; the services are chosen."""
    words = {"title": "Late", "severity": "degraded", "body": "We look."}
    added = api("POST /status/v1/admin/incident-templates/add", words | {"name": "L"})
    id = added.json["data"]["id"]

    person.refill(person.get(f"{OPEN}?words={id}"), OPEN, services=["api"])

    assert IncidentRow.get().title == "Late"
    assert IncidentUpdateRow.get().body == "We look."


def test_remove(person, incident, audited):
    """An incident that was opened by mistake is removed from the list."""
    page, action = f"incidents/{incident.id}/", f"incidents/{incident.id}/remove/"

    done = person.fill(page, action)

    assert (
        "The incident is removed." in person.client.get(done.headers["Location"]).text
    )
    assert audited()[-1] == "incident.removed"
    assert person.get(page).status_code == 404


def test_templates(person, api):
    """A template is added, changed against its version, and removed."""
    words = {"name": "Late <b>", "title": "Late", "body": "We look."}
    person.fill(TEMPLATES, TEMPLATES, severity="degraded", **words)
    (template,) = api(LIST_TEMPLATES).json["data"]
    own = f"{TEMPLATES}{template['id']}/"
    page = person.get(TEMPLATES)

    person.refill(page, own, title="Later")
    refused = person.refill(page, own, title="Latest", _key="another")

    assert api(LIST_TEMPLATES).json["data"][0]["title"] == "Later"
    assert refused.status_code == 409
    assert 'value="Latest"' in refused.text
    forged = person.refill(page, own, title="Forged", _seen="9" * 5000)
    assert forged.status_code == 422
    response = person.fill(TEMPLATES, TEMPLATES, severity="degraded", **words)
    assert response.status_code == 409
    person.fill(TEMPLATES, f"{own}remove/")
    assert api(LIST_TEMPLATES).json["data"] == []


def test_change(person, incident):
    """The form has the current values, and changes only what was edited."""
    page, action = f"incidents/{incident.id}/", f"incidents/{incident.id}/change/"

    person.fill(page, action, severity="major-outage", services=["api", "mail"])

    changed = IncidentRow.get()
    assert (changed.title, changed.severity) == ("Errors", "major-outage")
    assert "Mail" in person.get(page).text


def test_change_tells_who_it_should(person, incident, events):
    """A change of the incident sends messages only if the box is ticked."""
    page, action = f"incidents/{incident.id}/", f"incidents/{incident.id}/change/"

    person.fill(page, action, severity="major-outage")
    assert events() == []
    person.fill(page, action, services=["api", "mail"], notify="true")

    assert events() == [("incident.updated", "major-outage")]


def test_incident_of_the_past(person, clock):
    """An incident that is opened as resolved is shown so, and its page has its end."""
    past = {"status": "resolved", "startedAt": "2026-03-01T08:00"}
    done = person.fill(OPEN, OPEN, **ADD | past)
    page = person.client.get(done.location)
    action = f"incidents/{IncidentRow.get().id}/change/"
    assert "is recorded as resolved" in page.text
    assert '<details class="more" open>\n<summary>Change the incident' in page.text

    early = person.refill(page, action, resolvedAt="2026-03-01T07:00")
    person.refill(page, action, resolvedAt="2026-03-01T09:30")

    assert early.status_code == 422
    assert "must not be before" in early.text
    assert IncidentRow.get().resolved_at.isoformat() == "2026-03-01T09:30:00+00:00"


def test_open_incident_has_no_end(person, incident):
    """Only a resolved incident has a field for its end."""
    page, action = f"incidents/{incident.id}/", f"/console/incidents/{incident.id}/"

    form = Controls(person.get(page).text).forms[f"{action}change/"]

    assert "resolvedAt" not in form


def test_change_beside_somebody_else(person, incident, api):
    """A change of someone else stays, in fields that were not edited here."""
    page, action = f"incidents/{incident.id}/", f"incidents/{incident.id}/change/"
    shown = person.get(page)
    theirs = {"id": incident.id, "title": "Errors 500", "services": ["mail"]}
    api(UPDATE, theirs)

    done = person.refill(shown, action, severity="major-outage")

    assert done.status_code == 303
    changed = IncidentRow.get()
    assert (changed.title, changed.severity) == ("Errors 500", "major-outage")
    detail = api(GET, {"id": incident.id}).json["data"]
    assert [s["slug"] for s in detail["incident"]["services"]] == ["mail"]


def test_change_against_somebody_else(person, incident, api):
    """
    Both texts are shown, nothing is lost, and saving again overwrites the other one.
    """
    page, action = f"incidents/{incident.id}/", f"incidents/{incident.id}/change/"
    shown = person.get(page)
    theirs = {"id": incident.id, "title": "Theirs", "severity": "partial-outage"}
    api(UPDATE, theirs)

    refused = person.refill(shown, action, title="Mine")

    assert refused.status_code == 409
    assert "<bdi>Theirs</bdi>" in refused.text
    assert IncidentRow.get().title == "Theirs"
    kept = Controls(refused.text).forms[f"/console/{action}"]
    assert (kept["title"], kept["severity"]) == (["Mine"], ["partial-outage"])
    assert person.refill(refused, action).status_code == 303
    changed = IncidentRow.get()
    assert (changed.title, changed.severity) == ("Mine", "partial-outage")


def test_update_on_an_old_page(person, incident, api):
    """
    An update on an outdated page does not reopen an incident that was resolved
    meanwhile.
    """
    page, action = f"incidents/{incident.id}/", f"incidents/{incident.id}/update/"
    shown = person.get(page)
    api(ADD_UPDATE, {"incidentId": incident.id, "body": "Up.", "status": "resolved"})

    assert person.refill(shown, action, body="The cause.").status_code == 303

    assert IncidentRow.get().status == "resolved"


def test_removed_twice(person, incident):
    """A double click removes the incident once, and the page says so."""
    page, action = f"incidents/{incident.id}/", f"incidents/{incident.id}/remove/"
    shown = person.get(page)

    first, second = (person.refill(shown, action) for _ in range(2))

    assert first.headers["Location"] == second.headers["Location"]


def test_preview_of_a_correction(person, incident):
    """A preview shows the text as readers will see it, and changes nothing."""
    (update,) = IncidentUpdateRow.select()
    page = f"incidents/{incident.id}/"
    action = f"{page}updates/{update.id}/correct/"

    shown = person.fill(page, action, body="We **look**.", _preview="1")

    assert "<strong>look</strong>" in shown.text
    assert ">Preview</button>" in shown.text.partition("correct/")[2]
    assert IncidentUpdateRow.get().body == "Looking."


def test_what_the_key_may_not_do(visitor, issue, incident):
    """Missing scopes are named, and their buttons are not shown."""
    someone = visitor()
    someone.sign_in(issue("status:incidents:list", "status:incidents:get"))

    front, page = someone.get().text, someone.get(f"incidents/{incident.id}/").text

    assert "status:admin:incidents:add</code>" in front
    assert "status:admin:incident-updates:add</code>" in page
    assert "Post update</button>" not in page
    refused = someone.post(f"incidents/{incident.id}/update/", {"body": "x"})
    assert refused.status_code == 403
    assert IncidentUpdateRow.select().count() == 1


def test_a_key_without_any_scope(visitor, issue):
    """Every page shows the signed-in key and what it may not do."""
    someone = visitor()
    someone.sign_in(issue("probe:nothing"))

    assert someone.get().status_code == 200
    assert someone.get("session/").status_code == 200
    refused = someone.get("incidents/")
    assert refused.status_code == 403
    assert "status:incidents:list" in refused.text


def test_unknown_incident(person):
    """The address of an unknown incident is a 404 page."""
    response = person.get("incidents/nothing/")

    assert response.status_code == 404
    assert "incident" in response.text


def test_links_in_a_preview(person, settings):
    """A link from the root of the site leads to the site, also in the console."""
    body = ADD | {"body": "See [the guide](/guides/limits/).", "_preview": "1"}

    page = person.fill(OPEN, OPEN, **body).text

    assert f'href="{settings.site_url}/guides/limits/">the guide</a>' in page
