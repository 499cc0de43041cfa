"""Apply unified diffs, to check them."""

import re

HEAD = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n")
NO_NEWLINE = "\\ No newline at end of file\n"


def patched(old, unified):
    """Return the text that the diff makes of the old one, which must fit it."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", old)
    rows = re.findall(r"[^\n]*\n", unified)[2:]
    made, at, count = [], 0, 0
    while count < len(rows):
        start, length, to, size = map(int, HEAD.fullmatch(rows[count]).groups())
        count += 1
        start, to = start - bool(length), to - bool(size)
        made += lines[at:start]
        at = start
        assert len(made) == to
        while count < len(rows) and not rows[count].startswith("@@"):
            sign, line = rows[count][0], rows[count][1:]
            count += 1
            if count < len(rows) and rows[count] == NO_NEWLINE:
                line, count = line[:-1], count + 1
            if sign in " -":
                assert lines[at] == line
                at += 1
            if sign in " +":
                made.append(line)
        assert (at - start, len(made) - to) == (length, size)
    return "".join(made + lines[at:])
