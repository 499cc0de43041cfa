"""The forms of all operations: their content, responses and problems."""

import json
import random
import subprocess
from io import BytesIO
from urllib.parse import parse_qsl, urlsplit

import pytest

from api.console.forms.fields import form_fields
from api.console.operations.curl import MAX_ARGUMENT, curl_line
from api.console.operations.operations import (
    MAX_SERVICES,
    _entries,
    _examples,
    _json_example,
)
from api.operation import OPERATIONS
from models.audit import AuditRow
from models.locales import load_locale
from models.status.services.rows import ServiceRow
from tests.conftest import NOON, ROUTES
from tests.console.shown_form import ShownForm, shown_data
from tests.factories.projects import OWNER
from tests.nightly import every_nth

ENGLISH = load_locale("en", part="console")
SERVICES = "operations/status/services/"
ADD, REMOVE = SERVICES + "add/", SERVICES + "remove/"
PROJECT = {"slug": "one", "name": "One", "ownerId": OWNER}
LABELS = "operations/projects/labels/"
KEYS = "operations/platform/keys/"
BY_PATH = {entry.path: entry for entry in _entries()}


@pytest.fixture
def send(person):
    """Fill in the form at an address and press one of its buttons."""

    def sent(path, request, button="_send", by=person, **more):
        form = ShownForm(by.get(path).text, f"/console/{path}")
        fields = form.filled(request, **{button: form.buttons[button]}, **more)
        if form.method == "get":
            return by.get(path, query_string=fields)
        return by.post(path, fields, content_type="multipart/form-data")

    return sent


def test_every_operation_is_listed(person):
    """
    Each operation has its own address, with the first sentence of its description.
    """
    page = person.get("operations/").text

    assert len(BY_PATH) == len(OPERATIONS)
    for path, entry in BY_PATH.items():
        assert f'href="/console/{path}"' in page
        assert entry.summary
    assert "Needs <code>" not in page
    assert LABELS + "admin-list/" in BY_PATH


def test_search(person):
    """All words must occur, in any order and case."""
    page = person.get("operations/?q=REMOVE+label").text

    assert f'href="/console/{LABELS}remove/"' in page
    assert f'href="/console/{LABELS}create/"' not in page
    assert "0 operations" in person.get("operations/?q=label+ghost").text
    hostile = person.get("operations/", query_string={"q": '"><script>x'}).text
    assert "<script>x" not in hostile


def test_what_the_key_may_not_do(visitor, issue):
    """An operation without the scope is marked with it, and has no button."""
    someone = visitor()
    someone.sign_in(issue("status:services:list"))

    listed, page = someone.get("operations/").text, someone.get(ADD).text

    assert listed.count("Needs <code>") == len(OPERATIONS) - 1
    assert "lacks the scope <code>status:admin:services:add</code>" in page
    assert "<button name" not in page
    refused = someone.post(ADD, {"slug": "a", "name": "A", "_send": "1"})
    assert refused.status_code == 403
    assert not ServiceRow.select().exists()


@pytest.mark.parametrize("path", every_nth(sorted(BY_PATH), 3))
def test_form(path, person):
    """A form has a control for every declared field, with its limits."""
    page = person.get(path)

    assert page.status_code == 200
    form = ShownForm(page.text, f"/console/{path}")
    operation = BY_PATH[path].operation
    assert form_fields(operation).keys() <= form.controls.keys()
    assert ("_dry-run" in form.buttons) == operation.is_mutation
    assert operation.scope in page.text
    for field in form_fields(operation).values():
        assert field.bounds(ENGLISH) in page.text


@pytest.mark.parametrize("path", every_nth(sorted(BY_PATH), 3))
def test_refused_form(path, person):
    """An invalid value of each field is rejected, with the name of the field."""
    operation = BY_PATH[path].operation
    fields = form_fields(operation)
    wrong = dict.fromkeys(fields, "\x00{") | {"_send": "1"}

    if operation.method == "GET":
        refused = person.get(path, query_string=wrong)
    else:
        refused = person.post(path, wrong, content_type="multipart/form-data")

    assert refused.status_code < 500, refused.text
    if fields:
        assert refused.status_code >= 400
        assert 'class="problem" role="alert"' in refused.text


@pytest.mark.parametrize("path", sorted(BY_PATH))
def test_examples(path):
    """The example of a JSON field is valid JSON."""
    operation = BY_PATH[path].operation
    fields = form_fields(operation)
    shown = {n: _json_example(operation, n) for n in fields if fields[n].kind == "json"}
    example = _examples(operation) | {n: json.loads(text) for n, text in shown.items()}

    if operation.method == "POST" and operation.read_upload is None:
        operation.request.model_validate_json(json.dumps(example), by_name=False)


@pytest.mark.parametrize(
    "path", ["operations/status/ghosts/add/", "operations/status/services/list/x/"]
)
def test_unknown_operation(path, person):
    """An address without an operation is a 404 page."""
    assert person.get(path).status_code == 404


def test_get_is_not_posted(person):
    """A read has an address with its parameters; nothing is posted."""
    assert person.post(KEYS + "list/", {"_send": "1"}).status_code == 404


