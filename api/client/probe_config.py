"""Read the configuration file and the API key of the probe."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from api.client.key_file import read_key_file, require_key
from api.client.targets import CaFile, FilePath, HttpUrl, InheritedOptions, ProbeTarget
from models.settings import SettingError

_INHERITED = tuple(InheritedOptions.model_fields)
_TARGET: TypeAdapter[ProbeTarget] = TypeAdapter(ProbeTarget)
_KEY_HINT = "Set MASTHEAD_PROBE_KEY, or name a file in key_file."


class GeneralOptions(InheritedOptions):
    """The options at the top of the file."""

    api: HttpUrl
    api_ca_file: CaFile | None = None
    key_file: FilePath | None = None
    spool: Annotated[FilePath, Field(validate_default=True)] = "probe-spool.jsonl"
    spool_max_samples: Annotated[int, Field(ge=200, le=1_000_000)] = 100_000
    spool_max_days: Annotated[int, Field(ge=1, le=90)] = 30
    targets: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=200)]


@dataclass(frozen=True)
class ProbeConfig:
    """What to measure, and where to send the measurements."""

    api: str
    ca_file: str | None
    key: str
    spool: Path
    max_samples: int
    max_age: timedelta
    targets: tuple[ProbeTarget, ...]


def read_config(file: Path, key: str) -> ProbeConfig:
    """
    Read the configuration file.

    `key`, unless empty, takes precedence over the file named by `key_file`. Raise
    SettingError, with a sentence for each mistake.
    """
    try:
        options = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingError(f"{file} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise SettingError(f"{file} is not TOML: {error}.") from error
    if "key" in options:
        raise SettingError(
            f"{file}: a key is a secret and does not belong in this file. {_KEY_HINT}"
        )
    folder = file.resolve().parent
    try:
        general = GeneralOptions.model_validate(options, context=folder)
    except ValidationError as error:
        raise SettingError(_error_message(file, "", error)) from error
    targets = tuple(_targets(file, folder, general))
    _require_distinct_sources(file, targets)
    return ProbeConfig(
        api=general.api.rstrip("/"),
        ca_file=general.api_ca_file,
        key=require_key(key or _read_key(file, general), "The probe's key"),
        spool=Path(general.spool),
        max_samples=general.spool_max_samples,
        max_age=timedelta(days=general.spool_max_days),
        targets=targets,
    )


def _targets(
    file: Path, folder: Path, general: GeneralOptions
) -> Iterable[ProbeTarget]:
    inherited = {name: getattr(general, name) for name in _INHERITED}
    for number, table in enumerate(general.targets, 1):
        try:
            yield _TARGET.validate_python(inherited | table, context=folder)
        except ValidationError as error:
            service = f" ({table['service']})" if "service" in table else ""
            message = _error_message(file, f"target {number}{service}", error)
            raise SettingError(message) from error


def _require_distinct_sources(file: Path, targets: Iterable[ProbeTarget]) -> None:
    """A measurement replaces the previous one of its source and service."""
    counts = Counter((target.service, target.source) for target in targets)
    (service, source), count = counts.most_common(1)[0]
    if count > 1:
        raise SettingError(
            f"{file}: {count} targets measure {service} with the source {source}, so"
            " each would override the other. Give one of them a different source."
        )


def _read_key(file: Path, general: GeneralOptions) -> str:
    if general.key_file is None:
        raise SettingError(f"{file}: there is no key. {_KEY_HINT}")
    return read_key_file(Path(general.key_file), "key_file")


def _error_message(file: Path, target: str, error: ValidationError) -> str:
    """Describe every mistake, each with its target and option."""
    details = error.errors(include_url=False, include_input=False)
    messages = [
        f"{', '.join(_location(target, detail))}: {_sentence(detail)}"
        for detail in details
    ]
    if len(messages) == 1:
        return f"{file}: {messages[0]}"
    return "\n  ".join([f"{file}:", *messages])


def _location(target: str, detail: Mapping[str, Any]) -> Iterable[str]:
    """Yield the target and the option, without the kind, which pydantic adds."""
    if target:
        yield target
    parts = list(detail["loc"])[1 if target else 0 :]
    if parts:
        yield ".".join(str(part) for part in parts)


def _sentence(detail: Mapping[str, Any]) -> str:
    kind, context = detail["type"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        return "There is no such option."
    if kind == "missing":
        return "Is required."
    if kind == "value_error":
        return str(context["error"])
    if kind.startswith("union_tag"):
        return "kind must be http, tcp or dns."
    sentence = str(detail["msg"]).replace("Input should", "Must")
    return sentence.replace("String should", "Must") + "."
