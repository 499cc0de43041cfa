"""Show who is signed in, under which key, and what the key may not do."""

from itertools import groupby

from werkzeug.wrappers import Response

from api.console.console_page import page
from api.console.console_request import ConsoleRequest


@page("GET session/")
def show_session(request: ConsoleRequest) -> Response:
    operations = sorted(request.operations.values(), key=lambda o: (o.area, o.path))
    areas = [
        {
            "name": area,
            "closed": [o.name for o in listed if not request.caller.has_scope(o.scope)],
            "count": len(listed),
        }
        for area, group in groupby(operations, key=lambda o: o.area)
        for listed in [list(group)]
    ]
    return request.page("console/session.html", areas=areas)
