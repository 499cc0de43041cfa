"""The OpenAPI document of this release, made once; nobody alters it."""

from api.openapi.document import document
from api.operation import declare_operations
from models.runtime.release import VERSION

declare_operations()
DESCRIBED = document("Masthead", VERSION)
