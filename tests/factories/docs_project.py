"""Documents written through the API, in the docs project."""

DOCUMENTS = "POST /projects/v1/documents"


class DocsProject:
    """Writes documents; members that are not passed have unique defaults."""

    def __init__(self, api, project):
        self.api = api
        self.project = project

    def write(self, slug, content="Words.\n", **members):
        """Create a document that is not published yet."""
        body = {"projectId": self.project.id, "slug": slug, "type": "note"}
        body |= {"title": slug.replace("-", " ").capitalize(), "collection": "guides"}
        return self._call("create", body | {"content": content} | members)

    def publish(self, slug, content="Words.\n", **members):
        """Create a document and publish it."""
        document = self.write(slug, content, **members)
        return self._call("publish", {"id": document["id"]})

    def update(self, document, **members):
        return self._call("update", {"id": document["id"]} | members)

    def release(self, document, **members):
        return self._call("publish", {"id": document["id"]} | members)

    def withdraw(self, document):
        return self._call("unpublish", {"id": document["id"]})

    def add(self, name, file):
        """Add a file to the docs project, or replace it."""
        body = {"projectId": self.project.id, "name": name}
        response = self.api("POST /projects/v1/files/add", body, file=file)
        assert response.status_code == 200, response.text
        return response.json["data"]

    def _call(self, operation, values):
        response = self.api(f"{DOCUMENTS}/{operation}", values)
        assert response.status_code == 200, response.text
        return response.json["data"]
