"""The index of texts: what search looks in is what there is."""

import random

import pytest

from models.database import database
from models.projects.comment import CommentRow
from models.projects.document import DOCUMENTS, DocumentRow
from models.projects.specification import SPECIFICATIONS, SpecificationRow
from models.projects.text_index import IndexedTextRow
from models.projects.work_item import WorkItemRow
from tests.projects import OWNER

AREA = "POST /projects/v1"


def expected():
    """What the index must hold: the words of everything that is there."""
    texts = {(row.id, "work", row.title, row.description or "") for row in WorkItemRow}
    for kind, head in ((DOCUMENTS, DocumentRow), (SPECIFICATIONS, SpecificationRow)):
        for row in head:
            content = kind.with_content(row).content
            texts.add((row.id, kind.noun, row.title, content))
    said = CommentRow.select().where(CommentRow.deleted_at.is_null())
    return texts | {(row.id, "comment", "", row.content) for row in said}


def held():
    """What the index holds; FTS5 compares its words with the texts itself."""
    check = "INSERT INTO text_index(text_index, rank) VALUES ('integrity-check', 1)"
    database.execute_sql(check)
    rows = list(IndexedTextRow)
    assert len({row.entity_id for row in rows}) == len(rows)
    return {(row.entity_id, row.entity_type, row.title, row.body) for row in rows}


class Life:
    """Everything that writes words, called by chance."""

    def __init__(self, ask, seed):
        self.ask, self.rng = ask, random.Random(seed)
        made = {"slug": "atlas", "name": "Atlas", "ownerId": OWNER}
        self.project = self.do("projects/create", made)["id"]
        self.ids = {"work-items": [], "documents": [], "specifications": []}
        self.comments = []

    def do(self, path, body):
        response = self.ask(f"{AREA}/{path}", body)
        return response.json.get("data") if response.status_code == 200 else None

    def words(self):
        return " ".join(self.rng.choices(["lock", "key", "door", "café"], k=5))

    def pick(self, ids):
        return self.rng.choice(ids) if ids else OWNER

    def step(self):
        noun = self.rng.choice(list(self.ids))
        steps = (self.create, self.update, self.archive, self.revise)
        steps += (self.say, self.change_comment, self.bulk, self.supersede)
        self.rng.choice(steps)(noun)

    def create(self, noun):
        body = {"projectId": self.project, "title": self.words()}
        if noun == "work-items":
            body |= {"type": "task", "description": self.rng.choice([None, "lock"])}
        else:
            body |= {"slug": f"s{self.rng.randrange(10**9)}", "content": self.words()}
            body |= {"type": "note"} if noun == "documents" else {}
        self.ids[noun].append(self.do(f"{noun}/create", body)["id"])

    def update(self, noun):
        member = "description" if noun == "work-items" else "content"
        name = self.rng.choice([member, "title"])
        body = {"id": self.pick(self.ids[noun]), name: self.words()}
        self.do(f"{noun}/update", body)

    def archive(self, noun):
        verb = self.rng.choice(["remove", "restore"])
        self.do(f"{noun}/{verb}", {"id": self.pick(self.ids[noun])})

    def revise(self, noun):
        if noun != "work-items":
            kind = noun.removesuffix("s")
            body = {f"{kind}Id": self.pick(self.ids[noun]), "version": 1}
            self.do(f"{kind}-revisions/restore", body)

    def say(self, noun):
        kind = {"work-items": "work"}.get(noun, noun.removesuffix("s"))
        body = {"entityType": kind, "entityId": self.pick(self.ids[noun])}
        made = self.do("comments/add", body | {"content": self.words()})
        self.comments += [made["id"]] if made else []

    def change_comment(self, _):
        id = {"id": self.pick(self.comments)}
        verb = self.rng.choice(["update", "remove"])
        self.do(
            f"comments/{verb}", id | ({"content": "new"} if verb == "update" else {})
        )

    def bulk(self, _):
        items = [{"type": "bug", "title": self.words()} for _ in range(3)]
        made = self.do(
            "work-items/bulk-create", {"projectId": self.project, "items": items}
        )
        self.ids["work-items"] += [each["id"] for each in made["items"]]

    def supersede(self, _):
        ids = self.ids["specifications"]
        body = {"id": self.pick(ids), "supersededBy": self.pick(ids)}
        self.do("specifications/supersede", body)


@pytest.mark.parametrize("seed", range(3))
def test_index_is_what_there_is(ask, app, seed):
    """After any history every text is found by its words of now, and no other."""
    life = Life(ask, seed)

    for _ in range(60):
        life.step()

    assert len(held()) > 20
    assert held() == expected()


def test_rehearsals_and_refusals_leave_it(ask, app):
    """What is not kept is not found."""
    life = Life(ask, 0)
    life.create("documents")
    before = held()
    body = {"id": life.ids["documents"][0], "content": "other"}

    ask(f"{AREA}/documents/update", body, headers={"Dry-Run": "true"})
    ask(f"{AREA}/documents/update", body | {"expectedVersion": 7})

    assert held() == before == expected()


def test_purge_leaves_none(ask, app):
    """A purged project is not in the index any more."""
    life = Life(ask, 1)
    for _ in range(20):
        life.step()
    life.do("projects/remove", {"id": life.project})

    life.do("admin/projects/purge", {"id": life.project, "confirm": "atlas"})

    assert held() == expected() == set()
