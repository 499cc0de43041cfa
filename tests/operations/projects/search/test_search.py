"""Search over HTTP."""

import pytest

from models.projects.projects.rows import ProjectRow
from models.projects.search import ranking
from models.projects.search.ranking import MAX_RANKED
from models.projects.search.text_index import index_text
from tests.factories.full_project import Maker, make_full
from tests.factories.projects import make_item, make_project

pytestmark = pytest.mark.both_engines

SEARCH = "GET /projects/v1/search/list"
WORD = "quillfeather"


@pytest.fixture
def found(api):
    """Search, and return the hits as (type, title)."""

    def searched(q, **more):
        response = api(SEARCH, {"q": q, **more})
        assert response.status_code == 200, response.json
        return [(each["entityType"], each["title"]) for each in response.json["data"]]

    return searched


@pytest.fixture
def full(store, clock):
    return make_full(clock.now, WORD)


@pytest.fixture
def texts(store, sample_project, clock):
    """Create work items with these texts, in one project."""

    def made(*pairs, project=sample_project):
        ids = []
        for title, body in pairs:
            item = make_item(project, clock.now, title=title, description=body)
            index_text(project, "work", item.id, title, body)
            ids.append(item.id)
        return ids

    return made


def test_every_kind(api, full):
    """Each kind of entity is found, with its own fields."""
    response = api(SEARCH, {"q": WORD})

    hits = {each["entityType"]: each for each in response.json["data"]}
    assert len(response.json["data"]) == 5
    assert response.json["meta"] == {"cursor": None}
    assert hits["work"]["number"] in (1, 2)
    assert (hits["work"]["status"], hits["work"]["slug"]) == ("backlog", None)
    comment = hits["comment"]
    assert (comment["onType"], comment["onId"]) == ("work", full.item.id)
    assert (comment["title"], comment["number"]) == (WORD, None)
    assert (hits["specification"]["slug"], hits["document"]["slug"]) == ("s", "d")


def test_hit(api, full):
    """A hit has every member; those that its kind lacks are null."""
    response = api(SEARCH, {"q": WORD, "types": "document"})

    [hit] = response.json["data"]
    assert hit == {
        "entityType": "document",
        "entityId": full.document.id,
        "projectId": full.project.id,
        "number": None,
        "slug": "d",
        "title": WORD,
        "status": None,
        "snippet": WORD,
        "highlights": [[0, len(WORD)]],
        "onType": None,
        "onId": None,
        "archivedAt": None,
        "updatedAt": "2026-03-01T12:00:00.000Z",
    }


@pytest.mark.parametrize("kind", ["work", "specification", "document", "comment"])
def test_types(found, full, kind):
    """Only the requested types are found."""
    hits = found(WORD, types=kind)

    assert {type for type, _ in hits} == {kind}
    assert len(found(WORD, types=f"{kind},comment")) == len(hits) + (kind != "comment")


def test_words(found, texts):
    """
    All words must occur, in any order; a phrase in this order; a star matches prefixes.
    """
    texts(("Lock the door", "with a key"), ("Key of a lock", "in a box"))

    assert len(found("lock key")) == len(found("KEY  lock")) == 2
    assert found("key door") == [("work", "Lock the door")]
    assert found('"a lock"') == [("work", "Key of a lock")]
    assert found("doo*") == [("work", "Lock the door")]
    assert found("doo") == found('"lock a"') == found("d*") == []


def test_title_counts_more(found, texts):
    """A match in the title ranks before a match in the text."""
    texts(("Something", "lock " + "word " * 3), ("Lock", "something else is here"))

    assert [title for _, title in found("lock")] == ["Lock", "Something"]


def test_summary(api, found, sample_project):
    """A document is found by its current summary, alone and with words of its text."""
    document = {"title": "Guide", "content": "Doors and locks.", "type": "note"}
    document |= {
        "projectId": sample_project.id,
        "slug": "guide",
        "summary": "Carpentry",
    }
    created = api("POST /projects/v1/documents/create", document).json["data"]

    assert found("carpentry locks") == found("carpentry") == [("document", "Guide")]
    [hit] = api(SEARCH, {"q": "carpentry"}).json["data"]
    assert (hit["snippet"], hit["highlights"]) == (
        "Carpentry Doors and locks.",
        [[0, 9]],
    )

    api("POST /projects/v1/documents/update", {"id": created["id"], "summary": None})

    assert (found("carpentry"), found("locks")) == ([], [("document", "Guide")])


