"""What a probe is told: its file in TOML and its key, mistakes in sentences."""

import os
import stat
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from api.client.targets import Address, AnyTarget, Beside, Certificates, Rhythm
from models.platform.secrets import is_well_formed
from models.settings import SettingError

_INHERITED = tuple(Rhythm.model_fields)
_TARGET: TypeAdapter[AnyTarget] = TypeAdapter(AnyTarget)
_OPEN_TO_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class General(Rhythm):
    """The top of the file."""

    api: Address
    api_ca_file: Certificates | None = None
    key_file: Beside | None = None
    spool: Annotated[Beside, Field(validate_default=True)] = "probe-spool.jsonl"
    spool_max_samples: Annotated[int, Field(ge=200, le=1_000_000)] = 100_000
    spool_max_days: Annotated[int, Field(ge=1, le=90)] = 30
    targets: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=200)]


@dataclass(frozen=True)
class Plan:
    """What to look at, how, and where to tell it."""

    api: str
    ca_file: str | None
    key: str
    spool: Path
    most: int
    age: timedelta
    targets: tuple[AnyTarget, ...]


def read_plan(file: Path, key: str) -> Plan:
    """Read the file; `key`, where it is given, stands before that of key_file."""
    try:
        given = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingError(f"{file} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise SettingError(f"{file} is not TOML: {error}.") from error
    if "key" in given:
        raise SettingError(f"{file}: a key is a secret and does not stand here. {_KEY}")
    folder = file.resolve().parent
    try:
        general = General.model_validate(given, context=folder)
    except ValidationError as error:
        raise SettingError(_told(file, "", error)) from error
    targets = tuple(_targets(file, folder, general))
    _require_one_voice(file, targets)
    return Plan(
        api=general.api.rstrip("/"),
        ca_file=general.api_ca_file,
        key=_checked(key or _key_of(file, general)),
        spool=Path(general.spool),
        most=general.spool_max_samples,
        age=timedelta(days=general.spool_max_days),
        targets=targets,
    )


def _targets(file: Path, folder: Path, general: General) -> Iterable[AnyTarget]:
    inherited = {name: getattr(general, name) for name in _INHERITED}
    for number, table in enumerate(general.targets, 1):
        try:
            yield _TARGET.validate_python(inherited | table, context=folder)
        except ValidationError as error:
            name = f" ({table['service']})" if "service" in table else ""
            told = _told(file, f"target {number}{name}", error)
            raise SettingError(told) from error


def _require_one_voice(file: Path, targets: Iterable[AnyTarget]) -> None:
    """What one source says of a service replaces what it said before."""
    voices = Counter((each.service, each.source) for each in targets)
    (service, source), count = voices.most_common(1)[0]
    if count > 1:
        raise SettingError(
            f"{file}: {count} targets speak of {service} as {source}, so each would"
            " overrule the other. Give one of them a source of its own."
        )


_KEY = "Set MASTHEAD_PROBE_KEY, or name a file in key_file."


def _key_of(file: Path, general: General) -> str:
    if general.key_file is None:
        raise SettingError(f"{file}: there is no key. {_KEY}")
    path = Path(general.key_file)
    try:
        with path.open(encoding="ascii", errors="replace") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            key = opened.read(1000).strip()
    except OSError as error:
        raise SettingError(f"key_file {path}: {error.strerror}.") from error
    if mode & _OPEN_TO_OTHERS:
        raise SettingError(
            f"key_file {path} is open to others than its owner, so its key is no"
            f" secret: chmod 600 {path}, and rotate the key if others were there."
        )
    return key


def _checked(key: str) -> str:
    if not is_well_formed(key):
        raise SettingError(
            "The probe's key is no key of Masthead: it was cut or mistyped."
        )
    return key


def _told(file: Path, where: str, error: ValidationError) -> str:
    """Say every mistake, each with its place."""
    found = error.errors(include_url=False, include_input=False)
    told = [f"{', '.join(_place(where, each))}: {_sentence(each)}" for each in found]
    return f"{file}: {told[0]}" if len(told) == 1 else "\n  ".join([f"{file}:", *told])


def _place(where: str, error: Mapping[str, Any]) -> Iterable[str]:
    """Yield the target and the member; the kind, which pydantic adds, is known."""
    if where:
        yield where
    parts = list(error["loc"])[1 if where else 0 :]
    if parts:
        yield ".".join(str(each) for each in parts)


def _sentence(error: Mapping[str, Any]) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return "There is no such member."
    if kind == "missing":
        return "Is required."
    if kind == "value_error":
        return str(context["error"])
    if kind.startswith("union_tag"):
        return "kind must be http, tcp or dns."
    sentence = str(error["msg"]).replace("Input should", "Must")
    return sentence.replace("String should", "Must") + "."