def test_done_once(person, audited):
    """
    A form that is sent twice is done once; the next form has a new Idempotency-Key.
    """
    form = ShownForm(person.get(ADD).text, f"/console/{ADD}")
    sent = form.filled({"slug": "api", "name": "API"}, _send="1")

    first, second = (person.post(ADD, sent) for _ in range(2))

    assert first.status_code == second.status_code == 200
    assert shown_data(first.text) == shown_data(second.text)
    assert "This was done before" in second.text
    assert audited()[-2:] != ["service.added"] * 2
    again = ShownForm(first.text, f"/console/{ADD}")
    assert again.controls["_key"][0].value != sent["_key"]


def test_dry_run(send, audited):
    """A dry run shows the result, and changes nothing."""
    before = audited()

    page = send(ADD, {"slug": "api", "name": "API"}, "_dry-run").text

    assert "Nothing was changed" in page
    assert shown_data(page)["slug"] == "api"
    assert "Dry-Run: true" in page
    assert audited() == before
    assert not ServiceRow.select().exists()


def test_refusal(send, person):
    """A problem is shown beside its field, and the input is kept."""
    fields = {"slug": "No slug", "name": "\u202e<b>"}

    refused = send(ADD, fields)

    assert refused.status_code == 422
    form = ShownForm(refused.text, f"/console/{ADD}")
    assert form.controls["slug"][0].attributes["aria-invalid"] == "true"
    assert form.controls["slug"][0].value == "No slug"
    assert form.controls["name"][0].value == "\u202e<b>"
    done = person.post(ADD, form.filled({"slug": "api"}, _send="1"))
    assert done.status_code == 200
    assert ServiceRow.get().name == "\u202e<b>"
    missing = person.post(REMOVE, {"slug": "ghost", "_send": "1"})
    assert missing.status_code == 404
    assert 'role="alert"' in missing.text
    assert "ghost" in missing.text


def test_services_are_chosen(api, person):
    """
    Services are ticked, disabled ones too if they are in use; those in a link stay.
    """
    for slug in ("api", "mail", "docs", "search"):
        api("POST /status/v1/admin/services/add", {"slug": slug, "name": slug.upper()})
    api("POST /status/v1/admin/services/update", {"slug": "mail", "enabled": False})
    path = f"{SERVICES}update/"

    named = ShownForm(person.get(f"{path}?slug=gone").text, f"/console/{path}")
    several = "operations/status/incidents/add/"
    boxes = ShownForm(person.get(several).text, f"/console/{several}")

    (slug,) = named.controls["slug"]
    assert {"api", "mail", "gone"} <= set(slug.options)
    assert slug.value == "gone"
    assert [box.value for box in boxes.controls["services"]] == [
        "api",
        "docs",
        "search",
    ]


def test_many_services_are_typed(person):
    """Beyond some hundred services, they are typed instead of ticked."""
    for n in range(MAX_SERVICES + 1):
        ServiceRow.create(
            id=str(n),
            slug=f"s{n}",
            name=f"S {n}",
            display_order=0,
            enabled=True,
            created_at=NOON,
            updated_at=NOON,
        )

    form = ShownForm(person.get(REMOVE).text, f"/console/{SERVICES}remove/")

    assert form.controls["slug"][0].tag == "input"


def test_pages_of_a_list(issue, send, person):
    """The address has the filters, and the page links to the next one."""
    for n in range(3):
        issue("status:services:list", name=f"k{n}")

    first = send(KEYS + "list/", {"limit": 2})
    (link,) = [part for part in first.text.split('"') if "cursor=" in part]
    second = person.client.get(link.replace("&amp;", "&"))

    assert second.status_code == 200
    seen = [*shown_data(first.text), *shown_data(second.text)]
    assert len({key["id"] for key in seen}) == 4
    query = dict(parse_qsl(urlsplit(link.replace("&amp;", "&")).query))
    assert query["limit"] == "2"


def test_table(api, send):
    """A list of flat objects is a table, and JSON below it."""
    api("POST /projects/v1/projects/create", PROJECT | {"name": "<b>One"})

    page = send("operations/projects/projects/list/", {}).text

    assert "<th scope" in page
    assert "<bdi>&lt;b&gt;One</bdi>" in page
    assert "As JSON" in page


def test_secret_is_shown_once(send, person):
    """A secret is shown once, and a dry run shows none."""
    fields = {"name": "probe", "scopes": ["status:services:list"]}

    dry = send(KEYS + "add/", fields, "_dry-run").text
    page = send(KEYS + "add/", fields).text

    assert "Secret, which is shown only now" in page
    assert shown_data(page)["secret"] == "…"
    assert "shown only now" not in dry
    secret = page.partition('id="secret" value="')[2].partition('"')[0]
    assert (
        person.client.get(
            "/status/v1/services/list", headers={"Authorization": f"Bearer {secret}"}
        ).status_code
        == 200
    )


