"""Search as readers use it, on the built sample site."""

import json
import random
import re
from pathlib import Path
from urllib.request import urlopen

import pytest

from sitegen.markdown.rendering import render
from sitegen.search.terms import terms
from tests.samples.languages import SENTENCES
from tests.samples.search_words import FOUND_BY

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https:;"
    " font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'"
)
MANUAL = Path(__file__).parent.parent.parent / "manual"
TERMS = """async (texts) => {
  const search = await import(document.querySelector("[data-search]").dataset.search);
  return texts.map(search.terms);
}"""


PASSAGES = TERMS.replace("texts.map(search.terms)", "search.passages(texts, '')")

# Parts of identifiers, and words in several scripts.
PIECES = [
    *["get", "Child", "ITEM", "x", "HTTP", "v1", "12", "0", "é", "ß", "İ", "ﬁ", "Ａ"],
    *["-", "_", ".", "/", ":", "::", "'", "’", "--", "=", "(", "`", " ", " ", "\n"],
    *[
        "监控",
        "タ",
        "한국",
        "हिन्",
        "שלום",
        "ёлка",
        "ไทย",
        "😀",
        "𠀀",
        "a" * 39,
        "\u0301",
        *["l'", "dell’", "الـخِ", "וְ", "־", "״", "न्", "\u093c", "ｻﾞ", "々", "٣"],
        *["\xad", "\u200d", "\u200e", "\ufeff", "²", "ʼ", "لل"],
    ],
]


@pytest.fixture
def visit(browser, site):
    """Open a page under the policy for hosts; errors fail the test."""
    contexts, errors = [], []

    def guarded(route):
        headers = (answer := route.fetch()).headers
        headers["content-security-policy"] = POLICY
        route.fulfill(response=answer, headers=headers)

    def go(path="/", **options):
        context = browser.new_context(base_url=site, **options)
        contexts.append(context)
        context.route("**/*", guarded)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text))
        page.goto(path)
        return page

    yield go
    for context in contexts:
        context.unroute_all(behavior="ignoreErrors")
        context.close()
    assert errors == []


def look_for(page, words):
    """Type into the box; return the titles of the results."""
    page.keyboard.press("/")
    page.keyboard.insert_text(words)
    page.locator(".found", has_text=re.compile(r"\S")).wait_for()
    page.wait_for_load_state("networkidle")
    return page.locator(".results bdi:first-child").all_inner_texts()


def test_same_terms_in_browser(visit):
    """Script and builder split every text into the same terms."""
    sentences = [text for title, body in SENTENCES.values() for text in (title, *body)]
    texts = [
        *FOUND_BY,
        *sentences,
        *(path.read_text() for path in MANUAL.rglob("*.md")),
    ]

    found = visit().evaluate(TERMS, texts)

    for text, result in zip(texts, found, strict=True):
        assert result == terms(text)


def test_same_terms_of_random_text(visit):
    """Script and builder agree on any mixture of scripts, cases and punctuation."""
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    texts = ["".join(rng.choices(PIECES, k=rng.randint(1, 12))) for _ in range(3000)]

    found = visit().evaluate(TERMS, texts)

    for text, result in zip(texts, found, strict=True):
        assert result == terms(text), text


def test_passages_are_what_readers_see(visit):
    """Excerpts have no markup of HTML, and lead to headings that the page has."""
    text = (
        '## Git <a href="#x" id="x"></a>\n\nA <dfn title="x">quokka</dfn> '
        '<!-- no -->\n\n<div class="badge">\n\nzebra\n\n</div>\n\n'
        "### \u2699\ufe0f Run `it` {#3d .x}\n\n"
        '=== "Linux"\n\n    wombat{.y}\n\n## Use <small>beta</small> ![b](https://a/b.svg)'
        "\n\n| a | okapi |\n|---|---|\n\n## 安装 {#安装-1}\n\n"
        "```html\n<b>numbat</b>\n```\n"
        "\n## Git\n\nlast `<i>`\n"
    )

    found = visit().evaluate(PASSAGES, text)

    headings = [(heading.id, heading.text) for heading in render(text).headings]
    by_heading = [(each["heading"]["id"], each["heading"]["text"]) for each in found]
    assert list(dict.fromkeys(by_heading)) == [each for each in headings if each[1]]
    assert [each["text"] for each in found if each["text"]] == [
        *("A quokka", "zebra", "Linux", "wombat", "a okapi", "<b>numbat</b>"),
        "last <i>",
    ]


