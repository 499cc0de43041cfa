"""Check, clean and measure the bytes of a file that somebody sends."""

import hashlib
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from tempfile import SpooledTemporaryFile
from threading import Lock
from typing import BinaryIO, cast

from models.errors import LimitExceeded, PayloadTooLarge, ValidationFailed
from models.projects.files.file_types import HEAD_BYTES, FileType, require_type
from models.projects.files.metadata import (
    clean_jpeg,
    clean_png,
    clean_webp,
    counted,
    truncated,
)

MAX_FILE_BYTES = 10_000_000
# Its cleaning takes longer than that of other types.
MAX_SVG_BYTES = 2_000_000
MAX_PIXELS = 50_000_000
# What is kept in memory of a cleaned file, before it is in the database.
_SPOOL_BYTES = 1024 * 1024

# One file at a time is in memory as a whole, however many are being sent.
_cleaning = Lock()

CLEANERS = {"JPEG": clean_jpeg, "PNG": clean_png, "WebP": clean_webp}

Size = tuple[int, int]
# A block of GIF has at most 255 bytes, so the largest animations have 40,000 of pixels.
MAX_GIF_BLOCKS = 200_000


@dataclass(frozen=True)
class Upload:
    """
    A file that was checked and cleaned, and waits to be stored.

    `digest` is that of the cleaned bytes, `source_digest` that of those sent.
    """

    bytes: BinaryIO
    length: int
    digest: str
    source_digest: str
    size: Size | None


@contextmanager
def read_upload(
    name: str, stream: BinaryIO, length: int, sent_type: str = ""
) -> Iterator[Upload]:
    """
    Read a file of this length, and provide it cleaned within the block.

    Raise PayloadTooLarge, LimitExceeded, UnsupportedMediaType or ValidationFailed.
    """
    if length > MAX_FILE_BYTES:
        raise _too_large(MAX_FILE_BYTES)
    with SpooledTemporaryFile(_SPOOL_BYTES) as spool:
        cleaned = cast(BinaryIO, spool)
        with _cleaning:
            content = stream.read(length)
            type = require_type(name, content[:HEAD_BYTES], sent_type)
            size = _clean(type, content, cleaned)
            source_digest = hashlib.sha256(content).hexdigest()
            del content
        if size and size[0] * size[1] > MAX_PIXELS:
            raise LimitExceeded(
                f"The picture has {size[0]} × {size[1]} pixels. A picture may have at"
                f" most {MAX_PIXELS // 1_000_000} megapixels."
            )
        length = cleaned.tell()
        cleaned.seek(0)
        digest = hashlib.file_digest(spool, "sha256").hexdigest()
        cleaned.seek(0)
        yield Upload(cleaned, length, digest, source_digest, size)


def _clean(type: FileType, content: bytes, output: BinaryIO) -> Size | None:
    """Write the file without what it should not have; return its width and height."""
    if type.is_text:
        _require_text(content)
        output.write(content)
        return None
    if type.title == "SVG":
        if len(content) > MAX_SVG_BYTES:
            raise _too_large(MAX_SVG_BYTES)
        # As imagesize below, it loads an HTTP client, which no command should wait for.
        from models.projects.files.svg import clean_svg

        cleaned, size = clean_svg(content)
        output.write(cleaned)
        return size
    if clean := CLEANERS.get(type.title):
        clean(content, output)
    elif check := CHECKS.get(type.title):
        output.write(memoryview(content)[: check(content)])
    else:
        output.write(content)
    return _size_of(type, content) if type.is_picture else None


def _size_of(type: FileType, content: bytes) -> Size:
    """Return width and height, as people see the picture: turned by its orientation."""
    import imagesize  # type: ignore[import-untyped]

    width, height = imagesize.get(BytesIO(content))
    if width < 1 or height < 1:
        raise truncated(type.title)
    return width, height


def _require_text(content: bytes) -> None:
    try:
        is_text = "\0" not in content.decode()
    except UnicodeDecodeError:
        is_text = False
    if not is_text:
        detail = "A text file must be UTF-8 without NUL characters."
        raise ValidationFailed(detail, {"code": "not_text", "detail": detail})


def _too_large(max_bytes: int) -> PayloadTooLarge:
    return PayloadTooLarge(
        f"A file of this type may have at most {max_bytes} bytes.",
        limitBytes=max_bytes,
    )


def check_gif(content: bytes) -> int:
    """Return where the picture ends."""
    blocks = 0
    try:
        position = 13 + _color_table_bytes(content[10])
        while (kind := content[position]) != 0x3B:
            if kind == 0x21:
                position += 2
            elif kind == 0x2C:
                position += 11 + _color_table_bytes(content[position + 9])
            else:
                raise truncated("GIF")
            while length := content[position]:
                blocks = counted(blocks, "GIF", MAX_GIF_BLOCKS)
                position += 1 + length
            blocks = counted(blocks, "GIF", MAX_GIF_BLOCKS)
            position += 1
    except IndexError:
        raise truncated("GIF") from None
    return position + 1


def _color_table_bytes(flags: int) -> int:
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def check_boxes(content: bytes) -> int:
    """Check the boxes of AVIF and MP4: each says how long it is."""
    position, has_media, parts = 0, False, 0
    while position < len(content):
        parts = counted(parts, "AVIF or MP4")
        has_media |= content[position + 4 : position + 8] == b"mdat"
        try:
            (length,) = struct.unpack_from(">I", content, position)
            if length == 1:
                (length,) = struct.unpack_from(">Q", content, position + 8)
        except struct.error:
            raise truncated("AVIF or MP4") from None
        if length == 0:
            # The last box extends to the end.
            length = len(content) - position
        if length < 8 or position + length > len(content):
            raise truncated("AVIF or MP4")
        position += length
    if not has_media:
        raise truncated("AVIF or MP4")
    return position


def check_pdf(content: bytes) -> int:
    if b"%%EOF" not in content[-1024:]:
        raise truncated("PDF")
    return len(content)


def check_zip(content: bytes) -> int:
    # The end of its directory, which a comment of up to 64 KiB may follow.
    end = content.rfind(b"PK\x05\x06", max(0, len(content) - 66_000))
    comment = int.from_bytes(content[end + 20 : end + 22], "little")
    if end < 0 or end + 22 + comment > len(content):
        raise truncated("ZIP")
    return end + 22 + comment


# Each returns where the file ends; what follows does not belong to it.
CHECKS: dict[str, Callable[[bytes], int]] = {
    "GIF": check_gif,
    "AVIF": check_boxes,
    "MP4": check_boxes,
    "PDF": check_pdf,
    "ZIP": check_zip,
}
