"""Read object and array literals of JavaScript files as data; no code is run."""

import re
from typing import Any

# Deeper data is no navigation.
MAX_DEPTH = 50

_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*+", re.S)
_NAME = re.compile(r"[A-Za-z_$][\w$]*+")
_STRING = re.compile(
    r"""'((?:[^'\\\n]|\\.)*+)'|"((?:[^"\\\n]|\\.)*+)"|`((?:[^`\\$]|\\.|\$(?!\{))*+)`""",
    re.S,
)
_NUMBER = re.compile(r"-?\d[\d.]*+")
_ESCAPE = re.compile(r"\\(.)", re.S)
_CONSTANTS = {"true": True, "false": False, "null": None, "undefined": None}
# What names values: variables and functions that only return one.
_TYPE = r"(?:\s*+:\s*+[\w.<>\[\]]{1,80}+)?\s*+"
_DEFINITION = re.compile(
    rf"\b(?:const|let|var)\s++([A-Za-z_$][\w$]*+){_TYPE}=(?!>)\s*+"
    rf"(?:\(\){_TYPE}=>\s*+(?:\{{\s*+return\b|\()?)?"
    rf"|\bfunction\s++([A-Za-z_$][\w$]*+)\(\){_TYPE}\{{\s*+return\b"
)
_EMPTY_CALL = re.compile(r"\(\s*+\)")
# Anything else up to the end of a value: calls, functions, arithmetic.
_CODE = re.compile(r"""[^,()\[\]{}'"`/]++|/""")
_JSX_TAG = re.compile(r"<[^<>]*+>")
_ENDS = (",", "}", "]", ":", ";", ")", "")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}


class UnreadableJavaScript(ValueError):
    """Text that is not a literal."""


def literal_after(text: str, opening: str, *, is_required: bool = True) -> Any:
    """
    Return the object or array that follows the first match of a regular expression.

    It may have a name, or be what a function of the file returns; so may the values in
    it. A value that only running the code would give is None. Raise
    UnreadableJavaScript if there is no such literal, or return None if it is not
    required and nothing matches.
    """
    if not is_required and not re.search(opening, text):
        return None
    definitions = {
        match[1] or match[2]: match.end() for match in _DEFINITION.finditer(text)
    }
    for match in re.finditer(opening, text):
        start = _SPACE.match(text, match.end())
        position = start.end() if start else match.end()
        name = _NAME.match(text, position)
        is_defined = name is not None and name[0] in definitions
        if is_defined or text[position : position + 1] in ("{", "["):
            value = _Reader(text, position, definitions).statement(0)
            if isinstance(value, dict | list):
                return value
    raise UnreadableJavaScript("There is no literal.")


def value_at(text: str, position: int) -> tuple[Any, int]:
    """Return the value that begins at a position, and where the text after it does."""
    reader = _Reader(text, position)
    return reader.value(0), reader.position


def text_in(text: str, name: str, default: str = "") -> str:
    """Return the value of the first property with a name that is a text."""
    found = re.search(rf"""\b{name}\s*:\s*(['"`])([^'"`\n]*)\1""", text)
    return found[2] if found else default


def jsx_text(code: str) -> str | None:
    """Return the text of code that is an element of JSX, None if it is none."""
    element = code.strip().removeprefix("(").removesuffix(")").strip()
    if not element.startswith("<"):
        return None
    return " ".join(_JSX_TAG.sub(" ", element).split())


