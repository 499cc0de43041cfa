"""Pictures and other files, created byte by byte, as small as possible."""

import struct
import zlib

HIDDEN = b"Ada at 52.5 N"
DATE = b"2026:03:01 12:00:00"


def exif(orientation=1):
    """EXIF with a date, and with how the picture is turned."""
    entries = struct.pack("<HHII", 0x0112, 3, 1, orientation)
    entries += struct.pack("<HHII", 0x0132, 2, len(DATE), 38)
    return b"II*\0\x08\0\0\0" + struct.pack("<H", 2) + entries + bytes(4) + DATE


def chunk(kind, content=b""):
    checksum = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + checksum


def png(width=3, height=2, *chunks, end=b""):
    """Return a grey PNG; `chunks` precede its pixels, `end` follows it."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    rows = b"" if width * height > 1_000_000 else (b"\0" + b"\x80" * width) * height
    pixels = chunk(b"IDAT", zlib.compress(rows))
    parts = (b"\x89PNG\r\n\x1a\n", header, *chunks, pixels, chunk(b"IEND"), end)
    return b"".join(parts)


def segment(marker, content):
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def jpeg(width=3, height=2, *segments, end=b""):
    """The frame of a JPEG, with a few bytes in the place of its pixels."""
    start = segment(0xE0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0")
    frame = segment(0xC0, struct.pack(">BHHBBBB", 8, height, width, 1, 1, 0x11, 0))
    scan = segment(0xDA, b"\x01\x01\0\0\x3f\0") + b"\x12\xff\0\x34\xff\xd0\x56"
    return b"".join((b"\xff\xd8", start, *segments, frame, scan, b"\xff\xd9", end))


def gif(width=3, height=2, end=b""):
    screen = struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6)
    frame = struct.pack("<BHHHHB", 0x2C, 0, 0, width, height, 0)
    return b"GIF89a" + screen + frame + b"\x02\x02\x4c\x01\0" + b";" + end


def riff_chunk(kind, content):
    return kind + struct.pack("<I", len(content)) + content + bytes(len(content) % 2)


def webp(width=3, height=2, *chunks, flags=0x3E, end=b""):
    """
    Return the header of a WebP with `chunks` after it; `flags` declare its contents.
    """
    sides = [(side - 1).to_bytes(3, "little") for side in (width, height)]
    header = riff_chunk(b"VP8X", bytes((flags, 0, 0, 0)) + b"".join(sides))
    body = header + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body + end


def box(kind, content=b""):
    return struct.pack(">I", len(content) + 8) + kind + content


def avif(width=3, height=2):
    size = box(b"ispe", bytes(4) + struct.pack(">II", width, height))
    associations = struct.pack(">IIHBB", 0, 1, 1, 1, 1)
    properties = box(b"ipco", size) + box(b"ipma", associations)
    item = struct.pack(">IH", 0, 1)
    meta = box(b"pitm", item) + box(b"iprp", properties)
    start = box(b"ftyp", b"avif" + bytes(4) + b"avifmif1")
    return start + box(b"meta", bytes(4) + meta) + box(b"mdat", b"pixels")


def mp4():
    return box(b"ftyp", b"isom" + bytes(4) + b"isommp41") + box(b"mdat", b"film")


def svg(inside="<path d='M0 0h3v2z'/>", attributes="width='3' height='2'"):
    root = f"<svg xmlns='http://www.w3.org/2000/svg' {attributes}>{inside}</svg>"
    return root.encode()


WEBM = b"\x1a\x45\xdf\xa3\x93\x42\x82\x84webm\x42\x87\x81\x02"
PDF = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n"
ZIP = b"PK\x05\x06" + bytes(18)
HTML = b"<!doctype html><script>alert(1)</script>"

# A file of each type, by a name.
FILES = {
    "a.png": png(),
    "a.jpg": jpeg(),
    "a.jpeg": jpeg(),
    "a.gif": gif(),
    "a.webp": webp(flags=0),
    "a.avif": avif(),
    "a.svg": svg(),
    "a.pdf": PDF,
    "a.zip": ZIP,
    "a.mp4": mp4(),
    "a.webm": WEBM,
    "a.txt": b"Words.\n",
    "a.csv": b"a,b\n",
    "a.json": b"{}",
    "a.yaml": b"a: 1\n",
    "a.yml": b"a: 1\n",
}
PICTURES = ("a.png", "a.jpg", "a.jpeg", "a.gif", "a.webp", "a.avif", "a.svg")
