"""Services: added, changed, disabled and purged in the console."""

import re

import pytest

from models.status.services.rows import ServiceRow

ADD = "services/_add/"
SERVICE = {"name": "Public <API>", "slug": "api", "group": "Core", "displayOrder": "5"}
NOON = "2026-03-01T12:00:00Z"
XSS = "<script>alert(1)</script>"

pytestmark = pytest.mark.both_engines


@pytest.fixture
def service(person):
    person.fill(ADD, ADD, **SERVICE)
    return ServiceRow.get()


def test_add(person, audited):
    """A name and a slug add a service, which the list shows in its group."""
    response = person.fill(ADD, ADD, **SERVICE)

    assert response.headers["Location"].startswith("/console/services/api/?")
    assert audited()[-1] == "service.added"
    page = person.get("services/").text
    assert "Public &lt;API&gt;" in page
    assert "Core</bdi></h2>" in page
    assert "Nothing has measured it yet." in page


def test_a_refusal_stands_beside_its_field(person, service):
    """A slug that is taken or malformed is rejected, and the input is kept."""
    refused = person.fill(ADD, ADD, **SERVICE | {"slug": "No"})

    assert refused.status_code == 422
    assert "Slug</a>:" in refused.text
    response = person.refill(refused, ADD, slug="api")
    assert response.status_code == 409
    assert "already exists" in response.text
    assert 'value="Public &lt;API&gt;"' in response.text


def test_change(person, service):
    """The form has the current values; a cleared text is cleared."""
    page, action = "services/api/", "services/api/change/"

    person.fill(page, action, group="", displayOrder="0", hostname="api.example.com")

    changed = ServiceRow.get()
    assert (changed.group, changed.display_order) == (None, 0)
    assert (changed.name, changed.hostname) == ("Public <API>", "api.example.com")


def test_emptied_twice(person, service):
    """A double click on a form that clears a field sends the same request twice."""
    page, action = "services/api/", "services/api/change/"
    person.fill(page, action, group="Core", description="Answers.")
    shown = person.get(page)

    first, second = (
        person.refill(shown, action, group="", description="") for _ in range(2)
    )

    assert (first.status_code, second.status_code) == (303, 303), second.text
    assert ServiceRow.get().group is None


def test_take_off_and_put_back(person, service, audited):
    """A disabled service keeps its measurements, and can be enabled again."""
    page = "services/api/"
    person.refill(person.get(page), f"{page}remove/")
    assert not ServiceRow.get().enabled
    assert "Off the page" in person.get("services/").text

    person.fill(page, f"{page}enable/")

    assert ServiceRow.get().enabled
    assert audited()[-2:] == ["service.removed", "service.updated"]


def test_purge(person, service, audited):
    """A purge says what is deleted, and deletes the service."""
    page = person.get("services/api/")
    assert "This cannot be undone." in page.text

    done = person.refill(page, "services/api/remove/", _purge="1")

    assert "done=service-purged" in done.headers["Location"]
    assert ServiceRow.select().count() == 0
    assert audited()[-1] == "service.purged"
    assert person.get("services/api/").status_code == 404


def test_the_slug_is_made_of_the_name(person):
    """The default slug is derived from the name; a name without one is rejected."""
    page = person.get(ADD).text
    assert 'name="slug" value="" required' not in page

    done = person.fill(ADD, ADD, name="Public API (v2)")
    response = person.fill(ADD, ADD, name="public api: v2")
    refused = person.fill(ADD, ADD, name="日本")

    assert done.headers["Location"].startswith("/console/services/public-api-v2/?")
    assert response.status_code == 409
    assert 'value="public-api-v2"' in response.text
    assert refused.status_code == 422
    assert "Slug</a>:" in refused.text


def test_a_new_service_is_the_last(person, service):
    """A new service is ordered last, and existing groups are suggested."""
    page = person.get(ADD)
    assert '<option value="Core">' in page.text
    assert '<option value="Core">' in person.get("services/api/").text

    person.refill(page, ADD, name="Mail", group="Core")

    mail = ServiceRow.get(ServiceRow.slug == "mail")
    assert mail.display_order == service.display_order + 10
    ServiceRow.update(display_order=10_000).execute()
    assert person.fill(ADD, ADD, name="Last").status_code == 303


