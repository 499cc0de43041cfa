"""All our own words on console pages come from the texts of a language."""

import re
from dataclasses import replace

import pytest

from api.console.operations.operations import _entries
from api.http.application import create_app
from api.http.problem_types import PROBLEM_TYPES
from api.operation import OPERATIONS
from models.locales import (
    available_languages,
    forget_languages,
    load_locale,
)
from models.notifications.deliveries.fan_out import fan_out
from models.notifications.rows import DeliveryRow
from models.platform.keys import CreateKey, issue_key
from models.storage.database import writing
from sitegen.builder.preview import Preview
from sitegen.theme.console_theme import PART, ConsoleTheme
from tests.console.conftest import Controls, Person
from tests.factories.languages import (
    SIGN,
    TAG,
    WORD,
    add_marked_languages,
    unmarked_words,
    words_of_dates,
)
from tests.factories.life import Life
from tests.factories.notifications import ALL_LIVE, subscribe
from tests.factories.projects import CONTRIBUTOR, OWNER, STRANGER

STATUS, PROJECTS = "POST /status/v1/admin", "POST /projects/v1"
# Text that is not translated: names, and the test data.
NAMES = {"Masthead", "Markdown", "JSON", "ID", "API", "curl"}
NAMES |= {"Atlas", "atlas", "docs", "lock", "new", "probe", "web", "operator"}
# Text that the API wrote, but people could have written.
NAMES |= {"test", "Documentation", "Restored version"}
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Codes and addresses, such as incident.opened, mh_ab12 or an id.
CODE = re.compile(
    rf"https?://\S+|\S+@\S+|{ID.pattern}|…[0-9a-f]+"
    r"|[a-z-]+([.:/][a-z*-]+)+"
)
LINK = re.compile(r'href="/console/([^"#]*)"')
# Addresses that are no pages; and enough is seen of what the menu links to.
LEFT_OUT = re.compile(r"documents/files/|assets/|operations/|sign-|.*[?&](cursor|q)=")
# No rate limit, because the clock stands still.
FAST = {"rate_capacity": 10_000, "rate_refill": 10_000}


class Teller(Life):
    """A life of projects whose texts are marked as written by people."""

    def words(self):
        return f"{SIGN}{super().words()}{SIGN}"


@pytest.fixture
def marked_app(store, settings, clock, tmp_path):
    """The application with a console whose texts are marked."""
    templates = add_marked_languages(tmp_path / "own", TAG, parts=("", PART))
    settings = replace(settings, templates=templates)
    forget_languages()
    yield create_app(
        settings,
        clock=clock,
        preview=Preview(settings.output),
        console_theme=ConsoleTheme(settings),
    )
    forget_languages()


@pytest.fixture
def visit(marked_app):
    """Return another browser that prefers the marked language."""

    def visit(key=None, **fields):
        client = marked_app.test_client()
        client.environ_base["HTTP_ACCEPT_LANGUAGE"] = TAG
        someone = Person(client)
        if key:
            assert someone.sign_in(key, **fields).status_code == 303
        return someone

    return visit


@pytest.fixture
def act(visit, clock):
    """Sign in as this account, with a key for all scopes."""

    def act(account):
        with writing():
            request = CreateKey(name=by_people("me"), scopes=["*"], **FAST)
            _, secret = issue_key(
                request, clock.now, issuer="ada@example.com", account_id=account
            )
        return visit(secret.text)

    return act


@pytest.fixture
def known():
    tags = available_languages()
    languages = {load_locale(tag).own_name for tag in tags}
    problems = {each.title for each in PROBLEM_TYPES.values()}
    return NAMES | words_of_dates() | problems | languages | {"svenska", "Svenska"}


def by_people(text):
    return f"{SIGN}{text}{SIGN}"


