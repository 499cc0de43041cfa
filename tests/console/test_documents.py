"""Documents: found, written, previewed, published and withdrawn."""

from html.parser import HTMLParser
from io import BytesIO

import pytest

from models.projects.documents.rows import DocumentRevisionRow, DocumentRow
from models.projects.files.rows import FileRow
from models.projects.projects.activity import ActivityRow
from tests.factories.projects import OWNER
from tests.samples.hostile import HTML
from tests.samples.pictures import png

NEW = "documents/new/"
TEXT = {"title": "First steps", "content": "See [a page](a-page).\n", "type": "note"}
HARMFUL_TAGS = {"script", "iframe", "form", "base", "object", "embed", "style", "meta"}
# Text with a broken link is published once the warning was shown.
ANYWAY = "publish-anyway"


class Harm(HTMLParser):
    """Collects the tags and attributes of a preview that could execute something."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag in HARMFUL_TAGS:
            self.found.append(tag)
        for name, value in attributes:
            is_address = name in ("href", "src") and "script:" in (value or "").lower()
            if name.startswith("on") or name in ("style", "srcdoc") or is_address:
                self.found.append(f"{name}={value}")


pytestmark = pytest.mark.both_engines


@pytest.fixture(autouse=True)
def docs(docs_project):
    return docs_project.project


@pytest.fixture
def document(person):
    """A document of the docs project that is published."""
    done = person.fill(NEW, NEW, **TEXT, collection="guides", _do=ANYWAY)
    assert done.status_code == 303, done.text
    return DocumentRow.get()


@pytest.fixture
def path(document):
    return f"documents/{document.id}/"


def content(version):
    return DocumentRevisionRow.get(DocumentRevisionRow.version == version).content


def test_create(person):
    """Two texts create a document, whose slug is derived from the title."""
    done = person.fill(NEW, NEW, **TEXT, _do="save")

    assert "done=document-saved" in done.headers["Location"]
    row = DocumentRow.get()
    assert (row.title, row.slug) == ("First steps", "first-steps")
    assert row.published_version is None
    assert content(1) == TEXT["content"]


def test_create_in_another_project(person, api):
    """A document is created in the chosen project."""
    project = api(
        "POST /projects/v1/projects/create",
        {"slug": "other", "name": "B", "ownerId": OWNER},
    )
    id = project.json["data"]["id"]

    person.fill(NEW, NEW, **TEXT, projectId=id, _do="save")

    assert DocumentRow.get().project_id == id


def test_a_typo_is_corrected_and_published(person, document, path, woken):
    """One form saves the next version and publishes it."""
    del woken[:]

    done = person.fill(path, path, content="See a page.", _do="publish")

    assert "done=document-published" in done.headers["Location"]
    row = DocumentRow.get()
    assert (row.version, row.published_version) == (2, 2)
    assert content(2) == "See a page."
    assert woken == ["docs"]
    assert "/guides/first-steps/" in person.get(path).text


def test_save(person, document, path):
    """A saved version is not published."""
    done = person.fill(path, path, title="Steps", note="Shorter", _do="save")

    assert "done=document-saved" in done.headers["Location"]
    row = DocumentRow.get()
    assert (row.title, row.version, row.published_version) == ("Steps", 2, 1)
    assert "Unpublished changes" in person.get(path).text


def test_nothing_is_changed(person, document, path):
    """A form without changes makes no version, and can still publish."""
    same = person.fill(path, path, _do="save")
    assert "done=document-unchanged" in same.headers["Location"]
    person.fill(path, path, title="Steps", _do="save")

    done = person.fill(path, path, _do="publish")

    assert "done=document-published" in done.headers["Location"]
    row = DocumentRow.get()
    assert (row.version, row.published_version) == (2, 2)


def test_sent_twice(person, document, path):
    """A form that is sent twice makes one version."""
    page = person.get(path)

    for _ in range(2):
        done = person.refill(page, path, content="Once", _do="publish")

    assert done.status_code == 303
    row = DocumentRow.get()
    assert (row.version, row.published_version) == (2, 2)


def test_new_links_that_lead_nowhere(person, document, path):
    """
    New broken links are shown before publishing; those of the public page are not.
    """
    text = "[a page](a-page), [another](another-page), [status](/status/)."

    refused = person.fill(path, path, content=text, _do="publish")

    assert refused.status_code == 409
    assert "<code>another-page</code> leads to nothing" in refused.text
    assert "<code>a-page</code>" not in refused.text
    row = DocumentRow.get()
    assert (row.version, row.published_version) == (2, 1)
    done = person.refill(refused, path, _do=ANYWAY)
    assert "done=document-published" in done.headers["Location"]
    assert DocumentRow.get().published_version == 2


def test_saved_but_not_published(person):
    """Without a collection, the text is saved, and the page says what is missing."""
    refused = person.fill(NEW, NEW, title="Loose", content="", type="note", _do=ANYWAY)

    assert refused.status_code == 409
    assert "Version 1 is saved, but not published." in refused.text
    assert "Set a collection" in refused.text
    row = DocumentRow.get()
    path = f"documents/{row.id}/"
    person.refill(refused, path, collection="support", _do="publish")
    assert DocumentRow.get().published_version == 2


def test_two_people_at_one_text(person, document, path):
    """The second of two editors sees both texts, and overwrites nothing by accident."""
    mine, theirs = person.get(path), person.get(path)
    person.refill(theirs, path, title="Theirs", content="One\nTheirs\n", _do="save")

    refused = person.refill(mine, path, content="One\nMine\n", _do="publish")

    assert refused.status_code == 409
    assert "Somebody has saved version 2" in refused.text
    assert "Added: </span>Theirs</ins>" in refused.text
    assert "Removed: </span>Theirs</del>" in refused.text
    assert "Added: </span>Mine</ins>" in refused.text
    assert DocumentRow.get().version == 2
    done = person.refill(refused, path, _do="publish")
    assert "done=document-published" in done.headers["Location"]
    row = DocumentRow.get()
    assert (row.version, row.published_version) == (3, 3)
    assert (content(2), content(3)) == ("One\nTheirs\n", "One\nMine\n")


def test_without_the_version_that_was_read(person, document, path):
    """A form without the version it is based on changes nothing."""
    refused = person.fill(path, path, expectedVersion="", title="X", _do="save")
    without = person.post(path, {"title": "X", "content": "X", "_do": "save"})

    assert (refused.status_code, without.status_code) == (422, 422)
    assert DocumentRow.get().version == 1


def test_a_refusal_keeps_what_was_typed(person, document, path):
    """A problem is shown beside its field, and the long text is kept."""
    text = "\n\nA long text\n" * 3

    refused = person.fill(path, path, title="", content=text, _do="save")

    assert refused.status_code == 422
    assert 'aria-invalid="true"' in refused.text
    person.refill(refused, path, title="Again", _do="save")
    assert content(2) == text


def test_preview(person, document, path):
    """The text is shown as on the site, and stays unsaved in the form."""
    text = "# Start\n\n[gone](gone) [here](first-steps#start) [no](#none)"

    page = person.fill(path, path, title="<b>", content=text, _do="preview")

    assert page.status_code == 200
    assert '<h2 id="start"' in page.text
    assert "/guides/first-steps/#start" in page.text
    assert "2 links lead nowhere" in page.text
    assert "<code>gone</code> leads to nothing" in page.text
    assert "<code>#none</code> leads to a page that has no such heading" in page.text
    assert "<bdi>&lt;b&gt;</bdi>" in page.text
    assert DocumentRow.get().version == 1
    person.refill(page, path, _do="save", title="Kept")
    assert content(2) == text


def test_preview_after_other_changes(person, document, path, docs_project):
    """A preview resolves links to what is published now."""
    text = {"content": "[other](other) [old](/guides/other/)", "_do": "preview"}

    def is_broken():
        return "lead nowhere" in person.fill(path, path, **text).text

    assert is_broken()
    other = docs_project.publish("other")
    assert not is_broken()
    docs_project.release(docs_project.update(other, content="Another text."))
    assert not is_broken()
    docs_project.withdraw(other)
    assert is_broken()


def test_preview_alone(person):
    """The script gets only the preview."""
    page = person.fill(NEW, NEW, content="*Now*", _do="preview", _part="1")

    assert "<em>Now</em>" in page.text
    assert "<form" not in page.text


def test_preview_of_harm(person, document, path):
    """Nothing in a preview is executed, whatever the text."""
    for text in HTML:
        page = person.fill(path, path, title=text, content=text, _do="preview")

        shown = page.text.partition('<article class="shown-document">')[2]
        assert page.status_code == 200
        assert Harm(shown.partition("</article>")[0]).found == []


def test_add_a_picture(person, document, path, docs):
    """The file is added, and its line is appended to the unsaved text."""
    picture = BytesIO(png()), "The form.PNG"

    page = person.fill(path, path, content="Typed", _do="picture", picture=picture)

    [file] = FileRow.select()
    assert file.name.startswith("images/the-form-")
    assert file.project_id == docs.id
    assert DocumentRow.get().version == 1
    person.refill(page, path, _do="publish")
    assert content(2) == f"Typed\n\n![the form]({file.name})\n"
    shown = person.fill(path, path, _do="preview").text
    address = f"/console/documents/files/{docs.id}/{file.name}"
    assert f'src="{address}"' in shown
    response = person.client.get(address)
    assert response.data.startswith(b"\x89PNG")
    assert "sandbox" in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize(("button", "published"), [("save", 1), ("publish", 2)])
def test_saving_takes_the_picture(person, document, path, button, published):
    """A chosen file is saved with the text, once even if the form is sent twice."""
    page, older = person.get(path), person.get(path)

    def send(page, content):
        picture = BytesIO(png()), "form.png"
        return person.refill(page, path, content=content, _do=button, picture=picture)

    done, again = send(page, "Typed"), send(page, "Typed")

    assert (done.status_code, again.status_code) == (303, 303)
    [file] = FileRow.select()
    assert content(2) == f"Typed\n\n![form]({file.name})\n"
    row = DocumentRow.get()
    assert (row.version, row.published_version) == (2, published)
    # The second editor finds the file in the text that is shown again.
    refused = send(older, "Other")
    assert refused.status_code == 409
    assert f"\nOther\n\n![form]({file.name})\n</textarea>" in refused.text


def test_a_preview_takes_the_picture(person, document, path):
    """The preview shows the chosen file, and the text has its line."""
    picture = BytesIO(png()), "form.png"

    page = person.fill(path, path, content="Typed", _do="preview", picture=picture)

    assert "The file is added" in page.text
    assert f'src="/console/documents/files/{FileRow.get().project_id}/' in page.text
    person.refill(page, path, _do="save")
    assert content(2) == f"Typed\n\n![form]({FileRow.get().name})\n"


def test_a_new_document_takes_the_picture(person, document):
    """The first version of a document has the chosen picture."""
    picture = BytesIO(png()), "form.png"

    person.fill(NEW, NEW, title="Other", content="", _do="save", picture=picture)

    other = DocumentRow.get(DocumentRow.slug == "other")
    revision = DocumentRevisionRow.get(DocumentRevisionRow.document == other.id)
    assert revision.content == f"![form]({FileRow.get().name})\n"


@pytest.mark.parametrize("button", ["save", "publish", "preview"])
def test_nothing_is_saved_without_its_picture(person, document, path, button):
    """If the file is rejected, the page says so, and the text is kept unsaved."""
    picture = BytesIO(b"no picture"), "a.png"

    page = person.fill(path, path, content="Typed", _do=button, picture=picture)

    assert page.status_code == 415
    assert 'id="picture.error">' in page.text
    assert "\nTyped</textarea>" in page.text
    assert DocumentRow.get().version == 1


def test_add_a_picture_by_script(person, docs):
    """The script inserts the response at the cursor."""
    sent = {"projectId": docs.id, "picture": (BytesIO(png()), "image.png")}

    answer = person.post("documents/pictures/", sent)

    assert answer.json["markdown"] == f"![image]({FileRow.get().name})"


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        ((b"no picture", "a.png"), "PNG"),
        ((png(), "a.exe"), "must end in one of"),
        ((b"", ""), "Choose a file"),
    ],
)
def test_a_picture_that_is_refused(person, document, path, sent, problem):
    """The API's sentence is shown beside the field, and the text is kept."""
    content, name = sent

    page = person.fill(
        path, path, content="Typed", _do="picture", picture=(BytesIO(content), name)
    )

    assert 400 <= page.status_code < 500
    error = page.text.partition('id="picture.error">')[2].partition("</p>")[0]
    assert problem in error
    assert "\nTyped</textarea>" in page.text
    assert not FileRow.select().exists()


