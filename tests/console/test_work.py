"""Work items in the console: lists, the board, the roadmap, and the item."""

import pytest

from models.projects.discussion.rows import CommentRow, ExternalReferenceRow
from models.projects.work.rows import (
    WorkAssigneeRow,
    WorkItemRow,
    WorkLabelRow,
    WorkRelationshipRow,
    WorkSpecificationRow,
)
from tests.console.conftest import Controls
from tests.factories.projects import CONTRIBUTOR, make_project
from tests.factories.specifications import specify
from tests.factories.work import change, label, milestone, relate, work

HOSTILE = '<img src=x onerror="alert(1)">'
pytestmark = pytest.mark.both_engines


@pytest.fixture
def sample_project(store, clock):
    return make_project("atlas", clock.now)


@pytest.fixture
def item(sample_project, clock):
    return work(sample_project, clock, title=HOSTILE)


@pytest.fixture
def path(item):
    return f"work/{item.id}/"


def test_create(person, sample_project, clock):
    """The only project is preselected, with its contents to choose from."""
    beta, slow = (
        milestone(sample_project, clock.now),
        label(sample_project, clock.now, "slow"),
    )

    page = person.get("work/create/")
    action = f"work/create/?projectId={sample_project.id}"
    sent = {"title": HOSTILE, "type": "bug", "milestoneId": beta.id}
    sent |= {"labelIds": [slow.id], "assigneeIds": [CONTRIBUTOR]}
    done = person.refill(page, action, **sent, dueAt="2026-04-01T09:30")

    item = WorkItemRow.get()
    assert done.headers["Location"].startswith(f"/console/work/{item.id}/")
    assert (item.title, item.type, item.milestone_id) == (HOSTILE, "bug", beta.id)
    assert item.due_at.isoformat() == "2026-04-01T09:30:00+00:00"
    assert WorkLabelRow.get().label_id == slow.id
    assert WorkAssigneeRow.get().account_id == CONTRIBUTOR
    shown = person.get(f"work/{item.id}/").text
    assert HOSTILE not in shown
    assert "1 Apr 2026" in shown


def test_create_after_the_session_has_ended(visitor, sample_project, issue):
    """The input, and its project, are kept until after signing in."""
    person, key = visitor(), issue("*")
    person.sign_in(key)
    page = person.get(f"work/create/?projectId={sample_project.id}")
    person.post("sign-out/", {})
    action = f"work/create/?projectId={sample_project.id}"

    ended = person.refill(page, action, title="Kept")
    assert ended.status_code == 401
    signed_in = person.refill(ended, "sign-in/", key=key)
    person.refill(signed_in, action)

    assert WorkItemRow.get().title == "Kept"


def test_create_in_one_of_several_projects(person, sample_project, clock):
    """The project is chosen first, because the options depend on it."""
    make_project("harbour", clock.now)

    page = person.get("work/create/").text

    assert "In which project?" in page
    assert f"projectId={sample_project.id}" in page


def test_list(person, sample_project, clock):
    """Open items of all projects or of one are listed, filtered by the form."""
    harbour = make_project("harbour", clock.now)
    work(sample_project, clock, title="Open one")
    work(harbour, clock, title="Other one", type="bug")
    work(sample_project, clock, title="Closed one", status="done")

    page = person.get("work/").text
    assert "Open one" in page
    assert "Other one" in page
    assert "Closed one" not in page
    assert "<bdi>harbour</bdi>#1" in page
    found = person.get("work/?type=bug").text
    assert "Other one" in found
    assert "Open one" not in found
    found = person.get(f"work/?projectId={sample_project.id}&status=all&q=one").text
    assert "Closed one" in found
    assert "Other one" not in found
    assert "Closed one" in person.get("work/?status=done").text


def test_pages_of_a_list(person, sample_project, clock):
    """The next page continues after this one, with the same filters."""
    for number in range(31):
        work(sample_project, clock, title=f"Number {number:02}")

    first = person.get("work/?sort=number&projectId=" + sample_project.id).text
    following = first.split('quiet-button" href="')[1].split('"')[0]
    second = person.client.get(following.replace("&amp;", "&")).text

    assert "Number 30" in first
    assert "Number 00" not in first
    assert "Number 00" in second


