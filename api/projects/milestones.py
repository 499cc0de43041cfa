"""What may be asked about milestones."""

from api.operation import MIB, Call, operation
from api.projects.by import by
from models.errors import (
    Archived,
    MilestoneNotFound,
    ProjectArchived,
    ProjectNotFound,
    RoleRequired,
    VersionConflict,
)
from models.pagination import Page
from models.projects.milestone import MilestoneRow, milestone_with
from models.projects.milestones import (
    CreateMilestone,
    ListMilestones,
    Milestone,
    NamedMilestone,
    RemoveMilestone,
    UpdateMilestone,
    create_milestone,
    milestones_listed,
    remove_milestone,
    restore_milestone,
    update_milestone,
)
from models.projects.progress import MilestoneProgress, progress_of


@operation(
    "GET /projects/v1/milestones/list",
    scope="projects:milestones:list",
    takes=ListMilestones,
    gives=list[Milestone],
    refuses=(ProjectNotFound,),
)
def list_milestones(call: Call, asked: ListMilestones) -> Page[MilestoneRow]:
    """
    List milestones, the nearest target first unless sort says else.

    Those without a target come last. Without a project, milestones of archived
    projects are left out unless archived is only or include.
    """
    return milestones_listed(asked)


@operation(
    "GET /projects/v1/milestones/get",
    scope="projects:milestones:get",
    takes=NamedMilestone,
    gives=Milestone,
    refuses=(MilestoneNotFound,),
)
def get_milestone(call: Call, asked: NamedMilestone) -> MilestoneRow:
    """Get a milestone."""
    return milestone_with(asked.id)


@operation(
    "GET /projects/v1/milestones/progress",
    scope="projects:milestones:progress",
    takes=NamedMilestone,
    gives=MilestoneProgress,
    refuses=(MilestoneNotFound,),
)
def get_progress(call: Call, asked: NamedMilestone) -> MilestoneProgress:
    """
    Count the items of a milestone; archived ones count nowhere.

    percent is how much of what was not cancelled is done, rounded down. overdue
    counts the open items whose time has passed.
    """
    return progress_of(milestone_with(asked.id), call.now)


@operation(
    "POST /projects/v1/milestones/create",
    scope="projects:milestones:create",
    takes=CreateMilestone,
    gives=Milestone,
    refuses=(ProjectNotFound, RoleRequired, ProjectArchived),
    most_bytes=MIB,
)
def plan_milestone(call: Call, asked: CreateMilestone) -> MilestoneRow:
    """
    Plan a milestone.

    Send an Idempotency-Key to be able to repeat the call safely.
    """
    return create_milestone(asked, call.now, by(call))


@operation(
    "POST /projects/v1/milestones/update",
    scope="projects:milestones:update",
    takes=UpdateMilestone,
    gives=Milestone,
    refuses=(
        MilestoneNotFound,
        RoleRequired,
        VersionConflict,
        ProjectArchived,
        Archived,
    ),
    most_bytes=MIB,
)
def change_milestone(call: Call, asked: UpdateMilestone) -> MilestoneRow:
    """
    Change a milestone; members left out stay as they are.

    Its items stay as they are, whatever becomes of its status.
    """
    milestone, changed = update_milestone(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return milestone


@operation(
    "POST /projects/v1/milestones/remove",
    scope="projects:milestones:remove",
    takes=RemoveMilestone,
    gives=Milestone,
    refuses=(MilestoneNotFound, RoleRequired, ProjectArchived),
    most_bytes=MIB,
)
def archive_milestone(call: Call, asked: RemoveMilestone) -> MilestoneRow:
    """Archive a milestone; its items keep it."""
    milestone, changed = remove_milestone(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return milestone


@operation(
    "POST /projects/v1/milestones/restore",
    scope="projects:milestones:restore",
    takes=RemoveMilestone,
    gives=Milestone,
    refuses=(MilestoneNotFound, RoleRequired, ProjectArchived),
    most_bytes=MIB,
)
def unarchive_milestone(call: Call, asked: RemoveMilestone) -> MilestoneRow:
    """Take a milestone out of the archive."""
    milestone, changed = restore_milestone(asked, call.now, by(call))
    if not changed:
        call.unchanged()
    return milestone