def test_state(person, visitor, issue, service, api):
    """
    The page shows the state and its reason, with the active incidents and windows.
    """
    page = "services/api/"
    assert "Never measured" in person.get(page).text
    words = {"title": XSS, "services": ["api"], "severity": "degraded", "body": "x"}
    incident = api("POST /status/v1/admin/incidents/add", words).json["data"]
    times = {"startsAt": "2026-03-01T11:00:00Z", "endsAt": "2026-03-01T13:00:00Z"}
    window = {"title": "Move", "services": ["api"], **times}
    planned = api("POST /status/v1/admin/maintenance/add", window).json["data"]

    text = person.get(page).text

    assert "Degraded</span>" in text
    assert "Incident: <bdi>&lt;script&gt;" in text
    assert XSS not in text
    assert f"/console/maintenance/{planned['id']}/" in text
    assert f"/console/incidents/{incident['id']}/" in text
    person.refill(person.get(page), f"{page}remove/")
    assert "Incident: " not in person.get(page).text
    someone = visitor()
    someone.sign_in(issue("status:admin:services:list"))
    person.fill(page, f"{page}enable/")
    closed = someone.get(page).text
    assert "status:services:get</code>" in closed
    assert "Incident: " not in closed


def test_newest_samples(person, service, api):
    """A service has each source with its newest sample."""
    sample = {"slug": "api", "status": "operational", "responseTimeMs": 1234}
    batch = {
        "source": "paris",
        "measurements": [sample | {"observedAt": "2026-03-01T12:00:00Z"}],
    }
    api("POST /status/v1/admin/measurements/record", batch)

    texts = [person.get(page).text for page in ("services/", "services/api/")]

    assert all("paris" in text for text in texts)
    assert "Operational" in texts[0]
    assert "Operational · 1,234 ms</span>" in texts[1]


def test_sources_in_another_language(person, service, api):
    """Sources are joined as in a sentence of the language, each in its direction."""
    for source in ("oslo", "rome"):
        sample = {"slug": "api", "status": "operational", "observedAt": NOON}
        body = {"source": source, "measurements": [sample]}
        api("POST /status/v1/admin/measurements/record", body)
    time = "<time [^>]+>[^<]+</time>"

    page = person.get("services/", headers={"Accept-Language": "ar"}).text

    assert re.search(f"<bdi>oslo</bdi> {time} و<bdi>rome</bdi> {time}", page)


def test_many(person, service):
    """Services can be searched, and a page has fifty of them."""
    row = ServiceRow.get()
    values = {n: getattr(row, n) for n in row._meta.fields if n != "number"}
    for number in range(70):
        own = {"id": f"s{number}", "slug": f"s{number}", "name": f"Other {number}"}
        ServiceRow.insert(**values | own).execute()

    first, second = (person.get(f"services/?page={n}").text for n in (1, 2))

    assert "Page 1 of 2, 71 services" in first
    assert (first + second).count('class="row"') == 71
    assert person.get("services/?q=other+47").text.count('class="row"') == 1
    for number in ("0", "-1", "x", "99999", "²"):
        assert person.get(f"services/?page={number}").status_code == 200


def test_what_the_key_may_not_do(visitor, issue, service):
    """Missing scopes are named, and their buttons are not shown."""
    someone = visitor()
    someone.sign_in(issue("status:admin:services:list"))

    assert "status:admin:services:add</code>" in someone.get("services/").text
    assert "status:admin:services:add</code>" in someone.get(ADD).text
    page = someone.get("services/api/").text
    assert "status:admin:services:update</code>" in page
    assert "status:admin:services:remove</code>" in page
    assert "status:admin:sources:list</code>" in page
    assert "<button" not in page.partition("<main")[2]
    anonymous = visitor()
    anonymous.sign_in(issue("x:y"))
    assert anonymous.get("services/").status_code == 403


def test_hostile_name(person):
    """A name is shown as text everywhere."""
    words = SERVICE | {"name": XSS, "group": XSS, "description": XSS}
    person.fill(ADD, ADD, **words)

    pages = ["", "services/", "services/api/"]
    assert not any(XSS in person.get(page).text for page in pages)


@pytest.mark.parametrize("group", ["items", "keys", "get"])
def test_a_group_named_as_a_method(person, group):
    """A group may have any name, even that of a Python method."""
    person.fill(ADD, ADD, **SERVICE | {"group": group})

    page = person.get("services/")

    assert page.status_code == 200
    assert f"{group}</bdi></h2>" in page.text
