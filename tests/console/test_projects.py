"""Projects in the console, from creation to purge, with their contents."""

import pytest

from models.platform.keys import CreateKey, issue_key
from models.projects.discussion.references import AddReference, add_reference
from models.projects.members.rows import MemberRow
from models.projects.planning.rows import LabelRow, MilestoneRow
from models.projects.projects.rows import ProjectRow
from models.storage.database import writing
from tests.factories.projects import (
    CONTRIBUTOR,
    KEY,
    MAINTAINER,
    OWNER,
    STRANGER,
    make_project,
)
from tests.factories.work import label, milestone, work

HOSTILE = '<script>alert("x")</script>'
pytestmark = pytest.mark.both_engines


@pytest.fixture
def sample_project(store, clock):
    return make_project("atlas", clock.now)


@pytest.fixture
def base(sample_project):
    return f"projects/{sample_project.id}/"


@pytest.fixture
def acting(visitor, clock):
    """Return a visitor whose key acts for an account."""

    def signed_in(account):
        request = CreateKey(name="Own", scopes=["projects:*"])
        with writing():
            _, secret = issue_key(
                request, clock.now, issuer="ada@example.com", account_id=account
            )
        someone = visitor()
        someone.sign_in(secret.text)
        return someone

    return signed_in


def test_create(person, audited):
    """A key without an account names the owner, as the operation requires."""
    path = "projects/create/"
    owner = person.get(path).text.partition('for="projects.create.ownerId"')[2]
    assert "optional" not in owner.partition("</div>")[0]
    assert " required" in owner.partition("<input")[2].partition(">")[0]

    refused = person.fill(path, path, name="Harbour", slug="Not a slug")
    assert refused.status_code == 422
    assert "Owner" in refused.text
    done = person.refill(refused, path, slug="harbour", ownerId=OWNER)

    assert done.status_code == 303
    page = person.client.get(done.headers["Location"]).text
    assert "The project is created." in page
    project = ProjectRow.get()
    assert (project.slug, project.name) == ("harbour", "Harbour")
    assert (project.owner_id, project.status) == (OWNER, "active")


def test_create_for_oneself(acting):
    """A key that acts for an account has no field for the owner."""
    someone = acting(STRANGER)
    path = "projects/create/"

    assert "ownerId" not in someone.get(path).text
    someone.fill(path, path, name="Mine", slug="mine")

    assert ProjectRow.get().owner_id == STRANGER


def test_list(person, clock):
    """The list is searched, filtered and paged."""
    for number in range(32):
        make_project(f"atlas-{number:02}", clock.now)
    make_project("done", clock.now, status="completed", name=HOSTILE)

    first = person.get("projects/").text
    assert "Atlas-00" in first
    assert "Atlas-31" not in first
    following = first.split('quiet-button" href="')[1].split('"')[0]
    second = person.client.get(following.replace("&amp;", "&")).text
    assert "Atlas-31" in second
    assert HOSTILE not in first + second
    assert "&lt;script&gt;" in first
    found = person.get("projects/?status=completed&q=done").text
    assert "&lt;script&gt;" in found
    assert "Atlas" not in found


def test_change(person, sample_project, base, clock):
    """A cleared field is cleared, and the page shows the saved values."""
    ProjectRow.update(description="Old").execute()

    person.fill(base, f"{base}change/", name=HOSTILE, description="")

    project = ProjectRow.get()
    assert (project.name, project.description) == (HOSTILE, None)
    assert HOSTILE not in person.get(base).text


def test_two_people_change_one_project(person, base, clock):
    """The second editor sees both texts, and decides."""
    mine = person.get(base)
    clock.pass_(seconds=1)
    person.fill(base, f"{base}change/", description="Theirs\nand more")
    clock.pass_(seconds=1)

    refused = person.refill(mine, f"{base}change/", description="Mine\nand more")

    assert refused.status_code == 409
    assert "Somebody else has changed this" in refused.text
    assert '<del><span class="unseen">Removed: </span>Theirs</del>' in refused.text
    assert '<ins><span class="unseen">Added: </span>Mine</ins>' in refused.text
    assert ProjectRow.get().description == "Theirs\nand more"
    done = person.refill(refused, f"{base}change/")
    assert done.status_code == 303
    assert ProjectRow.get().description == "Mine\nand more"


def test_members(person, base):
    """Members are added, given another role, and removed."""
    person.fill(base, f"{base}members/", accountId=STRANGER, role="reader")
    theirs = MemberRow.account_id == STRANGER
    assert MemberRow.get(theirs).role == "reader"
    page = f"{base}members/{STRANGER}/"
    person.fill(page, page, role="maintainer")
    assert MemberRow.get(theirs).role == "maintainer"

    person.fill(page, f"{page}remove/")

    assert MemberRow.get_or_none(theirs) is None
    assert person.get(page).status_code == 404


def test_a_refused_member(person, base):
    """A problem opens the form again with the reason."""
    refused = person.fill(base, f"{base}members/", accountId="somebody", role="owner")

    assert refused.status_code == 422
    assert "somebody" in refused.text
    assert "Account" in refused.text


def test_labels(person, sample_project, base, clock):
    """A label is added and renamed; its removal says how many items lose it."""
    person.fill(base, f"{base}labels/", name="slow")
    row = LabelRow.get()
    page = f"{base}labels/{row.id}/"
    person.fill(page, page, name="slower")
    assert "<bdi>slower</bdi>" in person.get(base).text
    refused = person.fill(page, page, name=HOSTILE)
    assert refused.status_code == 422
    assert HOSTILE not in refused.text
    work(sample_project, clock, label_ids=[row.id])

    assert "It is taken off 1 work item," in person.get(page).text
    person.fill(page, f"{page}remove/")

    assert LabelRow.get_or_none() is None


