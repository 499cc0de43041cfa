"""The OpenAPI document of this release, made once; nobody alters it."""

from api.openapi import document
from api.operation import declare_operations
from models.release import VERSION

declare_operations()
DESCRIBED = document("Masthead", VERSION)
