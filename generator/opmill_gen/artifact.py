"""A file of the output, before it is rendered: its path, its template, its context."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from opmill_gen.banner import banner
from opmill_gen.check import Instance


@dataclass(frozen=True)
class Artifact:
    """A file to be made: rendered from a template, or copied where ``context`` is ``None``.

    ``template`` is a path below the template folders; ``format`` says whether it is Python
    source that is to be formatted.
    """

    path: PurePosixPath
    template: str
    context: Mapping[str, Any] | None = field(default=None, compare=False)
    format: bool = False


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
    path: PurePosixPath, template: str, sources: tuple[str, ...], **context: Any
) -> Artifact:
    """A file that begins with a banner, in the comments of its language."""
    made_from = (*sources, f"templates/{template}")
    python = path.suffix == ".py"
    mark = banner(made_from) if python else banner(made_from, "//")
    return Artifact(path, template, {"banner": mark, **context}, format=python)