@pytest.mark.parametrize(
    "q",
    [
        *("NOT (", '"', "a*b:c^", "*", "AND", "a OR", "title:a", "NEAR(a b)", "{a}:b"),
        *("-a", "+a", "'; --", "\\", '"a" "', "a\tb", "(" * 200, "a " * 100, "%"),
        *("^a", 'a"*', '"" a', "🔒", "\u0301", "\ue000", "٣", "²", "ﷺ", "𝔸", "a-b*"),
    ],
)
def test_hostile_words(api, texts, q):
    """
    Search operators and hostile input are treated as words, and never cause an error.
    """
    texts(("a b c", "not near title or and"))

    response = api(SEARCH, {"q": q})

    assert response.status_code == 200
    assert isinstance(response.json["data"], list)


@pytest.mark.parametrize("q", ["...", "()", "🔒", '""'])
def test_nothing_to_look_for(found, texts, q):
    """Without a letter or a digit nothing is found."""
    texts(("a ... () 🔒", '""'))

    assert found(q) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"q": ""},
        {"q": "x" * 201},
        {"q": "a\x00b"},
        {"types": "work,milestone"},
        {"types": ""},
        {"archived": "only"},
        {"limit": 0},
        {"limit": 51},
        {"projectId": "x"},
        {"projectId": "00000000-0000-4000-8000-000000000000", "projectSlug": "a"},
    ],
)
def test_out_of_shape(api, wrong, refusal):
    """A value beyond a limit is rejected by its name."""
    response = api(SEARCH, {"q": "a"} | wrong)

    assert response.status_code == 422
    refusal(response, "validation-failed")


def test_without_words(api, refusal):
    """A search without words is rejected."""
    response = api(SEARCH)

    assert refusal(response, "validation-failed")["errors"][0]["parameter"] == "q"


def test_of_a_project(found, api, texts, sample_project, clock, refusal):
    """A project is given by id or slug; an unknown one is a 404."""
    other = make_project("other", clock.now)
    texts(("Lock one", ""))
    texts(("Lock two", ""), project=other)

    assert found("lock", projectId=sample_project.id) == [("work", "Lock one")]
    assert found("lock", projectSlug="other") == [("work", "Lock two")]
    refusal(api(SEARCH, {"q": "a", "projectSlug": "none"}), "project-not-found")


def test_archived(api, found, full, api_as):
    """Archived items and their comments are found on request."""
    for noun, row in (("work-items", full.item), ("documents", full.document)):
        api(f"POST /projects/v1/{noun}/remove", {"id": row.id})

    hits = api(SEARCH, {"q": WORD, "archived": "include"}).json["data"]

    assert sorted(type for type, _ in found(WORD)) == ["specification", "work"]
    archived = {each["entityType"] for each in hits if each["archivedAt"]}
    assert archived == {"work", "document", "comment"}
    assert len(hits) == 5


def test_archived_project(found, full, clock):
    """The contents of an archived project are found by its name, or on request."""
    ProjectRow.update(archived_at=clock.now).where(
        ProjectRow.id == full.project.id
    ).execute()

    assert found(WORD) == []
    assert len(found(WORD, archived="include")) == 5
    assert len(found(WORD, projectSlug="atlas")) == 5


def test_pages(api, texts):
    """Pages of any size give the same hits in the same order, each once."""
    texts(*((f"Lock {n % 3 * 'lock '}", "word " * (n % 5)) for n in range(40)))
    whole = api(SEARCH, {"q": "lock", "limit": 50}).json["data"]

    for limit in (1, 7, 20, 39, 40):
        pages, cursor = [], None
        while cursor is not None or not pages:
            body = {"q": "lock", "limit": limit}
            body |= {"cursor": cursor} if cursor else {}
            answer = api(SEARCH, body).json
            pages += answer["data"]
            cursor = answer["meta"]["cursor"]
        assert pages == whole
    assert len(whole) == 40


def test_pages_while_others_write(api, texts, sample_project):
    """Concurrent additions, changes and removals neither skip nor repeat a hit."""
    texts(*(("Other", "word") for _ in range(30)))
    ids = texts(*((f"Lock {n % 3 * 'lock '}", "word") for n in range(12)))
    body = {"q": "lock", "limit": 2}
    first = api(SEARCH, body).json
    seen = [each["entityId"] for each in first["data"]]
    texts(*(("Other", "word") for _ in range(60)), ("Long", "word " * 99 + "lock"))
    removed = next(id for id in ids if id not in seen)
    for id in (removed, seen[-1]):
        api("POST /projects/v1/work-items/remove", {"id": id})

    cursor = first["meta"]["cursor"]
    while cursor:
        answer = api(SEARCH, body | {"cursor": cursor}).json
        seen += [each["entityId"] for each in answer["data"]]
        cursor = answer["meta"]["cursor"]

    assert sorted(seen) == sorted(set(ids) - {removed})


