"""Handle requests about milestones."""

from api.operation import MIB, Call, operation
from api.projects import PROJECT_CHANGE, VERSIONED_CHANGE
from models.errors import MilestoneNotFound, ProjectNotFound
from models.pagination import Page
from models.projects.planning import milestones
from models.projects.planning.rows import MilestoneRow, milestone_with


@operation(
    "GET /projects/v1/milestones/list",
    response=list[milestones.Milestone],
    errors=(ProjectNotFound,),
)
def list_milestones(call: Call, query: milestones.ListMilestones) -> Page[MilestoneRow]:
    """
    List milestones, by default with the nearest target first.

    Milestones without a target come last. Without a project, milestones of archived
    projects are left out unless archived is only or include.
    """
    return milestones.list_milestones(query)


@operation(
    "GET /projects/v1/milestones/get",
    response=milestones.Milestone,
    errors=(MilestoneNotFound,),
)
def get_milestone(call: Call, query: milestones.GetMilestone) -> MilestoneRow:
    """Get a milestone."""
    return milestone_with(query.id)


@operation(
    "GET /projects/v1/milestones/progress",
    response=milestones.MilestoneProgress,
    errors=(MilestoneNotFound,),
)
def get_milestone_progress(
    call: Call, query: milestones.GetMilestone
) -> milestones.MilestoneProgress:
    """
    Count the work items of a milestone, except archived ones.

    percent is the share of done items among those not cancelled, rounded down.
    overdue counts the open items whose due date has passed.
    """
    return milestones.milestone_progress(milestone_with(query.id), call.now)


@operation(
    "POST /projects/v1/milestones/create",
    response=milestones.Milestone,
    errors=(ProjectNotFound, *PROJECT_CHANGE),
    max_body_bytes=MIB,
)
def create_milestone(call: Call, request: milestones.CreateMilestone) -> MilestoneRow:
    """
    Create a milestone.

    Send an Idempotency-Key to be able to repeat the call safely.
    """
    return milestones.create_milestone(request, call.now, call.actor)


@operation(
    "POST /projects/v1/milestones/update",
    response=milestones.Milestone,
    errors=(MilestoneNotFound, *VERSIONED_CHANGE),
    max_body_bytes=MIB,
)
def update_milestone(call: Call, request: milestones.UpdateMilestone) -> MilestoneRow:
    """
    Update a milestone; omitted fields do not change.

    Changing its status does not change its work items.
    """
    return call.result_of(milestones.update_milestone(request, call.now, call.actor))


@operation(
    "POST /projects/v1/milestones/remove",
    response=milestones.Milestone,
    errors=(MilestoneNotFound, *PROJECT_CHANGE),
    max_body_bytes=MIB,
)
def remove_milestone(call: Call, request: milestones.RemoveMilestone) -> MilestoneRow:
    """Archive a milestone; its work items still belong to it."""
    return call.result_of(milestones.archive_milestone(request, call.now, call.actor))


@operation(
    "POST /projects/v1/milestones/restore",
    response=milestones.Milestone,
    errors=(MilestoneNotFound, *PROJECT_CHANGE),
    max_body_bytes=MIB,
)
def restore_milestone(call: Call, request: milestones.RemoveMilestone) -> MilestoneRow:
    """Restore an archived milestone."""
    return call.result_of(milestones.restore_milestone(request, call.now, call.actor))
