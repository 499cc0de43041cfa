"""
Decide which files are accepted: by the suffix of their name and their first bytes.

Static hosts derive the type of a file from its suffix, so the two must agree. Nothing
that a browser could run as a page is among the types.
"""

from collections.abc import Callable
from typing import NamedTuple

from models.errors import UnsupportedMediaType
from models.response_headers import content_type

# The first bytes of a file, from which its type is recognized.
HEAD_BYTES = 4096
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_VIDEO_BRANDS = (b"iso", b"mp4", b"avc", b"M4V", b"dash", b"msnv", b"3gp")


def _starts_with(*signatures: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(signatures)


def _is_text(head: bytes) -> bool:
    """The rest is checked when it is read, see uploads.py."""
    return b"\0" not in head


class FileType(NamedTuple):
    """A type of files: its name for people, its suffixes and what it begins with."""

    title: str
    suffixes: tuple[str, ...]
    matches: Callable[[bytes], bool]
    # Whether it has a width and a height.
    is_picture: bool = False
    is_text: bool = False


FILE_TYPES = (
    FileType("PNG", (".png",), _starts_with(PNG_SIGNATURE), is_picture=True),
    FileType("JPEG", (".jpg", ".jpeg"), _starts_with(b"\xff\xd8\xff"), is_picture=True),
    FileType("GIF", (".gif",), _starts_with(b"GIF87a", b"GIF89a"), is_picture=True),
    FileType(
        "WebP",
        (".webp",),
        lambda head: head.startswith(b"RIFF") and head[8:12] == b"WEBP",
        is_picture=True,
    ),
    FileType(
        "AVIF",
        (".avif",),
        lambda head: head[4:8] == b"ftyp" and head[8:12] in (b"avif", b"avis"),
        is_picture=True,
    ),
    FileType("SVG", (".svg",), _is_text, is_picture=True),
    FileType("PDF", (".pdf",), _starts_with(b"%PDF-")),
    FileType("ZIP", (".zip",), _starts_with(b"PK\x03\x04", b"PK\x05\x06")),
    FileType(
        "MP4",
        (".mp4",),
        lambda head: head[4:8] == b"ftyp" and head[8:12].startswith(_VIDEO_BRANDS),
    ),
    FileType(
        "WebM",
        (".webm",),
        lambda head: head.startswith(b"\x1aE\xdf\xa3") and b"webm" in head[:64],
    ),
    FileType(
        "text", (".txt", ".csv", ".json", ".yaml", ".yml"), _is_text, is_text=True
    ),
)
BY_SUFFIX = {suffix: type for type in FILE_TYPES for suffix in type.suffixes}

# What clients send that do not know the type of a file.
UNKNOWN_MEDIA_TYPES = (
    "",
    "application/octet-stream",
    # The default of curl.
    "application/x-www-form-urlencoded",
)


def suffix_of(name: str) -> str:
    """Return the suffix of a file's name in lower case, with its period."""
    _, period, suffix = name.rpartition("/")[2].rpartition(".")
    return f"{period}{suffix}".lower()


def media_type(name: str) -> str:
    """Return the media type of a file, without parameters."""
    return content_type(name).partition(";")[0]


def require_type(name: str, head: bytes, sent_type: str = "") -> FileType:
    """
    Return the type of the file.

    Raise UnsupportedMediaType if it is not accepted, or if name, content and the
    Content-Type that was sent contradict each other.
    """
    type = BY_SUFFIX.get(suffix_of(name))
    if type is None:
        raise UnsupportedMediaType(
            f"The name of a file must end in one of {', '.join(BY_SUFFIX)}."
        )
    if not type.matches(head):
        raise UnsupportedMediaType(
            f"The file is named {suffix_of(name)}, but its content is not {type.title}."
        )
    if sent_type not in (*UNKNOWN_MEDIA_TYPES, media_type(name)):
        raise UnsupportedMediaType(
            f"The Content-Type of a {suffix_of(name)} file is {media_type(name)}."
            " Send that, or application/octet-stream."
        )
    return type