def test_history(person, document, path):
    """An older version is shown with its difference, restored and published."""
    person.fill(path, path, content="Second\n", note="Why", _do="publish")

    history = person.get(f"{path}history/").text
    version = person.get(f"{path}history/2/").text
    assert "Version 1</a>" in history
    assert "<bdi>Why</bdi>" in history
    assert "Added: </span>Second</ins>" in version
    assert "Removed: </span>See [a page](a-page).</del>" in version
    done = person.fill(f"{path}history/1/", f"{path}history/1/restore/")

    assert "done=revision-restored" in done.headers["Location"]
    assert content(3) == TEXT["content"]
    assert DocumentRow.get().published_version == 2
    person.fill(f"{path}history/3/", f"{path}publish/")
    assert DocumentRow.get().published_version == 3


def test_authors(person, document, path, api, issue):
    """
    Each version has its author, by the name of the key if the reader may see keys.
    """
    update = {"id": document.id, "content": "Second\n"}
    api("POST /projects/v1/documents/update", update, key=issue("*", name="Ada"))

    history = person.get(f"{path}history/").text
    version = person.get(f"{path}history/2/").text

    assert "key <bdi>Ada</bdi> · " in history
    assert "key <bdi>Ada</bdi> · " in version


def test_restore_and_publish(person, document, path):
    """An earlier text is published again in one step, with two records."""
    for text in ("First\n", "Second\n"):
        person.fill(path, path, content=text, _do="publish")
    page, action = person.get(f"{path}history/2/"), f"{path}history/2/restore/"

    for _ in range(2):
        done = person.refill(page, action, _do="publish")

    assert "done=document-published" in done.headers["Location"]
    row = DocumentRow.get()
    assert (row.version, row.published_version) == (4, 4)
    assert content(4) == "First\n"
    records = ActivityRow.select().order_by(ActivityRow.number)
    done = [record.action for record in records]
    assert done[-2:] == ["document.revision-restored", "document.published"]


