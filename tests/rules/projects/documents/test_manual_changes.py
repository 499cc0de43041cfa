"""An import gives way to people: what they did since the last one stays."""

import pytest

from models.projects.documents.publication import (
    PublishDocument,
    UnpublishDocument,
    publish_document,
    unpublish_document,
)
from models.projects.documents.revisions import (
    RestoreDocumentRevision,
    restore_document_revision,
)
from models.projects.documents.rows import DocumentRow
from models.projects.projects.activity import ActivityRow
from models.projects.versioning.archive import (
    RemoveDocument,
    RestoreDocument,
    remove_document,
    restore_document,
)
from tests.factories.projects import KEY, make_project
from tests.rules.projects.documents.test_document_import import brought, source
from tests.rules.projects.documents.test_documents import save

pytestmark = pytest.mark.both_engines

FIRST, SECOND = source(content="First."), source(content="Second.")


@pytest.fixture
def docs(store, clock):
    return make_project("docs", clock.now, builtin=True)


class Person:
    """Does to the one document what a person may do."""

    def __init__(self, clock):
        self.clock = clock

    @property
    def id(self):
        return DocumentRow.get(DocumentRow.slug == "start").id

    def publish(self, version=None):
        named = {} if version is None else {"version": version}
        publish_document(PublishDocument(id=self.id, **named), self.clock.now, KEY)

    def unpublish(self):
        unpublish_document(UnpublishDocument(id=self.id), self.clock.now, KEY)

    def edit(self, **changes):
        save(DocumentRow.get_by_id(self.id), self.clock, **changes)

    def restore_revision(self):
        request = RestoreDocumentRevision(document_id=self.id, version=1)
        restore_document_revision(request, self.clock.now, KEY)

    def archive(self):
        self.unpublish()
        remove_document(RemoveDocument(id=self.id), self.clock.now, KEY)

    def restore(self):
        restore_document(RestoreDocument(id=self.id), self.clock.now, KEY)


@pytest.fixture
def person(docs, clock):
    """A person, after two imports that published."""
    brought(clock, FIRST)
    brought(clock, SECOND)
    return Person(clock)


def state():
    """Everything of the documents that an import can change."""
    rows = DocumentRow.select().order_by(DocumentRow.id).dicts()
    return list(rows), ActivityRow.select().count()


INTERVENTIONS = {
    "unpublished": ("unpublished", lambda person: person.unpublish()),
    "rolled-back": ("rolled back", lambda person: person.publish(1)),
    # As careful people do it: down first, then the version that was good.
    "replaced": (
        "rolled back",
        lambda person: (person.unpublish(), person.publish(1)),
    ),
    "edited": ("edited", lambda person: person.edit(content="Better.")),
    "edited-and-published": (
        "edited",
        lambda person: (person.edit(content="Better."), person.publish()),
    ),
    "revision-restored": ("edited", lambda person: person.restore_revision()),
    "moved": ("edited", lambda person: person.edit(collection="support")),
    "archived": ("archived", lambda person: person.archive()),
}


def interventions(*names):
    return pytest.mark.parametrize(
        ("reason", "intervene"), [INTERVENTIONS[name] for name in names], ids=names
    )


@interventions(*INTERVENTIONS)
@pytest.mark.parametrize("content", ["Second.", "Third."], ids=["same", "new"])
def test_held(person, clock, reason, intervene, content):
    """What a person did stays through every import, and is named with its reason."""
    intervene(person)
    before, file = state(), source(content=content)

    reports = [brought(clock, file, publish=publish) for publish in (True, False, True)]

    assert state() == before
    for report in reports:
        [held] = report.held
        assert (held.path, held.slug) == ("start.md", "start")
        assert f"It was {reason}" in held.reason
        assert not report.changed


@interventions(*INTERVENTIONS)
def test_take_over(person, clock, reason, intervene):
    """It comes back under the rule of the tree, once; then it is as any other."""
    intervene(person)
    brought(clock, SECOND)

    taken = brought(clock, SECOND, take_over=True)
    again = brought(clock, source(content="Third."))

    row = DocumentRow.get()
    assert (taken.held, again.held, again.updated) == ([], [], ["start"])
    assert (row.collection, row.archived_at) == ("guides", None)
    assert row.published_version == row.version


def test_take_over_in_a_dry_run(person, clock):
    """It tells what would come back, and nothing does."""
    person.unpublish()
    before = state()

    report = brought(clock, SECOND, take_over=True, is_dry_run=True)

    assert (report.published, state()) == (["start"], before)


def test_held_until_it_is_as_before(person, clock):
    """Who takes back what they did ends it: the import goes on."""
    person.unpublish()
    person.publish(1)
    person.publish(2)

    report = brought(clock, source(content="Third."))

    assert (report.held, report.updated) == ([], ["start"])


def test_edit_that_is_in_the_file_too(person, clock):
    """No conflict is left, now or at the next change of the file."""
    person.unpublish()
    person.publish()
    person.edit(content="Third.")

    first = brought(clock, source(content="Third."))
    second = brought(clock, source(content="Fourth."))

    assert (first.unchanged, first.published) == (["start"], ["start"])
    assert (second.held, second.updated) == ([], ["start"])


def test_person_who_publishes_what_was_imported(docs, clock):
    """Reviewing and publishing an import is no intervention."""
    brought(clock, FIRST, publish=False)
    Person(clock).publish()

    report = brought(clock, SECOND, publish=False)

    assert (report.held, report.updated) == ([], ["start"])


def test_withdrawn_between_imports_that_do_not_publish(docs, clock):
    """Published and unpublished by people: the state is as it was, the wish is not."""
    brought(clock, FIRST, publish=False)
    person = Person(clock)
    person.publish()
    person.unpublish()

    report = brought(clock, FIRST)

    assert (len(report.held), report.published) == (1, [])


def test_held_file_that_moved(person, clock):
    """A new name of the file takes nothing over, even from another collection."""
    person.edit(collection="support")

    report = brought(clock, source("moved/start.md"))

    assert ([held.slug for held in report.held], report.created) == (["start"], [])


@interventions(*(name for name in INTERVENTIONS if name != "archived"))
def test_prune_of_what_a_person_changed(person, clock, reason, intervene):
    """It is left alone too, but for an archived document there is nothing to do."""
    intervene(person)
    other = source("other.md")

    report = brought(clock, other, prune=True)
    taken = brought(clock, other, prune=True, take_over=True)

    assert ([reason in held.reason for held in report.held], report.pruned) == (
        [True],
        [],
    )
    assert (taken.held, taken.pruned) == ([], ["start"])


def test_pruned_document_that_a_person_restored(person, clock):
    """The next import does not archive it again; its own file may bring it back."""
    brought(clock, source("other.md"), prune=True)
    person.restore()

    pruning = brought(clock, source("other.md"), prune=True)
    back = brought(clock, SECOND)

    assert [held.slug for held in pruning.held] == ["start"]
    assert (back.held, back.published) == ([], ["start"])


def test_other_documents_of_the_import(person, clock):
    """One document that is held keeps no other from being imported."""
    person.unpublish()

    report = brought(clock, SECOND, source("other.md"))

    assert ([held.slug for held in report.held], report.created) == (
        ["start"],
        ["other"],
    )
