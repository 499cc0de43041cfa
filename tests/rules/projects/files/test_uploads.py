"""Which uploaded files are accepted, and what is stored of them."""

import struct
import zlib
from io import BytesIO

import imagesize
import pytest

from models.errors import (
    LimitExceeded,
    PayloadTooLarge,
    UnsupportedMediaType,
    ValidationFailed,
)
from models.projects.files.metadata import MAX_PARTS
from models.projects.files.uploads import (
    MAX_FILE_BYTES,
    MAX_GIF_BLOCKS,
    MAX_SVG_BYTES,
    read_upload,
)
from tests.samples import pictures
from tests.samples.pictures import FILES, HIDDEN, PICTURES


def cleaned(name, content, sent_type=""):
    with read_upload(name, BytesIO(content), len(content), sent_type) as upload:
        return upload.bytes.read(), upload.size


@pytest.mark.parametrize("name", FILES)
def test_type(name):
    """Each type is accepted by its name, and a picture has its size."""
    content, size = cleaned(name, FILES[name])

    assert size == ((3, 2) if name in PICTURES else None)
    assert content == FILES[name] or name == "a.svg"


@pytest.mark.parametrize("name", FILES)
def test_cleaning_twice(name):
    """Cleaning is idempotent, so importing a bundle changes no digest."""
    once, _ = cleaned(name, FILES[name])

    assert cleaned(name, once)[0] == once


@pytest.mark.parametrize(
    "name", ["a.html", "a.htm", "a.xhtml", "a.xml", "a.js", "a.svgz", "a", "png", "a."]
)
def test_name_of_no_accepted_type(name):
    """
    A type that a browser could execute as a page is rejected, whatever it contains.
    """
    with pytest.raises(UnsupportedMediaType, match="must end in one of"):
        cleaned(name, pictures.png())


TEXTS = ("a.txt", "a.csv", "a.json", "a.yaml", "a.yml")


@pytest.mark.parametrize("name", [name for name in FILES if name not in TEXTS])
def test_page_under_the_name_of_another_type(name):
    """An HTML page is no picture, whatever its name; texts are served as texts."""
    with pytest.raises((UnsupportedMediaType, ValidationFailed)):
        cleaned(name, pictures.HTML)


def test_content_type_of_another_type():
    """A contradicting Content-Type is rejected; a generic one is not."""
    with pytest.raises(UnsupportedMediaType, match="is image/png"):
        cleaned("a.png", pictures.png(), "text/html")

    for vague in ("", "application/octet-stream", "image/png"):
        assert cleaned("a.png", pictures.png(), vague)


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.gif", "a.webp"])
def test_polyglot(name):
    """Data after the end of a picture is not stored, because it may be another file."""
    content, _ = cleaned(name, FILES[name] + pictures.ZIP + pictures.HTML)

    assert content == FILES[name]


@pytest.mark.parametrize(
    "name",
    ["a.png", "a.jpg", "a.gif", "a.webp", "a.avif", "a.svg", "a.pdf", "a.zip", "a.mp4"],
)
def test_truncated_file(name):
    """A truncated file is rejected, wherever it ends."""
    for length in range(len(FILES[name]) - 1):
        with pytest.raises((ValidationFailed, UnsupportedMediaType)):
            cleaned(name, FILES[name][:length])


def test_png_metadata():
    """Texts, times and positions are removed; what defines the pixels stays."""
    gamma = pictures.chunk(b"gAMA", b"\0\0\xb1\x8f")
    metadata = [
        pictures.chunk(kind, b"Author\0" + HIDDEN)
        for kind in (b"tEXt", b"zTXt", b"iTXt", b"tIME", b"prVt")
    ]

    content, _ = cleaned("a.png", pictures.png(3, 2, gamma, *metadata))

    assert content == pictures.png(3, 2, gamma)


def test_jpeg_metadata():
    """EXIF, XMP, comments and thumbnails are removed; the colour profile stays."""
    profile = pictures.segment(0xE2, b"ICC_PROFILE\0\x01\x01profile")
    metadata = [
        pictures.segment(0xE1, b"Exif\0\0" + pictures.exif()),
        pictures.segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + HIDDEN),
        pictures.segment(0xE2, b"MPF\0" + HIDDEN),
        pictures.segment(0xED, b"Photoshop 3.0\0" + HIDDEN),
        pictures.segment(0xFE, HIDDEN),
    ]

    content, _ = cleaned("a.jpg", pictures.jpeg(3, 2, *metadata, profile))

    assert content == pictures.jpeg(3, 2, profile)


def test_webp_metadata():
    """
    EXIF and XMP are removed, also from the header; profile, pixels and animation stay.
    """
    pixels = [
        pictures.riff_chunk(kind, b"odd")
        for kind in (b"ICCP", b"ANIM", b"ANMF", b"ALPH", b"VP8 ")
    ]
    metadata = [
        pictures.riff_chunk(b"EXIF", b"Exif\0\0" + pictures.exif()),
        pictures.riff_chunk(b"XMP ", HIDDEN),
    ]

    content, size = cleaned("a.webp", pictures.webp(3, 2, *metadata, *pixels))

    assert content == pictures.webp(3, 2, *pixels, flags=0x32)
    assert size == (3, 2)