def test_restore_and_publish_a_link_that_leads_nowhere(person, document, path):
    """
    A text with a broken link is restored, and published once the links were shown.
    """
    person.fill(path, path, content="Second\n", _do="publish")
    version = f"{path}history/1/"

    refused = person.fill(version, f"{version}restore/", _do="publish")

    assert refused.status_code == 409
    assert "<code>a-page</code> leads to nothing" in refused.text
    assert (DocumentRow.get().version, DocumentRow.get().published_version) == (3, 2)
    person.refill(refused, path, _do=ANYWAY)
    assert DocumentRow.get().published_version == 3


def test_restore_from_the_history(person, document, path):
    """Each older version of the list can be restored; sent twice, it is done once."""
    person.fill(path, path, content="Second\n", _do="publish")
    page = person.get(f"{path}history/")
    assert 'aria-label="Restore version 1"' in page.text
    assert 'aria-label="Restore version 2"' not in page.text

    for _ in range(2):
        done = person.refill(page, f"{path}history/1/restore/")

    assert "done=revision-restored" in done.headers["Location"]
    row = DocumentRow.get()
    assert (row.version, row.published_version) == (3, 2)


def test_versions_that_do_not_exist(person, document, path):
    """A version that does not exist is rejected with a sentence."""
    for version, status in (("9", 404), ("x", 422), ("9" * 5000, 422)):
        assert person.get(f"{path}history/{version}/").status_code == status
        sent = {"version": version, "expectedVersion": "1"}
        refused = person.post(f"{path}publish/", sent)
        assert refused.status_code == status