def test_milestones(person, base):
    """A milestone is created, changed and archived."""
    create = f"{base}milestones/create/"
    person.fill(create, create, name="Beta", targetAt="2026-05-01T12:00")
    row = MilestoneRow.get()
    page = f"{base}milestones/{row.id}/"
    assert "May 2026" in person.get(page).text

    person.fill(page, f"{page}change/", status="active", targetAt="")
    row = MilestoneRow.get()
    assert (row.status, row.target_at) == ("active", None)
    person.fill(page, f"{page}archive/")
    assert MilestoneRow.get().archived_at is not None
    person.fill(page, f"{page}restore/")
    assert MilestoneRow.get().archived_at is None


def test_progress(person, sample_project, base, clock):
    """A milestone shows its progress."""
    row = milestone(sample_project, clock.now)
    work(sample_project, clock, milestone_id=row.id, status="done")
    work(sample_project, clock, milestone_id=row.id)

    page = person.get(f"{base}milestones/{row.id}/").text

    assert "50 % · 1 done and 1 open of 2" in page


def test_archive_restore_and_purge(person, base):
    """An archived project cannot be changed; it is purged by its slug."""
    person.fill(base, f"{base}archive/")
    page = person.get(base).text
    assert "This project was archived" in page
    assert "Save</button>" not in page
    person.fill(base, f"{base}restore/")
    assert ProjectRow.get().archived_at is None
    person.fill(base, f"{base}archive/")

    purge = f"{base}purge/"
    assert "Members" in person.get(purge).text
    refused = person.fill(purge, purge, confirm="other")
    assert "must be the slug" in refused.text
    assert ProjectRow.get()
    person.refill(refused, purge, confirm="atlas")
    assert ProjectRow.get_or_none() is None


def test_transfer(person, base):
    """The owner is replaced by another account, named by its id."""
    person.fill(base, f"{base}transfer/", ownerId=CONTRIBUTOR)

    assert ProjectRow.get().owner_id == CONTRIBUTOR


def test_activity(person, sample_project, base, clock):
    """The activity has actions and entities, with links."""
    item = work(sample_project, clock, title=HOSTILE)

    feed = person.get(f"{base}activity/").text

    assert f'/console/work/{item.id}/">Work item <bdi>#1 &lt;script' in feed
    assert HOSTILE not in feed
    assert "#1" not in person.get(f"{base}activity/?entityType=member").text


def test_titles_in_the_activity(
    person, sample_project, base, clock, api, issue, visitor
):
    """Entities with a title are named by it, in every kind of record."""
    item = work(sample_project, clock, title="Fix it")
    words = {
        "projectId": sample_project.id,
        "title": "Plan <b>",
        "slug": "p",
        "type": "note",
    }
    words["content"] = "Old."
    key = issue("*", name="Ada <3>")
    route = "POST /projects/v1/documents"
    document = api(f"{route}/create", words, key=key).json["data"]
    api(f"{route}/update", {"id": document["id"], "content": "New."}, key=key)
    api(f"{route}/remove", {"id": document["id"]}, key=key)
    comment = {"entityType": "work", "entityId": item.id, "content": "Why?"}
    assert api("POST /projects/v1/comments/add", comment, key=key).status_code == 200

    feed = person.get(f"{base}activity/").text
    someone = visitor()
    someone.sign_in(issue("projects:activity:list", "projects:projects:get"))
    other = someone.get(f"{base}activity/").text

    assert feed.count("<bdi>Plan &lt;b&gt;</bdi></a>") == 3
    assert f'/console/work/{item.id}/">Comment <bdi>Fix it</bdi></a>' in feed
    assert "key <bdi>Ada &lt;3&gt;</bdi>" in feed
    assert "Ada" not in other
    # The record of its creation has the title.
    assert other.count("Plan") == 1


def test_activity_of_references(person, sample_project, base, clock):
    """Activity about a reference reads the same for every kind of entity."""
    kinds = {
        "project": sample_project.id,
        "work": work(sample_project, clock).id,
        "member": OWNER,
    }
    for kind, id in kinds.items():
        project = {"project_id": sample_project.id} if kind == "member" else {}
        request = AddReference(
            entity_type=kind, entity_id=id, external_id="A-1", **project
        )
        with writing():
            add_reference(request, clock.now, KEY)

    feed = person.get(f"{base}activity/").text

    assert feed.count("Reference added") == 3


def test_what_a_role_does_not_allow(acting, base, sample_project, clock):
    """A project member without the maintainer role sees no forms for more."""
    label(sample_project, clock.now)
    page = acting(CONTRIBUTOR).get(base).text

    assert "your role in this project is Contributor" in page
    assert "Save</button>" not in page
    assert "Add label</button>" not in page
    assert "Archive project" not in page
    page = acting(MAINTAINER).get(base).text
    assert "Save</button>" in page
    assert "Archive project" not in page
    assert "Transfer</button>" not in page


def test_what_the_key_may_not_do(visitor, issue, base):
    """Missing scopes are named, and their buttons are not shown."""
    someone = visitor()
    someone.sign_in(issue("projects:projects:list", "projects:projects:get"))

    assert "projects:projects:create</code>" in someone.get("projects/").text
    page = someone.get(base).text
    assert "projects:projects:update</code>" in page
    assert "<h2>Members</h2>" not in page
    assert "<button>" not in page.split("<main")[1]
    refused = someone.post(f"{base}archive/", {})
    assert refused.status_code == 403
    assert ProjectRow.get().archived_at is None
