"""A project with a random history of all operations."""

import random

from tests.factories.projects import CONTRIBUTOR, OWNER

AREA = "POST /projects/v1"


class Life:
    """The next operation is chosen at random; some are rejected."""

    def __init__(self, api, seed):
        self.api, self.rng = api, random.Random(seed)
        made = {"slug": "atlas", "name": "Atlas", "ownerId": OWNER}
        self.project = self.do("projects/create", made)["id"]
        self.ids = {"work-items": [], "documents": [], "specifications": []}
        self.comments, self.labels, self.milestones = [], [], []
        member = {"accountId": CONTRIBUTOR, "role": "contributor"}
        self.do("members/add", {"projectId": self.project} | member)

    def do(self, path, body):
        response = self.api(f"{AREA}/{path}", body)
        return response.json.get("data") if response.status_code == 200 else None

    def words(self):
        return " ".join(self.rng.choices(["lock", "key", "door", "café"], k=5))

    def pick(self, ids):
        return self.rng.choice(ids) if ids else OWNER

    def step(self):
        noun = self.rng.choice(list(self.ids))
        steps = (self.create, self.update, self.archive, self.revise)
        steps += (self.add_comment, self.change_comment, self.bulk, self.supersede)
        steps += (self.plan, self.tie, self.tie, self.relate, self.publish, self.refer)
        self.rng.choice(steps)(noun)

    def create(self, noun):
        body = {"projectId": self.project, "title": self.words()}
        if noun == "work-items":
            body |= {"type": "task", "description": self.rng.choice([None, "lock"])}
        else:
            body |= {"slug": f"s{self.rng.randrange(10**9)}", "content": self.words()}
            body |= {"summary": self.rng.choice([None, self.words()])}
            body |= {"type": "note"} if noun == "documents" else {}
        self.ids[noun].append(self.do(f"{noun}/create", body)["id"])

    def update(self, noun):
        member = "description" if noun == "work-items" else "content"
        name = self.rng.choice([member, "title"])
        body = {"id": self.pick(self.ids[noun]), name: self.words()}
        self.do(f"{noun}/update", body)

    def archive(self, noun):
        verb = self.rng.choice(["remove", "restore"])
        self.do(f"{noun}/{verb}", {"id": self.pick(self.ids[noun])})

    def revise(self, noun):
        if noun != "work-items":
            kind = noun.removesuffix("s")
            body = {f"{kind}Id": self.pick(self.ids[noun]), "version": 1}
            self.do(f"{kind}-revisions/restore", body)

    def add_comment(self, noun):
        kind = {"work-items": "work"}.get(noun, noun.removesuffix("s"))
        body = {"entityType": kind, "entityId": self.pick(self.ids[noun])}
        made = self.do("comments/add", body | {"content": self.words()})
        self.comments += [made["id"]] if made else []

    def change_comment(self, _):
        id = {"id": self.pick(self.comments)}
        verb = self.rng.choice(["update", "remove"])
        self.do(
            f"comments/{verb}", id | ({"content": "new"} if verb == "update" else {})
        )

    def bulk(self, _):
        items = [{"type": "bug", "title": self.words()} for _ in range(3)]
        made = self.do(
            "work-items/bulk-create", {"projectId": self.project, "items": items}
        )
        self.ids["work-items"] += [each["id"] for each in made["items"]]

    def supersede(self, _):
        ids = self.ids["specifications"]
        body = {"id": self.pick(ids), "supersededBy": self.pick(ids)}
        self.do("specifications/supersede", body)

    def plan(self, _):
        body = {"projectId": self.project, "name": f"n{self.rng.randrange(10**9)}"}
        self.labels.append(self.do("labels/create", body)["id"])
        self.milestones.append(self.do("milestones/create", body)["id"])
        if self.rng.random() < 0.3:
            self.do("labels/remove", {"id": self.pick(self.labels)})
            self.do("milestones/remove", {"id": self.pick(self.milestones)})

    def tie(self, _):
        link = {"specificationId": self.pick(self.ids["specifications"])}
        members = {
            "status": self.rng.choice(["done", "planned", "blocked"]),
            "priority": self.rng.choice(["none", "low", "critical"]),
            "labelIds": self.rng.sample(self.labels, min(2, len(self.labels))),
            "milestoneId": self.pick(self.milestones),
            "assigneeIds": [CONTRIBUTOR],
            "specifications": [link | {"relationship": "implements"}],
            "dueAt": "2026-04-01T00:00:00Z",
        }
        some = self.rng.sample(sorted(members), 3)
        body = {"id": self.pick(self.ids["work-items"])}
        self.do("work-items/update", body | {name: members[name] for name in some})

    def relate(self, _):
        kinds = ["blocks", "depends_on", "related_to", "duplicates", "supersedes"]
        ids = self.ids["work-items"]
        body = {"sourceId": self.pick(ids), "targetId": self.pick(ids)}
        self.do("relationships/add", body | {"relationship": self.rng.choice(kinds)})

    def publish(self, _):
        verb = self.rng.choice(["publish", "publish", "unpublish"])
        self.do(f"documents/{verb}", {"id": self.pick(self.ids["documents"])})

    def refer(self, _):
        entities = {
            "work": self.pick(self.ids["work-items"]),
            "project": self.project,
            "milestone": self.pick(self.milestones),
            "comment": self.pick(self.comments),
            "member": CONTRIBUTOR,
        }
        type = self.rng.choice(sorted(entities))
        body = {"entityType": type, "entityId": entities[type], "metadata": {"a": 1.5}}
        body |= {"projectId": self.project} if type == "member" else {}
        url = f"https://example.com/{self.rng.randrange(3)}"
        self.do("references/add", body | {"url": url})