def test_take_back(person, document, path):
    """A document is withdrawn, archived and restored."""
    person.fill(path, f"{path}unpublish/")
    assert DocumentRow.get().published_version is None
    person.fill(path, f"{path}archive/")
    assert DocumentRow.get().archived_at
    page = person.get(path).text
    assert "Save</button>" not in page

    person.fill(path, f"{path}restore/")

    assert DocumentRow.get().archived_at is None


def test_lists(person, document, path):
    """The sections with their counts, and the results of the filters."""
    person.fill(path, path, section="Operating / Backups", _do="save")
    person.fill(NEW, NEW, title="\u202eOther <i>", content="", type="rfc", slug="other")

    page = person.get("documents/").text
    assert "<bdi>Operating / Backups</bdi></a>" in page
    assert "Other &lt;i&gt;" in page
    filtered = {
        "q=first": True,
        "q=nothing": False,
        "collection=guides&section=Operating+%2F+Backups": True,
        "collection=none": False,
        "state=stale": True,
        "state=unpublished": False,
        "state=archived": False,
    }
    for query, is_found in filtered.items():
        page = person.get(f"documents/?{query}").text
        assert ("First steps</bdi>" in page) == is_found, query


def test_imported(person, document, path):
    """The page names the file, and says what the next import does."""
    DocumentRow.update(source_tree="manual", source_path="a/first.md").execute()

    before = person.get(path).text
    person.fill(path, path, title="Changed", _do="save")
    after = person.get(path).text

    assert "manual/a/first.md</code>" in before
    assert "If you change it here" in before
    assert "It was edited after the last import" in after