def test_nothing_is_loaded_before_the_first_focus(visit):
    """Without a search, a page loads nothing for it."""
    page = visit("/status/")
    page.wait_for_load_state("networkidle")
    fetched = "performance.getEntriesByType('resource').map((each) => each.name)"
    assert not [
        url for url in page.evaluate(fetched) if "search" in url and "css" not in url
    ]

    with page.expect_response(re.compile(r"/assets/search\.\w+\.js")):
        page.keyboard.press("/")


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("limits", "Limits"),
        ("lim", "Limits"),
        ("LIMTIS", "Limits"),
        ("limíts", "Limits"),
        ("what is stored", "Keys"),
        ("keys/limits", "Keys"),
        ("keysLimits", "Keys"),
        ("KEYS_LIMITS", "Keys"),
        ("keys::lim", "Keys"),
        ("lim its", "Limits"),
        ("objectstorage", "Object storage"),
        ("object-storage", "Object storage"),
    ],
)
def test_finds(visit, words, title):
    """
    By its whole title, a prefix, a typo, an accent, a heading; an identifier in any
    spelling; words that are one, and one that is two.
    """
    assert look_for(visit(), words)[0] == title


def test_finds_incident(visit, site):
    """Incidents are found by their titles."""
    with urlopen(f"{site}/status/incidents.json") as result:
        title = json.load(result)["data"][0]["title"]

    assert title in look_for(visit(), title)


@pytest.mark.parametrize(
    ("words", "title", "href"),
    [
        ("keys/rotate", "keys/rotate", "/reference/platform/keys/#rotate"),
        ("api reference", "API reference", "/reference/"),
        (
            "supersede specification",
            None,
            "/reference/projects/specifications/#",
        ),
    ],
)
def test_finds_operation(visit, words, title, href):
    """Operations are found by their names and their summaries."""
    page = visit()

    titles = look_for(page, words)

    assert title is None or titles[0] == title
    links = page.locator(f".results a[href^='{href}']")
    assert links.count() > 0


@pytest.mark.parametrize("words", ["limits", "rate limits", "only the hash"])
def test_few_requests(visit, words):
    """A first search of up to three words loads at most six files."""
    page, loaded = visit(), []
    page.on("request", lambda request: loaded.append(request))

    assert look_for(page, words)

    assert (
        2
        < len([request for request in loaded if request.resource_type == "fetch"])
        <= 6
    )


def test_index_that_cannot_be_read(visit):
    """A page from before an upgrade asks for a reload instead of finding nothing."""
    page = visit()
    page.route("**/search/root-*.json", lambda route: route.fulfill(body="gone"))

    page.keyboard.press("/")
    page.keyboard.insert_text("limits")
    page.locator(".found", has_text="reload the page").wait_for()


def test_finds_nothing(visit):
    """A word that is on no page has a message instead of results."""
    page = visit()

    assert look_for(page, "zzzz") == []
    assert "No results for" in page.locator(".found").inner_text()


def test_keyboard(visit, site):
    """A slash focuses, arrows move, Escape closes, Enter opens."""
    page = visit()
    look_for(page, "limits")
    focused = page.locator(":focus")

    page.keyboard.press("ArrowDown")
    assert focused.get_attribute("href").startswith("/guides/limits/")
    page.keyboard.press("ArrowUp")
    assert focused.get_attribute("type") == "search"
    page.keyboard.press("Escape")
    assert page.locator(".results").is_hidden()

    page.keyboard.press("End")
    page.keyboard.type(" ")
    page.locator(".results").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/guides/limits/*")


def test_heading_and_excerpt(visit):
    """A result links to the heading above the match, with an excerpt."""
    page = visit()

    look_for(page, "only the hash")

    result = page.locator(".results li").first
    result.locator("mark").first.wait_for()
    assert result.locator("a").get_attribute("href") == "/guides/keys/#what-is-stored"
    assert "Only the hash" in result.inner_text()


def test_title_that_says_it_all(visit):
    """If the title has all the words, the result is the page with its beginning."""
    page = visit()

    look_for(page, "keys")

    result = page.locator(".results li", has_text="Keys").first
    result.locator("p:not(.where)").wait_for()
    assert result.locator("a").get_attribute("href") == "/guides/keys/"


def test_page_of_results(visit):
    """A search has an address, which Enter in the box opens."""
    page = visit()
    page.keyboard.press("/")
    page.keyboard.insert_text("rates & limits")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/?q=rates%20%26%20limits")

    page.locator("main .results li").first.wait_for()

    assert page.locator("input[type=search]").input_value() == "rates & limits"
    assert page.locator("[role=status]").inner_text() == "1 result"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_results_fit(visit, scheme):
    """The results are as wide as the available space, at every width."""
    for width in (1280, 360, 320):
        page = visit(
            "/guides/keys/",
            color_scheme=scheme,
            viewport={"width": width, "height": 700},
        )
        look_for(page, "limits")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_scripts(visit):
    """The box is a link to a page that explains it and links to the lists."""
    page = visit(java_script_enabled=False)

    page.get_by_role("search").get_by_role("link").click()

    assert "needs JavaScript" in page.locator("main").inner_text()
    assert page.locator("main a[href='/guides/']").count() == 1