def test_change(person, item, path, sample_project, clock):
    """A cleared field is cleared."""
    slow = label(sample_project, clock.now, "slow")
    change(item, clock, label_ids=[slow.id], description="Old", due_at=clock.now)

    sent = {"title": "New", "description": "", "dueAt": "", "labelIds": []}
    person.fill(path, f"{path}change/", **sent)

    row = WorkItemRow.get()
    assert (row.title, row.description, row.due_at) == ("New", None, None)
    assert WorkLabelRow.get_or_none() is None


def test_two_people_change_one_item(person, item, path, clock):
    """Both texts are shown with the difference, and neither is lost."""
    mine = person.get(path)
    clock.pass_(seconds=1)
    change(item, clock, description="First\nTheirs", priority="high")

    refused = person.refill(mine, f"{path}change/", description="First\nMine")

    assert refused.status_code == 409
    assert "Removed: </span>Theirs" in refused.text
    assert "Added: </span>Mine" in refused.text
    assert "<dt>Priority now</dt>" in refused.text
    assert "<dt>Title now</dt>" not in refused.text
    shown = Controls(refused.text).forms[f"/console/{path}change/"]
    assert shown["description"] == ["First\nMine"]
    person.refill(refused, f"{path}change/")
    assert WorkItemRow.get().description == "First\nMine"


def test_move_on_the_board(person, item, sample_project, clock):
    """A card is moved by its form, and the board keeps its filters."""
    board = f"work/board/?projectId={sample_project.id}"
    page = person.get(board)
    assert HOSTILE not in page.text
    action = f"work/{item.id}/move/?board=1&projectId={sample_project.id}"

    done = person.refill(page, action, status="in_progress")

    assert WorkItemRow.get().status == "in_progress"
    location = done.headers["Location"]
    assert location.startswith("/console/work/board/?")
    assert location.endswith(f"#{item.id}")
    assert f"projectId={sample_project.id}" in location
    column = person.client.get(location).text.split('id="column.in_progress"')[1]
    assert "&lt;img" in column.split("</section>")[0]


def test_a_move_from_an_address_that_somebody_made_up(person, item, path):
    """Unknown filters of the board are dropped from its address."""
    query = "?board=1&done=x&path=y&self=z&q=%ff"

    done = person.post(f"{path}move/{query}", {"status": "done"})

    assert done.status_code == 303
    assert done.headers["Location"].count("done=") == 1
    assert WorkItemRow.get().status == "done"


def test_a_move_of_what_somebody_else_moved(person, item, path, clock):
    """The second mover sees the current status."""
    page = person.get("work/board/")
    clock.pass_(seconds=1)
    change(item, clock, status="done")

    refused = person.refill(page, f"{path}move/?board=1", status="review")

    assert refused.status_code == 409
    assert "<dt>Status now</dt>\n<dd><bdi>Done</bdi>" in refused.text
    assert WorkItemRow.get().status == "done"


def test_a_long_column(person, sample_project, clock):
    """A column has its most urgent items, and a link to the list."""
    work(sample_project, clock, title="At once", priority="critical")
    clock.pass_(seconds=1)
    for _ in range(15):
        work(sample_project, clock, title="Later", priority="low")

    column = person.get("work/board/").text.split('id="column.backlog"')[1]

    assert "At once" in column
    assert "status=backlog" in column.split("</section>")[0]


def test_roadmap(person, sample_project, clock):
    """Each bucket has its milestones and its work items."""
    milestone(sample_project, clock.now, name="Beta", bucket="now")
    work(sample_project, clock, title="Soon", bucket="next")
    work(sample_project, clock, title="Ready", bucket="next", status="done")

    page = person.get("work/roadmap/").text
    now, following = page.split('id="bucket.now"')[1].split('id="bucket.next"')
    assert "Beta" in now
    assert "Soon" in following
    assert "Ready" not in following
    assert "Ready" in person.get("work/roadmap/?done=include").text


def test_comments(person, item, path, clock):
    """One's own comment is edited and removed."""
    person.fill(path, f"{path}comments/", content=f"Look: {HOSTILE}")
    comment = CommentRow.get()
    assert HOSTILE not in person.get(path).text
    page = f"{path}comments/{comment.id}/"
    clock.pass_(seconds=1)
    person.fill(page, page, content="Better")
    assert CommentRow.get().content == "Better"
    assert " · edited" in person.get(path).text

    person.fill(page, f"{page}remove/")

    assert CommentRow.get().content == ""
    assert "This comment was removed." in person.get(path).text


def test_a_comment_of_somebody_else(person, item, path, visitor, issue):
    """The comment of another key is shown, and cannot be edited."""
    other = visitor()
    other.sign_in(issue("projects:*"))
    person.fill(path, f"{path}comments/", content="Mine")

    page = other.get(f"{path}comments/{CommentRow.get().id}/").text

    assert "Only its author can change it." in page
    assert "Save</button>" not in page


