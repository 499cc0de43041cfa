"""`app.py convert` converts the output of another tool to request bodies."""

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
    """Convert an input, and return (exit, output, errors)."""

    def ran(text, *words):
        stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
        monkeypatch.setattr("sys.stdin", stdin)
        return command("convert", *words)

    return ran


@pytest.mark.parametrize(
    ("tool", "text", "counts"),
    [
        ("alertmanager", webhook(alert()), [1]),
        ("uptime-kuma", kuma(BEAT | {"time": f"{NOW:%F %T.000}"}), [1]),
        ("gatus", GATUS, [200, 1]),
    ],
)
def test_lines(convert, tool, text, counts):
    """Each line is a body; the default source is the tool."""
    code, out, err = convert(text, tool)
    found = [json.loads(line) for line in out.splitlines()]

    assert (code, err) == (0, "")
    assert [len(each["measurements"]) for each in found] == counts
    assert {each["source"] for each in found} == {tool}


def test_posted(convert, api, clock):
    """The API accepts the output unchanged."""
    clock.now = NOW
    api("POST /status/v1/admin/services/add", {"slug": "shop", "name": "Shop"})

    text = statuses(("Web", "eu", [LATEST]))
    _, out, _ = convert(text, "gatus", "--service", "Web=shop")
    answer = api(RECORD, out.encode(), headers={"Content-Type": "application/json"})

    assert answer.json["data"] == {"recorded": 1, "unknown": []}


@pytest.mark.parametrize(("days", "lines"), [(90, 0), (89, 1)])
def test_old_results(convert, days, lines):
    """Results that are too old are left out, so that the others are accepted."""
    then = NOW - timedelta(days=days)
    text = statuses(("Shop", "web", [RESULT | {"timestamp": then.isoformat()}]))

    code, out, _ = convert(text, "gatus")

    assert (code, len(out.splitlines())) == (0, lines)


def test_nothing_said(convert):
    """An input without results gives no line, and a message on standard error."""
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
