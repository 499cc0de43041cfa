"""A unified diff applied: a second opinion on what a difference says."""

import re

HEAD = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n")
BARE = "\\ No newline at end of file\n"


def patched(old, unified):
    """Return the text that the diff makes of the old one, which must fit it."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", old)
    told = re.findall(r"[^\n]*\n", unified)[2:]
    made, at, count = [], 0, 0
    while count < len(told):
        start, length, to, size = map(int, HEAD.fullmatch(told[count]).groups())
        count += 1
        start, to = start - bool(length), to - bool(size)
        made += lines[at:start]
        at = start
        assert len(made) == to
        while count < len(told) and not told[count].startswith("@@"):
            sign, line = told[count][0], told[count][1:]
            count += 1
            if count < len(told) and told[count] == BARE:
                line, count = line[:-1], count + 1
            if sign in " -":
                assert lines[at] == line
                at += 1
            if sign in " +":
                made.append(line)
        assert (at - start, len(made) - to) == (length, size)
    return "".join(made + lines[at:])
