"""A form for an operation: what it shows, what was sent, and what was refused."""

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from api.console.forms.fields import Field, Option, form_fields
from api.console.forms.submission import IDEMPOTENCY_KEY, Sent, read_fields
from api.operation import Operation


class Verbatim(str):
    """
    Text that a control shows as it was entered.

    Templates end the embeddings of directions in other text, which here would change
    what is sent next.
    """

    __slots__ = ()


class Form:
    """
    The form for an operation.

    `names` chooses fields and their order; without them, it has all. `values` are what
    the fields show, by name as in JSON. `is_prefilled` says that they are the present
    ones of what is changed, so that a field that is emptied is cleared. `id_prefix`
    distinguishes forms for the same operation on one page.
    """

    def __init__(
        self,
        operation: Operation,
        names: Sequence[str] | None = None,
        *,
        values: Mapping[str, Any] | None = None,
        is_prefilled: bool = False,
        id_prefix: str = "",
    ) -> None:
        fields = form_fields(operation)
        self.operation = operation
        self.fields = {name: fields[name] for name in names or fields}
        self.is_prefilled = is_prefilled
        self._id_prefix = id_prefix or f"{operation.noun}.{operation.verb}"
        self.idempotency_key = secrets.token_hex(16)
        # The whole form's problem, and those of its fields.
        self.problem: str | None = None
        self.errors: dict[str, str] = {}
        # What the operation would answer, if a preview was asked for.
        self.preview: Any = None
        self.status = 200
        self._values = {n: f.default for n, f in self.fields.items()} | dict(
            values or {}
        )
        self._sent: Sent | None = None

    def offer(self, name: str, options: Iterable[Option]) -> "Form":
        """Let a field be chosen from these options."""
        if name in self.fields:
            self.fields[name] = self.fields[name].with_options(list(options))
        return self

    def fill(self, sent: Sent) -> "Form":
        """Take what the browser has sent."""
        self._sent = sent
        # A repeat of the same form is the same request.
        self.idempotency_key = sent.get(IDEMPOTENCY_KEY) or self.idempotency_key
        return self

    @property
    def request(self) -> dict[str, Any]:
        """The fields of the request, as JSON or as parameters of a query."""
        fields = self.fields.values()
        sent = self._sent if self._sent is not None else Sent()
        return read_fields(self.operation, fields, sent, is_prefilled=self.is_prefilled)

    def refuse(self, problem: Mapping[str, Any]) -> None:
        """Take the problem of the API, and show each of its errors beside its field."""
        self.status = int(problem["status"])
        for error in problem.get("errors", ()):
            where = str(error.get("pointer") or error.get("parameter") or "")
            name = where.strip("/").partition("/")[0].replace("~1", "/")
            if name in self.fields:
                self.errors.setdefault(name, str(error["detail"]))
        if not self.errors:
            self.problem = str(problem.get("detail") or problem["title"])
        if str(problem["type"]).endswith("/idempotency-key-reused/"):
            self.idempotency_key = secrets.token_hex(16)
            self.problem = (
                "This form was sent before with other words, and that was done. Look at"
                " the result before you send it again."
            )

    def id_of(self, name: str) -> str:
        """Return the id of a field's control, which no other form of the page has."""
        return f"{self._id_prefix}.{name}"

    def text(self, field: Field) -> Verbatim:
        """Return what a control of one line or several shows."""
        if self._sent is not None:
            return Verbatim(self._sent.get(field.name, ""))
        value = self._values.get(field.name)
        return Verbatim("" if value is None else _shown(field, value))

    def is_chosen(self, field: Field, value: str) -> bool:
        if self._sent is not None:
            return value in self._sent.getlist(field.name)
        present = self._values.get(field.name)
        return value in present if isinstance(present, list) else value == present

    def is_ticked(self, field: Field) -> bool:
        if self._sent is not None:
            return self._sent.get(field.name) == "true"
        return bool(self._values.get(field.name))


def _shown(field: Field, value: Any) -> str:
    """Return a value of the request as its control shows it."""
    if field.kind == "lines":
        return "\n".join(value)
    if field.kind == "moment":
        # A control for date and time has no offset.
        return str(value)[:16]
    if field.kind == "json":
        return json.dumps(value, indent=2, ensure_ascii=False)
    return str(value)
