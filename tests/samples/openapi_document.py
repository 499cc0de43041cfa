"""The OpenAPI document of this release, made once; nobody alters it."""

from api.openapi.document import current_openapi

DESCRIBED = current_openapi("Masthead")
