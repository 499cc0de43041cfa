"""`app.py incident`: managing incidents on a server from another machine."""

import io
import json
import re

import pytest

from models.notifications.rows import EventRow
from models.status.incidents.incidents import IncidentRow, IncidentUpdateRow
from tests.commands.remote.conftest import Cut, written_key
from tests.conventions.words import MANUAL
from tests.factories.notifications import subscribe
from tests.probing.conftest import KEY

OPEN = (
    *("incident", "open", "Greetings arrive late", "--service", "hello"),
    *("--severity", "degraded", "--message", "We are *looking*."),
)


def incidents():
    return [(row.title, row.status, row.severity) for row in IncidentRow.select()]


def timeline():
    rows = IncidentUpdateRow.select().order_by(IncidentUpdateRow.number)
    return [(row.status, row.body) for row in rows]


@pytest.fixture
def opened(status_page, run):
    """The id of an open incident."""
    return run(*OPEN)[1].strip()


def test_open(status_page, run, relay):
    """
    For scripts only the id is printed; for people also the page and the next commands.
    """
    code, out, err = run(*OPEN, "--service", "search")

    (incident,) = IncidentRow.select()
    id, page = incident.id, f"{relay.url}/status/incidents/{incident.id}/"
    assert (code, out) == (0, f"{id}\n")
    assert err == (
        'Opened "Greetings arrive late": degraded, investigating.\n'
        f"Page: {page}\n"
        f'To post an update: app.py incident update {id} --message "…"\n'
        f'To resolve it: app.py incident resolve {id} --message "…"\n'
    )
    assert timeline() == [("investigating", "We are *looking*.")]
    sent = json.loads(relay.sent("add")[0])
    assert sent["services"] == ["hello", "search"]
    assert "notify" not in sent


def test_open_at_another_url(status_page, run, relay, monkeypatch):
    """--to takes precedence over the setting, and is part of the next commands."""
    monkeypatch.setenv("MASTHEAD_API_URL", "https://nowhere.invalid")
    monkeypatch.setenv("MASTHEAD_SITE_URL", "https://status.example.com")

    code, out, err = run(*OPEN, "--to", relay.url)

    assert code == 0
    assert f"Page: https://status.example.com/status/incidents/{out.strip()}/\n" in err
    assert f'resolve {out.strip()} --message "…" --to {relay.url}\n' in err


def test_options_of_open(status_page, run, relay, monkeypatch):
    """
    The message can be piped, and the incident can be opened without notifications.
    """
    monkeypatch.setattr("sys.stdin", io.StringIO("From a *pipe*.\n\n- one\n\n"))
    words = [word if word != "We are *looking*." else "-" for word in OPEN]

    code, out, _ = run(*words, "--status", "identified", "--no-notify", "--json")

    result = json.loads(out)
    (sent,) = map(json.loads, relay.sent("add"))
    assert code == 0
    assert timeline() == [("identified", "From a *pipe*.\n\n- one")]
    assert sent["notify"] is False
    assert result["incident"]["id"] == result["id"]
    assert result["page"] == f"{relay.url}/status/incidents/{result['id']}/"
    assert (result["dryRun"], result["replayed"]) == (False, False)


@pytest.mark.parametrize("piped", [None, "\n \n"])
def test_empty_message(status_page, run, relay, monkeypatch, piped):
    """An empty message of a script is rejected before anything is sent."""
    monkeypatch.setattr("sys.stdin", io.StringIO(piped or ""))
    words = [*OPEN[:-1], "" if piped is None else "-"]

    code, _, err = run(*words)

    assert (code, err.endswith(" is empty.\n")) == (2, True)
    assert relay.requests == []


def test_dry_run(status_page, run):
    """The server validates the command, and opens nothing."""
    fine = run(*OPEN, "--dry-run")
    wrong = run(*OPEN, "--service", "ghost", "--dry-run")

    assert fine == (0, "", "This was a dry run: nothing was changed.\n")
    assert wrong[0] == 2
    assert "No service has the slug 'ghost'." in wrong[2]
    assert incidents() == []


@pytest.mark.parametrize(
    ("slug", "sentence"),
    [
        ("helo", "No service has the slug 'helo'. Did you mean hello?"),
        ("gateway", "Did you mean api-gateway?"),
        ("Public API", "beginning with a letter. Did you mean api-gateway?"),
        ("ghost", "The services are hello, api-gateway, search."),
    ],
)
def test_unknown_service(status_page, run, slug, sentence):
    """Similar services are suggested, by their slugs."""
    words = [slug if word == "hello" else word for word in OPEN]

    code, _, err = run(*words)

    assert (code, sentence in err) == (2, True), err
    assert incidents() == []


