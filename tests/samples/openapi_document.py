"""The OpenAPI document of this release, made once; nobody alters it."""

from api.openapi.document import openapi_document
from api.operation import declare_operations
from models.runtime.release import VERSION

declare_operations()
DESCRIBED = openapi_document("Masthead", VERSION)
