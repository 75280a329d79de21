"""Stage 4: turns the plan into the bytes of every file. Templates lay out, nothing else.

A fault in a template is reported as ``file:line:1``, like a fault in any other input.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from types import TracebackType

import black
import black.mode
import black.parsing
import jinja2

from opmill_gen.artifact import Artifact, Format
from opmill_gen.diagnostics import Location
from opmill_gen.load import Sources
from opmill_gen.reading import Faults
from opmill_gen.wrapping import LINE_LENGTH, wrapped

_RAISED_BY_TEMPLATES = (
    jinja2.TemplateError,
    ArithmeticError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What a faulty expression in a template can raise besides Jinja's own errors."""

_MODE = black.Mode(line_length=LINE_LENGTH, target_versions={black.mode.TargetVersion.PY311})


def environment(sources: Sources) -> jinja2.Environment:
    """The one Jinja environment: undefined names are errors, nothing is escaped."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader([sources.templates, *sources.families]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def render(
    artifacts: Iterable[Artifact], sources: Sources, faults: Faults
) -> Mapping[PurePosixPath, bytes]:
    """The contents of every file; faults of templates are collected."""
    jinja = environment(sources)
    files: dict[PurePosixPath, bytes] = {}
    for artifact in artifacts:
        content = _content(artifact, jinja, sources, faults)
        if content is not None:
            files[artifact.path] = content
    return files


def _content(
    artifact: Artifact, jinja: jinja2.Environment, sources: Sources, faults: Faults
) -> bytes | None:
    if artifact.context is None:
        return _source_path(artifact.template, sources).read_bytes().replace(b"\r\n", b"\n")
    try:
        text = jinja.get_template(artifact.template).render(artifact.context)
    except jinja2.TemplateSyntaxError as error:
        faults.report(
            _place(error.filename or artifact.template, error.lineno, sources), str(error.message)
        )
        return None
    except jinja2.TemplateNotFound as error:
        faults.report(Location(f"templates/{artifact.template}"), f"no template '{error.name}'")
        return None
    except _RAISED_BY_TEMPLATES as error:
        name, line = _raised_at(error.__traceback__, artifact.template)
        faults.report(_place(name, line, sources), f"{error} (while making {artifact.path})")
        return None
    if artifact.format is Format.WRAPPED:
        return "\n".join(line for long in text.split("\n") for line in wrapped(long, 4)).encode()
    if artifact.format is Format.AS_IS:
        return text.encode()
    try:
        return _formatted(text).encode()
    except black.parsing.InvalidInput as error:
        message = " ".join(str(error).split())
        faults.report(
            Location(f"templates/{artifact.template}"),
            f"{artifact.path} would not be Python: {message}",
        )
        return None


@functools.cache
def _formatted(text: str) -> str:
    return black.format_str(text, mode=_MODE)


def _source_path(template: str, sources: Sources) -> Path:
    for root in (sources.templates, *sources.families):
        if (root / template).is_file():
            return root / template
    raise FileNotFoundError(template)


def _place(name: str, line: int, sources: Sources) -> Location:
    for root in (sources.templates, *sources.families):
        path = PurePosixPath(name)
        if path.is_absolute() and path.is_relative_to(root.as_posix()):
            return Location(f"{root.name}/{path.relative_to(root.as_posix())}", line, 1)
    return Location(f"templates/{name}", line, 1)


def _raised_at(traceback: TracebackType | None, template: str) -> tuple[str, int]:
    """The template and the line that an error of rendering was raised at: its innermost frame."""
    name, line = template, 1
    while traceback is not None:
        file_name = traceback.tb_frame.f_code.co_filename
        if file_name.endswith((".j2", ".jinja")):
            name, line = file_name, traceback.tb_lineno
        traceback = traceback.tb_next
    return name, line
