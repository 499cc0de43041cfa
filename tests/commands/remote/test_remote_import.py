"""`app.py docs import --to`: importing a tree into a server from another machine."""

import json
import signal
from threading import Event

import pytest

from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.document_imports.rows import DocumentImportRow
from models.projects.documents.rows import DocumentRow
from models.projects.fields import Actor
from models.projects.files.file_import import prepared_files
from models.projects.files.rows import FileRow
from models.projects.projects.projects import docs_project
from sitegen.sources import report as reports
from sitegen.sources.tree import read_tree
from tests.commands.remote.conftest import Cut, written_key
from tests.nightly import every_nth

pytestmark = pytest.mark.usefixtures("remote_api")
# A whole import: its steps in their order, and after which it can be interrupted.
STEPS = ["start", "add-texts", "add-file", "apply"]
WHOLE = "created 2, updated 0, unchanged 0, published 2, pruned 0, files 1"


def published():
    return {row.slug for row in DocumentRow if row.published_version}


@pytest.mark.both_engines
def test_import(import_over_relay, relay):
    """A tree is imported with its pictures, and the uploaded parts are deleted."""
    code, out, err = import_over_relay()

    assert (code, out, err) == (0, f"{WHOLE}, left out 0, drafts 0\n", "")
    assert published() == {"first", "second"}
    assert [(row.name, row.content.width) for row in FileRow] == [("tree/a.png", 3)]
    assert relay.verbs == STEPS
    assert DocumentImportRow.select().count() == 0


@pytest.mark.both_engines
def test_only_what_changed_is_sent(import_over_relay, relay, tree):
    """An unchanged tree sends digests; a changed page sends only its own text."""
    import_over_relay()
    first = relay.size

    same = import_over_relay()
    verbs, size = relay.verbs, relay.size
    (tree / "basics/second.md").write_text("# Second\n\nIt is new.\n")
    changed = import_over_relay()

    assert "created 0, updated 0, unchanged 2, published 0" in same[1]
    assert (verbs, size < first) == (["start", "apply"], True)
    assert "updated 1, unchanged 1, published 1" in changed[1]
    assert relay.verbs == ["start", "add-texts", "apply"]
    (texts,) = relay.sent("add-texts")
    assert json.loads(texts)["texts"] == ["It is new.\n"]
    assert all(b"The second page." not in body for _, body in relay.requests)


def test_options_reach_the_server(import_over_relay):
    """The options are stored as by an import on the server."""
    import_over_relay("--tree", "handbook", "--base", "https://docs.example.com/")

    origins = {(row.source_tree, row.source_base) for row in DocumentRow}
    assert origins == {("handbook", "https://docs.example.com/")}


def test_size_of_a_tree_that_did_not_change(import_over_relay, relay, tree):
    """The request of an unchanged tree has at most 400 bytes for each page."""
    for number in range(50):
        (tree / f"{number}.md").write_text(
            f"# Page {number}\n\n" + f"Page {number}. " * 3_000
        )
    import_over_relay()
    assert relay.size > 50 * 20_000

    import_over_relay()

    assert relay.size < 52 * 400


def test_report_is_that_on_the_server(import_over_relay, tree, clock, settings):
    """The report is that of an import on the server, after every kind of change."""
    import_over_relay()
    (tree / "basics/second.md").unlink()
    (tree / "third.md").write_text("# Third\n\n![](none.png) ![](b.png)\n")
    (tree / "b.png").write_bytes(b"No picture.")
    (tree / "first.md").write_text("# First\n\nNo picture any more.\n")
    (tree / "draft.md").write_text("---\ndraft: true\n---\nNot yet.\n")

    code, out, _ = import_over_relay("--dry-run", "--prune", "--json")

    read = read_tree(tree)
    options = ImportOptions(
        "guides",
        clock.now,
        Actor("account", settings.docs_owner_id),
        tree="tree",
        publish=True,
        prune=True,
        is_dry_run=True,
    )
    with prepared_files(docs_project(), read.files) as files:
        report = import_documents(read.sources, options, files=files)
    expected = reports.to_json(read, report)
    remote = json.loads(out)
    left_out = {"path": "b.png", "reason": files.refused[0][1]}
    assert code == 1
    assert remote.pop("dryRun") is True
    assert remote.pop("leftOut") == [left_out]
    del expected["leftOut"]
    assert remote == expected
    assert (remote["created"], remote["pruned"]) == (["third"], ["second"])


