"""Renders a sample, and parses HTML strictly: every element is closed, in order."""

from html.parser import HTMLParser

from models.settings import Settings
from sitegen.theme.theme import Theme

THEME = Theme(Settings())
VOID = {"meta", "link", "img", "br", "hr", "input"}


def rendered(case):
    template, names = case
    return THEME.render(template, **names)


class Reader(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.texts, self.all_text = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        # Only SVG closes an element in its own tag.
        assert "svg" in self.open
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.all_text.append(text)
        if text.strip():
            self.texts.append((self.open[-1] if self.open else None, text.strip()))

    def words(self):
        """Return all text in order, with single spaces, as a reader sees it."""
        return " ".join("".join(self.all_text).split())

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    def attributes(self):
        return [pair for _, found in self.elements for pair in found.items()]

    def text_of(self, tag):
        return [text for parent, text in self.texts if parent == tag]
