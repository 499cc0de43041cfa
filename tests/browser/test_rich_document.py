"""Pictures, tabs, formulas and code of a document, as a browser shows them."""

from urllib.parse import urlsplit

import pytest

from tests.browser.axe import FEW_LOOKS, findings

LOADED = """async () => {
  const all = [...document.querySelectorAll(".prose img")];
  const shown = all.filter((each) => each.checkVisibility());
  for (const each of shown) each.loading = "eager";
  await Promise.allSettled(shown.map((each) => each.decode()));
  return shown.map((each) => [each.currentSrc, each.naturalWidth]);
}"""
WIDER = """() => [...document.querySelectorAll(".prose *")]
  .filter((each) => !each.closest("pre, .table, .math, [type=checkbox]"))
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
  .map((each) => each.outerHTML.slice(0, 80))"""
# Of code that is scrolled to its end: where the first line ends, and its top.
END_OF_FIRST_LINE = """pre => {
  pre.scrollLeft = pre.scrollWidth;
  const walker = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT);
  const boxes = [];
  while (walker.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    boxes.push(...range.getClientRects());
  }
  const top = Math.min(...boxes.map((box) => box.top));
  const first = boxes.filter((box) => box.top < top + 8);
  return [Math.max(...first.map((box) => box.right)), top];
}"""
LEFT = "each => each.getBoundingClientRect().left"
RIGHT = "each => each.getBoundingClientRect().right"
PLAIN = {"java_script_enabled": False}


@pytest.fixture
def rich(open_strictly, site):
    """Open the document with these browser options."""
    return lambda **options: open_strictly(f"{site}/guides/rich/", **options)


def shown_pictures(page):
    """Return the file name of each visible picture, and its width."""
    loaded = page.evaluate(LOADED)
    return [(urlsplit(source).path.split("/")[-1], width) for source, width in loaded]


@pytest.mark.parametrize(("scheme", "other"), [("light", "night"), ("dark", "day")])
def test_pictures(rich, scheme, other):
    """
    Every picture loads without scripts, and of two for the schemes only the right one.
    """
    page = rich(color_scheme=scheme, **PLAIN)

    loaded = shown_pictures(page)

    assert {name for name, width in loaded if width == 0} == set()
    own = "day" if other == "night" else "night"
    names = [name for name, _ in loaded]
    assert names.count(f"{own}.png") == 2
    assert f"{other}.png" not in names
    assert page.locator("figcaption:visible").count() == 3


def test_pictures_for_the_theme_that_a_reader_chose(rich):
    """The theme switch applies to pictures, but not on paper."""
    page = rich(color_scheme="light")

    page.locator(".scheme").click()

    names = [name for name, _ in shown_pictures(page)]
    assert "night.png" in names
    assert "day.png" not in names
    page.emulate_media(media="print")
    names = [name for name, _ in shown_pictures(page)]
    assert "day.png" in names
    assert "night.png" not in names


def test_whole_picture(rich):
    """A click on a picture opens it in full size."""
    page = rich(viewport={"width": 360, "height": 700})

    page.locator(".prose a > img").first.click()

    page.wait_for_url("**/files/*/wide.png")


def test_tabs_by_keyboard(rich):
    """Without scripts the arrow keys choose a tab, and a click on its label does."""
    page = rich(**PLAIN)
    contents = page.locator(".tabs").first.locator("> .tab")

    assert [tab.is_visible() for tab in contents.all()] == [True, False, False]
    page.locator(".tabs > input").first.focus()
    page.keyboard.press("ArrowRight")
    assert [tab.is_visible() for tab in contents.all()] == [False, True, False]
    page.get_by_text("Intel").click()
    assert page.get_by_text("/usr/local").is_visible()
    assert not page.get_by_text("/opt/homebrew").is_visible()


def test_on_paper(rich):
    """
    On paper every tab is shown, below its label, and every line of code is complete.
    """
    page = rich(viewport={"width": 794, "height": 1000}, color_scheme="dark")

    page.emulate_media(media="print")

    assert all(tab.is_visible() for tab in page.locator(".tab").all())
    assert all(label.is_visible() for label in page.locator(".tabs label").all())
    assert page.locator("input[type=radio]:visible, .copy:visible").count() == 0
    assert page.evaluate(WIDER) == []
    hidden = "all => all.filter((each) => each.scrollWidth > each.clientWidth).length"
    assert page.locator(".prose pre").evaluate_all(hidden) == 0
    # A dark scheme ends where the paper begins.
    ground = "each => getComputedStyle(each).backgroundColor"
    assert page.locator("div.code").first.evaluate(ground) == "rgb(244, 244, 241)"


