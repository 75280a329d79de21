"""Stage 4: turns the plan into the bytes of every file. Templates lay out, nothing else.

A file is not rendered where the cache says that its context and its templates are those of an
earlier run and the output folder holds what that run wrote. A fault in a template is reported as
``file:line:1``, like a fault in any other input.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any, ClassVar

import jinja2
import jinja2.bccache
import jinja2.sandbox

from opmill_gen.base.cache import Cache, MadeFile, digest_of, digest_of_value
from opmill_gen.base.diagnostics import Diagnostic, Location
from opmill_gen.base.package_rename import OPMILL, renamed_text
from opmill_gen.base.plain_file import read_plain
from opmill_gen.base.processes import in_processes
from opmill_gen.base.progress import Progress, silent
from opmill_gen.base.python_layout import laid_out
from opmill_gen.base.wrap import wrapped
from opmill_gen.check.family_functions import function_problems
from opmill_gen.emit.artifact import Artifact, Format, Later
from opmill_gen.load.sources import Sources
from opmill_gen.yaml_reader.decode import Faults

_RAISED_BY_TEMPLATES = (
    jinja2.TemplateError,
    ArithmeticError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""Errors that a faulty expression in a template can raise besides Jinja's own."""

_EXHAUSTED = (
    (MemoryError, "the text does not fit into memory, expected a shorter one"),
    (RecursionError, "includes or macros are nested without end, expected a last one"),
)
"""Words for errors whose own say nothing of a template."""

_MAX_TEXT = 16_000_000
"""Maximum length of a rendered file, of a product in a template, and of all its ranges together."""


@dataclass
class Rendered:
    """The contents of every file, which of them were rendered now, and what to remember of them."""

    files: dict[PurePosixPath, bytes] = field(default_factory=dict)
    rendered: list[PurePosixPath] = field(default_factory=list)
    records: dict[str, MadeFile] = field(default_factory=dict)