def write_status(api, clock):
    """Create services, incidents, maintenance and subscriptions of every kind."""

    def do(path, **body):
        response = api(f"{STATUS}/{path}", body)
        assert response.status_code == 200, response.text
        return response.json["data"]

    for slug in ("s-1", "s-2", "s-3"):
        more = {"group": by_people("Edge"), "description": by_people("Answers.")}
        do("services/add", slug=slug, name=by_people(slug), **more)
    sample = {"slug": "s-1", "status": "operational", "responseTimeMs": 1234}
    sample |= {"observedAt": clock.now.isoformat()}
    do("measurements/record", source="s-0", measurements=[sample])
    do("services/remove", slug="s-3")
    words = {
        "title": by_people("Late"),
        "body": by_people("Found it."),
        "services": ["s-1"],
    }
    opened = do("incidents/add", **words, severity="degraded")
    entry = {"status": "identified", "body": by_people("Because.")}
    added = do("incident-updates/add", incidentId=opened["id"], **entry)
    do("incident-updates/update", id=added["id"], body=by_people("Since then."))
    removed = do(
        "incident-updates/add", incidentId=opened["id"], body=by_people("Wrong.")
    )
    do("incident-updates/remove", id=removed["id"])
    done = do(
        "incidents/add", **words | {"title": by_people("Past")}, severity="degraded"
    )
    do("incident-updates/add", incidentId=done["id"], status="resolved", body="…")
    template = {
        "name": by_people("Usual"),
        "title": by_people("Slow"),
        "body": by_people("Known."),
    }
    do("incident-templates/add", **template, severity="degraded")
    for title, start, end in (("Now", 0, 1), ("Soon", 2, 3), ("Never", 4, 5)):
        times = {"startsAt": hour(clock, start), "endsAt": hour(clock, end)}
        more = {"services": ["s-2"], "description": by_people("Patience.")}
        planned = do("maintenance/add", title=by_people(title), **times, **more)
    do("maintenance/update", id=planned["id"], status="cancelled")
    write_subscriptions(api, clock)


def write_subscriptions(api, clock):
    for number, fields in enumerate(({}, {"services": ["s-1"]})):
        subscribe(clock.now, f"https://tool.example.com/{number}", **fields)
    subscribe(clock.now, "mia@example.com", channel="email", source="self")
    words = {
        "title": by_people("More"),
        "body": by_people("Again."),
        "services": ["s-1"],
    }
    api(f"{STATUS}/incidents/add", words | {"severity": "major-outage"})
    fan_out(clock.now, ALL_LIVE)
    first = DeliveryRow.select().first()
    DeliveryRow.update(status="given-up", answer=by_people("503")).where(
        DeliveryRow.id == first.id
    ).execute()


def hour(clock, number):
    return clock.now.replace(hour=12 + number).isoformat()


def write_projects(api, docs_project):
    """Create projects with all kinds of content, changed and archived in every way."""
    life = Teller(api, seed=3)
    for _ in range(150):
        life.step()
    project = {"projectId": life.project}
    life.do("projects/update", {"id": life.project, "status": "paused"})
    for verb in ("add", "update"):
        member = {"accountId": STRANGER, "role": "reader" if verb == "add" else "owner"}
        life.do(f"members/{verb}", project | member)
    life.do("members/remove", project | {"accountId": STRANGER})
    other = life.do("projects/create", {"slug": "b", "name": "Atlas", "ownerId": OWNER})
    life.do("projects/remove", {"id": other["id"]})
    broken = f"{by_people('See')} [{by_people('that')}](nowhere.md).\n"
    docs_project.publish(
        "d-1", by_people("One."), title=by_people("One"), section=by_people("Start")
    )
    changed = docs_project.publish(
        "d-2", broken, title=by_people("Two"), summary=by_people("In short")
    )
    docs_project.update(
        changed, content=by_people("Other."), note=by_people("Better"), type="rfc"
    )
    withdrawn = docs_project.publish("d-3", title=by_people("Three"))
    docs_project.withdraw(withdrawn)
    life.do("documents/remove", {"id": withdrawn["id"]})
    return life


@pytest.fixture
def life(api, clock, docs_project):
    write_status(api, clock)
    return write_projects(api, docs_project)