def test_dry_run(import_over_relay, relay):
    """A dry run imports nothing; the following import sends no text again."""
    code, out, _ = import_over_relay("--dry-run")
    assert not published()

    result = import_over_relay()

    assert code == 0
    assert out == (
        "created: second\ncreated: first\npublished: second\npublished: first\n"
        f"This was a dry run: nothing was imported.\n{WHOLE}, left out 0, drafts 0\n"
    )
    assert (result[0], relay.verbs) == (0, ["start", "apply"])


def test_picture_that_cannot_be_used(import_over_relay, relay, tree):
    """An unusable picture is reported and not sent; the rest is imported."""
    (tree / "a.png").write_bytes(b"No picture.")

    code, _, err = import_over_relay()

    assert (code, relay.verbs) == (1, ["start", "add-texts", "apply"])
    assert err.startswith("left out: a.png: ")
    assert published() == {"first", "second"}


def test_held_document(import_over_relay, docs_project):
    """A withdrawn document is skipped, and taken over on request."""
    import_over_relay()
    docs_project.withdraw({"id": DocumentRow.get(DocumentRow.slug == "second").id})

    skipped, taken_over = import_over_relay(), import_over_relay("--take-over")

    assert skipped[0] == 1
    assert skipped[2] == (
        "held: basics/second.md: It was unpublished after the last import."
        " --take-over imports it again.\n"
    )
    assert (taken_over[0], published()) == (0, {"first", "second"})


@pytest.mark.parametrize("step", range(1, 5))
@pytest.mark.parametrize("moment", ["before", "after"])
def test_connection_that_is_lost(
    import_over_relay, relay, pauses, caplog, step, moment
):
    """The import continues after a lost request or response, and is applied once."""

    def cut(verb, number):
        if number == step:
            raise Cut

    setattr(relay, moment, cut)

    code, out, _ = import_over_relay()

    assert (code, out) == (0, f"{WHOLE}, left out 0, drafts 0\n")
    assert pauses == [2.0]
    assert "Remote end closed connection without response" in caplog.text
    assert relay.verbs == STEPS[:step] + STEPS[step - 1 :]
    assert published() == {"first", "second"}


@pytest.mark.parametrize("step", every_nth(range(1, 5), 2))
@pytest.mark.parametrize("moment", ["before", "after"])
def test_killed_client(import_over_relay, start_import, relay, step, moment):
    """
    An interrupted import has no effect, and the next run sends only the missing parts.
    """
    reached = Event()

    def kill(verb, number):
        if number == step and not reached.is_set():
            process.kill()
            process.wait()
            reached.set()
            # It had sent only the beginning.
            raise Cut

    setattr(relay, moment, kill)
    process = start_import()
    assert reached.wait(60)
    is_applied = (step, moment) == (4, "after")
    assert published() == ({"first", "second"} if is_applied else set())

    code, _, _ = import_over_relay()

    # Received texts and files are not sent again.
    done = STEPS[1 : min(3, step if moment == "after" else step - 1)]
    assert (code, published()) == (0, {"first", "second"})
    assert relay.verbs == [verb for verb in STEPS if verb not in done]


@pytest.mark.parametrize("step", [2, 4])
def test_interrupted_client(start_import, relay, step):
    """Ctrl-C ends the import at once, with a sentence on how to continue."""

    def interrupt(verb, number):
        if number == step:
            process.send_signal(signal.SIGINT)
            process.wait()

    relay.before = interrupt
    process = start_import()

    _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert err == (
        "masthead: Interrupted. Run it again to go on: what was sent is kept for a"
        " day.\n"
    )
    assert not published()


def test_newer_import(import_over_relay, relay, tree, start_import):
    """
    Of two concurrent imports the older one is rejected, and the newer one is applied.
    """
    outcome = []

    def import_newer(verb, number):
        if verb == "apply" and not outcome:
            (tree / "first.md").write_text("# First\n\nNewer.\n")
            outcome.append(None)
            outcome.append(start_import().wait(60))

    relay.before = import_newer

    code, _, err = import_over_relay()

    assert outcome[1] == 0
    assert (code, err) == (
        2,
        f"masthead: {relay.url}: A newer import of the tree 'tree' has started since"
        " this one, and replaces it. If this one has the newer files, start it"
        " again.\n",
    )
    assert published() == {"first", "second"}