class _Environment(jinja2.sandbox.SandboxedEnvironment):
    """Jinja's environment, which notes the templates that are loaded and bounds what they compute.

    The sandbox serves the bounds alone: templates are code and may use every attribute.
    """

    intercepted_binops = frozenset({"*", "**"})
    asked: set[str]
    ranged: int

    def start(self, template: str) -> None:
        """Begin a file: no template but this one is loaded, and no range is counted."""
        self.asked, self.ranged = {template}, 0

    def get_template(self, name: Any, *args: Any, **kwargs: Any) -> jinja2.Template:
        if isinstance(name, str):
            self.asked.add(name)
        return super().get_template(name, *args, **kwargs)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        return True

    def is_safe_callable(self, obj: Any) -> bool:
        return True

    def bounded_range(self, *bounds: int) -> range:
        """Return a range; all ranges of a file together are bounded, which bounds nested loops."""
        found = range(*bounds)
        size = max(0, -((found.start - found.stop) // found.step))  # len() overflows
        self.ranged += size
        if self.ranged > _MAX_TEXT:
            raise OverflowError(_too_long("ranges have", self.ranged, "values in total"))
        return found

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if operator == "**":
            bits = left.bit_length() * right if _are_integers(left, right) else 0
            if bits > _MAX_TEXT:
                raise OverflowError(_too_long("power has", bits, "bits"))
        for many, count in ((left, right), (right, left)):
            if isinstance(many, (str, bytes, list, tuple)) and isinstance(count, int):
                size = len(many) * count
                if size > _MAX_TEXT:
                    raise OverflowError(_too_long("product has", size, "elements"))
        return super().call_binop(context, operator, left, right)


def _are_integers(*values: object) -> bool:
    return all(isinstance(value, int) for value in values)


def _too_long(what: str, count: int, unit: str) -> str:
    return f"{what} {count} {unit}, expected at most {_MAX_TEXT}"


class _Loader(jinja2.FileSystemLoader):
    """Loads templates, and files that are none, whose text is theirs: those without ``.j2``."""

    def get_source(
        self, environment: jinja2.Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        text, path, is_fresh = super().get_source(environment, template)
        if not template.endswith(".j2"):
            text = f"{{% raw %}}{text}{{% endraw %}}"
        return text, path, is_fresh


class _Compiled(jinja2.BytecodeCache):
    """Compiled templates: a process that generates several times compiles each text once."""

    codes: ClassVar[dict[str, bytes]] = {}

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        code = self.codes.get(f"{bucket.key} {bucket.checksum}")
        if code is not None:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        self.codes[f"{bucket.key} {bucket.checksum}"] = bucket.bytecode_to_string()


def environment(sources: Sources) -> _Environment:
    """The one Jinja environment: undefined names are errors, nothing is escaped."""
    created = _Environment(
        loader=_Loader([sources.templates, *sources.families]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        cache_size=-1,
        auto_reload=False,
        bytecode_cache=_Compiled(),
    )
    created.globals["range"] = created.bounded_range
    created.start("")
    return created


def _bounded_text(pieces: Iterator[str]) -> str:
    """Join what a template emits, which may have no end; an error names the line reached."""
    assert isinstance(pieces, Generator)
    taken, size = list[str](), 0
    for piece in pieces:
        taken.append(piece)
        size += max(1, len(piece))
        if size > _MAX_TEXT:
            pieces.throw(OverflowError(_too_long("text has more than", _MAX_TEXT, "characters")))
    return "".join(taken)


def render(
    artifacts: Iterable[Artifact],
    sources: Sources,
    faults: Faults,
    output: Path | None = None,
    cache: Cache | None = None,
    progress: Progress = silent,
) -> Rendered:
    """The contents of every file; faults of templates are collected.

    Args:
        artifacts: the files to be made.
        sources: where templates and files to copy stand.
        faults: where faults are reported.
        output: the folder that holds the files of an earlier run, if they are to be used.
        cache: what is known of them.
        progress: called with each file.
    """
    run = _Run(sources, faults, output, cache or Cache())
    planned = list(artifacts)
    known = [run.copied_or_known(artifact) for artifact in planned]
    pending = [a for a, draft in zip(planned, known, strict=True) if draft is None]
    drafts = in_processes(run.render, pending, partial(progress, "rendering"))
    return run.finish(planned, [draft or next(drafts) for draft in known])


@dataclass(frozen=True)
class _Draft:
    """A file before Python is laid out.

    Attributes:
        text: its text, or its bytes where it is copied or known; ``None`` if it has a fault.
        known: what the cache is to remember of it; its digest of the bytes is added at the end.
        faults: what is wrong with its template.
        source: the template that defines the file's functions.
        is_rendered: whether it was rendered now.
    """

    text: str | bytes | None
    known: MadeFile | None = None
    faults: tuple[Diagnostic, ...] = ()
    source: str = ""
    is_rendered: bool = False


class _Run:
    """Renders one file after the other, each only where it is not known to be as it should."""

    def __init__(self, sources: Sources, faults: Faults, output: Path | None, cache: Cache) -> None:
        self.jinja = environment(sources)
        self.sources, self.faults, self.output, self.cache = sources, faults, output, cache
        self.digests: dict[str, str | None] = {}

    def copied_or_known(self, artifact: Artifact) -> _Draft | None:
        """A file that is copied or whose sources are known; ``None`` if it may be rendered."""
        if artifact.context is None:
            return _Draft(_copied(artifact, self.sources), source=artifact.template)
        if not isinstance(artifact.context, Later):
            return None
        known, present = self.earlier(artifact)
        if known is not None and known.sources == artifact.context.sources:
            return _Draft(present, known)
        return None

    def render(self, artifact: Artifact) -> _Draft:
        """Render a file, unless its context is known. Calls do not depend on each other."""
        given = artifact.context
        context = given.view() if isinstance(given, Later) else given
        assert context is not None
        sources = given.sources if isinstance(given, Later) else ""
        digest = digest_of_value(
            [artifact.template, artifact.format, context, repr(artifact.defines)]
        )
        known, present = self.earlier(artifact)
        if known is not None and known.context == digest:
            return _Draft(present, replace(known, sources=sources))
        self.jinja.start(artifact.template)
        faults = Faults()
        text = _text(artifact, context, self.jinja, self.sources, faults)
        if text is None:
            return _Draft(None, faults=tuple(faults))
        templates = {name: self.digest(name) for name in sorted(self.jinja.asked)}
        rendered = MadeFile(sources, digest, templates, "")
        return _Draft(text, rendered, source=str(context.get("kernel")), is_rendered=True)

    def finish(self, artifacts: Sequence[Artifact], drafts: Sequence[_Draft]) -> Rendered:
        """The files, with all Python laid out at once."""
        drafted = list(zip(artifacts, drafts, strict=True))
        short = laid_out(
            {a.path: d.text for a, d in drafted if isinstance(d.text, str) and _is_laid_out(a)}
        )
        result = Rendered()
        for artifact, draft in drafted:
            self.faults.extend(draft.faults)
            text, path = short.get(artifact.path, draft.text), artifact.path
            if text is None:
                continue
            content = text.encode() if isinstance(text, str) else text
            if draft.source:
                self.check_functions(artifact, draft.source, content)
            known = draft.known
            if known is not None and draft.is_rendered:
                known = replace(known, content=digest_of(content))
                result.rendered.append(path)
            if known is not None:
                result.records[str(path)] = known
            result.files[path] = content
        return result

    def earlier(self, artifact: Artifact) -> tuple[MadeFile | None, bytes | None]:
        """The file as an earlier run left it, and what is known of it; else ``None`` twice."""
        known = self.cache.files.get(str(artifact.path))
        content = None if known is None else self.present(artifact.path, known)
        return (None, None) if content is None else (known, content)

    def check_functions(self, artifact: Artifact, template: str, content: bytes) -> None:
        """Report the functions that a family's Python file, made of a template, lacks."""
        if not artifact.defines:
            return
        path = _source_path(template, self.sources)
        try:
            problems = list(function_problems(content.decode("utf-8"), artifact.defines))
        except (SyntaxError, ValueError) as error:
            problem = f"no Python: {_syntax_problem(error, content.decode('utf-8', 'replace'))}"
            line = getattr(error, "lineno", None) or 0
            self.faults.report(_location(str(path), line, self.sources), problem)
            return
        lines = path.read_text(encoding="utf-8").splitlines()
        for name, problem in problems:
            start = f"def {name}("
            line = next((i for i, text in enumerate(lines, 1) if name and start in text), 0)
            self.faults.report(_location(str(path), line, self.sources), problem)

    def present(self, path: PurePosixPath, known: MadeFile) -> bytes | None:
        """The file of the earlier run, where it and its templates are as they were then."""
        if self.output is None:
            return None
        if any(self.digest(name) != digest for name, digest in known.templates.items()):
            return None
        content = read_plain(self.output / path)
        known_content = content is not None and digest_of(content) == known.content
        return content if known_content else None

    def digest(self, template: str) -> str | None:
        """The digest of a template as it is now; ``None`` for one that does not."""
        if template not in self.digests:
            try:
                content = _source_path(template, self.sources).read_bytes()
                self.digests[template] = digest_of(content)
            except FileNotFoundError:
                self.digests[template] = None
        return self.digests[template]


def _text(
    artifact: Artifact,
    context: Mapping[str, Any],
    jinja: _Environment,
    sources: Sources,
    faults: Faults,
) -> str | None:
    try:
        text = _bounded_text(jinja.get_template(artifact.template).generate(context))
    except jinja2.TemplateSyntaxError as error:
        faults.report(
            _location(error.filename or artifact.template, error.lineno, sources),
            str(error.message),
        )
        return None
    except jinja2.TemplateNotFound as error:
        name, line = _raised_at(error.__traceback__, artifact.template)
        faults.report(_location(name, line, sources), f"there is no template '{error.name}'")
        return None
    except (*_RAISED_BY_TEMPLATES, MemoryError) as error:
        name, line = _raised_at(error.__traceback__, artifact.template)
        problem = next((text for kind, text in _EXHAUSTED if isinstance(error, kind)), error)
        faults.report(_location(name, line, sources), f"{problem} (while making {artifact.path})")
        return None
    if artifact.package != OPMILL:
        text = _renamed(text, artifact)
    if artifact.format is Format.WRAPPED:
        return "\n".join(line for long in text.split("\n") for line in wrapped(long, 4))
    if artifact.format is Format.AS_IS:
        return text
    try:
        ast.parse(text)
    except (SyntaxError, ValueError) as error:
        included = sorted(jinja.asked - {artifact.template})
        template = included[0] if len(included) == 1 else artifact.template
        faults.report(
            _location(str(_source_path(template, sources)), 0, sources),
            f"{artifact.path} would not be Python: {_syntax_problem(error, text)}",
        )
        return None
    return text


def _syntax_problem(error: Exception, text: str) -> str:
    """Describe the fault, and the line of the generated file that shows it."""
    if not isinstance(error, SyntaxError) or error.lineno is None:
        return " ".join(str(error).split())
    lines = text.splitlines()
    line = lines[error.lineno - 1].strip() if error.lineno <= len(lines) else ""
    return f"{error.msg} in its line '{line}'"


def _copied(artifact: Artifact, sources: Sources) -> str | bytes:
    content = _source_path(artifact.template, sources).read_bytes()
    if b"\0" in content:  # no text: a font
        return content
    content = content.replace(b"\r\n", b"\n")
    if artifact.package == OPMILL:
        return content
    return _renamed(content.decode("utf-8"), artifact)


def _is_laid_out(artifact: Artifact) -> bool:
    """True if ruff lays the file out; also what is copied under the name of another package."""
    renamed_python = artifact.context is None and artifact.path.suffix == ".py"
    return artifact.format is Format.PYTHON or renamed_python


def _renamed(text: str, artifact: Artifact) -> str:
    return renamed_text(text, artifact.package, is_code=artifact.path.suffix in (".c", ".h"))


def _source_path(template: str, sources: Sources) -> Path:
    for root in (sources.templates, *sources.families, sources.root):
        path = os.path.join(root, template)
        if os.path.isfile(path):
            return Path(path)
    raise FileNotFoundError(template)


def _location(name: str, line: int, sources: Sources) -> Location:
    for root in (sources.templates, *sources.families):
        path = PurePosixPath(name)
        if path.is_absolute() and path.is_relative_to(root.as_posix()):
            shown = f"{root.name}/{path.relative_to(root.as_posix())}"
            return Location(shown, line, 1) if line else Location(shown)
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