class _Reader:
    """Reads values from a position on; names have theirs at the defined positions."""

    def __init__(
        self, text: str, position: int, definitions: dict[str, int] | None = None
    ) -> None:
        self._text, self._position = text, position
        self._definitions = definitions or {}

    @property
    def position(self) -> int:
        return self._position

    def statement(self, depth: int) -> Any:
        """Return the next value, None if it is code; any word may follow it."""
        value = self._literal(depth)
        is_whole = self._next() in _ENDS or _NAME.match(self._text, self._position)
        return value if is_whole else None

    def value(self, depth: int) -> Any:
        """Return the next value, None if it is code."""
        if depth > MAX_DEPTH:
            raise UnreadableJavaScript("The literal is too deep.")
        start = self._position
        value = self._literal(depth)
        if value is None and (text := jsx_text(self._text[start : self._position])):
            return text
        if self._next() in _ENDS:
            return value
        # A part of an expression, or a literal with a type as in TypeScript.
        is_typed = self._text.startswith(("as ", "satisfies "), self._position)
        self._skip_code(depth)
        return value if is_typed else None

    def _literal(self, depth: int) -> Any:
        character = self._next()
        if character == "{":
            return self._object(depth)
        if character == "[":
            return self._array(depth)
        if match := _STRING.match(self._text, self._position):
            self._position = match.end()
            return _ESCAPE.sub(r"\1", match[match.lastindex or 1])
        if match := _NUMBER.match(self._text, self._position):
            self._position = match.end()
            return match[0]
        if match := _NAME.match(self._text, self._position):
            self._position = match.end()
            return self._named(match[0], depth)
        self._skip_code(depth)
        return None

    def _named(self, name: str, depth: int) -> Any:
        """Return the value of a name or of a call, None if only code has it."""
        if call := _EMPTY_CALL.match(self._text, self._position):
            self._position = call.end()
        # Each is read once, since names that contain each other have no end.
        position = self._definitions.pop(name, None)
        if position is None:
            return None if call else _CONSTANTS.get(name)
        reader = _Reader(self._text, position, self._definitions)
        return reader.statement(depth + 1)

    def _object(self, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        self._position += 1
        while (character := self._next()) != "}":
            if character == ",":
                self._position += 1
                continue
            key = self._key(depth + 1)
            if self._next() == ":":
                self._position += 1
                value = self.value(depth + 1)
                if isinstance(key, str) or key is None:
                    values[key or ""] = value
            else:
                # A shorthand, a method or a spread.
                self._skip_code(depth)
            self._require_end_of_value("}")
        self._position += 1
        return values

    def _key(self, depth: int) -> Any:
        if match := _NAME.match(self._text, self._position):
            self._position = match.end()
            return match[0]
        return self._literal(depth)

    def _array(self, depth: int) -> list[Any]:
        values: list[Any] = []
        self._position += 1
        while (character := self._next()) != "]":
            if character == ",":
                self._position += 1
                continue
            is_spread = self._text.startswith("...", self._position)
            self._position += 3 * is_spread
            value = self.value(depth + 1)
            if is_spread:
                values += value if isinstance(value, list) else []
            else:
                values.append(value)
            self._require_end_of_value("]")
        self._position += 1
        return values

    def _next(self) -> str:
        """Skip space and comments; return the next character, "" at the end."""
        if space := _SPACE.match(self._text, self._position):
            self._position = space.end()
        return self._text[self._position : self._position + 1]

    def _require_end_of_value(self, bracket: str) -> None:
        if self._next() not in (",", bracket):
            raise UnreadableJavaScript("A value does not end.")

    def _skip_code(self, depth: int) -> None:
        """Skip to the comma or bracket that ends the value."""
        open_brackets: list[str] = []
        while character := self._next():
            if not open_brackets and character in ",}])":
                return
            if character in _BRACKETS:
                open_brackets.append(_BRACKETS[character])
                if len(open_brackets) + depth > MAX_DEPTH:
                    break
                self._position += 1
            elif open_brackets and character == open_brackets[-1]:
                open_brackets.pop()
                self._position += 1
            elif character in ",)]}":
                self._position += 1
            elif match := (
                _STRING.match(self._text, self._position)
                or _CODE.match(self._text, self._position)
            ):
                self._position = match.end()
            else:
                break
        raise UnreadableJavaScript("The code of a value does not end.")
