"""A file of the output, before it is rendered: its path, its template, its context."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from opmill_gen.banner import banner
from opmill_gen.check import Instance


class Format(enum.Enum):
    """How the text that a template gives is laid out in the end."""

    AS_IS = "as it is"
    BLACK = "by black"
    WRAPPED = "by breaking long lines"


@dataclass(frozen=True)
class Artifact:
    """A file to be made: rendered from a template, or copied where ``context`` is ``None``.

    ``template`` is a path below the template folders.
    """

    path: PurePosixPath
    template: str
    context: Mapping[str, Any] | None = field(default=None, compare=False)
    format: Format = Format.AS_IS


@dataclass(frozen=True)
class Settings:
    """What a run is asked for besides its inputs."""

    package: str = "opmill"


@dataclass(frozen=True)
class NamedInstance:
    """A family's instance and its module name below ``_families``."""

    name: str
    instance: Instance


def rendered(
    path: PurePosixPath,
    template: str,
    sources: tuple[str, ...],
    form: Format | None = None,
    /,
    **context: Any,
) -> Artifact:
    """A file that begins with a banner, in the comments of its language.

    Python is formatted by black unless ``form`` says otherwise: tables of tests are too long.
    """
    made_from = (*sources, f"templates/{template}")
    python = path.suffix == ".py"
    mark = banner(made_from) if python else banner(made_from, "//")
    if form is None:
        form = Format.BLACK if python else Format.AS_IS
    return Artifact(path, template, {"banner": mark, **context}, form)
