"""
Remove the metadata of JPEG, PNG and WebP files, without touching their pixels.

Positions and names of people and cameras go. What the pixels mean stays: colour
profiles, and the orientation, which tells how they are turned. What follows the end of
the picture goes too, so that no other file can hide there.
"""

import re
import struct
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from models.errors import ValidationFailed
from models.projects.files.file_types import PNG_SIGNATURE

# Chunks of PNG that its pixels need: of palettes, colours and animations.
_PNG_CHUNKS = frozenset(
    b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB sBIT bKGD pHYs cICP mDCV cLLI"
    b" acTL fcTL fdAT".split()
)
# Chunks that are checked, which a picture has once at most.
_SINGLE_PNG_CHUNKS = frozenset((b"iCCP", b"eXIf"))
# The marker that ends a segment of compressed pixels: neither a stuffed byte nor a
# restart marker.
_JPEG_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)
_EXIF, _ICC_PROFILE = b"Exif\0\0", b"ICC_PROFILE\0"
# A larger colour profile of PNG, which is compressed, is there to fill memories.
MAX_PROFILE_BYTES = 4_000_000
# Chunks, segments or boxes of a file. Pictures have hundreds; each takes time.
MAX_PARTS = 50_000
# Bits of the header of WebP: what else the file contains.
_WEBP_EXIF, _WEBP_XMP = 0x08, 0x04
_ORIENTATION = 0x0112
_SOS, _EOI = 0xDA, 0xD9


def truncated(title: str) -> ValidationFailed:
    detail = f"The {title} file is damaged or incomplete."
    return ValidationFailed(detail, {"code": "damaged_file", "detail": detail})


def counted(parts: int, title: str, most: int = MAX_PARTS) -> int:
    """Count one part more of a file; raise ValidationFailed if they are too many."""
    if parts == most:
        detail = f"The {title} file has more than {most} parts."
        raise ValidationFailed(detail, {"code": "too_many_parts", "detail": detail})
    return parts + 1


def clean_png(content: bytes, output: BinaryIO) -> None:
    """Write the picture; raise ValidationFailed if it is incomplete."""
    output.write(PNG_SIGNATURE)
    position, kind, parts, seen = len(PNG_SIGNATURE), b"", 0, set[bytes]()
    while kind != b"IEND":
        parts = counted(parts, "PNG")
        length, kind = _unpack(">I4s", content, position, "PNG")
        end = position + 12 + length
        chunk = memoryview(content)[position:end]
        checksum = int.from_bytes(chunk[-4:], "big")
        if len(chunk) < 12 + length or zlib.crc32(chunk[4:-4]) != checksum:
            raise truncated("PNG")
        if position == len(PNG_SIGNATURE) and kind != b"IHDR":
            raise truncated("PNG")
        if kind not in _SINGLE_PNG_CHUNKS:
            if kind in _PNG_CHUNKS:
                output.write(chunk)
        elif kind not in seen:
            output.write(_cleaned_chunk(kind, chunk))
        seen.add(kind)
        position = end


def _cleaned_chunk(kind: bytes, chunk: memoryview) -> bytes | memoryview:
    """Return a chunk of a profile or EXIF, or nothing if it is not needed."""
    if kind == b"iCCP":
        return b"" if _is_bomb(chunk[8:-4]) else chunk
    exif = _turned(bytes(chunk[8:-4]))
    return _png_chunk(kind, exif) if exif else b""


def _is_bomb(profile: memoryview) -> bool:
    """Return whether a compressed colour profile is damaged or far too large."""
    # A name ends with NUL, and the method of compression follows.
    start = bytes(profile[:80]).find(b"\0") + 2
    inflate = zlib.decompressobj()
    try:
        inflate.decompress(profile[start:], MAX_PROFILE_BYTES)
    except zlib.error:
        return True
    return not inflate.eof


def _png_chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return (
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)
    )


def clean_jpeg(content: bytes, output: BinaryIO) -> None:
    """Write the picture; raise ValidationFailed if it is incomplete."""
    output.write(content[:2])
    exif: bytes | None = None
    pieces = []
    for marker, start, end in _jpeg_segments(content):
        piece = memoryview(content)[start:end]
        if marker == 0xE1 and piece[4:10] == _EXIF:
            exif = _turned(bytes(piece[10:])) if exif is None else exif
        elif _is_needed(marker, bytes(piece[4:18])):
            pieces.append(piece)
    if exif:
        body = _EXIF + exif
        output.write(b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body)
    for piece in pieces:
        output.write(piece)


