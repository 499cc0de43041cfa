"""Languages for tests, whose texts are those of English between marks."""

import json
import re
from html.parser import HTMLParser

from babel import Locale as CldrLocale

from models.locales import FALLBACK, FOLDER, Locale
from tests.pages.html import VOID

# Characters that are in none of our texts, and in none of the tests' users.
START, END = "⟦", "⟧"
# Of the languages of CLDR, one without a file.
TAG = "sv"
PLACEHOLDER = re.compile(r"(\{\w+\})")
# Around user-chosen names, so that they are not mistaken for our words.
SIGN = "°"
CHOSEN = re.compile(f"{SIGN}[^{SIGN}]*{SIGN}")
OURS = re.compile(f"{START}[^{START}{END}]*{END}")
WORD = re.compile(r"[^\W\d_]{2,}")
# Before the last item of a list.
AND = "och"
SEPARATOR = re.compile(rf" [–·›/] |[,:] |^[,:·] ?|:$|(?:^| ){AND} ")
# The contents of these elements are not read as words.
NOT_READ = {"script", "style", "code", "pre", "kbd", "samp", "math", "template"}
NOT_READ |= {"textarea"}
ATTRIBUTES = ("title", "alt", "aria-label", "aria-description", "placeholder", "label")
DESCRIPTIONS = ("description", "og:title", "og:description", "og:image:alt")


def marked_messages(part=""):
    messages = json.loads((FOLDER / part / f"{FALLBACK}.json").read_bytes())
    return {name: marked(message) for name, message in messages.items()}


def marked(message):
    """Mark our words, and none of the values that are inserted into them."""
    if isinstance(message, dict):
        return {form: marked(text) for form, text in message.items()}
    parts = PLACEHOLDER.split(message)
    return "".join(
        part if not part or PLACEHOLDER.fullmatch(part) else f"{START}{part}{END}"
        for part in parts
    )


def marked_locale(tag):
    return Locale(tag, marked_messages())


def add_marked_languages(folder, *tags, parts=("",)):
    """Write the files of such languages into a folder, for MASTHEAD_TEMPLATES."""
    for part in parts:
        (folder / "locales" / part).mkdir(parents=True, exist_ok=True)
        text = json.dumps(marked_messages(part))
        for tag in tags:
            (folder / "locales" / part / f"{tag}.json").write_text(text)
    return str(folder)


class Read(HTMLParser):
    """Collects what a reader of the language gets: texts, and attributes with texts."""

    def __init__(self, html, attributes=(), tag=TAG):
        super().__init__()
        self._tag = tag
        self._attributes = [*ATTRIBUTES, *attributes]
        self.texts, self._open = [""], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag not in VOID:
            language = found.get("lang", self._language())
            self._open.append((tag, language))
        if self._is_read(found.get("lang")):
            self._read_attributes(tag, found)

    def _read_attributes(self, tag, found):
        named = found.get("name") or found.get("property")
        labels = self._attributes + ["content"] * (named in DESCRIPTIONS)
        labels += ["value"] * (found.get("type") in ("submit", "button"))
        for label in labels:
            if found.get(label):
                self.texts += [found[label], ""]

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self._open.pop()[0] == tag
            self.texts.append("")

    def handle_data(self, data):
        if self._is_read():
            self.texts[-1] += data

    def _is_read(self, own=None):
        tags = {tag for tag, _ in self._open}
        return (own or self._language()) == self._tag and not tags & NOT_READ

    def _language(self):
        return self._open[-1][1] if self._open else self._tag


def words_of_dates():
    """
    Return the words of dates and lists in CLDR, which are in the language already.
    """
    cldr = CldrLocale.parse(TAG)
    texts = list(cldr.list_patterns["standard"].values())
    for widths in cldr.months.values():
        for width in ("wide", "abbreviated"):
            texts += widths[width].values()
    return {word for text in texts for word in WORD.findall(text)}


def lines_of(texts):
    lines = (line for text in texts if text for line in text.splitlines())
    return (" ".join(line.split()) for line in lines)


def unmarked_words(html, known, attributes=(), tag=TAG):
    """Return the texts of a page that are neither ours nor known."""
    return unmarked_parts(Read(html, attributes, tag).texts, known)


def unmarked_parts(texts, known):
    """Return the parts of texts that are neither ours nor known."""
    texts = [CHOSEN.sub("", OURS.sub("\n", text)) for text in texts]
    return [
        part
        for line in lines_of(texts)
        if line not in known
        for part in map(str.strip, SEPARATOR.split(line))
        if part not in known and set(WORD.findall(part)) - known
    ]
