"""An import preserves what people changed since the last one."""

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
from tests.rules.projects.documents.test_document_import import import_sources, source
from tests.rules.projects.documents.test_documents import save

pytestmark = pytest.mark.both_engines

FIRST, SECOND = source(content="First."), source(content="Second.")


@pytest.fixture
def docs(store, clock):
    return make_project("docs", clock.now, builtin=True)


class Person:
    """Makes each change that a person can make to the one document."""

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
    import_sources(clock, FIRST)
    import_sources(clock, SECOND)
    return Person(clock)


def state():
    """Return everything of the documents that an import can change."""
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
    """A person's change survives every import, and is reported with its reason."""
    intervene(person)
    before, file = state(), source(content=content)

    reports = [
        import_sources(clock, file, publish=publish) for publish in (True, False, True)
    ]

    assert state() == before
    for report in reports:
        [skipped] = report.held
        assert (skipped.path, skipped.slug) == ("start.md", "start")
        assert f"It was {reason}" in skipped.reason
        assert not report.changed


@interventions(*INTERVENTIONS)
def test_take_over(person, clock, reason, intervene):
    """
    Taking over applies the tree once more; afterwards the document is an ordinary one.
    """
    intervene(person)
    import_sources(clock, SECOND)

    taken_over = import_sources(clock, SECOND, take_over=True)
    again = import_sources(clock, source(content="Third."))

    row = DocumentRow.get()
    assert (taken_over.held, again.held, again.updated) == ([], [], ["start"])
    assert (row.collection, row.archived_at) == ("guides", None)
    assert row.published_version == row.version


def test_take_over_in_a_dry_run(person, clock):
    """A dry run reports what would be taken over, and changes nothing."""
    person.unpublish()
    before = state()

    report = import_sources(clock, SECOND, take_over=True, is_dry_run=True)

    assert (report.published, state()) == (["start"], before)


def test_held_until_it_is_as_before(person, clock):
    """If a person reverts the change, imports update the document again."""
    person.unpublish()
    person.publish(1)
    person.publish(2)

    report = import_sources(clock, source(content="Third."))

    assert (report.held, report.updated) == ([], ["start"])


def test_edit_that_is_in_the_file_too(person, clock):
    """An edit that the file contains too is no conflict, now or later."""
    person.unpublish()
    person.publish()
    person.edit(content="Third.")

    first = import_sources(clock, source(content="Third."))
    second = import_sources(clock, source(content="Fourth."))

    assert (first.unchanged, first.published) == (["start"], ["start"])
    assert (second.held, second.updated) == ([], ["start"])


def test_person_who_publishes_what_was_imported(docs, clock):
    """Publishing an imported document by hand does not count as a change."""
    import_sources(clock, FIRST, publish=False)
    Person(clock).publish()

    report = import_sources(clock, SECOND, publish=False)

    assert (report.held, report.updated) == ([], ["start"])


def test_withdrawn_between_imports_that_do_not_publish(docs, clock):
    """
    Publishing and withdrawing by hand counts as a change, though the state is the same.
    """
    import_sources(clock, FIRST, publish=False)
    person = Person(clock)
    person.publish()
    person.unpublish()

    report = import_sources(clock, FIRST)

    assert (len(report.held), report.published) == (1, [])


def test_held_file_that_moved(person, clock):
    """
    A renamed file does not take its document over, not even in another collection.
    """
    person.edit(collection="support")

    report = import_sources(clock, source("moved/start.md", content="Second."))

    assert ([skipped.slug for skipped in report.held], report.created) == (
        ["start"],
        [],
    )


@interventions(*(name for name in INTERVENTIONS if name != "archived"))
def test_prune_of_what_a_person_changed(person, clock, reason, intervene):
    """Prune skips changed documents too, unless they are archived already."""
    intervene(person)
    other = source("other.md")

    report = import_sources(clock, other, prune=True)
    taken_over = import_sources(clock, other, prune=True, take_over=True)

    assert ([reason in skipped.reason for skipped in report.held], report.pruned) == (
        [True],
        [],
    )
    assert (taken_over.held, taken_over.pruned) == ([], ["start"])


def test_pruned_document_that_a_person_restored(person, clock):
    """
    The next import does not archive a restored document; its own file may restore it.
    """
    import_sources(clock, source("other.md"), prune=True)
    person.restore()

    pruning = import_sources(clock, source("other.md"), prune=True)
    back = import_sources(clock, SECOND)

    assert [skipped.slug for skipped in pruning.held] == ["start"]
    assert (back.held, back.published) == ([], ["start"])


def test_other_documents_of_the_import(person, clock):
    """A skipped document does not affect the others of the import."""
    person.unpublish()

    report = import_sources(clock, SECOND, source("other.md"))

    assert ([skipped.slug for skipped in report.held], report.created) == (
        ["start"],
        ["other"],
    )
