"""The HTML that a document may contain, checked by an independent parser."""

import re
from html.parser import HTMLParser

VOID = {"br", "col", "hr", "img", "input", "source", "wbr"}
EVERYWHERE = {"class", "dir", "id", "lang", "title"}
ATTRIBUTES = {
    "a": {"href", "rel", "aria-label"},
    "col": {"span"},
    "colgroup": {"span"},
    "details": {"open"},
    "div": {"data-language", "role", "tabindex", "aria-label"},
    "img": {"src", "alt", "loading", "decoding", "width", "height"},
    "input": {"type", "disabled", "checked", "aria-label", "name"},
    "label": {"for"},
    "li": {"value"},
    "ol": {"start", "reversed", "type"},
    "pre": {"tabindex"},
    "section": {"aria-label"},
    "math": {"display"},
    "mo": {"fence", "stretchy", "lspace", "rspace", "form", "separator"},
    "mtable": {"displaystyle", "scriptlevel"},
    "mi": {"mathvariant"},
    "span": {"aria-hidden", "data-line"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "video": {"controls", "height", "preload", "src", "width"},
}
PLAIN_NAMES = """
    abbr b blockquote br caption cite code dd del dfn dl dt em figcaption figure hr i
    ins kbd mark p q s samp small strong sub summary sup table tbody tfoot thead tr u ul
    var wbr mfrac mn mroot mspace mrow msqrt msub msubsup msup mtd mtext mtr mover
    munder
"""
PLAIN = {f"h{level}" for level in range(1, 7)}
PLAIN |= set(PLAIN_NAMES.split())
IMAGES = {"img", "video"}
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
        assert set(names) <= ATTRIBUTES.get(tag, set()) | EVERYWHERE, (tag, names)
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
            safe = {"https"} if tag in IMAGES else {"http", "https", "mailto"}
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
