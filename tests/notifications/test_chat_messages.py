"""Messages for Slack, Discord and Teams, whatever operators write."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.notifications.event_types import CHANNELS
from models.settings import Settings
from sitegen.messages.discord import Discord
from sitegen.messages.renderer import message_renderer
from sitegen.messages.slack import Slack
from sitegen.messages.teams import Teams
from sitegen.messages.text_limits import at_most, fitted_line, utf16_length
from tests import processor
from tests.factories.languages import END, START, add_marked_languages
from tests.factories.notifications import ATTEMPT, incident_data, message, window_data

NOW = datetime(2026, 3, 1, 12, 6, tzinfo=UTC)
SETTINGS = Settings(
    site_name="Acme & Sons Status", site_url="https://status.example.com"
)
RENDER = message_renderer(SETTINGS)
# All that people read, but mails.
ROOMS = tuple(name for name in CHANNELS if name not in ("email", "webhook"))
SLACK, DISCORD, TEAMS = Slack(SETTINGS), Discord(SETTINGS), Teams(SETTINGS)
TEXT = (
    "## Cause\n\nA **slow** query on `orders_<eu>` held *all* connections.\n"
    "See [the plan](https://example.com/plan?a=1&b=2) and ~~wait~~ retry:\n\n"
    "- orders of today\n- _exports_\n\n> We are sorry, <!channel> and <@U123>.\n\n"
    "```sql\nSELECT * FROM orders WHERE a < b;\n```\n\n[Status](/status/)"
)
SERVICES = ("Public API", "Search_EU <new>")


def incident(text=TEXT, services=SERVICES, **changes):
    usual = {
        "title": "Errors <b>everywhere</b> & *here* for @everyone",
        "severity": "partial-outage",
    }
    data = incident_data([text], services, **usual | changes)
    return replace(ATTEMPT, data=data)


MAINTENANCE = replace(
    ATTEMPT,
    type="maintenance.scheduled",
    path="/status/maintenance/1/",
    data=window_data(),
)
RESOLVED = replace(
    incident("All is well.", status="resolved", resolvedAt="2026-03-01T13:30:00.000Z"),
    type="incident.resolved",
)
EVENTS = {"incident": incident(), "maintenance": MAINTENANCE, "resolved": RESOLVED}

# Markdown, mentions and links that a channel could interpret.
PIECES = st.sampled_from(
    [
        *("**", "__", "*", "_", "~~", "`", "```", "\n", "\n\n", "# ", "- ", "> ", " "),
        *("[", "]", "(", ")", "](", "](javascript:x)", "[a](https://b.example)", "\\"),
        *("<", ">", "&", "&amp;", "<!channel>", "<@U1>", "<@&1>", "@everyone"),
        *(
            "<#C1>",
            "<https://evil.example|good>",
            "https://c.example/d",
            "||",
            "!",
            "𝄞",
        ),
        *(
            "<at>Ada</at>",
            "{{DATE(x)}}",
            "<!date^1^{date}|x>",
            "\x01",
            "\u202e",
            "word",
        ),
    ]
)
# The API refuses NUL.
others = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
texts = st.lists(PIECES | st.text(others)).map("".join)
lines = texts.map(lambda text: " ".join(text.split())[:160].strip() or "x")
incidents = st.builds(
    incident,
    texts.map(lambda text: text[:4000])
    | st.tuples(PIECES, PIECES, texts).map(
        lambda t: ((t[0] + t[1]) * 2000 + t[2])[:4000]
    ),
    st.lists(lines.map(lambda line: line[:120]), max_size=40).map(tuple),
    title=lines,
    severity=st.sampled_from(["degraded", "partial-outage", "major-outage"]),
)


def sent(channel, attempt, render=RENDER):
    return render(replace(attempt, channel=channel), NOW).decode()


def body_of(channel, attempt):
    return json.loads(sent(channel, attempt))


@pytest.mark.parametrize("channel", ROOMS)
@pytest.mark.parametrize("name", EVENTS)
def test_message(golden, channel, name):
    """A message has title, headline, colour, text, services, time and link."""
    body = body_of(channel, EVENTS[name])

    text = json.dumps(body, ensure_ascii=False, indent=2) + "\n"
    golden(f"notifications/{channel}-{name}.json", text)


@pytest.mark.parametrize("channel", ROOMS)
def test_severity(channel):
    """The severity of an open incident is shown; other messages have none."""
    open_incident = sent(channel, incident())

    assert "Severity" in open_incident
    assert "Partial outage" in open_incident
    for other in (RESOLVED, MAINTENANCE):
        assert "Severity" not in sent(channel, other)


@pytest.mark.parametrize("channel", ROOMS)
def test_language(channel, tmp_path):
    """Everything except the operator's text is in the language of the subscription."""
    templates = add_marked_languages(tmp_path / "own", "ar")
    render = message_renderer(replace(SETTINGS, templates=templates))

    body = sent(channel, replace(incident(), language="ar"), render)

    for words in ("Incident update", "Identified", "Affected services", "Since "):
        assert f"{START}{words}" in body
    assert (f"{START}View on the status page{END}" in body) == (channel != "discord")
    assert ('"rtl":true' in body) == (channel == "teams")