def test_document_that_changes_meanwhile(import_over_relay, relay, docs_project, tree):
    """A text that the server no longer has is sent after all."""
    import_over_relay()
    (tree / "third.md").write_text("# Third\n\nThe second page.\n")
    relay_requests = []

    def edit(verb, number):
        if verb == "apply" and not relay_requests:
            relay_requests.append(verb)
            document = DocumentRow.get(DocumentRow.slug == "second")
            docs_project.update({"id": document.id}, content="By hand.\n")

    relay.before = edit

    code, out, err = import_over_relay()

    assert relay.verbs == ["start", "apply", "start", "add-texts", "apply"]
    assert (code, "created 1" in out, "held: basics/second.md" in err) == (
        1,
        True,
        True,
    )


def test_rate_limit(import_over_relay, relay, pauses, caplog):
    """The import waits as long as the server requests, and continues."""
    limited = {
        "type": "https://x/problems/rate-limited/",
        "detail": "This API key has reached its rate limit.",
    }
    headers = {"Content-Type": "application/problem+json", "Retry-After": "7"}

    def limit(verb, number):
        if number in (1, 3, 4):
            return 429, headers, json.dumps(limited).encode()
        return None

    relay.before = limit

    code, _, _ = import_over_relay()

    assert (code, pauses) == (0, [7.0, 7.0, 7.0])
    assert "This API key has reached its rate limit" in caplog.text


def test_proxy_with_a_small_limit(import_over_relay, relay, tree):
    """
    Texts are sent in smaller and smaller parts; a picture that is too large is skipped.
    """

    def limit(verb, number):
        _, body = relay.requests[-1]
        is_too_large = verb in ("add-texts", "add-file") and len(body) > 120
        return (
            (413, {"Content-Type": "text/html"}, b"<h1>413") if is_too_large else None
        )

    (tree / "a.png").write_bytes((tree / "a.png").read_bytes() + bytes(200))
    relay.before = limit

    code, out, err = import_over_relay()

    assert code == 1
    assert "created 2" in out
    assert len(relay.sent("add-texts")) == 3
    assert "left out: a.png: The proxy in front of" in err
    assert "client_max_body_size" in err


def test_newer_server(import_over_relay, relay):
    """Fields that this version does not know are ignored."""

    def add_fields(verb, number):
        if verb != "start":
            return None
        result = {"id": "0199d6c1-3b6a-7a10-8d5f-3f2a5f1c9b01", "projectId": None}
        return 200, {}, json.dumps({"data": result | {"new": 1}}).encode()

    relay.before = add_fields

    code, _, err = import_over_relay()

    assert code == 2
    assert "another version of Masthead" in err


@pytest.mark.parametrize("missing", STEPS)
def test_missing_scope(import_over_relay, issue, tmp_path, relay, missing):
    """A missing scope is named before anything is uploaded."""
    scopes = [f"projects:document-imports:{verb}" for verb in STEPS if verb != missing]
    written_key(tmp_path, issue(*scopes))

    code, _, err = import_over_relay()

    assert (code, err) == (
        2,
        f"masthead: {relay.url}: The key in MASTHEAD_KEY_FILE lacks scopes that an"
        f" import needs: projects:document-imports:{missing}. Use a key with"
        " projects:document-imports:*.\n",
    )
    assert relay.requests == []


def test_key_for_something_else(import_over_relay, issue, tmp_path, relay):
    """All missing scopes are named at once."""
    written_key(tmp_path, issue("projects:documents:*"))

    code, _, err = import_over_relay()

    names = ", ".join(f"projects:document-imports:{verb}" for verb in STEPS)
    assert (code, f"import needs: {names}." in err) == (2, True)
    assert relay.requests == []


def test_scopes_are_checked_once(import_over_relay, relay, pauses):
    """Each scope is checked once in an import, however often it restarts."""
    lost = []

    def lose(verb, number):
        if verb == "apply" and not lost:
            lost.append(DocumentImportRow.delete().execute())

    relay.before = lose

    code, _, _ = import_over_relay()

    assert (code, lost, relay.verbs) == (0, [1], STEPS + STEPS)
    assert relay.scope_checks == STEPS