def test_unknown_service_for_a_key_that_cannot_list(
    status_page, run, issue, on_call_key
):
    """Without the scope to list services, the server's own sentence is shown."""
    written_key(on_call_key.parent, issue("status:admin:incidents:add"))
    words = ["helo" if word == "hello" else word for word in OPEN]

    code, _, err = run(*words)

    assert (code, err.count("\n")) == (2, 1)
    assert err.endswith("No service has the slug 'helo'.\n")


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.both_engines
def test_answer_that_is_lost(status_page, run, relay, pauses, moment):
    """The request is repeated with its key, so that one incident is opened."""

    def cut(verb, number):
        if number == 1:
            raise Cut

    setattr(relay, moment, cut)

    code, out, _ = run(*OPEN)

    assert (code, pauses, relay.verbs) == (0, [2.0], ["add", "add"])
    assert [row.id for row in IncidentRow] == [out.strip()]


def test_answer_that_stays_lost(status_page, run, relay):
    """The message has the command that repeats this one without a second incident."""

    def cut(verb, number):
        raise Cut

    relay.after = cut
    code, _, err = run(*OPEN)
    relay.after = lambda verb, number: None
    key = err.partition("--idempotency-key ")[2].partition(":")[0]

    again = run(*OPEN, "--idempotency-key", key)

    assert (code, "It is not known whether" in err) == (2, True)
    assert again[0] == 0
    assert again[2].startswith("An earlier command with this idempotency key did this:")
    assert [row.id for row in IncidentRow] == [again[1].strip()]


@pytest.mark.parametrize("status", [502, 504, 500])
def test_proxy_that_may_have_lost_an_answer(status_page, run, relay, status):
    """A proxy's error does not mean that nothing was done, and the message says so."""
    relay.after = lambda verb, number: (status, {"Content-Type": "text/html"}, b"<h1>")

    code, _, err = run(*OPEN)

    assert (code, "It is not known whether" in err) == (2, True), err


def test_server_that_is_away(run):
    """A request that was never sent can be repeated without precautions."""
    code, _, err = run(*OPEN, "--to", "http://127.0.0.1:9")

    (sentence,) = (line for line in err.splitlines() if line.startswith("masthead: "))
    assert code == 2
    assert sentence.endswith(
        "cannot be reached: Connection refused. Check the address."
    )


def test_server_that_nobody_named(run, monkeypatch):
    """The default is a server on this machine, so the message names the setting."""
    monkeypatch.delenv("MASTHEAD_API_URL")
    monkeypatch.setenv("MASTHEAD_PORT", "9")

    code, _, err = run("incident", "list")

    assert (code, "http://127.0.0.1:9 cannot be reached" in err) == (2, True)
    assert err.endswith("Set MASTHEAD_API_URL to the URL of the API.\n")


def test_same_line_twice(status_page, run):
    """Two runs of a command open two incidents, unless they have the same key."""
    run(*OPEN)
    run(*OPEN)
    once = run(*OPEN, "--idempotency-key", "tonight")
    again = run(*OPEN, "--idempotency-key", "tonight", "--json")

    assert len(incidents()) == 3
    assert json.loads(again[1])["id"] == once[1].strip()
    assert json.loads(again[1])["replayed"] is True


@pytest.mark.parametrize("key", ["", "two words", "a\nb", "ä", "x" * 256])
def test_idempotency_key_that_cannot_be_sent(status_page, run, relay, key):
    """An invalid key is rejected, and not replaced."""
    code, _, err = run(*OPEN, "--idempotency-key", key)

    assert (code, err.startswith("masthead: --idempotency-key must be")) == (2, True)
    assert relay.requests == []


def test_update(opened, run, clock):
    """A text can be sent with a status; the only open incident need not be named."""
    clock.pass_(minutes=5)

    named = run(
        *("incident", "update", opened, "--message", "A disk is full."),
        *("--status", "identified"),
    )
    unnamed = run("incident", "update", "--message", "It is being moved.")

    assert (named[0], named[1]) == (0, "")
    assert f"Updated incident {opened}.\n" in named[2]
    assert 'Updated "Greetings arrive late".\n' in unnamed[2]
    assert timeline()[1:] == [
        ("identified", "A disk is full."),
        ("identified", "It is being moved."),
    ]


