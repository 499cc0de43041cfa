"""The OpenAPI document of this release, created once and never modified."""

from api.openapi.document import current_openapi

DESCRIBED = current_openapi("Masthead")
