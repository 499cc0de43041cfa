"""The roadmap over HTTP."""

import pytest

from models.projects.planning.rows import MilestoneRow
from models.projects.work.rows import WorkLabelRow
from tests.factories.projects import make_item, make_project

ROADMAP = "GET /projects/v1/roadmap/get"
CREATE = "POST /projects/v1/milestones/create"
LABEL = "POST /projects/v1/labels/create"
UNKNOWN_ID = "00000000-0000-7000-8000-000000000000"


def buckets_of(response):
    """Return the names of milestones and work items by bucket."""
    return {
        bucket["bucket"]: (
            [milestone["name"] for milestone in bucket["milestones"]],
            [item["title"] for item in bucket["work"]],
            bucket["truncated"],
        )
        for bucket in response.json["data"]["buckets"]
    }


def test_roadmap(api, sample_project, clock):
    """Each bucket is ordered: milestones by target, work by priority and date."""
    spring = {"bucket": "now", "targetAt": "2026-04-01T00:00:00Z"}
    for name, fields in (("m1", {"bucket": "now"}), ("m2", spring), ("m3", {})):
        api(CREATE, {"projectId": sample_project.id, "name": name} | fields)
    for title, bucket, fields in (
        ("w1", "now", {}),
        ("w2", "now", {"due_at": clock.now}),
        ("w3", "now", {"priority": "critical"}),
        ("w4", "later", {}),
        ("w5", "none", {}),
    ):
        make_item(sample_project, clock.now, title=title, bucket=bucket, **fields)

    response = api(ROADMAP, {"projectSlug": "atlas"})

    assert list(buckets_of(response).items()) == [
        ("now", (["m2", "m1"], ["w3", "w2", "w1"], False)),
        ("next", ([], [], False)),
        ("later", ([], ["w4"], False)),
        ("someday", ([], [], False)),
    ]


def test_what_is_over(api, sample_project, clock):
    """Completed entries are left out by default, archived ones always."""
    for status in ("done", "cancelled", "review"):
        make_item(sample_project, clock.now, title=status, bucket="now", status=status)
    make_item(sample_project, clock.now, bucket="now", archived_at=clock.now)
    body = {"projectId": sample_project.id, "name": "m", "bucket": "now"}
    api(CREATE, body | {"status": "completed"})
    api(CREATE, body | {"status": "active", "name": "old"})
    archive = {"archived_at": clock.now}
    MilestoneRow.update(archive).where(MilestoneRow.name == "old").execute()

    milestones, work, _ = buckets_of(api(ROADMAP))["now"]
    all_milestones, all_work, _ = buckets_of(api(ROADMAP, {"done": "include"}))["now"]

    assert (milestones, work) == ([], ["review"])
    assert all_milestones == ["m"]
    assert sorted(all_work) == ["cancelled", "done", "review"]


def test_limit(api, sample_project, clock):
    """
    A bucket with more than the limit is marked so; one exactly at the limit is not.
    """
    for _ in range(3):
        make_item(sample_project, clock.now, bucket="next")

    full, over = (api(ROADMAP, {"limit": limit}) for limit in (3, 2))

    assert [len(work) for _, work, _ in buckets_of(full).values()] == [0, 3, 0, 0]
    assert not buckets_of(full)["next"][2]
    assert len(buckets_of(over)["next"][1]) == 2
    assert buckets_of(over)["next"][2]
    assert not buckets_of(over)["now"][2]


def test_items_are_whole(api, sample_project, clock):
    """Items have all their fields, including labels."""
    label = api(LABEL, {"projectId": sample_project.id, "name": "bug"}).json["data"][
        "id"
    ]
    row = make_item(sample_project, clock.now, bucket="now")
    WorkLabelRow.create(work=row, label=label)

    (item,) = api(ROADMAP).json["data"]["buckets"][0]["work"]

    response = api("GET /projects/v1/work-items/get", {"id": row.id})
    assert item == response.json["data"]
    assert item["labelIds"] == [label]


def test_projects(api, sample_project, clock, refusal):
    """All projects that are not archived, or the given one."""
    borealis = make_project("borealis", clock.now)
    make_item(sample_project, clock.now, title="a", bucket="now")
    make_item(borealis, clock.now, title="b", bucket="now")
    assert sorted(buckets_of(api(ROADMAP))["now"][1]) == ["a", "b"]

    borealis.change({"archived_at": clock.now}, clock.now)

    assert buckets_of(api(ROADMAP))["now"][1] == ["a"]
    assert buckets_of(api(ROADMAP, {"projectId": borealis.id}))["now"][1] == ["b"]
    refusal(api(ROADMAP, {"projectId": UNKNOWN_ID}), "project-not-found")


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 101}, {"done": "only"}])
def test_out_of_shape(api, query):
    """Limits are from 1 to 100."""
    assert api(ROADMAP, query).status_code == 422
