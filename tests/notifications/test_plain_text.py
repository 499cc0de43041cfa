"""Markdown as plain text, for emails without HTML."""

import random

import pytest

from tests.factories.notifications import message
from tests.processor import at_most


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("We are looking into it.", "We are looking into it."),
        ("The **cause** is __known__.", "The cause is known."),
        ("2 ** 3 and a*b", "2 ** 3 and a*b"),
        ("See [the log](https://a.example/b).", "See the log (https://a.example/b)."),
        ('[a](https://a.example "Title")', "a (https://a.example)"),
        ("[https://a.example](https://a.example)", "https://a.example"),
        ("<https://a.example/?b=c>", "https://a.example/?b=c"),
        ("[a](/guides/b.md?c#d)", "a (https://docs.example.com/guides/b/?c#d)"),
        ("[a](/status/)", "a (https://docs.example.com/status/)"),
        # Pages show such links as text, too.
        ("See [the guide](/docs/guides/a/).", "See the guide."),
        ("[a](b.md) [c](#d) [e](//f.example) [g]( )", "a c e g"),
        ("[x](javascript:alert)", "x"),
        (
            "![A graph](https://a.example/b.png) rises",
            "A graph (https://a.example/b.png) rises",
        ),
        ("## Cause\n\nA *full* disk", "Cause\n\nA *full* disk"),
        ("- one\n- two\n\n> said", "- one\n- two\n\n> said"),
        ("Run `rm **x**`, \\*please\\*", "Run rm **x**, *please*"),
        ("```py\n**x** = [1](2)\n```\n**done**", "**x** = [1](2)\n\ndone"),
        ("R&amp;D,&nbsp;\\\nnow", "R&D,\nnow"),
        ("https://a.example/b_(c)[d]?e.", "https://a.example/b_(c)[d]?e."),
        ("[a](https://a.example/b_(c)[d])", "a (https://a.example/b_(c)%5Bd%5D)"),
        ("[a](<https://a.example/b c>)", "a (https://a.example/b%20c)"),
        ("<mia@example.com>", "mia@example.com"),
        ("www.a.example", "www.a.example (https://www.a.example)"),
        (
            "3. one\n4. two\n   - [x] in\n\n   more",
            "3. one\n4. two\n   - [x] in\n\n   more",
        ),
        ("> said\n> > before\n\n---", "> said\n>\n> > before\n\n---"),
        ("> [!NOTE]\n> Save.", "> Note\n>\n> Save."),
        ("| a | b |\n|--|--|\n| 1 | `2` |", "a | b\n1 | 2"),
        ("~~not~~ *now*", "~~not~~ *now*"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\x00b\x1b[31m\ud800", "ab[31m\ufffd"),
        # A change of direction ends with its text.
        ("\u202eabc", "\u202eabc\u202c"),
    ],
)
def test_plain_text(markdown, text):
    """Markup that people do not write in emails is removed; all text remains."""
    assert message(markdown).plain == text


def test_hostile_text():
    """Any accumulation of marks is converted in bounded time."""
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    draw = random.Random(seed)
    piled = ["".join(draw.choices('[]()!*_`<>\\" #', k=4_000)) for _ in range(20)]
    opened = [
        mark * (4_000 // len(mark)) for mark in ("[", "![", "**a", "<", "`", "[a](")
    ]

    with at_most(1):
        for text in [*piled, *opened]:
            message(text).plain  # noqa: B018
