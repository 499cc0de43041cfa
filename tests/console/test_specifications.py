"""Specifications in the console: the text, its revisions, and the work on it."""

import pytest

from models.projects.specifications.rows import (
    SpecificationRevisionRow,
    SpecificationRow,
)
from tests.console.conftest import Controls
from tests.factories.projects import make_project
from tests.factories.specifications import revise, specify, tied

HOSTILE = '<script>alert("x")</script>'
pytestmark = pytest.mark.both_engines


@pytest.fixture
def sample_project(store, clock):
    return make_project("atlas", clock.now)


@pytest.fixture
def listing(sample_project):
    return f"projects/{sample_project.id}/specifications/"


@pytest.fixture
def login(sample_project, clock):
    return specify(sample_project, clock)


@pytest.fixture
def path(listing, login):
    return f"{listing}{login.id}/"


def texts():
    """Return the texts of all versions, oldest first."""
    rows = SpecificationRevisionRow.select()
    return [row.content for row in rows.order_by(SpecificationRevisionRow.version)]


def test_create(person, listing):
    """A specification is created, and its text is shown as a document."""
    action = f"{listing}create/"
    text = f"# How\n\n{HOSTILE}\n\n[here](../other.md) and [there](https://a.example)"

    done = person.fill(action, action, title=HOSTILE, slug="login", content=text)

    assert done.status_code == 303
    page = person.client.get(done.headers["Location"]).text
    assert "The specification is created." in page
    assert HOSTILE not in page
    assert '<h1 id="how"' in page or '<h2 id="how"' in page
    assert 'href="https://a.example"' in page
    assert 'href="../other.md"' not in page


def test_list(person, listing, login, sample_project, clock):
    """The list is searched and filtered."""
    specify(sample_project, clock, "names", title="Names", status="approved")

    assert "Login" in person.get(listing).text
    found = person.get(f"{listing}?status=approved").text
    assert "Names" in found
    assert "Login" not in found


def test_revise(person, path):
    """Each save makes a version, whose page shows its changes."""
    person.fill(path, f"{path}change/", content="One.\nTwo.\n", summary="Say two")

    assert SpecificationRow.get().version == 2
    assert "Say two" in person.get(path).text
    page = person.get(f"{path}revisions/2/").text
    assert "Version 2, the latest" in page
    assert "Added: </span>Two." in page
    assert "1 line added, 0 removed" in page
    assert "Difference from" not in person.get(f"{path}revisions/1/").text


def test_compare_versions(person, path, login, clock):
    """Any two versions are compared."""
    revise(login, clock, content="Two.\n", title="Sign in", status="review")
    revise(login, clock, content="Three.\n")

    page = person.get(f"{path}revisions/3/?from=1").text

    assert "Difference from version 1" in page
    assert "Removed: </span>One." in page
    assert "Added: </span>Three." in page
    assert "<del><bdi>Login</bdi></del> <ins><bdi>Sign in</bdi></ins>" in page
    assert "from Draft to Review" in page


def test_two_people_revise(person, path, login, clock):
    """The second editor sees the difference, and neither text is lost."""
    mine = person.get(path)
    revise(login, clock, content="Theirs.\n")

    refused = person.refill(mine, f"{path}change/", content="Mine.\n")

    assert refused.status_code == 409
    assert "Removed: </span>Theirs." in refused.text
    assert "Added: </span>Mine." in refused.text
    shown = Controls(refused.text).forms[f"/console/{path}change/"]
    assert shown["content"] == ["Mine.\n"]
    assert shown["_seen"] == ["2"]
    person.refill(refused, f"{path}change/")
    assert texts() == ["One.\n", "Theirs.\n", "Mine.\n"]


def test_restore_a_version(person, path, login, clock):
    """An earlier text becomes a new version."""
    revise(login, clock, content="Two.\n")
    page = f"{path}revisions/1/"

    person.fill(page, f"{page}restore/", summary="Two was wrong")

    assert texts() == ["One.\n", "Two.\n", "One.\n"]
    assert "Two was wrong" in person.get(path).text


def test_coverage(person, listing, path, login, sample_project, clock):
    """The page counts the work on a specification, and lists the findings."""
    tied(login, clock, status="done")
    tied(login, clock)
    specify(sample_project, clock, "names", title="Names", status="approved")

    page = person.get(f"{listing}coverage/").text
    assert "Implements: 2 work items, 1 open, 1 done" in page
    assert "It is approved, and no work implements it." in page
    assert "Login" not in person.get(f"{listing}coverage/?drift=true").text
    assert "Implements: 2 work items" in person.get(path).text


def test_supersede(person, path, login, sample_project, clock):
    """A successor is chosen, and each page links to the other."""
    successor = specify(sample_project, clock, "sign-in", title="Sign in")

    person.fill(path, f"{path}supersede/", supersededBy=successor.id)

    assert SpecificationRow.get_by_id(login.id).status == "superseded"
    page = person.get(path).text
    assert "Superseded by <a" in page
    assert "Save</button>" not in page
    other = person.get(path.replace(login.id, successor.id)).text
    assert "It supersedes <a" in other


def test_archive(person, path):
    """An archived specification is read-only, and editable once it is restored."""
    person.fill(path, f"{path}archive/")
    page = person.get(path).text
    assert "was archived" in page
    assert "Save</button>" not in page
    person.fill(path, f"{path}restore/")
    assert SpecificationRow.get().archived_at is None


def test_what_the_key_may_not_do(visitor, issue, path, listing):
    """Missing scopes are named, and their buttons are not shown."""
    someone = visitor()
    names = ("projects:get", "specifications:list", "specifications:get")
    someone.sign_in(issue(*(f"projects:{name}" for name in names)))

    page = someone.get(path).text

    assert "projects:specifications:update</code>" in page
    assert "projects:specifications:create</code>" in someone.get(listing).text
    assert "<button" not in page.split("<main")[1]
    assert someone.post(f"{path}archive/", {}).status_code == 403
    assert SpecificationRow.get().archived_at is None
