"""Show a text as the site would, with warnings of links that lead nowhere."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from api.console.console_page import address
from api.console.console_request import ConsoleRequest
from models.projects.documents.linking.draft_links import CheckedDraft, Draft
from models.projects.documents.linking.links import ResolvedLink
from models.storage.database import reading

LINKS = "GET /projects/v1/documents/links"
# Either tells which files a project has.
FILES = ("GET /projects/v1/files/list", "GET /projects/v1/files/get")
GET_REVISION = "GET /projects/v1/document-revisions/get"


@dataclass(frozen=True)
class TextPreview:
    """A text as readers would see it; the renderer has cleaned the HTML."""

    title: str
    html: str
    # Each link that leads nowhere, and why.
    broken: list[tuple[str, str]]


def preview_of(request: ConsoleRequest, draft: Draft) -> TextPreview:
    """Render a draft; pictures come from the console, since nothing is published."""
    checked = _check(request, draft)
    site = request.preview
    assert site is not None
    html = site.page_html(checked.body, lambda target: _href(request, checked, target))
    return TextPreview(draft.title, html, _broken(checked.broken))


def newly_broken_links(
    request: ConsoleRequest, document: dict[str, Any]
) -> list[tuple[str, str]]:
    """Return links of the newest version that lead nowhere; not those of old."""
    if not request.may(LINKS):
        return []
    drafts = [_draft(document, document)]
    published = document["publishedVersion"]
    if published and request.may(GET_REVISION):
        revision = request.read(
            GET_REVISION, documentId=document["id"], version=published
        )
        drafts.append(_draft(document, revision))
    broken = [_check(request, draft).broken for draft in drafts]
    known = {link.target for links in broken[1:] for link in links}
    return _broken([link for link in broken[0] if link.target not in known])


def _draft(document: dict[str, Any], text: dict[str, Any]) -> Draft:
    return Draft(
        title=text["title"],
        content=text["content"],
        document_id=document["id"],
        project_id=document["projectId"],
    )


def _check(request: ConsoleRequest, draft: Draft) -> CheckedDraft:
    site = request.preview
    assert site is not None
    with reading():
        return request.published_addresses.check(
            draft,
            site,
            request.settings.edit_url,
            request.now,
            knows_files=any(map(request.may, FILES)),
        )


def _broken(links: list[ResolvedLink]) -> list[tuple[str, str]]:
    return [(link.target, link.problem) for link in links if link.problem]


def _href(request: ConsoleRequest, checked: CheckedDraft, target: str) -> str | None:
    """Return where a link of the preview leads: to the site, or to a file."""
    if name := checked.files.get(target):
        return address(f"documents/files/{checked.project_id}/{quote(name)}")
    link = checked.links.get(target)
    href = link.href if link else None
    return request.settings.site_url + href if href and href[0] == "/" else href