def pages_from(api, query, cursor=None):
    """Return the pages of a search from a cursor on: their ids and sort order."""
    while True:
        answer = api(SEARCH, query | ({"cursor": cursor} if cursor else {})).json
        ids = [each["entityId"] for each in answer["data"]]
        cursor = answer["meta"]["cursor"]
        yield ids, answer["meta"].get("sortedBy", "relevance")
        if cursor is None:
            return


@pytest.mark.parametrize("limit", [1, 4, 5, 50])
def test_every_hit_is_reached(api, texts, monkeypatch, limit):
    """After the newest hits, which are ranked, follow the others by time, marked so."""
    monkeypatch.setattr(ranking, "MAX_RANKED", 10)
    ids = texts(*((f"Lock {n % 3 * 'lock '}", "word") for n in range(25)))

    pages = list(pages_from(api, {"q": "lock", "limit": limit}))

    by_relevance = [id for page, by in pages for id in page if by == "relevance"]
    by_time = [id for page, by in pages for id in page if by == "time"]
    assert sorted(by_relevance) == sorted(ids[15:])
    assert by_time == ids[:15][::-1]


@pytest.mark.parametrize("limit", [3, 10])
def test_seam_while_others_write(api, texts, monkeypatch, limit):
    """A write moves no hit between the ranked ones and the others."""
    monkeypatch.setattr(ranking, "MAX_RANKED", 10)
    ids = texts(*(("Lock", "word " * (25 - n)) for n in range(25)))
    query = {"q": "lock", "limit": limit}
    first = api(SEARCH, query).json
    seen = [each["entityId"] for each in first["data"]]
    removed = [id for id in ids[15:] if id not in seen][:2] + ids[3:5]
    for id in removed:
        api("POST /projects/v1/work-items/remove", {"id": id})
    texts(("Lock", "new"))
    better = {"id": ids[13], "title": "Lock lock lock"}
    api("POST /projects/v1/work-items/update", better)

    for page, _ in pages_from(api, query, first["meta"]["cursor"]):
        seen += page

    assert sorted(seen) == sorted(set(ids) - set(removed))


def test_all_ranked_are_gone(api, texts, monkeypatch):
    """If no ranked hit is left, the next page continues with those by time."""
    monkeypatch.setattr(ranking, "MAX_RANKED", 2)
    ids = texts(*(("Lock", "") for _ in range(4)))
    first = api(SEARCH, {"q": "lock", "limit": 1}).json
    api("POST /projects/v1/work-items/remove", {"id": ids[2]})

    pages = pages_from(api, {"q": "lock", "limit": 1}, first["meta"]["cursor"])

    assert list(pages) == [([ids[1]], "time"), ([ids[0]], "time")]


def test_cursor_of_another_question(api, texts, refusal):
    """A cursor is bound to its words and filters, not to the page size."""
    texts(*(("Lock key", "") for _ in range(5)))
    cursor = api(SEARCH, {"q": "lock", "limit": 2}).json["meta"]["cursor"]

    for other in ({"q": "key"}, {"q": "lock", "types": "work"}):
        refusal(api(SEARCH, other | {"cursor": cursor}), "invalid-cursor")
    again = api(SEARCH, {"q": "lock", "limit": 50, "cursor": cursor})
    assert len(again.json["data"]) == 3


def test_very_common_words(found, texts):
    """
    Of very common words the newest hits come first; with another word, all are ranked.
    """
    texts(("Lock of old", ""), *(("Lock", "") for _ in range(MAX_RANKED)))

    assert found("lock old") == [("work", "Lock of old")]
    assert ("work", "Lock of old") not in found("lock", limit=50)


def test_long_text(found, store, clock, sample_project):
    """A text of the maximum length is found by its last word."""
    make = Maker(sample_project, clock.now, "plain")
    document = make.document()
    index_text(
        sample_project, "document", document.id, "Long", "word " * 99_999 + "last"
    )

    assert found("last") == [("document", "plain")]
