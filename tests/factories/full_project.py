"""A project with everything, linked to a neighbouring project."""

from dataclasses import dataclass
from datetime import datetime

from models.base import new_id
from models.projects.discussion.rows import CommentRow, ExternalReferenceRow
from models.projects.documents.rows import (
    DocumentAliasRow,
    DocumentRevisionRow,
    DocumentRow,
    digest_of,
)
from models.projects.planning.rows import LabelRow, MilestoneRow
from models.projects.projects.activity import record_activity
from models.projects.projects.rows import ProjectRow
from models.projects.search.text_index import index_text
from models.projects.specifications.rows import (
    SpecificationRevisionRow,
    SpecificationRow,
)
from models.projects.work.rows import (
    WorkAssigneeRow,
    WorkItemRow,
    WorkLabelRow,
    WorkRelationshipRow,
    WorkSpecificationRow,
)
from tests.factories.projects import CONTRIBUTOR, KEY, OWNER, make_project

# The counts of a purge of the project, besides its four members and the project itself.
PURGE_COUNTS = {
    "project": 1,
    "members": 4,
    "work": 2,
    "workRelationships": 2,
    "workLabels": 2,
    "workAssignees": 1,
    "workSpecifications": 2,
    "labels": 1,
    "milestones": 1,
    "specifications": 1,
    "specificationRevisions": 1,
    "documents": 1,
    "documentRevisions": 1,
    "documentAliases": 1,
    "documentImports": 0,
    "files": 0,
    "comments": 1,
    "externalReferences": 1,
    "activity": 1,
}


@dataclass(frozen=True)
class Full:
    """The project, an item of it, and its neighbour with an item."""

    project: ProjectRow
    item: WorkItemRow
    label: LabelRow
    milestone: MilestoneRow
    specification: SpecificationRow
    document: DocumentRow
    comment: CommentRow
    reference: ExternalReferenceRow
    neighbour: ProjectRow
    outside: WorkItemRow


class Maker:
    """Creates rows; every text in them has the word."""

    def __init__(self, project: ProjectRow, now: datetime, word: str) -> None:
        self.project, self.word = project, word
        self.made = {"id": None, "project": project, "created_at": now}
        self.changed = self.made | {"updated_at": now}
        self.creator = {"creator_id": OWNER, "creator_type": "account"}
        self.author = {"author_id": OWNER, "author_type": "account"}
        self.now = now

    def new(self, row, **members):
        members["id"] = new_id(self.now)
        return row.create(**members)

    def item(self, number=1):
        words = {"title": self.word, "description": self.word * 50}
        plain = {"type": "task", "status": "backlog"}
        ranks = {"priority": "none", "bucket": "none", "number": number}
        members = self.changed | self.creator | words | plain | ranks
        item = self.new(WorkItemRow, **members)
        index_text(self.project, "work", item.id, self.word, self.word * 50)
        ProjectRow.update(last_number=number).where(
            ProjectRow.id == self.project.id
        ).execute()
        return item

    def label(self, project=None):
        members = self.made | {"project": project, "name": self.word}
        return self.new(LabelRow, **members)

    def milestone(self):
        plain = {"name": self.word, "status": "planned", "bucket": "none"}
        return self.new(MilestoneRow, **self.changed | plain)

    def specification(self, slug="s"):
        plain = {"title": self.word, "slug": slug, "status": "draft", "version": 1}
        members = self.changed | self.creator | plain
        made = self.new(SpecificationRow, **members)
        revision = {**plain, "content": self.word, "size": 1, **self.author}
        del revision["slug"]
        revision |= {"specification": made, "created_at": self.now}
        self.new(SpecificationRevisionRow, **revision)
        index_text(self.project, "specification", made.id, self.word, self.word)
        return made

    def document(self, slug="d"):
        plain = {"title": self.word, "slug": slug, "type": "note", "version": 1}
        members = self.changed | self.creator | plain | {"position": 0}
        made = self.new(DocumentRow, **members, path=slug)
        revision = {"title": self.word, "version": 1, "content": self.word, "size": 1}
        revision |= {"digest": digest_of(self.word), "document": made}
        revision |= {"created_at": self.now, **self.author}
        self.new(DocumentRevisionRow, **revision)
        index_text(self.project, "document", made.id, self.word, self.word)
        return made

    def comment(self, item):
        on = {"entity_type": "work", "entity_id": item.id, "content": self.word}
        made = self.new(CommentRow, **self.changed | self.author | on)
        index_text(self.project, "comment", made.id, "", self.word)
        return made

    def reference(self, item):
        on = {"entity_type": "work", "entity_id": item.id, "title": self.word}
        what = {"system": "web", "kind": "other", "url": "https://example.com/1"}
        return self.new(ExternalReferenceRow, **self.changed | self.creator | on | what)


def make_full(now: datetime, word: str = "quillfeather") -> Full:
    """Create the project and its neighbour; every text of the project has the word."""
    project, neighbour = make_project("atlas", now), make_project("next", now)
    make, beside = Maker(project, now, word), Maker(neighbour, now, "plain")
    items, outside = [make.item(1), make.item(2)], beside.item()
    full = Full(
        project=project,
        item=items[0],
        label=make.label(project),
        milestone=make.milestone(),
        specification=make.specification(),
        document=make.document(),
        comment=make.comment(items[0]),
        reference=make.reference(items[0]),
        neighbour=neighbour,
        outside=outside,
    )
    _tie(full, items, beside, now)
    DocumentAliasRow.create(document=full.document, address="/old/", is_declared=True)
    record_activity(items[0], "work.created", KEY, now)
    record_activity(outside, "work.created", KEY, now)
    return full


def _tie(full: Full, items: list, beside: Maker, now: datetime) -> None:
    """Tie the items to each other, and the neighbour's to both of them."""
    shared = beside.label()
    for label in (full.label, shared):
        WorkLabelRow.create(work=items[0], label=label)
    WorkLabelRow.create(work=full.outside, label=shared)
    WorkAssigneeRow.create(work=items[0], account_id=CONTRIBUTOR)
    own = beside.specification()
    for work, specification in (
        (items[0], own),
        (full.outside, full.specification),
        (full.outside, own),
    ):
        link = {"work": work, "specification": specification}
        WorkSpecificationRow.create(relationship="implements", **link)
    for source, target in (items, (full.outside, items[0])):
        ends = {"source": source, "target": target, "relationship": "blocks"}
        WorkRelationshipRow.create(**ends, created_by=OWNER, created_at=now)
