"""What an import knows of the files of a tree."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError

from models.base import Schema
from models.errors import ValidationFailed
from models.fields import Moment, SingleLine, Slug, first_error
from models.projects import descriptions
from models.projects.documents.documents import Position, Section
from models.projects.documents.linking.aliases import Alias
from models.projects.documents.linking.outside_links import is_website_url
from models.projects.documents.rows import digest_of
from models.projects.fields import LanguageTag, Summary, Text, Title


def _require_website_url(url: str) -> str:
    if not is_website_url(url):
        raise ValueError("Must be a URL such as https://docs.example.com.")
    return url


WebsiteUrl = Annotated[
    str, Field(max_length=1_000), AfterValidator(_require_website_url)
]
SourceAddress = Annotated[str, Field(max_length=300), SingleLine]


class SourceFields(Schema):
    """
    What an import knows of a file beside its text; `path` is relative to the tree.

    `address` is that of its page on the website of the tree, if it differs from the
    path. If `is_numbered`, the position only tells its place among the other files, and
    the document may have another one.
    """

    path: str
    address: SourceAddress | None = Field(
        default=None,
        description="The address of the page on the website of the tree, if it is not"
        " its path.",
        examples=["/setup/moving"],
    )
    slug: Annotated[Slug, descriptions.DOCUMENT_SLUG]
    section: Annotated[Section | None, descriptions.DOCUMENT_SECTION] = None
    position: Annotated[Position, descriptions.POSITION]
    is_numbered: bool = Field(
        default=False,
        description="Whether the position only tells the place among the other"
        " documents.",
        examples=[True],
    )
    title: Annotated[Title, descriptions.TITLE]
    nav_title: Title | None = Field(
        default=None,
        description="The label in navigation, if it is not the title.",
        examples=["Moving"],
    )
    summary: Annotated[Summary, descriptions.SUMMARY] = None
    is_listed: bool = Field(
        default=True,
        description="Whether navigation, search and sitemap have the page.",
    )
    has_lead: bool = Field(
        default=True,
        description="Whether the page shows the summary below its title.",
    )
    changed_at: Moment | None = Field(
        default=None,
        description="When the file was last changed, by its history.",
        examples=["2026-02-01T09:30:00Z"],
    )
    language: LanguageTag | None = Field(
        default=None,
        description="The tag of the language of the text. null: that of the site.",
        examples=[None],
    )
    # Addresses that the file declares, at which readers may look for the page.
    aliases: list[Alias] = Field(
        default=[],
        description="Addresses on the site that redirect to the document.",
        examples=[["/guides/old-name/"]],
    )

    def digest(self) -> str:
        """Return the SHA-256 of the text."""
        raise NotImplementedError


class DocumentSource(SourceFields):
    """A file to import."""

    content: Text

    def digest(self) -> str:
        return digest_of(self.content)


def document_source(**fields: Any) -> DocumentSource:
    """Return the source, or raise ValidationFailed with the first error."""
    try:
        return DocumentSource(**fields)
    except ValidationError as error:
        location, sentence = first_error(error)
    name = location.partition(".")[0] or "file"
    raise ValidationFailed(f"The {name} cannot be used: {sentence}.")
