"""What may be asked about milestones."""

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
    ListMilestones,
    Milestone,
    MilestoneProgress,
    NamedMilestone,
    RemoveMilestone,
    UpdateMilestone,
    milestones_listed,
    progress_of,
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
    List milestones, the nearest target first unless sort says else.

    Those without a target come last. Without a project, milestones of archived
    projects are left out unless archived is only or include.
    """
    return milestones_listed(query)


@operation(
    "GET /projects/v1/milestones/get",
    scope="projects:milestones:get",
    request=NamedMilestone,
    response=Milestone,
    errors=(MilestoneNotFound,),
)
def get_milestone(call: Call, query: NamedMilestone) -> MilestoneRow:
    """Get a milestone."""
    return milestone_with(query.id)


@operation(
    "GET /projects/v1/milestones/progress",
    scope="projects:milestones:progress",
    request=NamedMilestone,
    response=MilestoneProgress,
    errors=(MilestoneNotFound,),
)
def get_milestone_progress(call: Call, query: NamedMilestone) -> MilestoneProgress:
    """
    Count the items of a milestone; archived ones count nowhere.

    percent is how much of what was not cancelled is done, rounded down. overdue
    counts the open items whose time has passed.
    """
    return progress_of(milestone_with(query.id), call.now)


@operation(
    "POST /projects/v1/milestones/create",
    scope="projects:milestones:create",
    request=CreateMilestone,
    response=Milestone,
    errors=(ProjectNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=MIB,
)
def create_milestone(call: Call, request: CreateMilestone) -> MilestoneRow:
    """
    Plan a milestone.

    Send an Idempotency-Key to be able to repeat the call safely.
    """
    return milestones.create_milestone(request, call.now, call.actor)


@operation(
    "POST /projects/v1/milestones/update",
    scope="projects:milestones:update",
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
    Change a milestone; members left out stay as they are.

    Its items stay as they are, whatever becomes of its status.
    """
    milestone, changed = milestones.update_milestone(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return milestone


@operation(
    "POST /projects/v1/milestones/remove",
    scope="projects:milestones:remove",
    request=RemoveMilestone,
    response=Milestone,
    errors=(MilestoneNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=MIB,
)
def remove_milestone(call: Call, request: RemoveMilestone) -> MilestoneRow:
    """Archive a milestone; its items keep it."""
    milestone, changed = milestones.remove_milestone(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return milestone


@operation(
    "POST /projects/v1/milestones/restore",
    scope="projects:milestones:restore",
    request=RemoveMilestone,
    response=Milestone,
    errors=(MilestoneNotFound, RoleRequired, ProjectArchived),
    max_body_bytes=MIB,
)
def restore_milestone(call: Call, request: RemoveMilestone) -> MilestoneRow:
    """Take a milestone out of the archive."""
    milestone, changed = milestones.restore_milestone(request, call.now, call.actor)
    if not changed:
        call.mark_unchanged()
    return milestone