def test_link_fills_in_a_form(person):
    """Other pages link to an operation with filled-in fields; nothing is sent."""
    path = f"{SERVICES}add/"

    page = person.get(path, query_string={"slug": "api", "enabled": "false"}).text

    form = ShownForm(page, f"/console/{path}")
    assert form.controls["slug"][0].value == "api"
    assert form.controls["displayOrder"][0].value == "0"
    assert "checked" not in form.controls["enabled"][0].attributes
    assert not ServiceRow.select().exists()


def test_session_that_acts_for_somebody(visitor, issue):
    """The curl line has the person that the session acts for."""
    someone = visitor()
    someone.sign_in(issue("*", "platform:actors:assert"), email="ada@example.org")

    assert "Act-As-Email: ada@example.org" in someone.get(ADD).text


SIGNS = "a'\"\\$`!*?~#&;|<>(){}[]%+=,@-\n\t \u00e9\u202e\u2028\U0001f600"


def arguments(line):
    """Return what a shell passes to curl as arguments and as input."""
    script = """
        curl() {
            printf '%s\\0' "$@"
            for last; do :; done
            if [ "$last" = @- ]; then cat; fi
        }
        KEY=k
    """
    run = subprocess.run(
        ["/bin/sh"], input=(script + line).encode(), stdout=subprocess.PIPE, check=True
    )
    *passed, read = run.stdout.decode().split("\0")
    return passed, read


def options(line):
    """Return the URL, the headers and the data of a curl line."""
    passed, read = arguments(line)
    data = {"-H": [], "--json": [], "--data-urlencode": [], "--data": []}
    data |= {"--data-binary": [], "url": []}
    is_query = "-G" in passed
    words = iter([word for word in passed if word != "-G"])
    for word in words:
        (data["url"] if word not in data else data[word]).append(
            word if word not in data else next(words)
        )
    return data, read, is_query


def sent_by(line):
    """Return the fields that curl would send."""
    data, read, is_query = options(line)
    if data["--json"]:
        text = data["--json"][0]
        return json.loads(read if text == "@-" else text)
    (url,) = data["url"]
    pairs = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    assert is_query or not (data["--data"] or data["--data-urlencode"])
    pairs += [tuple(each.split("=", 1)) for each in data["--data-urlencode"]]
    pairs += parse_qsl("&".join(data["--data"]), keep_blank_values=True)
    return dict(pairs)


@pytest.mark.parametrize(
    "route",
    [
        "POST /status/v1/admin/incidents/add",
        "GET /projects/v1/search/list",
        "POST /projects/v1/files/add",
    ],
)
def test_curl_line(route):
    """A shell passes on exactly what the form sends, whatever the values contain."""
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    for _ in range(25):
        names = chance.sample(list(form_fields(ROUTES[route])), 2)
        fields = {n: "".join(chance.choices(SIGNS, k=9)) + "." for n in names}
        headers = {"Act-As-Email": "o'$(x)@example.org"}

        line = curl_line(
            ROUTES[route], fields, origin="https://a.example", headers=headers
        )

        assert sent_by(line) == fields, f"seed {seed}"
        passed, _ = arguments(line)
        assert "Authorization: Bearer k" in passed
        assert "Act-As-Email: o'$(x)@example.org" in passed
        assert all(c.isprintable() or c == "\n" for c in line)


def test_long_curl_line():
    """A body that is too long for an argument is passed as input."""
    fields = {"body": "\n'$x é" * MAX_ARGUMENT}
    operation = ROUTES["POST /status/v1/admin/incidents/add"]

    line = curl_line(operation, fields, origin="https://a.example", headers={})

    assert sent_by(line) == fields


def test_file(api, send, person):
    """A file is uploaded by its control, and downloaded with its name."""
    project = api("POST /projects/v1/projects/create", PROJECT)
    fields = {"projectId": project.json["data"]["id"], "name": "a-b.txt"}
    added = send(
        "operations/projects/files/add/", fields, _file=(BytesIO(b"Words."), "x.html")
    )
    assert added.status_code == 200, added.text
    content = send("operations/projects/files/content/", fields)

    assert shown_data(added.text)["name"] == "a-b.txt"
    assert "--data-binary @FILE" in added.text
    assert content.data == b"Words."
    assert "attachment" in content.headers["Content-Disposition"]
    assert "sandbox" in content.headers["Content-Security-Policy"]
    refused = send(
        "operations/projects/files/add/",
        fields | {"name": "a.png"},
        _file=(BytesIO(b"Words."), "x.png"),
    )
    assert refused.status_code == 415
    assert "its content is not PNG" in refused.text


def test_export(api, send):
    """A streamed response is a file to download, whatever its length."""
    project = api("POST /projects/v1/projects/create", PROJECT)
    fields = {"id": project.json["data"]["id"]}

    exported = send("operations/projects/projects/export/", fields)

    assert exported.status_code == 200
    assert "projects-export.json" in exported.headers["Content-Disposition"]
    assert exported.json["data"]["project"]["slug"] == "one"


def test_what_was_read_is_not_recorded(send):
    """Reading changes nothing."""
    before = AuditRow.select().count()

    send("operations/status/services/admin-list/", {})

    assert AuditRow.select().count() == before
