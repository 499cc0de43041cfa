"""Answer the API's questions about the site: how a text renders, what exists."""

from collections.abc import Callable
from os.path import isfile
from pathlib import Path

from models.locales import FALLBACK, Locale, load_locale
from models.projects.documents.rendered_bodies import RenderedBody
from models.projects.documents.site_preview import RenderInput
from models.response_headers import candidate_files
from sitegen.docs.body_cache import body_key, render_body
from sitegen.docs.document_page import body_html


class Preview:
    """Reads the output folder and changes nothing in it."""

    def __init__(
        self,
        output: str,
        is_output_current: Callable[[], bool] = lambda: True,
        locale: Locale | None = None,
    ) -> None:
        self._output = Path(output)
        self._locale = locale or load_locale(FALLBACK)
        self._is_output_current = is_output_current

    @property
    def is_built_here(self) -> bool:
        return self._is_output_current()

    def body_key(self, text: RenderInput) -> str:
        return body_key(text)

    def render_body(self, text: RenderInput, content: str) -> RenderedBody:
        return render_body(text, content)

    def page_html(
        self, body: RenderedBody, resolve: Callable[[str], str | None]
    ) -> str:
        return body_html(body, resolve, self._locale)

    def has_file(self, address: str) -> bool:
        # The output of another server is unknown here: no link is called broken.
        return not self.is_built_here or any(
            self._has_file(path) for path in candidate_files(address)
        )

    def _has_file(self, path: str) -> bool:
        # The file system ignores empty and dot segments; a web server does not.
        if not {"", ".", ".."}.isdisjoint(path.split("/")):
            return False
        # `isfile` accepts any name, even one that no file system allows.
        return isfile(self._output / path)