@pytest.mark.parametrize("width", [320, 360, 1280])
def test_nothing_is_wider_than_the_screen(rich, width):
    """Wide pictures shrink; wide code, tables and formulas scroll in their own box."""
    page = rich(viewport={"width": width, "height": 800})

    for tab in page.locator(".tabs > label").all():
        tab.click() if tab.is_visible() else None
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate(WIDER) == []


@pytest.mark.parametrize("has_touch", [True, False])
def test_copy_button_covers_no_code(rich, has_touch):
    """The button is above the code, or the code can be scrolled out from under it."""
    viewport = {"width": 360, "height": 800}
    page = rich(viewport=viewport, has_touch=has_touch, is_mobile=has_touch)

    for code in page.locator("div.code:visible").all():
        box = code.locator(".copy").bounding_box()
        right, top = code.locator("pre").evaluate(END_OF_FIRST_LINE)
        is_above = box["y"] + box["height"] <= top
        assert is_above or (right <= box["x"] and not has_touch)


@pytest.mark.parametrize(
    ("mark", "copied"),
    [
        (
            "added",
            "const rate = 10; // as many requests\nretry({ times: null });\n"
            "throw new Error(`Too many: ${rate}`);\n",
        ),
        (
            "focused",
            'import { retry } from "./retry";\n'
            'await retry(() => "seen first"); // and read with ease\n',
        ),
    ],
)
def test_copied_code(rich, mark, copied):
    """The button copies code without signs and numbers, and without removed lines."""
    page = rich()
    page.evaluate("navigator.clipboard.writeText = (text) => { copied = text; }")
    code = page.locator("div.code", has=page.locator(f".{mark}"))

    code.hover()
    code.locator(".copy").click()

    assert page.evaluate("copied") == copied


def test_looks_of_marked_lines(rich):
    """Marks differ by a sign too, and beside a focused line, others have no colours."""
    page = rich()
    sign = "each => getComputedStyle(each, '::after').content"
    colour = "each => getComputedStyle(each).color"

    signs = [
        page.locator(f".line.{mark}").first.evaluate(sign)
        for mark in ("added", "removed", "warning", "error", "focused")
    ]
    keyword = page.locator(".line:has(+ .focused) > .k, .line:has(+ .focused) > .kr")
    title = page.locator(".code-title").first

    assert signs == ['"+"', '"-"', '"!"', '"!"', "none"]
    assert keyword.first.evaluate(colour) == title.evaluate(colour)
    keyword.first.hover()
    assert keyword.first.evaluate(colour) != title.evaluate(colour)


def test_nested_tasks_are_indented(rich):
    """A nested task is indented, with its box before its text."""
    page = rich(**PLAIN)

    boxes = page.locator(".task-list-item > input")
    lefts = [box.evaluate(LEFT) for box in boxes.all()]

    assert lefts[2] == lefts[3] > lefts[0] == lefts[1] == lefts[4]
    tops = "all => all.map((each) => Math.abs(each.getBoundingClientRect().top -"
    tops += " each.parentNode.getBoundingClientRect().top))"
    assert max(boxes.evaluate_all(tops)) < 12


def test_highlighted_line_is_coloured_to_its_end(rich):
    """Where code scrolls, the colour of a line extends over the hidden part."""
    page = rich(viewport={"width": 360, "height": 800})

    line = page.locator(".line.highlighted", has_text="longer than any screen")

    assert line.evaluate("each => each.scrollWidth <= each.clientWidth")
    assert line.evaluate(RIGHT) > 360


def test_nothing_is_found(rich):
    """axe has no findings in any tab, in either scheme and at either width."""
    page = rich(reduced_motion="reduce")

    assert findings(page) == {}
    for label in page.locator(".tabs").first.locator("> label").all()[1:]:
        label.click()
        assert findings(page, FEW_LOOKS[:2]) == {}
