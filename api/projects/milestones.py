"""Handle requests about milestones."""

from api.locks import in_project, of_row
from api.operation import MIB, Call, operation
from models.errors import (
    Archived,
    MilestoneNotFound,
    ProjectArchived,
    ProjectNotFound,
    RoleRequired,
    VersionConflict,
)
from models.pagination import Page
from models.projects.planning import milestones
from models.projects.planning.milestones import (
    CreateMilestone,
    GetMilestone,
    ListMilestones,
    Milestone,
    MilestoneProgress,
    RemoveMilestone,
    UpdateMilestone,
    archive_milestone,
    milestone_progress,
)
from models.projects.planning.rows import MilestoneRow, milestone_with


@operation(
    "GET /projects/v1/milestones/list",
    scope="projects:milestones:list",
    request=ListMilestones,
    response=list[Milestone],
    errors=(ProjectNotFound,),
)
def list_milestones(call: Call, query: ListMilestones) -> Page[MilestoneRow]:
    """
    List milestones, by default with the nearest target first.

    Milestones without a target come last. Without a project, milestones of archived
    projects are left out unless archived is only or include.
    """
    return milestones.list_milestones(query)


@operation(
    "GET /projects/v1/milestones/get",
    scope="projects:milestones:get",
    request=GetMilestone,
    response=Milestone,
    errors=(MilestoneNotFound,),
)
def get_milestone(call: Call, query: GetMilestone) -> MilestoneRow:
    """Get a milestone."""
    return milestone_with(query.id)


@operation(
    "GET /projects/v1/milestones/progress",
    scope="projects:milestones:progress",
    request=GetMilestone,
    response=MilestoneProgress,
    errors=(MilestoneNotFound,),
)
def get_milestone_progress(call: Call, query: GetMilestone) -> MilestoneProgress:
    """
    Count the work items of a milestone, except archived ones.

    percent is the share of done items among those not cancelled, rounded down.
    overdue counts the open items whose due date has passed.
    """
    return milestone_progress(milestone_with(query.id), call.now)


@operation(
    "POST /projects/v1/milestones/create",
    scope="projects:milestones:create",
    locks=in_project,
    request=CreateMilestone,
    response=Milestone,
    errors=(ProjectNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=MIB,
)
def create_milestone(call: Call, request: CreateMilestone) -> MilestoneRow:
    """
    Create a milestone.

    Send an Idempotency-Key to be able to repeat the call safely.
    """
    return milestones.create_milestone(request, call.now, call.actor)


@operation(
    "POST /projects/v1/milestones/update",
    scope="projects:milestones:update",
    locks=of_row("milestone"),
    request=UpdateMilestone,
    response=Milestone,
    errors=(
        MilestoneNotFound,
        RoleRequired,
        VersionConflict,
        ProjectArchived,
        Archived,
    ),
    max_body_bytes=MIB,
)
def update_milestone(call: Call, request: UpdateMilestone) -> MilestoneRow:
    """
    Update a milestone; omitted fields do not change.

    Changing its status does not change its work items.
    """
    milestone, changed = milestones.update_milestone(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return milestone


@operation(
    "POST /projects/v1/milestones/remove",
    scope="projects:milestones:remove",
    locks=of_row("milestone"),
    request=RemoveMilestone,
    response=Milestone,
    errors=(MilestoneNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=MIB,
)
def remove_milestone(call: Call, request: RemoveMilestone) -> MilestoneRow:
    """Archive a milestone; its work items still belong to it."""
    milestone, changed = archive_milestone(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return milestone


@operation(
    "POST /projects/v1/milestones/restore",
    scope="projects:milestones:restore",
    locks=of_row("milestone"),
    request=RemoveMilestone,
    response=Milestone,
    errors=(MilestoneNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=MIB,
)
def restore_milestone(call: Call, request: RemoveMilestone) -> MilestoneRow:
    """Restore an archived milestone."""
    milestone, changed = milestones.restore_milestone(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return milestone
