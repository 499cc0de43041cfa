"""A form and the browser's data of it correspond to the JSON of the request."""

import json
import random
import re

import pytest
from werkzeug.datastructures import MultiDict

from api.console.forms.fields import Field, Option, form_fields, is_query
from api.console.forms.form import English, Form
from api.console.forms.submission import IF_EMPTY, LISTED, read_fields
from api.operation import OPERATIONS
from models.errors import IdempotencyKeyReused, ValidationFailed
from models.locales import load_locale
from tests.conftest import ROUTES

ENGLISH = load_locale("en", part="console")
ADD_INCIDENT = ROUTES["POST /status/v1/admin/incidents/add"]
UPDATE_WORK = ROUTES["POST /projects/v1/work-items/update"]
UPDATE_KEY = ROUTES["POST /platform/v1/keys/update"]
LIST_WORK = ROUTES["GET /projects/v1/work-items/list"]
BULK_CREATE = ROUTES["POST /projects/v1/work-items/bulk-create"]
RECORD = ROUTES["POST /status/v1/admin/measurements/record"]

BODY, QUERY = ADD_INCIDENT, LIST_WORK
# Including line ends of Python only, changes of direction, and non-ASCII characters.
SIGNS = "ab Z09\t\"'<>&%+=,;\\/$`\n\n\u00e9\u202e\u2028\x0b\x85\u4e2d\U0001f600\u200f"


def field(kind, name="it", **more):
    more = {"is_required": False, "is_nullable": False} | more
    return Field(name, "", kind, **more)


def submitted(form, *, excluding=()):
    """Return what a browser sends of the form's controls if none is changed."""
    sent = []
    for name, shown in form.fields.items():
        if name in excluding:
            continue
        match shown.kind:
            case "choices":
                sent.append((LISTED + name, "1"))
                chosen = [o.value for o in shown.options]
                chosen = [value for value in chosen if form.is_chosen(shown, value)]
                sent += [(name, value) for value in chosen]
            case "flag" if shown.default is None:
                sent.append((name, form.text(shown).lower()))
            case "flag":
                sent.append((LISTED + name, "1"))
                sent += [(name, "true")] if form.is_ticked(shown) else []
            case "textarea" | "lines" | "json":
                # The parser of HTML drops one line break, which the template adds.
                text = re.sub("\r\n?", "\n", form.text(shown))
                sent.append((name, text.replace("\n", "\r\n")))
            case _:
                sent.append((name, form.text(shown)))
    return MultiDict(sent)


def text(chance, longest=12):
    return "".join(chance.choices(SIGNS, k=chance.randint(1, longest)))


def line(chance):
    """Return an item of a list: the content of a line, without spaces around it."""
    return text(chance).replace("\n", "").strip() or "x"


def number(chance):
    return chance.choice([0, -1, 2**53, -(10**20), 10**40, chance.randint(-99, 99)])


def nested(chance, depth=3):
    if depth and chance.random() < 0.5:
        if chance.random() < 0.5:
            return [nested(chance, depth - 1) for _ in range(chance.randint(0, 3))]
        names = {text(chance) for _ in range(chance.randint(0, 3))}
        return {name: nested(chance, depth - 1) for name in names}
    return chance.choice([None, True, False, 0.5, number(chance), text(chance)])


MOMENTS = ["2026-03-01T12:00:00Z", "2026-03-01T12:34:56Z", "2026-03-01T00:00:00.007Z"]
VALUES = {
    "text": lambda chance: text(chance).replace("\n", "") or "x",
    "textarea": text,
    "choice": lambda chance: chance.choice("abc"),
    "choices": lambda chance: [v for v in "abc" if chance.random() < 0.7] or ["a"],
    "lines": lambda chance: [line(chance) for _ in range(chance.randint(1, 4))],
    "flag": lambda chance: chance.random() < 0.5,
    "moment": lambda chance: chance.choice(MOMENTS),
    "number": lambda chance: chance.choice([number(chance), 1.5, -0.25, 1e-7, 1e22]),
    "json": lambda chance: [nested(chance, 4)],
}


@pytest.mark.parametrize("kind", VALUES)
def test_what_is_shown_is_what_is_sent(kind):
    """A form that shows any value and is sent unchanged has the same value."""
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    options = tuple(Option(value, value) for value in "abc")
    shown = field(kind, options=options)
    for _ in range(300):
        value = VALUES[kind](chance)
        form = Form(BODY, ["title"], values={"it": value}, is_prefilled=True)
        form.fields = {"it": shown}

        again = form.fill(submitted(form)).request

        assert json.dumps(again) == json.dumps({"it": value}), f"seed {seed}"


def test_every_kind_is_tried():
    """
    Every kind of control is tested, so that a new one is held to this rule as well.
    """
    kinds = {f.kind for o in OPERATIONS for f in form_fields(o).values()}

    assert kinds == VALUES.keys()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.route)