def test_update_of_everything(opened, run, relay, audited):
    """Severity, services and a text are changed by one command."""
    code, out, _ = run(
        *("incident", "update", opened, "--severity", "major-outage"),
        *("--service", "hello", "--service", "search", "--message", "It is worse."),
        "--json",
    )

    result = json.loads(out)
    (incident,) = IncidentRow.select()
    assert (code, incident.severity) == (0, "major-outage")
    assert [each["slug"] for each in result["incident"]["services"]] == [
        "hello",
        "search",
    ]
    assert result["update"]["body"] == "It is worse."
    assert result["id"] == opened
    assert audited()[-2:] == ["incident.updated", "incident.update-posted"]


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (("--severity", "major-outage", "--message", "It is worse."), 1),
        (("--severity", "major-outage"), 1),
        (("--severity", "major-outage", "--no-notify"), 0),
        (("--severity", "major-outage", "--message", "Worse.", "--no-notify"), 0),
    ],
)
def test_what_an_update_tells(opened, run, clock, words, count):
    """Subscribers get one message for one command, or none."""
    subscribe(clock.now)

    code, _, _ = run("incident", "update", opened, *words)

    events = [row.data["incident"]["incident"]["severity"] for row in EventRow]
    assert (code, events) == (0, ["major-outage"] * count)


def test_update_of_which_a_part_is_refused(opened, run):
    """If one part is rejected neither is done, because both are tried first."""
    code, _, err = run(
        *("incident", "update", opened, "--severity", "major-outage"),
        *("--message", "x" * 4001),
    )

    assert (code, "--message: " in err) == (2, True)
    assert incidents() == [("Greetings arrive late", "investigating", "degraded")]


def test_status_without_a_message(opened, run):
    """A status without a message changes only the incident, not its timeline."""
    run("incident", "update", "--status", "monitoring")

    assert incidents() == [("Greetings arrive late", "monitoring", "degraded")]
    assert len(timeline()) == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "Say what is new"),
        (("--message", " "), "--message is empty"),
    ],
)
def test_update_that_says_nothing(opened, run, words, sentence):
    """An update without changes is rejected."""
    code, _, err = run("incident", "update", opened, *words)

    assert (code, sentence in err) == (2, True)
    assert len(timeline()) == 1


@pytest.mark.parametrize("message", [None, "All is well."])
def test_resolve(opened, run, message):
    """Resolving ends the incident, with an optional last text."""
    words = ["--message", message] if message else []

    code, out, err = run("incident", "resolve", *words)

    assert (code, out) == (0, "")
    assert err.startswith('Resolved "Greetings arrive late".\nPage: ')
    assert incidents() == [("Greetings arrive late", "resolved", "degraded")]
    assert timeline()[1:] == ([("resolved", message)] if message else [])


def test_no_id(status_page, run):
    """Without an id there must be one open incident; the message lists them."""
    none = run("incident", "resolve")
    ids = [status_page.incident("hello") for _ in range(7)]
    many = run("incident", "resolve")

    assert none[2] == "masthead: No incident is open.\n"
    assert many[0] == 2
    assert "7 incidents are open. Give the id of one: " in many[2]
    assert (
        f'{ids[-1]} ("Trouble 7"), ' in many[2] or f'{ids[0]} ("Trouble 1")' in many[2]
    )
    assert many[2].endswith(" and 2 more.\n")
    assert {status for _, status, _ in incidents()} == {"investigating"}


def test_lost_answer_without_an_id(opened, run, relay):
    """The message has the id, because the incident may be closed on a repeat."""

    def cut(verb, number):
        if verb == "add":
            raise Cut

    relay.after = cut

    code, _, err = run("incident", "resolve", "--message", "All is well.")

    assert (code, f" and the id {opened}: " in err) == (2, True)


def test_list(status_page, run, clock):
    """Open incidents are listed, newest first; --all lists the others, too."""
    resolved = status_page.incident("hello")
    run("incident", "resolve", resolved)
    clock.pass_(minutes=1)
    id = status_page.incident("search hello", severity="major-outage")

    code, out, err = run("incident", "list")
    everything = run("incident", "list", "--all", "--json")

    assert (code, err) == (0, "")
    assert out == (
        "id\tstatus\tseverity\tstarted\ttitle\tservices\n"
        f"{id}\tinvestigating\tmajor-outage\t{status_page.text()}\tTrouble 2"
        "\tsearch,hello\n"
    )
    assert [each["id"] for each in json.loads(everything[1])] == [id, resolved]


def test_list_of_several_pages(status_page, run, relay):
    """A list is read to its end, however many pages it has."""
    ids = {status_page.incident("hello") for _ in range(101)}

    _, out, _ = run("incident", "list", "--json")

    assert {each["id"] for each in json.loads(out)} == ids
    assert relay.reads == ["/status/v1/incidents/list"] * 2


