"""A form for an operation: what it shows, what was sent, and what was refused."""

import re
import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from werkzeug.datastructures import MultiDict

from api.console.forms.conflicts import (
    FieldConflict,
    field_conflicts,
    is_of_empty,
    mark_of_sent,
    mark_of_value,
    read_marks,
    shown_value,
    write_marks,
)
from api.console.forms.fields import Field, Option, form_fields, is_query
from api.console.forms.labels import field_text
from api.console.forms.submission import (
    IDEMPOTENCY_KEY,
    IF_EMPTY,
    SEEN,
    NotJson,
    Sent,
    chosen,
    read_fields,
    read_json,
    read_version,
)
from api.http.problem_types import PROBLEM_TYPES
from api.operation import Operation
from models.errors import IdempotencyKeyReused, Refusal, VersionConflict
from models.locales import FALLBACK, Locale, load_locale

_WORD = re.compile(r"[A-Za-z]+")
# Of more options than this, those that are chosen stand first.
MANY_OPTIONS = 6


@dataclass(frozen=True)
class English:
    """Words of the API, such as why it refuses a value."""

    text: str

    def __str__(self) -> str:
        return self.text


# Sentences that a page shows one after the other.
Sentences = list[str | English]


class LiteralText(str):
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
    distinguishes forms for the same operation on one page. With the version of what is
    changed among the values (`version` or `updatedAt`), the form expects it. If the
    operation cannot expect a version, the form has a mark of each present value, which
    tells what somebody else has changed meanwhile. `beside` are fields of another
    operation that belongs to the same form. `required` are fields that the operation
    demands of this caller, or for want of others. What the form says itself is in the
    language of `locale`, by default English.
    """

    def __init__(
        self,
        operation: Operation,
        names: Sequence[str] | None = None,
        *,
        values: Mapping[str, Any] | None = None,
        is_prefilled: bool = False,
        id_prefix: str = "",
        beside: Mapping[str, Field] | None = None,
        required: Collection[str] = (),
        locale: Locale | None = None,
    ) -> None:
        fields = form_fields(operation)
        self.operation = operation
        self.locale = locale or load_locale(FALLBACK, part="console")
        self.fields = {name: fields[name] for name in names or fields} | dict(
            beside or {}
        )
        self._beside = frozenset(beside or ())
        for name in required:
            self.fields[name] = replace(self.fields[name], is_required=True)
        self.is_prefilled = is_prefilled
        self._id_prefix = id_prefix or f"{operation.noun}.{operation.verb}"
        self.idempotency_key = secrets.token_hex(16)
        # The whole form's problem, and those of its fields.
        self.problem: Sentences = []
        self.refusal: Refusal | None = None
        self.errors: dict[str, Sentences] = {}
        # What the operation would answer, if a preview was asked for.
        self.preview: Any = None
        self.status = 200
        self.is_conflict = False
        self._values = {n: f.default for n, f in self.fields.items()} | dict(
            values or {}
        )
        self._sent: Sent | None = None
        # The version of what is changed, and where another one differs from the form.
        self.seen: Any = self._present_version()
        self.conflicts: list[FieldConflict] = []
        # The fields in which both the form and somebody else have changed something.
        self._contested: list[str] = []
        # The fields that had a value when the form was shown.
        self._had_value: dict[str, bool] = {}

    def offer(self, name: str, options: Iterable[Option]) -> "Form":
        """Let a field be chosen from these options."""
        if name in self.fields:
            self.fields[name] = self.fields[name].with_options(list(options))
        return self

    def offer_one(self, name: str, options: Iterable[Option]) -> "Form":
        """Let one of these options be chosen, also where the field takes several."""
        if name in self.fields:
            self.fields[name] = self.fields[name].with_one_of(list(options))
        return self

    def fill(self, sent: Sent) -> "Form":
        """
        Take what the browser has sent.

        A field that was left as it was shows what somebody else has made of it.
        """
        self._sent = sent
        if self._has_marks and (marks := read_marks(sent.get(SEEN, ""))):
            self._sent = self._with_changes_of_others(sent, marks)
        # A repeat of the same form is the same request.
        self.idempotency_key = sent.get(IDEMPOTENCY_KEY) or self.idempotency_key
        return self

    @property
    def is_contested(self) -> bool:
        """Whether somebody else has changed what the form changes, in another way."""
        return bool(self._contested)

    @property
    def is_sent(self) -> bool:
        """Whether it shows what was sent."""
        return self._sent is not None

    @property
    def request(self) -> dict[str, Any]:
        """The fields of the request, as JSON or as parameters of a query."""
        return self._read(self.fields.keys() - self._beside)

    @property
    def request_beside(self) -> dict[str, Any]:
        """The fields of the other operation."""
        return self._read(self._beside)

    def _read(self, names: Collection[str]) -> dict[str, Any]:
        sent = self._sent if self._sent is not None else Sent()
        # A repeat of what emptied a field is the same request.
        present = self._values | self._had_value if self.is_prefilled else None
        fields = [field for name, field in self.fields.items() if name in names]
        return read_fields(self.operation, fields, sent, present=present)

    @property
    def version_of(self) -> str | None:
        """What versions the thing that is changed, if the operation can expect one."""
        names = form_fields(self.operation)
        versions = {"expectedVersion": "version", "expectedUpdatedAt": "updatedAt"}
        return next((versions[name] for name in versions if name in names), None)

    @property
    def expected_version(self) -> dict[str, Any]:
        """The version from which the form was made, as a field of the request."""
        seen = self._sent.get(SEEN) if self._sent is not None else None
        if not seen or self.version_of is None:
            return {}
        if self.version_of == "version":
            return {"expectedVersion": read_version(seen)}
        return {"expectedUpdatedAt": seen}

    @property
    def _has_marks(self) -> bool:
        return self.is_prefilled and self.version_of is None

    def _present_version(self) -> Any:
        """Return the version of what is changed, or marks of its values instead."""
        if not self._has_marks:
            return self._values.get(self.version_of or "")
        return write_marks(
            {
                name: mark_of_value(field, self._values.get(name))
                for name, field in self.fields.items()
            }
        )

    def _with_changes_of_others(self, sent: Sent, marks: Mapping[str, str]) -> Sent:
        """Return what was sent, with the present values where it was left alone."""
        merged = MultiDict(sent)
        self._contested = []
        for name, field in self.fields.items():
            value, entered = self._values.get(name), mark_of_sent(field, sent)
            present, seen = mark_of_value(field, value), marks.get(name)
            if seen is None or entered is None:
                continue
            self._had_value[name] = not is_of_empty(seen)
            if seen == present or entered == present:
                continue
            if entered != seen:
                self._contested.append(name)
            elif field.kind == "choices":
                merged.setlist(name, list(value or ()))
            else:
                merged[name] = shown_value(field, value)
        return merged

    def contest(self) -> None:
        """Show what somebody else has changed, beside what was entered instead."""
        self.is_conflict, self.status = True, 409
        found = field_conflicts(self, self._values)
        self.conflicts = [c for c in found if c.name in self._contested]
        self.seen = self._present_version()

    def compare(self, present: Mapping[str, Any]) -> None:
        """
        Show what somebody else has changed meanwhile, beside what was entered.

        Sending the form again then writes over it.
        """
        self.seen = present.get(self.version_of or "")
        self.problem = []
        self.conflicts = field_conflicts(self, present)

    def refuse(self, refusal: Refusal) -> None:
        """Show each error of the refusal beside its field."""
        self.status, self.refusal = PROBLEM_TYPES[refusal.kind].status, refusal
        elsewhere = [
            sentence
            for error in errors_of(refusal)
            if (sentence := self._take_error(error))
        ]
        if elsewhere:
            self.problem = [English(" ".join(elsewhere))]
        elif not self.errors:
            self.problem = [English(refusal.detail)]
        self.is_conflict = isinstance(refusal, VersionConflict)
        if isinstance(refusal, IdempotencyKeyReused):
            self.renew_key()
            self.problem = [self.locale.text("form.sent-before")]

    def renew_key(self) -> None:
        """Make what is sent next another request, and not a repeat."""
        self.idempotency_key = secrets.token_hex(16)

    def _take_error(self, error: Mapping[str, Any]) -> str | None:
        """Keep an error for its field, or return a sentence about what has no field."""
        where = error.get("pointer") or error.get("parameter") or error.get("header")
        parts = str(where or "").strip("/").split("/")
        # As a JSON pointer escapes them.
        name, *inner = [p.replace("~1", "/").replace("~0", "~") for p in parts]
        detail = self._in_labels(str(error["detail"]))
        if name not in self.fields:
            return f"{name}: {detail}" if name else detail
        sentences = self._json_error(self.fields[name])
        if not sentences:
            sentences = [*self._place(inner), English(detail)]
        self.errors[name] = [*self.errors.get(name, ()), *sentences]
        return None

    def _place(self, parts: list[str]) -> list[str]:
        """Return `Item 2, Slug:` for what is inside a field."""
        words = [
            self.locale.text("form.item", number=int(part) + 1)
            if part.isdecimal()
            else self.locale.find(f"field.{part}") or part
            for part in parts
            if part
        ]
        return [f"{', '.join(words)}:"] if words else []

    def _in_labels(self, detail: str) -> str:
        """Return a sentence with the labels of fields instead of their names."""
        # A name of one word may be meant as a word.
        labels = {
            name: f"“{field_text(self.locale, name)}”"
            for name in self.fields
            if not name.islower()
        }
        return _WORD.sub(lambda word: labels.get(word[0], word[0]), detail)

    def _json_error(self, field: Field) -> Sentences:
        """Return why a text is no JSON, which the operation cannot say."""
        text = self.text(field)
        if field.kind != "json" or not text.strip() or field.name in self.errors:
            return []
        try:
            read_json(text)
        except NotJson as error:
            sentences: Sentences = [self.locale.text(error.name, **error.values)]
            return [*sentences, English(error.detail)] if error.detail else sentences
        return []

    def id_of(self, name: str) -> str:
        """Return the id of a field's control, which no other form of the page has."""
        return f"{self._id_prefix}.{name}"

    def text(self, field: Field) -> LiteralText:
        """Return what a control of one line or several shows."""
        if self._sent is not None:
            return LiteralText(self._sent.get(field.name, ""))
        value = self._values.get(field.name)
        return LiteralText(shown_value(field, value))

    def is_chosen(self, field: Field, value: str) -> bool:
        if self._sent is not None:
            is_parameter = is_query(self.operation)
            return value in chosen(field, self._sent, is_parameter=is_parameter)
        present = self._values.get(field.name)
        return value in present if isinstance(present, list) else value == present

    def grouped_options(self, field: Field) -> list[tuple[str, list[Option]]]:
        """Return the options by heading, in order; of many, the chosen ones first."""
        groups: dict[str, list[Option]] = {}
        chosen = self.locale.text("form.chosen")
        is_long = len(field.options) > MANY_OPTIONS
        for option in field.options:
            is_first = is_long and self.is_chosen(field, option.value)
            groups.setdefault(chosen if is_first else option.group, []).append(option)
        chosen_first = sorted(groups, key=lambda heading: heading != chosen)
        return [(heading, groups[heading]) for heading in chosen_first]

    def is_ticked(self, field: Field) -> bool:
        if self._sent is not None:
            return self._sent.get(field.name) == "true"
        return bool(self._values.get(field.name))

    def may_be_empty(self, field: Field) -> bool:
        """Return whether a choice that says nothing is among its options."""
        if field.is_required or field.default is not None:
            return False
        has_value = self.is_prefilled and self._values.get(field.name) is not None
        return field.is_nullable or not has_value

    def choices_if_empty(self, field: Field) -> list[Option]:
        """Return what can be sent for an empty field; none where there is no choice."""
        ways = [] if field.is_required else [("", "leave-it-out")]
        if field.allows_empty and not field.is_required:
            noun = "list" if field.kind in ("lines", "choices") else "text"
            ways.append(("empty", f"send-empty-{noun}"))
        if field.is_nullable:
            ways.append(("null", "send-null"))
        if len(ways) < 2:
            return []
        return [Option(way, self.locale.text(f"form.{text}")) for way, text in ways]

    def choice_if_empty(self, field: Field) -> str:
        return self._sent.get(IF_EMPTY + field.name, "") if self._sent else ""


def errors_of(refusal: Refusal) -> list[dict[str, Any]]:
    """Return what is wrong with which field of a refused request."""
    errors: Any = refusal.members.get("errors", [])
    return list(errors)
