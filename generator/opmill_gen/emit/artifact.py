"""A file of the output, before it is rendered: its path, its template, its context."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from opmill_gen.base.banner import banner
from opmill_gen.base.cache import digest_of_value
from opmill_gen.base.package_rename import OPMILL
from opmill_gen.check.family_functions import Function
from opmill_gen.check.result import Instance


class Format(enum.Enum):
    """Layout of the text that a template gives."""

    AS_IS = "as it is"
    PYTHON = "as Python"
    WRAPPED = "by breaking long lines"


@dataclass(frozen=True)
class Later:
    """A context that is computed only if the file has to be rendered.

    ``sources`` is the digest of everything that the view looks at; a view that looks at anything
    else is wrong, and ``generate --check`` shows it.
    """

    sources: str
    view: Callable[[], Mapping[str, Any]]


@dataclass(frozen=True)
class Artifact:
    """A file to be made: rendered from a template, or copied where ``context`` is ``None``.

    ``template`` is a path below the template folders.
    """

    path: PurePosixPath
    template: str
    context: Mapping[str, Any] | Later | None = field(default=None, compare=False)
    format: Format = Format.AS_IS
    package: str = OPMILL
    """The package under whose name the file is put out; templates say opmill."""
    defines: tuple[Function, ...] = ()
    """The functions that a Python file of a family must define."""


def later(artifact: Artifact, sources: tuple[str, ...], view: Callable[[], Any]) -> Artifact:
    """Artifact whose remaining context is computed by a view.

    Args:
        artifact: the file, with the part of its context that costs nothing.
        sources: digests and names: everything that the view looks at.
        view: works out the rest of the context.
    """
    known = artifact.context
    assert isinstance(known, Mapping)
    key = digest_of_value([artifact.template, known, sources])
    return dataclasses.replace(artifact, context=Later(key, lambda: {**known, **view()}))


def rendered(
    path: PurePosixPath,
    template: str,
    sources: tuple[str, ...],
    form: Format | None = None,
    /,
    **context: Any,
) -> Artifact:
    """A file that begins with a banner, in the comments of its language.

    Python is laid out by ruff unless ``form`` names another way: tables of tests are too long.
    """
    origins = (*sources, f"templates/{template}")
    python = path.suffix == ".py"
    mark = banner(origins) if python else banner(origins, "//")
    if form is None:
        form = Format.PYTHON if python else Format.AS_IS
    return Artifact(path, template, {"banner": mark, **context}, form)


def template_constants(instance: Instance) -> dict[str, Any]:
    """Context of a kernel's templates: its family, its parameters, and its row if there is one.

    Row of ``rows.yaml`` selected by a parameter.
    """
    parameters = instance.kernel_parameters
    known = instance.family.document.parameters
    constants: dict[str, Any] = {"family": instance.family.name, **parameters}
    for name, value in parameters.items():
        if known[name].rows:
            constants["row"] = instance.family.rows[str(value)]
    return constants


def kernel_sources(instance: Instance, kernel: str) -> tuple[str, ...]:
    """The sources of a kernel, for its banner; ``kernel`` is the family's file."""
    rows = ("rows.yaml",) if instance.family.rows else ()
    names = (*rows, PurePosixPath(kernel).name)
    return tuple(f"{instance.family.folder}/{name}" for name in names)