def test_own_template(tmp_path):
    """An operator's own template of a message replaces ours."""
    (tmp_path / "messages").mkdir()
    own = '{"text": {{ ("We say: " ~ notice.title) | tojson }}}'
    (tmp_path / "messages/slack.json").write_text(own)
    render = message_renderer(replace(SETTINGS, templates=str(tmp_path)))

    body = sent("slack", incident(title='A "b" <c>'), render)

    assert json.loads(body) == {"text": 'We say: A "b" <c>'}


@settings(max_examples=40)
@given(attempt=incidents)
def test_slack_limits_and_mentions(attempt):
    """A Slack message is within the limits, and operators' text mentions nobody."""
    body = body_of("slack", attempt)

    (attachment,) = body["attachments"]
    header, *blocks = body["blocks"] + attachment["blocks"]
    assert 1 <= utf16_length(header["text"]["text"]) <= 150
    written = [body["text"]]
    for block in blocks:
        for text in [block["text"]] if "text" in block else block["elements"]:
            assert text["verbatim"]
            assert 1 <= utf16_length(text["text"]) <= 3000
            written.append(text["text"])
    links = r"<(https?://|mailto:)[^<>|\s]+(\|[^<>]*)?>|<!date\^\d+\^[^<>|]+\|[^<>]+>"
    for text in written:
        rest = re.sub(links, "", text)
        assert "<" not in rest
        assert not re.search(r"&(?!amp;|lt;|gt;)", rest)
        assert not re.search(r"<!(?!date\^\d+\^\{date_short_pretty)", text)


@settings(max_examples=40)
@given(attempt=incidents)
def test_discord_limits_and_mentions(attempt):
    """A Discord message is within the limits, and mentions nobody."""
    body = body_of("discord", attempt)

    assert body["allowed_mentions"] == {"parse": []}
    (embed,) = body["embeds"]
    values = [field["value"] for field in embed["fields"]]
    assert 1 <= utf16_length(embed["title"]) <= 256
    assert 1 <= utf16_length(embed["description"]) <= 4096
    assert all(1 <= utf16_length(value) <= 1024 for value in values)
    names = [field["name"] for field in embed["fields"]]
    total = [embed["title"], embed["description"], embed["footer"]["text"]]
    assert sum(map(utf16_length, total + names + values)) <= 6000


@settings(max_examples=40)
@given(attempt=incidents)
def test_teams_limits_and_mentions(attempt):
    """A Teams message is within the size, and its card mentions nobody."""
    assert len(sent("teams", attempt).encode()) < 21_000
    (attachment,) = body_of("teams", attempt)["attachments"]
    card = attachment["content"]
    assert card["msteams"] == {"width": "Full"}
    for block in card["body"]:
        if block["type"] == "TextBlock":
            assert block["text"]
            assert not re.search(LINK_TO_NOWHERE, block["text"])


# A Markdown link whose target is not on the web.
LINK_TO_NOWHERE = r"(?<!\\)\]\((?!https?://|mailto:)"


def written(text, dialect):
    return message(text).fitted(dialect, lambda _: True)


@pytest.mark.parametrize(
    ("text", "slack", "discord", "teams"),
    [
        ("**a** __b__", "*a* *b*", "**a** **b**", "**a** **b**"),
        ("*a* _b_", "_a_ _b_", "*a* *b*", "_a_ _b_"),
        ("~~a~~", "~a~", "~~a~~", "a"),
        ("# a #", "*a*", "**a**", "**a**"),
        ("* a\n  + b", "• a\n  • b", "- a\n  - b", "- a\n  - b"),
        ("1. a", "1. a", "1. a", "1. a"),
        ("> a", "> a", "> a", "a"),
        ("`a_b <c>`", "`a_b &lt;c&gt;`", "`a_b <c>`", "a_b <c>"),
        ("``a`b``", "`a'b`", "`a'b`", r"a\`b"),
        (
            '[a](https://b.c/d_(e)?f&g "h")',
            "<https://b.c/d_(e)?f&amp;g|a>",
            "[a](https://b.c/d_%28e%29?f&g)",
            "[a](https://b.c/d_%28e%29?f&g)",
        ),
        ("![a](https://b.c)", "<https://b.c|a>", *["[a](https://b.c)"] * 2),
        ("[a](/b)", "a", "a", "a"),
        ("[a](javascript:b)", "a", "a", "a"),
        (
            "https://b.c/d.",
            "<https://b.c/d>.",
            "<https://b.c/d>.",
            "[https://b.c/d](https://b.c/d).",
        ),
        (r"\*a\* \[b](c)", "*a* [b](c)", *[r"\*a\* \[b\](c)"] * 2),
        ("R&amp;D,&nbsp;\\\nnow", "R&amp;D,\xa0\nnow", *["R&D,\xa0\nnow"] * 2),
        (r"\# a_ 1_0 \_b ~c", "# a_ 1_0 _b ~c", *[r"\# a\_ 1_0 \_b ~c"] * 2),
        (
            "https://b.c/d_(e)[f]",
            "<https://b.c/d_(e)[f]>",
            "<https://b.c/d_(e)[f]>",
            r"[https://b.c/d\_(e)\[f\]](https://b.c/d_%28e%29[f])",
        ),
        (
            "[a](/guides/b)",
            "<https://docs.example.com/guides/b/|a>",
            *["[a](https://docs.example.com/guides/b/)"] * 2,
        ),
        ("**a __b__ c**", "*a b c*", *["**a b c**"] * 2),
        ("# a **b**", "*a b*", *["**a b**"] * 2),
        (
            "[a <https://b.c> d](https://e.f)",
            "<https://e.f|a https://b.c d>",
            *["[a https://b.c d](https://e.f)"] * 2,
        ),
        ("**a\nb**", "*a*\n*b*", *["**a**\n**b**"] * 2),
        ("- a\n- [x] b", "• a\n• [x] b", *["- a\n- \\[x\\] b"] * 2),
        ("snake_case_name 2 * 3", *["snake_case_name 2 * 3"] * 3),
        ("a || b", "a || b", r"a \|\| b", "a || b"),
        ("````\na\n```\nb\n````\n*c*", *["```\na\n'''\nb\n```\n\n_c_"], None, None),
        ("```\na", "```\na\n```", "```\na\n```", "a"),
        ("<!here> <@1>", "&lt;!here&gt; &lt;@1&gt;", r"\<!here> \<@1>", "<!here> <@1>"),
    ],
)
def test_markdown(text, slack, discord, teams):
    """Markup that a channel supports is converted, and the rest stays readable."""
    for dialect, expected in ((SLACK, slack), (DISCORD, discord), (TEAMS, teams)):
        if expected is not None:
            assert written(text, dialect) == expected


