"""`app.py convert`: what another tool says on standard input, ready to be posted."""

import io
import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.factories.status import RECORD
from tests.samples.tool_bodies import BEAT, RESULT, alert, kuma, statuses, webhook

NOW = datetime.now(UTC)
LATEST = RESULT | {"timestamp": NOW.isoformat()}
GATUS = statuses(("Shop", "web", [LATEST] * 201))


@pytest.fixture
def convert(command, monkeypatch):
    """Convert what is said, and return (exit, output, errors)."""

    def ran(said, *words):
        given = io.TextIOWrapper(io.BytesIO(said.encode()))
        monkeypatch.setattr("sys.stdin", given)
        return command("convert", *words)

    return ran


@pytest.mark.parametrize(
    ("tool", "said", "counts"),
    [
        ("alertmanager", webhook(alert()), [1]),
        ("uptime-kuma", kuma(BEAT | {"time": f"{NOW:%F %T.000}"}), [1]),
        ("gatus", GATUS, [200, 1]),
    ],
)
def test_lines(convert, tool, said, counts):
    """Each line is a body; who measured is the tool, unless told otherwise."""
    code, out, err = convert(said, tool)
    found = [json.loads(line) for line in out.splitlines()]

    assert (code, err) == (0, "")
    assert [len(each["measurements"]) for each in found] == counts
    assert {each["source"] for each in found} == {tool}


def test_posted(convert, api, clock):
    """The API takes what comes out, as it stands."""
    clock.now = NOW
    api("POST /status/v1/admin/services/add", {"slug": "shop", "name": "Shop"})

    said = statuses(("Web", "eu", [LATEST]))
    _, out, _ = convert(said, "gatus", "--service", "Web=shop")
    answer = api(RECORD, out.encode(), headers={"Content-Type": "application/json"})

    assert answer.json["data"] == {"recorded": 1, "unknown": []}


@pytest.mark.parametrize(("days", "lines"), [(90, 0), (89, 1)])
def test_old_results(convert, days, lines):
    """What is too old to be taken is left out, so that the rest is taken."""
    then = NOW - timedelta(days=days)
    said = statuses(("Shop", "web", [RESULT | {"timestamp": then.isoformat()}]))

    code, out, _ = convert(said, "gatus")

    assert (code, len(out.splitlines())) == (0, lines)


def test_nothing_said(convert):
    """No line then, and a word of it beside the output."""
    result = convert(kuma(None, monitor=None, msg="Testing"), "uptime-kuma")

    assert result == (0, "", "The input contains no measurements.\n")


@pytest.mark.parametrize(
    "words",
    [
        ["gatus", "--service", "Shop"],
        ["gatus", "--service", "Shop=SHOP"],
        ["gatus", "--source", "My Gatus"],
        ["uptime-kuma"],
    ],
)
def test_mistake(convert, words):
    """A mistake ends with a sentence and no output."""
    code, out, err = convert(GATUS, *words)

    assert (code, out) == (2, "")
    assert err.startswith("masthead: ")
    assert err.endswith(".\n")
