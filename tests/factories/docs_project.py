"""Documents as tests write them: through the API, in the docs project."""

DOCUMENTS = "POST /projects/v1/documents"


class DocsProject:
    """Writes documents; what is not named has a value of its own."""

    def __init__(self, api, project):
        self.api = api
        self.project = project

    def write(self, slug, content="Words.\n", **members):
        """Create a document that nobody sees yet."""
        body = {"projectId": self.project.id, "slug": slug, "type": "note"}
        body |= {"title": slug.replace("-", " ").capitalize(), "collection": "guides"}
        return self._told("create", body | {"content": content} | members)

    def publish(self, slug, content="Words.\n", **members):
        """Create a document and publish it."""
        document = self.write(slug, content, **members)
        return self._told("publish", {"id": document["id"]})

    def update(self, document, **members):
        return self._told("update", {"id": document["id"]} | members)

    def release(self, document, **members):
        return self._told("publish", {"id": document["id"]} | members)

    def withdraw(self, document):
        return self._told("unpublish", {"id": document["id"]})

    def add(self, name, file):
        """Add a file to the docs project, or replace it."""
        body = {"projectId": self.project.id, "name": name}
        response = self.api("POST /projects/v1/files/add", body, file=file)
        assert response.status_code == 200, response.text
        return response.json["data"]

    def _told(self, operation, asked):
        response = self.api(f"{DOCUMENTS}/{operation}", asked)
        assert response.status_code == 200, response.text
        return response.json["data"]
