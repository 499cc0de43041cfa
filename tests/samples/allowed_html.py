"""What the HTML of a document may hold: a second opinion, by a parser of its own."""

import re
from html.parser import HTMLParser

VOID = {"br", "hr", "img", "input"}
ATTRIBUTES = {
    "a": {"href", "class", "rel", "title", "aria-label"},
    "code": {"class"},
    "div": {"class", "data-language", "role", "tabindex", "aria-label"},
    "img": {"src", "alt", "title", "loading", "decoding"},
    "input": {"type", "disabled", "checked", "aria-label"},
    "li": {"class", "id"},
    "ol": {"start", "class"},
    "p": {"class"},
    "pre": {"tabindex", "class"},
    "section": {"class", "aria-label"},
    "span": {"class", "aria-hidden"},
    "sup": {"class", "id"},
    "td": {"class"},
    "th": {"class"},
    "ul": {"class"},
} | {f"h{level}": {"id"} for level in range(1, 7)}
PLAIN = {"blockquote", "br", "em", "hr", "s", "strong"}
PLAIN |= {"table", "tbody", "thead", "tr"}
# As a browser reads it: controls and spaces around are dropped, and some within.
SCHEME = re.compile(r"[\x00-\x20]*([a-z][a-z0-9+.\-]*):", re.IGNORECASE)


class Checker(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []
        self.ids, self.note_ids = [], []
        self.text = []
        self.links = []

    def handle_starttag(self, tag, attrs):
        assert tag in PLAIN or tag in ATTRIBUTES, tag
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names)
        assert set(names) <= ATTRIBUTES.get(tag, set()), (tag, names)
        for name, value in attrs:
            self.check(tag, name, value or "")
        if tag not in VOID:
            assert tag != "a" or "a" not in self.open
            self.open.append(tag)

    def check(self, tag, name, value):
        if name == "id":
            (self.note_ids if "." in value else self.ids).append(value)
        if name in ("href", "src"):
            scheme = SCHEME.match(re.sub(r"[\t\n\r]", "", value))
            safe = {"https"} if tag == "img" else {"http", "https", "mailto"}
            assert scheme is None or scheme[1].lower() in safe, value
            assert not re.match(r"\s*[/\\]{2}", value), value
            self.links.append(value)

    def handle_endtag(self, tag):
        assert self.open, tag
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def checked(html):
    """Fail unless all of the HTML is allowed; return what was read."""
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    ids = checker.ids + checker.note_ids
    assert len(set(ids)) == len(ids)
    return checker
