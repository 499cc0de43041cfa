"""Languages for tests, whose texts are those of English between marks."""

import json
from html.parser import HTMLParser

from models.locales import FALLBACK, FOLDER, Locale

# What no text of ours and no user of the tests has.
START, END = "⟦", "⟧"


def marked_messages():
    messages = json.loads((FOLDER / f"{FALLBACK}.json").read_bytes())
    return {name: marked(message) for name, message in messages.items()}


def marked(message):
    if isinstance(message, dict):
        return {form: marked(text) for form, text in message.items()}
    return f"{START}{message}{END}"


def marked_locale(tag):
    return Locale(tag, marked_messages())


def add_marked_languages(folder, *tags):
    """Put files of such languages into a folder, for MASTHEAD_TEMPLATES."""
    (folder / "locales").mkdir(parents=True)
    text = json.dumps(marked_messages())
    for tag in tags:
        (folder / "locales" / f"{tag}.json").write_text(text)
    return str(folder)


class _Texts(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.found, self._tag = [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self._tag = tag
        labels = ("aria-label", "alt", "title", "placeholder")
        self.found += [value for name, value in attrs if name in labels and value]

    def handle_data(self, data):
        if data.strip() and self._tag not in ("style", "script"):
            self.found.append(data.strip())


def unmarked(text, *known):
    """Return the lines of a text that are neither marked nor known."""
    lines = [line.strip() for line in text.splitlines()]
    return [line for line in lines if line and START not in line and line not in known]


def unmarked_html(html, *known):
    """Return the texts of a page that stand outside of marks and are not known."""
    outside, depth = [""], 0
    for char in "\n".join(_Texts(html).found):
        depth += {START: 1, END: -1}.get(char, 0)
        if char in (START, "\n"):
            outside.append("")
        elif depth == 0 and char != END:
            outside[-1] += char
    return [text for text in map(str.strip, outside) if text and text not in known]