def test_turned_webp():
    """The orientation in the EXIF stays."""
    exif = pictures.riff_chunk(b"EXIF", pictures.exif(orientation=6))

    content, _ = cleaned("a.webp", pictures.webp(3, 2, exif))

    assert pictures.DATE not in content
    assert content.startswith(pictures.webp(3, 2, flags=0x3A)[12:], 12)
    assert b"EXIF" in content[30:]
    assert cleaned("a.webp", content)[0] == content


@pytest.mark.parametrize(
    "compressed",
    [zlib.compress(bytes(20_000_000)), zlib.compress(bytes(100))[:-6], b"", b"x"],
)
def test_colour_profile_that_is_none(compressed):
    """A damaged profile, or one that would exhaust browsers' memory, is removed."""
    chunk = pictures.chunk(b"iCCP", b"name\0\0" + compressed)

    content, _ = cleaned("a.png", pictures.png(3, 2, chunk))

    assert content == pictures.png()


def test_second_colour_profile():
    """A picture has one profile; another is not even decompressed."""
    first, second = (
        pictures.chunk(b"iCCP", b"name\0\0" + zlib.compress(bytes(length)))
        for length in (100, 200)
    )

    content, _ = cleaned("a.png", pictures.png(3, 2, first, second))

    assert content == pictures.png(3, 2, first)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.png", pictures.png(3, 2, pictures.chunk(b"tEXt") * MAX_PARTS)),
        ("a.jpg", pictures.jpeg(3, 2, pictures.segment(0xFE, b"") * MAX_PARTS)),
        ("a.webp", pictures.webp(3, 2, pictures.riff_chunk(b"XMP ", b"") * MAX_PARTS)),
        ("a.mp4", pictures.mp4() + struct.pack(">I4s", 8, b"free") * MAX_PARTS),
    ],
)
def test_file_of_too_many_parts(name, content):
    """
    A file of a million tiny parts is rejected, because cleaning would take seconds.
    """
    with pytest.raises(ValidationFailed, match="more than 50000 parts"):
        cleaned(name, content)


@pytest.mark.parametrize("block", [b"\x21\xfe\0", b"\x21\xfe" + b"\1x" * 9 + b"\0"])
def test_blocks_of_gif(block):
    """
    A long animation has many blocks and is accepted; a file of tiny blocks is rejected.
    """
    picture, counted = pictures.gif(), block.count(b"x") + 1
    blocks = block * (MAX_GIF_BLOCKS // counted)
    long = picture[:-1] + block * (MAX_PARTS // counted) + b";"

    assert cleaned("a.gif", long)[0] == long
    with pytest.raises(ValidationFailed, match="GIF file has more than 200000 parts"):
        cleaned("a.gif", picture[:-1] + blocks + b";")


@pytest.mark.parametrize("turned", [1, 6])
def test_second_exif(turned):
    """Only the first EXIF counts, so that not all have to be read."""
    first, second = pictures.exif(turned), pictures.exif(3)
    jpeg = [pictures.segment(0xE1, b"Exif\0\0" + exif) for exif in (first, second)]
    png = [pictures.chunk(b"eXIf", exif) for exif in (first, second)]
    webp = [pictures.riff_chunk(b"EXIF", exif) for exif in (first, second)]

    for name, make, chunks in (
        ("a.jpg", pictures.jpeg, jpeg),
        ("a.png", pictures.png, png),
        ("a.webp", pictures.webp, webp),
    ):
        content, _ = cleaned(name, make(3, 2, *chunks))
        assert content == cleaned(name, make(3, 2, chunks[0]))[0]


def test_colour_profile():
    """A profile of ordinary size stays."""
    chunk = pictures.chunk(b"iCCP", b"name\0\0" + zlib.compress(bytes(500_000)))

    content, _ = cleaned("a.png", pictures.png(3, 2, chunk))

    assert content == pictures.png(3, 2, chunk)


@pytest.mark.parametrize("name", ["a.png", "a.jpg"])
def test_orientation(name):
    """A rotated picture stays rotated, and has the size as displayed."""
    turned = pictures.exif(orientation=6)
    content = {
        "a.png": pictures.png(3, 2, pictures.chunk(b"eXIf", turned)),
        "a.jpg": pictures.jpeg(3, 2, pictures.segment(0xE1, b"Exif\0\0" + turned)),
    }[name]

    clean, size = cleaned(name, content)

    assert pictures.DATE in content
    assert pictures.DATE not in clean
    assert imagesize.get(BytesIO(clean)) == imagesize.get(BytesIO(content)) == size
    if name == "a.jpg":
        assert size == (2, 3)


def test_picture_of_too_many_pixels():
    """A small file of 100,000 pixels a side is rejected; browsers would need 40 GB."""
    with pytest.raises(LimitExceeded, match=r"100000 × 100000.*50 megapixels"):
        cleaned("a.png", pictures.png(100_000, 100_000))


def test_file_of_too_many_bytes():
    """A file that is too large is rejected by its length, before it is read."""
    with pytest.raises(PayloadTooLarge, match=str(MAX_FILE_BYTES)):
        with read_upload("a.txt", None, MAX_FILE_BYTES + 1):
            pass

    with pytest.raises(PayloadTooLarge, match=str(MAX_SVG_BYTES)):
        cleaned("a.svg", b" " * (MAX_SVG_BYTES + 1))


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a\0b", b"a" * 5000 + b"\0"])
def test_text_that_is_none(content):
    """A text must be UTF-8 without NUL."""
    with pytest.raises((ValidationFailed, UnsupportedMediaType)):
        cleaned("a.txt", content)
