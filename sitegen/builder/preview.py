"""Answer the API's questions about the site: how a text renders, what exists."""

from collections.abc import Callable

from models.locales import FALLBACK, Locale, load_locale
from models.projects.documents.rendered_bodies import RenderedBody
from models.projects.documents.site_preview import RenderInput
from models.site_addresses import candidate_files
from sitegen.docs.body_rendering import body_key, render_body
from sitegen.docs.document_page import body_html
from sitegen.output.folder import OutputFolder
from sitegen.output.manifest import area_of


class Preview:
    """Reads the output folder and changes nothing in it."""

    def __init__(
        self,
        output: str,
        is_current: Callable[[str], bool] | None = None,
        locale: Locale | None = None,
    ) -> None:
        self._output = OutputFolder(output)
        self._locale = locale or load_locale(FALLBACK)
        # Returns whether an area was built here, and last; it always was without it.
        self._is_current = is_current

    def is_built_here(self, address: str) -> bool:
        current = self._is_current
        return current is None or current(area_of(address.lstrip("/")))

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
        return not self.is_built_here(address) or any(
            map(self._output.exists, candidate_files(address))
        )
