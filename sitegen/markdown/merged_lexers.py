"""Make lexers of Pygments faster by merging the patterns of each state into one."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pygments.lexer import Lexer, RegexLexer
from pygments.token import Error, Whitespace, _TokenType

# Pygments tries the patterns of a state one after the other, at each token. In one
# pattern with an alternative for each, the regular expression engine does the same,
# several times as fast.

# An alternative has its own flags. An empty group follows it, so the last group of a
# match tells which alternative it is.
LETTERS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}
FLAGS = re.UNICODE | re.IGNORECASE | re.MULTILINE | re.DOTALL
GLOBAL_FLAGS = re.compile(r"\A\(\?[ims]+\)")
# References to groups, whose numbers change. Some matches are something else, which
# costs nothing but time.
REFERENCE = re.compile(r"\\[1-9]|\(\?P[=<]|\(\?\(")

# The action of a rule, its new state, and its own pattern.
Rule = tuple[Any, Any, re.Pattern[str]]
# A pattern, and the rule of each of its empty groups; None is the only rule.
MergedRules = tuple[re.Pattern[str], dict[int | None, Rule]]
# Position, type and text.
LexedToken = tuple[int, Any, str]


def merged_lexer(lexer: Lexer) -> Lexer:
    """Return a faster lexer for the same tokens, or the lexer itself if none exists."""
    plain = type(lexer)
    if plain.get_tokens_unprocessed is not RegexLexer.get_tokens_unprocessed:
        return lexer
    # Callbacks of rules create more lexers of the class, which share what is merged.
    shared = {"_tokens": plain._tokens, "_merged": {}}  # type: ignore[attr-defined]
    merged: type[Lexer] = type(f"Merged{plain.__name__}", (_MergedLexer, plain), shared)
    return merged(**lexer.options)


class _MergedLexer(RegexLexer):
    """Yields the same tokens as its other base class."""

    _tokens: dict[str, list[Any]]
    _merged: dict[str, list[MergedRules]]

    def get_tokens_unprocessed(
        self, text: str, stack: Iterable[str] = ("root",)
    ) -> Iterator[LexedToken]:
        stack, position, end = list(stack), 0, len(text)
        rules = self._rules_of(stack[-1])
        while True:
            for pattern, rule_by_group in rules:
                if match := pattern.match(text, position):
                    action, new_state, own_pattern = rule_by_group[match.lastindex]
                    break
            else:
                if position >= end:
                    return
                if text[position] == "\n":
                    stack = ["root"]
                    rules = self._rules_of("root")
                    yield position, Whitespace, "\n"
                else:
                    yield position, Error, text[position]
                position += 1
                continue
            if type(action) is _TokenType:
                yield position, action, match[0]
            elif action is not None:
                yield from action(self, own_pattern.match(text, position))
            position = match.end()
            if new_state is not None:
                _change_state(stack, new_state)
                rules = self._rules_of(stack[-1])

    def _rules_of(self, state: str) -> list[MergedRules]:
        merged = self._merged.get(state)
        if merged is None:
            merged = self._merged[state] = list(_merge(self._tokens[state]))
        return merged


def _change_state(stack: list[str], new_state: Any) -> None:
    """Change the stack of states as a rule says; one state always stays."""
    if isinstance(new_state, int):
        del stack[max(1, len(stack) + new_state) :]
        return
    for state in new_state if isinstance(new_state, tuple) else (new_state,):
        if state == "#push":
            stack.append(stack[-1])
        elif state != "#pop":
            stack.append(state)
        elif len(stack) > 1:
            stack.pop()


def _merge(rules: list[Any]) -> Iterator[MergedRules]:
    """Merge neighbouring rules; one that cannot be merged stays alone."""
    alternatives: list[str] = []
    rule_by_group: dict[int | None, Rule] = {}
    groups = 0
    for match, action, new_state in rules:
        pattern = match.__self__
        rule = action, new_state, pattern
        if _is_mergeable(pattern):
            groups += pattern.groups + 1
            alternatives.append(_alternative(pattern))
            rule_by_group[groups] = rule
            continue
        if alternatives:
            yield re.compile("|".join(alternatives)), rule_by_group
            alternatives, rule_by_group, groups = [], {}, 0
        yield pattern, dict.fromkeys([None, *range(1, pattern.groups + 1)], rule)
    if alternatives:
        yield re.compile("|".join(alternatives)), rule_by_group


def _is_mergeable(pattern: re.Pattern[str]) -> bool:
    return not (pattern.flags & ~FLAGS or REFERENCE.search(pattern.pattern))


def _alternative(pattern: re.Pattern[str]) -> str:
    """Return the pattern with its flags, followed by an empty group."""
    letters = "".join(flag for flag, value in LETTERS.items() if pattern.flags & value)
    return f"(?{letters}:{GLOBAL_FLAGS.sub('', pattern.pattern)})()"
