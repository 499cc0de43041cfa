"""The OpenAPI document of this release, made once; nobody alters it."""

from api.http import VERSION
from api.openapi import document

DESCRIBED = document("Masthead", VERSION)
