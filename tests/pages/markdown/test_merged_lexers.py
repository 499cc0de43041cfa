"""Lexers with merged patterns give the tokens of the original lexers."""

import random

import pytest
from pygments.lexers import get_lexer_by_name

from sitegen.markdown.highlighting import SUPPORTED
from sitegen.markdown.merged_lexers import merged_lexer

# Pieces of code in many languages, with delimiters of strings and comments.
PARTS = r"""
if else for while do done fn def class import from return let var const async await
true null None self echo SELECT select <div> </div> <a href="x"> <?php ?> {{ }} {% %}
${x} $x @x #x :x x: 'it' "a" "\n" ` ``` ''' ""\" r'\d' f'{x!r:>{w}}' b"" 0x1F 1.5e-3
10_000 ( ) [ ] { } < > <= => -> :: := = == ; , . .. ... + - * / % ! ? & | ^ ~ // /* */
# -- {- -} <!-- --> <<EOT EOT \ é λ END begin end case of where [section] <<<X key: -
%w(a) /re/g @media a{b:c} .PHONY: \begin \1
"""


def code_soup(seed):
    rng = random.Random(seed)
    parts = PARTS.split()
    return "".join(
        rng.choice(parts) + rng.choice(("", " ", " ", "\n", "\t")) for _ in range(300)
    )


@pytest.mark.parametrize("name", sorted(SUPPORTED))
def test_the_same_tokens(name):
    """Any text has the same tokens, whatever the final state of the lexer."""
    plain = get_lexer_by_name(name, stripnl=False, ensurenl=False)
    merged = merged_lexer(plain)

    for seed in range(10):
        text = code_soup(seed)
        tokens = list(merged.get_tokens(text))
        assert tokens == list(plain.get_tokens(text)), f"seed {seed}"


def test_rules_are_merged():
    """The patterns of a state become one, except those that refer to their groups."""
    bash = get_lexer_by_name("bash")
    merged = merged_lexer(bash)

    list(merged.get_tokens("ls"))

    assert len(bash._tokens["root"]) > 20
    assert 1 < len(merged._merged["root"]) < 6
