"""Render the bodies of documents to HTML."""

import hashlib

from models.projects.documents.rendered_bodies import RenderedBody
from models.projects.documents.site_preview import RenderInput
from sitegen.markdown.rendering import RENDERER_VERSION, SOURCE_TAG, render


def body_key(text: RenderInput) -> str:
    """Return a digest of what the body depends on: text, title and renderer."""
    source = f"{RENDERER_VERSION}\n{text.digest}\n{text.title}"
    return hashlib.sha256(source.encode()).hexdigest()


def render_body(text: RenderInput, content: str) -> RenderedBody:
    """Render the Markdown of a document to HTML; its links are not resolved yet."""
    rendered = render(without_title(text.title, content))
    headings = [
        (heading.level, heading.id, heading.text) for heading in rendered.headings
    ]
    return RenderedBody.of(body_key(text), rendered.links, headings, rendered.html)


def is_shown_as_written(body: RenderedBody) -> bool:
    """Tell whether the text exceeds a limit and is shown as plain text instead."""
    return (
        not body.links
        and body.headings_json == "[]"
        and body.html_starts_with(SOURCE_TAG)
    )


def without_title(title: str, content: str) -> str:
    """Return the content without a first line that repeats the title."""
    first, _, rest = content.lstrip("\n").partition("\n")
    repeats_title = first.removeprefix("# ").strip() == title
    return rest if repeats_title and first.startswith("# ") else content
