"""The search index corresponds to the stored texts."""

import pytest

from models.projects.discussion.rows import CommentRow
from models.projects.documents.rows import DOCUMENTS, DocumentRow
from models.projects.search.text_index import IndexedTextRow
from models.projects.specifications.rows import SPECIFICATIONS, SpecificationRow
from models.projects.work.rows import WorkItemRow
from tests.factories.life import AREA, Life

pytestmark = pytest.mark.both_engines


def expected():
    """Return the entries that the index must have: the texts of all rows."""
    texts = {(row.id, "work", row.title, row.description or "") for row in WorkItemRow}
    for kind, head in ((DOCUMENTS, DocumentRow), (SPECIFICATIONS, SpecificationRow)):
        for row in head:
            body = kind.load_content(row).content
            if kind is DOCUMENTS and row.summary:
                body = f"{row.summary}\n\n{body}"
            texts.add((row.id, kind.noun, row.title, body))
    comments = CommentRow.select().where(CommentRow.deleted_at.is_null())
    return texts | {(row.id, "comment", "", row.content) for row in comments}


def indexed(raw_database):
    """Return the entries of the index, whose words must be those of the texts."""
    raw_database.require_words()
    rows = list(IndexedTextRow)
    assert len({row.entity_id for row in rows}) == len(rows)
    return {(row.entity_id, row.entity_type, row.title, row.body) for row in rows}


@pytest.mark.parametrize("seed", range(2))
def test_index_is_what_there_is(api, raw_database, seed):
    """After any history, every text is found by its current words, and no other."""
    life = Life(api, seed)

    for _ in range(150):
        life.step()

    assert len(indexed(raw_database)) > 20
    assert indexed(raw_database) == expected()


def test_rehearsals_and_refusals_leave_it(api, raw_database):
    """Dry runs and rejected requests leave the index unchanged."""
    life = Life(api, 0)
    life.create("documents")
    before = indexed(raw_database)
    body = {"id": life.ids["documents"][0], "content": "other"}

    api(f"{AREA}/documents/update", body, headers={"Dry-Run": "true"})
    api(f"{AREA}/documents/update", body | {"expectedVersion": 7})

    assert indexed(raw_database) == before == expected()


def test_purge_leaves_none(api, raw_database):
    """A purged project is no longer in the index."""
    life = Life(api, 1)
    for _ in range(20):
        life.step()
    life.do("projects/remove", {"id": life.project})

    life.do("admin/projects/purge", {"id": life.project, "confirm": "atlas"})

    assert indexed(raw_database) == expected() == set()