@pytest.mark.parametrize("dialect", [SLACK, DISCORD, TEAMS])
def test_cut_message(dialect):
    """A cut message ends before a link, code or word that does not fit completely."""
    url = "https://example.com/plan"
    text = f"**See [the plan]({url}), {url} and `a b`** &amp; so on. " * 20
    whole = message(text).fitted(dialect, at_most(10_000))

    cuts = {message(text).fitted(dialect, at_most(limit)) for limit in range(60, 400)}

    for cut in cuts:
        shown = cut.removesuffix("…").rstrip()
        # Without the mark that was closed at the cut.
        assert whole.startswith(shown.removesuffix(dialect.strong).rstrip())
        assert shown.count("https://") == shown.count(url)
        assert shown.count(dialect.strong) % 2 == 0
        assert shown.count("`") % 2 == 0
    assert len(cuts) > 20


def test_cut_blocks():
    """Blocks that are open at the cut are closed, and empty elements are left out."""
    text = (
        "> - one\n> - two https://example.com/long\n\n```\na b\nc d\n```\n\n| a |\n|--|"
    )

    cuts = [
        message(text).fitted(SLACK, at_most(limit)) for limit in (9, 20, 50, 55, 62)
    ]

    with_link = "> • one\n> • two <https://example.com/long>"
    assert cuts == [
        "> • one…",
        "> • one\n> • two…",
        f"{with_link}…",
        f"{with_link}\n\n```\na\n```…",
        f"{with_link}\n\n```\na b\nc d\n```\n\na",
    ]


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("one two", 7, "one two"),
        ("one two", 6, "one…"),
        ("at status.example.com", 12, "at…"),
        ("障害が発生", 3, "障害…"),
        ("𝄞𝄞𝄞", 3, "𝄞…"),
    ],
)
def test_cut_line(text, limit, cut):
    """A cut line ends after a whole word, or anywhere in a script without spaces."""
    assert fitted_line(text, at_most(limit)) == cut


def test_many_services():
    """The services that do not fit are counted."""
    names = tuple(f"Service {n}" for n in range(1000))

    (attachment,) = body_of("slack", incident(services=names))["attachments"]

    text = attachment["blocks"][1]["text"]["text"]
    assert re.search(r"Service 60, .* and 9\d\d more$", text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "**" * 2000,
            "**a " * 1000,
            "**a __b **c __d " * 250,
            "_a" * 2000,
            "`a " * 1300,
        ),
        *("[" * 4000, "[a](" * 1000, "<https://" * 440, "https://a" + "." * 3990),
        *("# " + "#" * 3990, "# " + " " * 3990 + "a", "***a" * 1000, "~~a " * 1000),
        "[a](" + "(b)" * 1300,
    ],
)
def test_hostile_markdown(text):
    """No operator text makes a message expensive."""
    with processor.at_most(2):
        for channel in ROOMS:
            sent(channel, incident(text))


@pytest.mark.parametrize(
    ("text", "shown"), [("# Cause #", "*Cause*"), ("## In C#", "*In C#*")]
)
def test_heading_with_closing_marks(text, shown):
    """
    A heading is bold without its closing marks; a mark that is part of a word stays.
    """
    body = sent("slack", incident(text))

    assert shown in body


def test_heading_of_spaces():
    """A heading of spaces is no more expensive than other text, whatever ends it."""
    text = "#" + " " * 4000 + "\x0bx"

    with processor.at_most(1):
        sent("slack", incident(text))