def test_relationships(person, item, path, sample_project, clock):
    """Another item is entered by project and number, and is shown from both sides."""
    other = work(sample_project, clock, title="Other")

    refused = person.fill(path, f"{path}relationships/", relationship="blocks")
    assert refused.status_code == 422
    refused = person.refill(refused, f"{path}relationships/", targetId="#99")
    assert "There is no work item #99." in refused.text
    refused = person.refill(refused, f"{path}relationships/", targetId="a b#x")
    assert "There is no work item a b#x." in refused.text
    done = person.refill(refused, f"{path}relationships/", targetId="atlas#2")
    assert done.status_code == 303
    assert WorkRelationshipRow.get().target_id == other.id
    assert "Blocks <a" in person.get(path).text
    theirs = person.get(f"work/{other.id}/").text
    assert "Blocked by <a" in theirs
    assert "Open work blocks it" in theirs

    person.fill(path, f"{path}relationships/remove/")
    assert WorkRelationshipRow.get_or_none() is None


def test_a_ring_of_relationships(person, item, path, sample_project, clock):
    """A problem of the rules is shown in the form."""
    other = work(sample_project, clock, title="Other")
    relate(other, item, "blocks", clock)

    sent = {"relationship": "blocks", "targetId": "#2"}
    refused = person.fill(path, f"{path}relationships/", **sent)

    assert refused.status_code == 409
    assert "atlas#1" in refused.text


def test_specifications(person, item, path, sample_project, clock):
    """A specification is linked and unlinked; other links stay."""
    login, other = (specify(sample_project, clock, slug) for slug in ("login", "other"))
    change(item, clock, specifications=[_link(other, "references")])
    action = f"{path}specifications/"

    choice = f"{login.id} implements"
    done = [person.fill(path, action, specifications=choice) for _ in range(2)]
    assert [response.status_code for response in done] == [303, 303]
    assert WorkSpecificationRow.select().count() == 2
    refused = person.post(action, {"specifications": "nothing implements"})
    assert refused.status_code == 422
    assert "Link a specification" in refused.text
    assert WorkSpecificationRow.select().count() == 2
    removal = {"specifications": f"{other.id} references", "_remove": "1"}
    person.post(action, removal)
    assert "Remove the link to Login" in person.get(path).text
    assert WorkSpecificationRow.get().specification_id == login.id


def test_references(person, item, path):
    """A reference to another system is added and removed; a script is no address."""
    action = f"{path}references/"
    url = person.get(path).text.partition('for="references.add.url"')[2]
    assert "optional" not in url.partition("</div>")[0]
    refused = person.fill(path, action, url="javascript:alert(1)", title="x")
    assert refused.status_code == 422
    assert 'href="javascript' not in refused.text
    person.refill(refused, action, url="https://example.com/1", title=HOSTILE)
    row = ExternalReferenceRow.get()
    page = person.get(path).text
    assert 'href="https://example.com/1" rel="noreferrer"' in page
    assert HOSTILE not in page

    person.fill(path, f"{path}references/{row.id}/remove/")

    assert ExternalReferenceRow.get_or_none() is None


def test_archive(person, item, path):
    """An archived item is read-only, and editable once it is restored."""
    person.fill(path, f"{path}archive/")
    page = person.get(path).text
    assert "was archived" in page
    assert "Save</button>" not in page
    person.fill(path, f"{path}restore/")
    assert WorkItemRow.get().archived_at is None


def test_what_the_key_may_not_do(visitor, issue, item, path):
    """A reader sees the missing scope or role, and no button that fails."""
    someone = visitor()
    names = ("work-items:list", "work-items:context", "projects:list")
    someone.sign_in(issue(*(f"projects:{name}" for name in names)))

    page, board = someone.get(path).text, someone.get("work/board/").text

    assert "projects:work-items:update</code>" in page
    assert "projects:comments:add</code>" in page
    assert "<button" not in page.split("<main")[1]
    assert "projects:work-items:update</code>" in board
    assert "Move</button>" not in board
    assert "projects:roadmap:get" in someone.get("work/roadmap/").text
    assert someone.post(f"{path}move/", {"status": "done"}).status_code == 403
    assert WorkItemRow.get().status == "backlog"


def _link(specification, relationship):
    return {"specification_id": specification.id, "relationship": relationship}
