"""Markdown as plain text: what a reader of a mail without HTML sees."""

import random

import pytest

from models.notifications.messages.plain_text import plain_text
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
        # Pages show such a link as text, too.
        ("See [the guide](/docs/guides/a/).", "See the guide."),
        ("[x](javascript:alert)", "x"),
        ("![A graph](https://a.example/b.png) rises", "A graph rises"),
        ("## Cause\n\nA *full* disk", "Cause\n\nA *full* disk"),
        ("- one\n- two\n\n> said", "- one\n- two\n\n> said"),
        ("Run `rm **x**`, \\*please\\*", "Run rm **x**, *please*"),
        ("```py\n**x** = [1](2)\n```\n**done**", "**x** = [1](2)\ndone"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("a\x00b\x1b[31m\ud800", "ab[31m\ufffd"),
        # A change of direction ends with its text.
        ("\u202eabc", "\u202eabc\u202c"),
    ],
)
def test_plain_text(markdown, text):
    """Marks that people do not write in mails are gone; nothing that is said is."""
    assert plain_text(markdown) == text


def test_hostile_text():
    """However the marks are piled up, the text is turned in no time."""
    seed = random.randrange(10**9)
    print(f"seed {seed}")
    draw = random.Random(seed)
    piled = ["".join(draw.choices('[]()!*_`<>\\" #', k=4_000)) for _ in range(20)]
    opened = [
        mark * (4_000 // len(mark)) for mark in ("[", "![", "**a", "<", "`", "[a](")
    ]

    with at_most(1):
        for text in [*piled, *opened]:
            plain_text(text)
