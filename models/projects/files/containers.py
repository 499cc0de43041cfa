"""Check that files of types without a cleaner are complete, where they tell."""

import struct
from collections.abc import Callable

from models.projects.files.metadata import counted, truncated

# A block of GIF has at most 255 bytes, so the largest animations have 40,000 of pixels.
MAX_GIF_BLOCKS = 200_000


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
