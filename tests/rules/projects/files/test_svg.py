"""What remains of an uploaded SVG file."""

import re
from io import BytesIO
from xml.etree import ElementTree

import pytest

from models.errors import LimitExceeded, ValidationFailed
from models.projects.files.svg import MAX_DEPTH, clean_svg
from tests.processor import at_most
from tests.samples.pictures import svg

XLINK = "xmlns:xlink='http://www.w3.org/1999/xlink'"
HARMLESS = (
    "<title>T</title><defs><linearGradient id='g'><stop offset='0'"
    " stop-color='red'/></linearGradient></defs><path d='M0 0' fill='url(#g)'/>"
    "<text x='1'>a<tspan>b</tspan> c</text><use href='#g'/>"
    "<image href='data:image/png;base64,AA//'/>"
    "<animate attributeName='opacity' from='0' to='1' dur='1s'/>"
    "<style>@media print {.a {fill: url(#g)}} @font-face"
    " {src: url(data:font/woff2;base64,AA//)}</style>"
)


def cleaned(inside, attributes=""):
    content, _ = clean_svg(svg(inside, f"{XLINK} {attributes}"))
    ElementTree.parse(BytesIO(content))
    return content.decode()


def test_picture():
    """Shapes, texts, gradients, embedded pixels and fonts, and animations stay."""
    root = ElementTree.fromstring(cleaned(HARMLESS))

    before = ElementTree.fromstring(svg(HARMLESS, ""))
    assert list(map(described, root.iter())) == list(map(described, before.iter()))


def described(element):
    return element.tag, element.attrib, element.text, element.tail


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>evil</script>",
        "<script href='https://evil.org'/>",
        "<x:script xmlns:x='http://www.w3.org/2000/svg'>evil</x:script>",
        "<g onclick='evil'/>",
        "<g onbegin='evil' ONLOAD='evil'/>",
        "<foreignObject><iframe src='https://evil.org'/></foreignObject>",
        "<html xmlns='http://www.w3.org/1999/xhtml'><body onload='evil'/></html>",
        "<a href='javascript:evil'><text>x</text></a>",
        "<a xlink:href=' java&#10;script:evil'><text>x</text></a>",
        "<a href='https://evil.org/'><text>x</text></a>",
        "<use href='https://evil.org/a.svg#x'/>",
        "<use href='data:image/svg+xml;base64,evil'/>",
        "<image href='//evil.org/x.png'/>",
        "<image xlink:href='evil.png'/>",
        "<image href='data:text/html,evil'/>",
        "<rect fill='url(https://evil.org/#a)'/>",
        "<rect filter='url(//evil.org/#a)'/>",
        "<rect style='fill:red;background:url(https://evil.org/x)'/>",
        "<rect style='background:u\\72l(https://evil.org/x)'/>",
        "<rect style='background:image-set(\"https://evil.org/x\" 1x)'/>",
        "<rect style='background:image(evil)'/>",
        "<style>@import url(https://evil.org/x.css);</style>",
        "<style>@IMPORT 'evil.css';</style>",
        "<style>@imp/**/ort 'evil.css';</style>",
        "<style>.a{background:url( 'https://evil.org/x' )}</style>",
        "<style>.a{background:url(https://evil.org/x</style>",
        "<style><![CDATA[@import 'evil';</style><script>evil</script>]]></style>",
        "<style>.a{-moz-binding:url(evil)}</style>",
        "<set attributeName='href' to='javascript:evil'/>",
        "<animate attributeName='onclick' values='evil'/>",
        "<animate attributeName='xlink:href' values='evil'/>",
        "<animate attributeName='style' values='evil'/>",
        "<animate values='evil'/>",
        "<feImage href='https://evil.org/x'/>",
        "<handler type='text/javascript'>evil</handler>",
        "<metadata>evil</metadata>",
        "<?xml-stylesheet href='https://evil.org/x.css'?>",
        "<!-- evil -->",
        "<desc/><iframe src='evil'/><video src='evil'/><audio src='evil'/>",
    ],
)
def test_hostile_part(hostile):
    """Nothing remains that executes, loads or refers to anything outside."""
    content = cleaned(f"<g id='before'/>{hostile}<g id='after'/>")

    assert "evil" not in content
    assert not re.search(r"script|@import|//(?!www\.w3\.org/)", content, re.I)
    assert 'id="before"' in content
    assert 'id="after"' in content


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<svg",
        b"<svg xmlns='http://www.w3.org/2000/svg'>",
        b"<svg><rect/></svg>",
        b"<html xmlns='http://www.w3.org/1999/xhtml'/>",
        b"<!DOCTYPE html><svg xmlns='http://www.w3.org/2000/svg'></svg><p>",
        b"<?xml version='1.0' encoding='no-such'?><svg/>",
        svg() + svg(),
    ],
)
def test_no_picture(content):
    """A file that is not one well-formed SVG is rejected."""
    with pytest.raises(ValidationFailed, match="damaged or incomplete"):
        clean_svg(content)


