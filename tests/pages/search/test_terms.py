"""The terms of a text, and the files that contain them."""

import json
from unicodedata import normalize

import pytest

from sitegen.search.inverted_index import (
    HEADING,
    OFTEN,
    ONCE,
    TITLE,
    Postings,
    Text,
    create_shards,
    decode_steps,
    headings,
    weigh_terms,
)
from sitegen.search.terms import joined_words, terms
from tests.samples.languages import SENTENCES
from tests.samples.search_words import FOUND_BY

CODE = "## A\n\n```sh\n# no heading\n~~~\n```\n\n# B {#own}\n"


@pytest.mark.parametrize("text", FOUND_BY)
def test_terms(text):
    """
    Identifiers are whole and in parts, scripts without spaces in pairs, all folded.
    """
    assert terms(text) == FOUND_BY[text]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("tag", SENTENCES)
def test_words_of_a_language(tag, form):
    """A text is found by the words that readers type, and by their beginnings."""
    sentence, queries = SENTENCES[tag]

    found = terms(normalize(form, sentence))

    for query in queries:
        for word in terms(query):
            assert any(term.startswith(word) for term in found), query


def test_places():
    """A term has its best weight: title, heading, often, once."""
    found = weigh_terms(
        Text("Keys", "Short", f"{CODE}\nkeys own own own [x](hidden.md)")
    )

    assert (found["keys"], found["b"], found["own"]) == (TITLE, HEADING, OFTEN)
    assert (found["short"], found["x"]) == (ONCE, ONCE)
    assert weigh_terms(Text("", "", "so so so"))["so"] == OFTEN
    assert found["keys "] == TITLE
    assert "hidden" not in found


@pytest.mark.parametrize(
    ("text", "visible", "hidden"),
    [
        ('<figure class="a1"><img src="b1.png" alt="c"></figure>', "", "figure a1 b1"),
        ("## Head {#own-id .d1}\n\ntext{.e1}", "head text", "own id d1 e1"),
        ("a <!-- secret --> b <kbd>key</kbd>", "a b key", "secret kbd"),
        (f"a <!-- {'secret ' * 500} --> b", "a b", "secret"),
        ("a `<!--` b\n\n<!-- secret", "a b", "secret"),
        ("`<b1>` and\n\n```html\n<summary>{#c1}\n```\n", "b1 summary c1", ""),
        ("List<Item> 2 < 3", "list item", ""),
    ],
)
def test_only_what_readers_see_is_found(text, visible, hidden):
    """Tags, comments, ids and classes have no terms, except in code."""
    found = weigh_terms(Text("", "", text))

    assert set(visible.split()) <= set(found)
    assert set(hidden.split()).isdisjoint(found)


def test_headings_of_code():
    """A heading within a fence is code; another kind of fence does not end it."""
    assert list(headings(CODE)) == ["A", "B {#own}"]


def encoded(postings, text_count):
    """Encode the weights of one term, given by the number of the text."""
    index = Postings()
    for number in range(text_count):
        index.add({"term": postings[number]} if number in postings else {})
    return index.encode("term", index.counts().get("term", 0))


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([0], "0"), ([1, 3], "12"), ([31, 63], "vw1"), ([1024], "ww1"), ([], "")],
)
def test_steps(numbers, text):
    """
    Numbers are stored as differences, five bits to a character; each weight after a
    dot.
    """
    once, title = (dict.fromkeys(numbers, at) for at in (ONCE, TITLE))
    assert encoded(once, 2000) == text
    assert encoded(title, 2000) == (text and f"...{text}")
    assert list(decode_steps(text)) == numbers


def test_steps_of_what_most_have():
    """
    For a term in most texts, those without it are stored; weights are stored as before.
    """
    every = {n: HEADING if n == 3 else OFTEN for n in (0, 1, 3, 4, 5)}

    assert encoded(every, 6) == "!2..3"
    assert encoded({n: every[n] for n in (0, 1, 3)}, 6) == ".01.3"
    assert encoded({0: ONCE}, 1) == "!"


def test_joined_words():
    """
    Two adjacent words of a title or heading are also one term; those of a text are not.
    """
    found = weigh_terms(Text("Front matter", "", "## Set up\n\nRate limit a b 监控"))

    assert found["frontmatter"] == TITLE
    assert found["setup"] == HEADING
    assert not {"ratelimit", "limita", "ab"} & found.keys()
    assert list(joined_words("a big 监控 deal, http_sd")) == ["dealhttp", "httpsd"]


def test_large_term_shares_its_file_with_few():
    """A term as large as a file is placed by its middle, not after a full file."""
    texts = [Text("", "", " ".join(f"a{n}-{m}" for m in range(3))) for n in range(9)]
    texts += [Text("", "", "b")] * 3000

    found = create_shards(texts, 4)

    (home,) = [file for file in found.files if "b" in file]
    assert sum(len(file) for file in found.files) > 30
    assert len(home) <= 2


@pytest.mark.parametrize("count", [1, 2, 8, 64])
def test_bounds(count):
    """
    The last bound that is not after a term names its file, however many there are.
    """
    words = [f"{chr(97 + n % 26)}{n}" for n in range(90)]
    found = create_shards(
        [Text("Big one", "", " ".join(words)), Text("Big", "", "big")], count
    )

    assert len(found.files) == count
    assert len(found.bounds) == count - 1
    for number, file in enumerate(found.files):
        for term in file:
            first = term.split(" ")[0]
            assert sum(bound <= first for bound in found.bounds) == number


def test_nothing_is_lost():
    """Every term of every text is in exactly one file."""
    texts = [Text(f"Page {n}", "", f"word{n} common") for n in range(40)]

    found = create_shards(texts, 4)

    every = [term for file in found.files for term in file]
    assert len(every) == len(set(every))
    assert set(every) == {term for text in texts for term in weigh_terms(text)}


def test_hostile_text_takes_its_time_in_lines():
    """Brackets, fences and an endless word are read in linear time."""
    for piece in ("](", "[", "[a]: ", "# ", "```\n", "a", "é", "aB", "a/"):
        assert json.dumps(list(weigh_terms(Text("", "", piece * 100_000))))
