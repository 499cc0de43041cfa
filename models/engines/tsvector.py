"""A text and what is sought in it, as PostgreSQL takes words in: its own way of words
would keep an address or a number with a hyphen as one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from unicodedata import normalize

from models.engines.engine import Sought
from models.folding import WORD, folded

# The server keeps no longer word, no higher place and no larger vector.
LONGEST_WORD = 250
LAST_PLACE = 16_383
MOST_PLACES = 255
MOST_BYTES = 700_000
# Between the title and the text, so that no phrase goes from one into the other.
GAP = 10


def words_in(text: str) -> Iterator[str]:
    """Yield the words of a text as they are compared."""
    for word in WORD.findall(folded(normalize("NFC", text))):
        yield word[:LONGEST_WORD]


def told_vector(title: str, body: str) -> str:
    """Return all words with their places, those of the title marked; no operators."""
    places: dict[str, list[str]] = defaultdict(list)
    place = size = 0
    for text, weight in ((title, "A"), (body, "")):
        for word in words_in(text):
            found = places[word]
            if not found:
                size += len(word.encode()) + 8
            if size > MOST_BYTES:
                del places[word]
                break
            place += 1
            if len(found) < MOST_PLACES:
                found.append(f"{min(place, LAST_PLACE)}{weight}")
                size += 2
        place += GAP
    return " ".join(f"'{word}':{','.join(at)}" for word, at in places.items())


def told_query(sought: Iterable[Sought]) -> str:
    """Return the query that all that is sought is found by; words have no quotes."""
    return " & ".join(filter(None, map(_told, sought)))


def _told(each: Sought) -> str:
    words = [f"'{word}'" for word in words_in(each.text)]
    if not words:
        return ""
    if each.is_prefix:
        words[-1] += ":*"
    return f"({' <-> '.join(words)})"