def test_an_untouched_form(operation):
    """
    An unchanged form sends the defaults that its boxes and choices show, and nothing
    else.
    """
    form = Form(operation)

    sent = form.fill(submitted(form)).request

    for name, value in sent.items():
        default = form.fields[name].default
        if form.fields[name].is_required:
            assert value == ""
        elif is_query(operation):
            assert value == (json.dumps(default) if default != value else value)
        else:
            assert value == default


def test_text_is_passed_on_as_typed():
    """Spaces around a text, and blank lines before it, are part of it."""
    sent = MultiDict({"title": "  a ", "body": "\r\n\r\n x\r\n"})

    form = Form(ADD_INCIDENT, ["title", "body"]).fill(sent)

    assert form.request == {"title": "  a ", "body": "\n\n x\n"}
    spaces = Form(ADD_INCIDENT, ["title"]).fill(MultiDict({"title": "  "}))
    assert spaces.request == {"title": "  "}


@pytest.mark.parametrize(
    ("kind", "typed", "read"),
    [
        ("number", "12", 12),
        ("number", "1.50", 1.5),
        ("number", "1e3", 1000.0),
        ("number", " 7 ", 7),
        ("number", "9" * 40, int("9" * 40)),
        ("number", "0x1", "0x1"),
        ("number", "٣", "٣"),
        ("moment", "2026-03-01T12:00", "2026-03-01T12:00:00Z"),
        ("moment", "2026-03-01 12:00:07.5", "2026-03-01T12:00:07.5Z"),
        ("moment", "2026-03-01T12:00:00+01:00", "2026-03-01T12:00:00+01:00"),
        ("moment", "tomorrow", "tomorrow"),
        ("flag", "maybe", "maybe"),
        ("lines", " a \r\n\r\nb\x85c\r\n", ["a", "b\x85c"]),
        ("json", "[1, 2", "[1, 2"),
        ("json", "null", None),
        ("json", '{"a": 1, "a": 2}', '{"a": 1, "a": 2}'),
        ("json", "[" * 100_000, "[" * 100_000),
    ],
)
def test_what_is_typed(kind, typed, read):
    """An unreadable value is passed on, so that the operation rejects it."""
    values = read_fields(BODY, [field(kind)], MultiDict({"it": typed}))

    assert values == {"it": read}
    assert type(values["it"]) is type(read)


def test_whole_number_with_a_fraction():
    """A fraction is not rounded to a whole number."""
    whole = field("number", is_integer=True)

    assert read_fields(BODY, [whole], MultiDict({"it": "1.5"})) == {"it": "1.5"}


@pytest.mark.parametrize(
    ("kind", "nothing"),
    [("text", ""), ("textarea", ""), ("lines", []), ("choices", [])],
)
def test_if_empty(kind, nothing):
    """An empty field is left out, or has the value that the form shows beside it."""
    shown = field(kind, is_nullable=True)
    left = {"it": ""} if kind != "choices" else {LISTED + "it": "1"}

    def read(choice):
        return read_fields(BODY, [shown], MultiDict(left | {IF_EMPTY + "it": choice}))

    assert read("") == {}
    assert read("empty") == {"it": nothing}
    assert read("null") == {"it": None}
    filled = MultiDict({"it": "a", IF_EMPTY + "it": "null"})
    assert read_fields(BODY, [shown], filled)["it"] in ("a", ["a"])


def test_choices_if_empty():
    """Only values that the declaration allows are offered."""

    def offered(operation, name):
        form = Form(operation)
        return [o.value for o in form.choices_if_empty(form.fields[name])]

    assert offered(UPDATE_KEY, "rateCapacity") == ["", "null"]
    assert offered(UPDATE_WORK, "labelIds") == ["", "empty"]
    assert offered(UPDATE_WORK, "title") == []
    assert offered(ADD_INCIDENT, "title") == []
    assert offered(LIST_WORK, "milestoneId") == []


PRESENT = {
    "title": "One",
    "priority": "high",
    "labelIds": ["a", "b"],
    "milestoneId": "m",
    "startDate": None,
}


def changed(**sent):
    names = [name for name in PRESENT if name in form_fields(UPDATE_WORK)]
    form = Form(UPDATE_WORK, names, values=PRESENT, is_prefilled=True)
    return form.fill(MultiDict(sent)).request


def test_what_is_emptied_is_cleared():
    """A cleared field becomes null, or an empty text or list."""
    assert changed(labelIds="") == {"labelIds": []}
    assert changed(milestoneId="") == {"milestoneId": None}
    assert changed(title="") == {"title": ""}
    # It cannot be cleared, which the operation reports.
    assert changed(priority="") == {"priority": ""}


