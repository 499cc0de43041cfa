"""Documents and updates as on a page in English."""

from dataclasses import replace

from models.locales import load_locale
from sitegen.markdown import rendering
from sitegen.markdown.texts import insert_texts

ENGLISH = load_locale("en")


def render(text, *parser):
    rendered = rendering.render(text, *parser)
    return replace(rendered, html=insert_texts(rendered.html, ENGLISH))


def render_entry(text):
    return rendering.render_entry(text, ENGLISH)


def render_line(text):
    return rendering.render_line(text, ENGLISH)