def test_entities():
    """
    Entities are rejected: a few lines could become gigabytes, or read a file of the
    server.
    """
    for declaration in ("a 'aaaa'", "a SYSTEM 'file:///etc/passwd'", "% a 'b'"):
        document = f"<!DOCTYPE svg [<!ENTITY {declaration}>]>".encode() + svg("&a;")

        with pytest.raises(ValidationFailed):
            clean_svg(document)


def test_nesting():
    """The depth of elements is limited, because programs process them recursively."""
    clean_svg(svg("<g>" * (MAX_DEPTH - 1) + "</g>" * (MAX_DEPTH - 1)))

    for hidden in ("g", "metadata"):
        deep = f"<{hidden}>" * MAX_DEPTH + f"</{hidden}>" * MAX_DEPTH
        with pytest.raises(ValidationFailed, match="200 levels"):
            clean_svg(svg(deep))


def multiplied(levels, inside):
    """
    Return groups that each contain ten times what `inside` makes of the previous one.
    """
    groups = "".join(
        f"<g id='a{level}'>{inside.format(level - 1) * 10}</g>"
        for level in range(1, levels + 1)
    )
    return svg(f"<g id='a0'><path d='M0 0h1'/></g>{groups}<use href='#a{levels}'/>")


@pytest.mark.parametrize(
    "inside",
    [
        "<use href='#a{}'/>",
        "<use x:href=' #a{}' xmlns:x='http://www.w3.org/1999/xlink'/>",
        "<g mask='url(#a{})'/>",
        "<path style='fill: URL(&quot;#a{}&quot;)' d='M0 0h1'/>",
        "<filter><feImage href='#a{}'/></filter>",
    ],
)
def test_references_that_multiply(inside):
    """A small file that renders as billions of elements is rejected."""
    clean_svg(multiplied(4, inside))

    with pytest.raises(LimitExceeded, match="500000 elements"):
        clean_svg(multiplied(9, inside))


def test_references_in_a_circle():
    """Circular references are rejected in bounded time, however long the chain."""
    for count in (1, 2, 1_000):
        circle = "".join(
            f"<g id='a{n}'>" + f"<use href='#a{(n + 1) % count}'/>" * 9 + "</g>"
            for n in range(count)
        )
        with at_most(2), pytest.raises(LimitExceeded, match="circle"):
            clean_svg(svg(circle))


def test_same_id_many_times():
    """Duplicate ids are accepted; each element is shown once."""
    clean_svg(svg("<path id='a' d='M0 0h1'/>" * 2_000 + "<use href='#a'/>" * 2_000))


@pytest.mark.parametrize(
    ("attributes", "size"),
    [
        ("width='30' height='20.4'", (30, 20)),
        ("width=' 30px ' height='20'", (30, 20)),
        ("viewBox='0 0 64 48'", (64, 48)),
        ("width='100%' height='100%' viewBox='0,0, 64,48'", (64, 48)),
        ("width='1e9' height='20'", None),
        ("width='0' height='0'", None),
        ("", None),
    ],
)
def test_size(attributes, size):
    """Width and height are those of the element, or else of its viewBox."""
    assert clean_svg(svg(attributes=attributes))[1] == size


@pytest.mark.parametrize("element", ["<g/>", "<other/>"])
def test_too_many_elements(element):
    """Half a million tiny elements are rejected, also if they would be removed."""
    with pytest.raises(ValidationFailed, match="SVG file has more than 100000 parts"):
        clean_svg(svg(element * 100_000))


def test_large_picture():
    """The largest picture is cleaned within a few seconds of processor time."""
    content = svg("<path d='M0 0L10 10'/>" * 85_000)

    with at_most(10):
        clean_svg(content)