class Crawl:
    """Opens page after page, and collects unmarked words on each."""

    def __init__(self, person, known, clock):
        self.person, self.known, self.clock = person, known, clock
        self.found, self.pages = {}, {}

    def check(self, name, response):
        self.clock.pass_(seconds=1)
        assert response.status_code < 500, name
        assert "Something went wrong" not in response.text, name
        if response.mimetype != "text/html":
            return
        words = unmarked_words(response.text, self.known, ["data-search"])
        for word in words:
            if not self.is_known(word):
                self.found.setdefault(word, name)

    def is_known(self, words):
        text = CODE.sub("", words).strip(" –0123456789")
        return text in self.known or set(WORD.findall(text)) <= self.known

    def open(self, *paths):
        """Open the pages and those that they link to."""
        ahead = [*paths]
        while ahead:
            path = ahead.pop()
            if path in self.pages or LEFT_OUT.match(path):
                continue
            response = self.person.get(path)
            self.pages[path] = response.text
            self.check(path, response)
            ahead += [
                link.replace("&amp;", "&") for link in LINK.findall(response.text)
            ]

    def send_empty(self):
        """Send an empty form of each kind that was seen."""
        sent = {}
        for html in self.pages.values():
            for action, fields in Controls(html).forms.items():
                if action and not LEFT_OUT.match(action.removeprefix("/console/")):
                    kind = ID.sub("", action), frozenset(fields)
                    sent.setdefault(kind, (action, fields))
        for action, fields in sent.values():
            own = {n: v for n, v in fields.items() if n.startswith("_")}
            empty = {n: "" for n in fields if not n.startswith("_")}
            path = action.removeprefix("/console/")
            self.check(f"POST {path}", self.person.post(path, own | empty))
            wrong = dict.fromkeys(empty, "°-°")
            self.check(f"POST {path} wrong", self.person.post(path, own | wrong))


def test_pages(act, life, known, clock):
    """A page, and a rejected form, have no words except those of the language."""
    crawl = Crawl(act(OWNER), known, clock)

    crawl.open("", "nothing/", "incidents/nothing/", "audit/?from=x&to=y")
    seen = len(crawl.pages)
    crawl.send_empty()

    assert seen > 100
    assert crawl.found == {}


def test_pages_of_who_may_only_read(act, visit, issue, life, known, clock):
    """Messages about missing scopes or roles are in the language."""
    scopes = [each.scope for each in OPERATIONS if each.method == "GET"]
    reader = issue(*scopes, name=by_people("me"), **FAST)
    for person in (act(CONTRIBUTOR), visit(reader)):
        crawl = Crawl(person, known, clock)

        crawl.open("", "keys/issue/", "incidents/open/", "services/_add/")

        assert crawl.found == {}


def test_operations(visit, issue, known, clock):
    """The form of an operation has our texts, and those of the OpenAPI document."""
    crawl = Crawl(visit(issue("*", name=by_people("me"))), known, clock)

    for path in ("operations/", "operations/?q=label", *(e.path for e in _entries())):
        crawl.check(path, crawl.person.get(path))
    path = "operations/status/services/"
    crawl.check("list", crawl.person.get(f"{path}admin-list/?_send=1"))
    for button in ("_send", "_dry-run", "_curl"):
        sent = {"slug": "a", "name": by_people("A"), button: "1"}
        crawl.check(button, crawl.person.post(f"{path}add/", sent))
    wrong = {"measurements": "[", "_send": "1"}
    path = "operations/status/measurements/record/"
    crawl.check("wrong", crawl.person.post(path, wrong))

    assert crawl.found == {}


def test_signing_in(visit, issue, known, clock):
    """The pages for visitors who are not signed in are in the language as well."""
    anonymous = visit()
    crawl = Crawl(anonymous, known, clock)
    key = issue("*", name=by_people("me"))

    crawl.check("form", anonymous.get("sign-in/?done=signed-out"))
    crawl.check("cookie", anonymous.get("sign-in/check/"))
    for _ in range(12):
        crawl.check("wrong key", anonymous.sign_in("mh_wrong"))
    crawl.check("person", anonymous.sign_in(key, email="nobody"))
    response = anonymous.post("keys/issue/", {"name": by_people("a"), "_by": "other"})
    crawl.check("ended", response)
    for by in ("other", None):
        fields = {"_kept.name": by_people("a"), "_next": "/console/keys/issue/"}
        fields |= {"_kept._by": by} if by else {}
        someone = visit()
        crawl.check("kept", someone.sign_in(key, email="mia@example.com", **fields))
    someone.get("")
    crawl.check("session", someone.get("session/"))
    crawl.check("elsewhere", anonymous.post("", {}, headers={"Sec-Fetch-Site": "none"}))
    crawl.check("method", someone.post("nothing/", {}))
    crawl.check("large", someone.post("keys/issue/", {"name": "x" * 5_000_000}))
    crawl.check("no form", someone.client.post("/console/sign-in/", data="\xff"))

    assert crawl.found == {}


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<p>Words of ours</p>", ["Words of ours"]),
        ('<input placeholder="Find">', ["Find"]),
        ('<p>\u00b0Ada\u00b0 <span lang="en">Is required.</span></p>', []),
    ],
)
def test_words_of_a_page(html, words):
    """All readable words count, unless they are by people or in English."""
    assert unmarked_words(html, set()) == words
