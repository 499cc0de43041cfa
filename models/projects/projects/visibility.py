"""Which projects a list is about."""

from typing import Any

from peewee import ModelSelect

from models.projects.projects.rows import ProjectRow, project_asked


def in_projects(
    query: "ModelSelect[Any]", row: Any, asked: Any, *, is_named: bool = False
) -> "ModelSelect[Any]":
    """
    Narrow to the project asked for; without one, leave out the archived ones.

    They are told nonetheless when `archived` asks for them, or when the question
    `is_named`: when it names one thing, so that nothing else comes with it.
    """
    project = project_asked(asked)
    if project is not None:
        return query.where(row.project == project.id)
    if is_named or getattr(asked, "archived", "exclude") != "exclude":
        return query
    archived = ProjectRow.select(ProjectRow.id).where(
        ProjectRow.archived_at.is_null(False)
    )
    return query.where(row.project.is_null() | row.project.not_in(archived))
