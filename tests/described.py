"""The OpenAPI document of this release, made once; nobody alters it."""

from api.openapi import document
from models.release import VERSION

DESCRIBED = document("Masthead", VERSION)