def test_what_the_key_may_not_do(visitor, issue, document, path):
    """A reader sees texts, and no button that would fail."""
    someone = visitor()
    someone.sign_in(issue("projects:documents:list", "projects:documents:get"))

    listed, page = someone.get("documents/").text, someone.get(path).text

    assert "projects:documents:create</code>" in listed
    assert "projects:documents:update</code>" in page
    assert "See [a page](a-page)." in page
    for button in ("Save", "Publish", "Unpublish", "Archive", "Preview"):
        assert f"{button}</button>" not in page
    assert someone.post(path, {"_do": "save", "title": "x"}).status_code == 403
    assert someone.post(f"{path}archive/", {}).status_code == 403


def test_an_author_without_publishing(visitor, issue, document, path):
    """An author who may not publish can save, and the page says so."""
    someone = visitor()
    someone.sign_in(issue("projects:documents:get", "projects:documents:update"))

    page = someone.get(path).text

    assert "projects:documents:publish</code>" in page
    assert "Save and publish" not in page
    someone.fill(path, path, title="Saved", _do="save")
    assert DocumentRow.get().version == 2
    person_preview = someone.fill(path, path, _do="preview")
    assert person_preview.status_code != 500


@pytest.fixture
def hidden(person, api):
    """
    Return the id of a project with a section and a file, whose names are confidential.
    """
    project = {"slug": "hidden", "name": "Hidden", "ownerId": OWNER}
    created = api("POST /projects/v1/projects/create", project)
    id = created.json["data"]["id"]
    words = {"collection": "guides", "section": "Takeover", "_do": "save"}
    person.fill(NEW, NEW, **TEXT | words, projectId=id)
    query = {"projectId": id, "name": "images/takeover.png"}
    assert api("POST /projects/v1/files/add", query, file=png()).status_code == 200
    return id


@pytest.fixture
def signed_in_with(visitor, issue):
    def signed_in(*scopes):
        someone = visitor()
        someone.sign_in(issue(*scopes))
        return someone

    return signed_in


def test_sections_need_the_list(hidden, signed_in_with):
    """The sections of a project are shown only to keys that may list its documents."""
    path = f"{NEW}?projectId={hidden}"
    scopes = ("projects:documents:get", "projects:documents:create")

    writer, reader = signed_in_with(*scopes), signed_in_with("projects:documents:*")

    assert writer.get(path).status_code == 200
    assert "Takeover" not in writer.get(path).text
    assert "Takeover" in reader.get(path).text


def test_files_need_their_scope(hidden, signed_in_with):
    """A preview reveals a file of the project only to keys that may read it."""
    text = "![](images/{}.png) [gone](gone)"
    scopes = ("projects:documents:create", "projects:documents:links")

    def preview(someone, name):
        sent = TEXT | {"content": text.format(name), "projectId": hidden}
        shown = someone.post(NEW, sent | {"_do": "preview", "_part": "1"})
        assert shown.status_code == 200
        assert "<code>gone</code> leads to nothing" in shown.text
        return shown.text.replace(name, "")

    writer = signed_in_with(*scopes)
    assert preview(writer, "takeover") == preview(writer, "other")
    assert "lead nowhere" not in preview(writer, "takeover")
    for scope in ("projects:files:list", "projects:files:get"):
        reader = signed_in_with(*scopes, scope)
        assert preview(reader, "takeover") != preview(reader, "other")