def test_empty_list(status_page, run):
    """Scripts get no output, people a sentence."""
    assert run("incident", "list") == (0, "", "There are no open incidents.\n")
    assert run("incident", "list", "--all", "--json")[1] == "[]\n"


def test_no_key(status_page, run, monkeypatch):
    """The message names the setting."""
    monkeypatch.delenv("MASTHEAD_KEY_FILE")

    code, _, err = run(*OPEN)

    assert (code, err) == (
        2,
        "masthead: This command needs an API key: set MASTHEAD_KEY_FILE to its file.\n",
    )


def test_unknown_key(status_page, run, relay, on_call_key):
    """The server's sentence is followed by the source of the key."""
    written_key(on_call_key.parent, KEY)

    code, _, err = run(*OPEN)

    assert (code, err) == (
        2,
        f"masthead: {relay.url}: The API key does not exist or is mistyped."
        " The key is that in MASTHEAD_KEY_FILE.\n",
    )


def test_expired_key(status_page, run, relay, issue, on_call_key, clock):
    """The message distinguishes an expired key from an invalid one."""
    written_key(on_call_key.parent, issue("status:*", expires_in_days=1))
    clock.pass_(days=2)

    code, _, err = run(*OPEN)

    assert (code, "The API key has expired. The key is that in" in err) == (2, True)


def test_missing_scope(status_page, run, relay, issue, on_call_key):
    """The missing scope is named before a part of the change is made."""
    written_key(on_call_key.parent, issue("status:admin:incidents:*"))
    id = run(*OPEN)[1].strip()

    code, _, err = run(
        "incident", "update", id, "--severity", "major-outage", "--message", "Worse."
    )

    assert code == 2
    assert "requires the scope status:admin:incident-updates:add." in err
    assert incidents() == [("Greetings arrive late", "investigating", "degraded")]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([], "another version of Masthead"),
        ({"id": "x; rm -rf /", "title": "T"}, "another version of Masthead"),
        ({"id": ["x"], "title": "T"}, "another version of Masthead"),
        (None, "another version of Masthead"),
    ],
)
def test_answer_that_is_not_an_incident(status_page, run, relay, data, sentence):
    """A hostile server cannot choose the text that people copy from the output."""
    relay.before = lambda verb, number: (200, {}, json.dumps({"data": data}).encode())

    code, out, err = run(*OPEN)

    assert (code, out, sentence in err) == (2, "", True)


def test_text_of_a_hostile_server(status_page, run, relay):
    """Titles cannot move the cursor, and the key is not shown."""
    data = {"id": "x", "title": "a\x1b[2J\nMore", "status": "b"}
    relay.before = lambda verb, number: (200, {}, json.dumps({"data": data}).encode())

    _, _, err = run(*OPEN)

    assert err.startswith('Opened "a\\u001b[2J\\u000aMore": degraded, b.\nPage: ')


def test_id_that_cannot_be_one(status_page, run, relay):
    """A pasted address is rejected as an id, without a request."""
    code, _, err = run("incident", "resolve", f"{relay.url}/status/incidents/x/")

    assert (code, "An id consists of letters" in err) == (2, True)
    assert relay.requests == []


def test_unknown_id(status_page, run):
    """The server's sentence has the id."""
    code, _, err = run("incident", "update", "0199", "--message", "Hi.")

    assert (code, "No incident has the id '0199'." in err) == (2, True)


def test_problem_names_the_option(status_page, run):
    """A problem with a field is reported for its option."""
    code, _, err = run("incident", "open", "x" * 161, *OPEN[3:])

    assert (code, "The title: Must have at most 160 characters." in err) == (2, True)


def test_scopes_of_the_manual(status_page, run, issue, on_call_key):
    """A key with the scopes of the manual page can do all that the page describes."""
    (page,) = (words for words in MANUAL if words.path.stem == "runbooks")
    scopes = re.findall(r'"(status:[a-z:*-]+)"', page.text)
    written_key(on_call_key.parent, issue(*scopes))
    times = ("--starts", "2100-01-01T00:00Z", "--for", "2h")

    id = run(*OPEN)[1].strip()
    codes = [
        run(*words)[0]
        for words in (
            ("incident", "update", "--message", "Worse.", "--severity", "major-outage"),
            ("incident", "resolve", id),
            ("incident", "list"),
            ("maintenance", "plan", "Move", "--service", "hello", *times),
            ("maintenance", "cancel"),
            ("maintenance", "list"),
        )
    ]
    suggestion = run(*("helo" if word == "hello" else word for word in OPEN))[2]

    assert (len(scopes), codes) == (7, [0] * 6)
    assert "Did you mean hello?" in suggestion
