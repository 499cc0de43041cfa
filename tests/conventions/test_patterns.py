"""No regular expression of the code takes more than linear time."""

import ast
import re
from functools import partial
from importlib import import_module
from itertools import product as combinations
from re import _constants as codes
from re import _parser as parser
from time import process_time

from tests.conventions.source import name_of, parsed, product

METHODS = {"findall", "finditer", "fullmatch", "match", "search", "split", "sub"}
CHARACTERS = "x7 \t\nX-_.:\"'<>{}[]()#*`~|=/\\&!%?,+é"
# Cubic time shows in a short text, quadratic time in a longer one.
LENGTHS = SHORT, LONG = 600, 3_000
MEASURABLE_SECONDS = 0.002
# If the longer text shows quadratic time, the short one takes at least this.
NOTICEABLE_SECONDS = MEASURABLE_SECONDS * (SHORT / LONG) ** 2
# Twice the text takes twice the time, and four times if the time is quadratic.
MAX_RATIO = 3


def uses():
    """Yield each pattern of the code with the methods that it is used with."""
    for path in product():
        dotted = name_of(path).removesuffix(".py").replace("/", ".")
        module = import_module(dotted.removesuffix(".__init__"))
        for value in vars(module).values():
            yield from ((pattern, "sub") for pattern in patterns_in(value))
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                yield from uses_in(node, module)


def patterns_in(table):
    """Return the patterns, each with its replacement."""
    pairs = table if isinstance(table, list | tuple) else []
    parts = [part for pair in pairs if isinstance(pair, tuple) for part in pair]
    return [part for part in parts if isinstance(part, re.Pattern)]


def uses_in(call, module):
    method, owner = call.func.attr, call.func.value
    if method not in METHODS or not isinstance(owner, ast.Name):
        return
    pattern = getattr(module, owner.id, None)
    if pattern is re:
        text = call.args[0]
        value = getattr(module, text.id, None) if isinstance(text, ast.Name) else None
        value = text.value if isinstance(text, ast.Constant) else value
        pattern = re.compile(value) if isinstance(value, str) else None
    if isinstance(pattern, re.Pattern):
        yield pattern, method


def prefixes(tree):
    """Return texts that match the pattern up to each of its parts, the whole last."""
    texts, text = [""], ""
    for code, value in tree:
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            inner = prefixes(value[2])
        elif code is codes.BRANCH:
            inner = [part for branch in value[1] for part in prefixes(branch)]
        elif code in (codes.SUBPATTERN, codes.ATOMIC_GROUP):
            inner = prefixes(value[-1] if code is codes.SUBPATTERN else value)
        else:
            inner = [character(code, value)]
        texts += [text + part for part in inner]
        text += inner[-1]
    return [*dict.fromkeys(texts), text]


def character(code, value):
    if code is codes.LITERAL:
        return chr(value)
    if code is codes.IN:
        return next(filter(partial(is_in_class, value), CHARACTERS), "")
    return "x" if code in (codes.ANY, codes.NOT_LITERAL) else ""


def single_parts(tree):
    """Yield each part of the pattern that matches one character."""
    for code, value in tree:
        if code in (codes.LITERAL, codes.NOT_LITERAL, codes.IN):
            yield code, value
        else:
            yield from single_parts_in(value)


def single_parts_in(value):
    if isinstance(value, parser.SubPattern):
        yield from single_parts(value)
    elif isinstance(value, tuple | list):
        for part in value:
            yield from single_parts_in(part)


def distinct_characters(tree):
    """Return CHARACTERS, but of those that the pattern treats alike only the first."""
    parts = [*single_parts(tree)]

    def treatment(text):
        # Boundaries and dots look at words and lines.
        yield from (text == "\n", bool(re.match(r"\w", text)))
        for code, value in parts:
            if code is codes.IN:
                yield is_in_class(value, text)
            else:
                yield chr(value) == text

    firsts = {}
    for text in CHARACTERS:
        firsts.setdefault((*treatment(text),), text)
    return firsts.values()


def is_in_class(items, text):
    number, is_negated = ord(text), items[0][0] is codes.NEGATE
    is_listed = any(
        (code is codes.LITERAL and value == number)
        or (code is codes.RANGE and value[0] <= number <= value[1])
        or (code is codes.CATEGORY and re.match(CATEGORIES[value], text))
        for code, value in items
    )
    return is_listed != is_negated


CATEGORIES = {
    codes.CATEGORY_DIGIT: r"\d",
    codes.CATEGORY_NOT_DIGIT: r"\D",
    codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S",
    codes.CATEGORY_WORD: r"\w",
    codes.CATEGORY_NOT_WORD: r"\W",
}


def slowest(pattern, method):
    """
    Return what takes more than linear time: the beginning, repetition and end of a
    text.
    """
    tree = parser.parse(pattern.pattern, pattern.flags)
    beginnings = prefixes(tree)
    repeated = [*distinct_characters(tree), *filter(None, beginnings)]
    for parts in combinations(beginnings, dict.fromkeys(repeated), ["", "\n\0"]):
        if is_superlinear(pattern, method, *parts):
            return parts
    return None


def is_superlinear(pattern, method, beginning, repeated, end):
    for length in LENGTHS:
        count = length // len(repeated) + 1
        text = beginning + repeated * count + end
        seconds = seconds_of(pattern, method, text)
        # Nearly all texts end here, in a fifth of the time of the longer one.
        if seconds < NOTICEABLE_SECONDS:
            return False
        if seconds > MEASURABLE_SECONDS:
            again = beginning + repeated * (2 * count) + end
            # Other work on the machine can only make it slower, so in doubt it is
            # measured again, in turns.
            return all(
                is_much_longer(pattern, method, text, again, times) for times in (3, 20)
            )
    return False


def is_much_longer(pattern, method, text, again, times):
    """Return whether twice the text takes more than twice the time, with a margin."""
    pairs = [
        (seconds_of(pattern, method, text), seconds_of(pattern, method, again))
        for _ in range(times)
    ]
    shorter, longer = map(min, zip(*pairs, strict=True))
    return longer > MAX_RATIO * shorter


def seconds_of(pattern, method, text):
    if isinstance(pattern.pattern, bytes):
        text = text.encode("latin-1", "replace")
    started = process_time()
    result = getattr(pattern, method)(*(["x"] if method == "sub" else []), text)
    list(result) if method == "finditer" else result
    return process_time() - started


def test_patterns_take_linear_time():
    """Twice the text takes a pattern twice the time, whatever repeats in it."""
    slow = {
        f"{pattern.pattern!r}.{method}": parts
        for pattern, method in dict.fromkeys(uses())
        if (parts := slowest(pattern, method))
    }

    assert slow == {}