def test_what_was_empty_is_left_out():
    """A field that was empty is left out, so that a value set by someone else stays."""
    form = Form(UPDATE_KEY, values={"rateCapacity": None}, is_prefilled=True)

    sent = form.fill(MultiDict({"rateCapacity": "", "rateRefill": ""})).request

    assert sent == {"id": ""} or sent == {}


def test_a_field_that_is_not_shown():
    """A page with some of a form's fields changes only those."""
    assert changed(title="Two") == {"title": "Two"}


def test_a_moment_keeps_its_seconds():
    """Saving a form that shows a time does not change the time."""
    started = "2026-03-01T12:34:56.789Z"
    form = Form(ADD_INCIDENT, ["startedAt"], values={"startedAt": started})
    shown = form.fields["startedAt"]

    assert form.text(shown) == "2026-03-01T12:34:56.789"
    again = form.fill(MultiDict({"startedAt": form.text(shown)}))
    assert again.request == {"startedAt": started}


def test_parameters():
    """Values of a list are joined by commas, whichever way a link has them."""
    sent = [("type", "task"), ("type", "bug"), ("labelId", "a\r\nb"), ("ready", "true")]
    form = Form(LIST_WORK, ["type", "labelId", "ready", "blocked", "q"])
    form.fill(MultiDict([*sent, ("blocked", ""), ("q", "")]))

    assert form.request == {"type": "task,bug", "labelId": "a,b", "ready": "true"}
    linked = Form(LIST_WORK, ["type"]).fill(MultiDict({"type": "task,bug"}))
    assert linked.request == {"type": "task,bug"}
    assert linked.is_chosen(linked.fields["type"], "bug")


def test_bounds_and_variants():
    """A control has the limits of the operation, and offers all accepted values."""
    restore = form_fields(ROUTES["POST /projects/v1/document-revisions/restore"])
    listed = form_fields(ROUTES["GET /status/v1/admin/services/list"])
    events = form_fields(ROUTES["GET /status/v1/admin/deliveries/list"])["event"]
    key = form_fields(UPDATE_KEY)

    assert restore["version"].minimum == 1
    assert restore["version"].bounds(ENGLISH) == "1 to 2,147,483,648."
    assert listed["includeDisabled"].kind == "flag"
    values = {option.value for option in events.options}
    assert {"incident.opened", "subscription.test"} <= values
    assert key["rateRefill"].bounds(ENGLISH) == "0.1 to 10,000."
    services = form_fields(ADD_INCIDENT)["services"]
    assert services.bounds(ENGLISH) == "1 to 1,000 items."


def refusal_with(*errors):
    return ValidationFailed("First.", *errors)


def test_refusals():
    """
    Each problem is shown beside its field, and one without a field above the form.
    """
    form = Form(BULK_CREATE, ["projectId", "items"])
    form.fill(MultiDict({"projectId": "p", "items": "[{}]"}))

    form.refuse(
        refusal_with(
            {"pointer": "/items/0/title", "detail": "Is required."},
            {"pointer": "/items/0/a~1b~0c", "detail": "Unknown field."},
            {"pointer": "/relationships/1", "detail": "Must be a list."},
        )
    )

    assert form.errors == {
        "items": [
            *("Item 1, Title:", English("Is required.")),
            *("Item 1, a/b~c:", English("Unknown field.")),
        ]
    }
    assert form.problem == [English("relationships: Must be a list.")]


def test_text_that_is_no_json():
    """
    Malformed JSON is reported with its position, because the operation does not see it.
    """
    form = Form(RECORD, ["measurements"])
    form.fill(MultiDict({"measurements": "[\r\n{]"}))

    form.refuse(refusal_with({"pointer": "/measurements", "detail": "Must be a list."}))

    assert "line 2, column 2" in form.errors["measurements"][0]


def test_a_header_that_is_refused():
    """A problem about a header is shown above the form, with the header's name."""
    form = Form(ADD_INCIDENT)

    form.refuse(refusal_with({"header": "Dry-Run", "detail": "Must be true or false."}))

    assert form.problem == [English("Dry-Run: Must be true or false.")]


def test_key_that_was_used():
    """After a problem with the Idempotency-Key, the form is another request."""
    form = Form(ADD_INCIDENT).fill(MultiDict({"_key": "a"}))

    form.refuse(IdempotencyKeyReused("The key was used for another request."))

    assert form.idempotency_key != "a"


@pytest.mark.parametrize("seen", ["x", "\u0663", "9" * 5000])
def test_a_version_that_is_none(seen):
    """A malformed version is passed on unchanged, and rejected by the operation."""
    form = Form(ROUTES["POST /projects/v1/specifications/update"])

    form.fill(MultiDict({"_seen": seen}))

    assert form.expected_version == {"expectedVersion": seen}