def _is_needed(marker: int, start: bytes) -> bool:
    """Return whether the pixels need a segment of this marker and this start."""
    if marker == 0xE0:
        return start.startswith(b"JFIF\0")
    if marker == 0xE2:
        return start.startswith(_ICC_PROFILE)
    # Other APP segments and comments are metadata; APP14 has the colour space.
    return marker == 0xEE or not (0xE0 <= marker <= 0xEF or marker == 0xFE)


def _jpeg_segments(content: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield marker, start and end of each segment; pixels belong to their header."""
    position, has_pixels, parts = 2, False, 0
    while True:
        parts = counted(parts, "JPEG")
        (mark, marker) = _unpack(">BB", content, position, "JPEG")
        if mark != 0xFF:
            raise truncated("JPEG")
        if marker == 0xFF:
            # Any number of these may come before a marker.
            position += 1
            continue
        if marker == _EOI:
            if not has_pixels:
                raise truncated("JPEG")
            yield marker, position, position + 2
            return
        (length,) = _unpack(">H", content, position + 2, "JPEG")
        end = position + 2 + length
        if length < 2 or end > len(content):
            raise truncated("JPEG")
        if marker == _SOS:
            has_pixels = True
            pixels_end = _JPEG_MARKER.search(content, end)
            if pixels_end is None:
                raise truncated("JPEG")
            end = pixels_end.start()
        yield marker, position, end
        position = end


def clean_webp(content: bytes, output: BinaryIO) -> None:
    """Write the picture; raise ValidationFailed if it is incomplete."""
    header, chunks = b"", []
    exif: bytes | None = None
    for kind, start, end in _webp_chunks(content):
        if kind == b"VP8X":
            header = content[start + 8 : end]
        elif kind == b"EXIF":
            if exif is None:
                exif = _turned(content[start + 8 : end].removeprefix(_EXIF))
        elif kind != b"XMP ":
            chunks.append(memoryview(content)[start:end])
    if header:
        flags = header[0] & ~(_WEBP_EXIF | _WEBP_XMP) | (_WEBP_EXIF if exif else 0)
        header = b"VP8X" + struct.pack("<IB", len(header), flags) + header[1:]
    if exif and header:
        chunks.append(memoryview(b"EXIF" + struct.pack("<I", len(exif)) + exif))
    length = 4 + len(header) + sum(map(len, chunks))
    output.write(b"RIFF" + struct.pack("<I", length) + b"WEBP" + header)
    output.writelines(chunks)


def _webp_chunks(content: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yield kind, start and end of each chunk; those of odd length have a padding."""
    position, file_end = 12, 8 + int.from_bytes(content[4:8], "little")
    if file_end > len(content):
        raise truncated("WebP")
    parts = 0
    while position < file_end:
        parts = counted(parts, "WebP")
        kind, length = _unpack("<4sI", content, position, "WebP")
        end = position + 8 + length + length % 2
        if end > file_end:
            raise truncated("WebP")
        yield kind, position, end
        position = end


def _turned(exif: bytes) -> bytes:
    """Return EXIF with the orientation alone, nothing if the picture is upright."""
    orientation = _orientation(exif)
    if not 2 <= orientation <= 8:
        return b""
    header = struct.pack(">2sHI", b"MM", 42, 8)
    entry = struct.pack(">HHIHH", _ORIENTATION, 3, 1, orientation, 0)
    return header + struct.pack(">H", 1) + entry + bytes(4)


def _orientation(exif: bytes) -> int:
    """Return the orientation, 0 if there is none or the EXIF is damaged."""
    order = {b"II": "<", b"MM": ">"}.get(exif[:2])
    try:
        if order is None:
            return 0
        (directory,) = struct.unpack_from(f"{order}I", exif, 4)
        (count,) = struct.unpack_from(f"{order}H", exif, directory)
        for number in range(count):
            entry = directory + 2 + 12 * number
            tag, kind = struct.unpack_from(f"{order}HH", exif, entry)
            if (tag, kind) == (_ORIENTATION, 3):
                return int(struct.unpack_from(f"{order}H", exif, entry + 8)[0])
    except struct.error:
        return 0
    return 0


def _unpack(format: str, content: bytes, position: int, title: str) -> tuple[Any, ...]:
    try:
        return struct.unpack_from(format, content, position)
    except struct.error:
        raise truncated(title) from None
