"""Describe the fields that several schemas of projects have."""

from pydantic import Field

from models.fields import EXAMPLE_ID

CONTENT = Field(
    description="The content, as Markdown.",
    examples=["# Moving\n\nStart with small files.\n"],
)
WORDS = Field(
    description="Words to search for; all of them must occur.", examples=["archive"]
)
DESCRIPTION = Field(
    description="The description.", examples=["Requirements and background."]
)
NAME = Field(description="The name, on one line.", examples=["Harbour"])
DOCUMENT_PATH = Field(
    description="The path in the collection, which is the end of the address. Empty:"
    " the first page of the collection.",
    examples=["setup/moving"],
)
DOCUMENT_SECTION = Field(
    description="The section of the collection.", examples=["Basics"]
)
FILE_NAME = Field(
    description="The name: a path of letters, digits, '.', '_' and '-' that ends"
    " in the suffix of the type.",
    examples=["images/setup.png"],
)
VERSION = Field(
    description="The version, which increases with each change of the content.",
    examples=[3],
)
EXTERNAL_ID = Field(description="The ID in the external system.", examples=["4711"])
RELATIONSHIP = Field(description="The type of the relationship.")
ASSIGNEE_IDS = Field(description="The IDs of the assigned accounts.")
MILESTONE_ID = Field(description="The ID of the milestone.")
PRIORITY = Field(description="The priority.")
SORT = Field(description="The field to sort by.")
ARCHIVED = Field(
    description="Whether archived entries are excluded, included or the only ones."
)
SLUG = Field(description="The slug in URLs.", examples=["harbour"])
URL = Field(
    description="The URL.", examples=["https://github.com/example/harbour/issues/4711"]
)
LABEL_NAME = Field(
    description="The name of the label, on one line.", examples=["security"]
)
SYSTEM = Field(description="The external system.", examples=["github"])
TITLE = Field(description="The title, on one line.", examples=["Move the archive"])
PROJECT = Field(description="The project.")
COLLECTION = Field(description="The collection of the docs site.")
TYPE = Field(description="The type.")
NUMBER = Field(description="The number in the project.", examples=[12])
ENTITY_TYPE = Field(description="The type of the object.")
LINKED_SPECIFICATIONS = Field(
    description="The linked specifications, with the type of each link."
)
ROLE = Field(description="The role in the project.")
POSITION = Field(
    description="The position in the section, lowest first.", examples=[10]
)
CHANGE_NOTE = Field(
    description="What changed, on one line.",
    examples=["Describe the order of the steps."],
)
ENTITY_ID = Field(description="The ID of the object.", examples=[EXAMPLE_ID])
RELATIONSHIPS = Field(description="The relationships between work items.")
WORK = Field(description="The work items.")
SUMMARY = Field(
    description="The summary, on one line.", examples=["How to move the archive."]
)
BUCKET = Field(description="The bucket of the roadmap.")
CREATOR_ID = Field(description="The ID of the account or key that created it.")
STATE = Field(description="The state in the external system.", examples=["open"])
METADATA = Field(
    description="Any further data, as an object.", examples=[{"team": "core"}]
)
CHANGER_ID = Field(description="The ID of the account or key that made the change.")
LABEL_IDS = Field(description="The IDs of the labels.")
AUTHOR_ID = Field(description="The ID of the account or key that wrote it.")
DOCUMENT_SLUG = Field(description="The slug in URLs.", examples=["moving"])
ACTION = Field(description="The action that was recorded.", examples=["work.created"])
