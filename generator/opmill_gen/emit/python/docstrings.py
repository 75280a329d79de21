"""The docstrings of the functions of an operator version."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from opmill_gen.base.literals import docstring_text, paragraphs
from opmill_gen.base.onnx_types import TensorType, TypeVariable
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.docs.rule_checks import Condition, checks_of
from opmill_gen.emit.python.examples import session_text, without_imports
from opmill_gen.emit.python.results import Result, counting_names, is_counted, names_type, result_of
from opmill_gen.spec.operator_version import OperatorVersion, Option, Parameter

_WIDTH = 100
_SHORT = 12
"""The lines of an example that a docstring may show."""


def _types_text(spec: OperatorVersion, parameter: Parameter) -> str:
    """``T`` or ``int64``, as a docstring names a parameter's type."""
    if isinstance(parameter.type, TypeVariable):
        types = spec.type_constraints[parameter.type.name].types
        if len(types) == 1 and isinstance(types[0], TensorType):
            return types[0].element.value
        return parameter.type.name
    if isinstance(parameter.type, TensorType):
        return parameter.type.element.value
    return str(parameter.type)


def _entry(name: str, about: str, text: str) -> str:
    """An entry of a docstring's section: the first line hangs, the others are indented."""
    body = paragraphs(docstring_text(text), _WIDTH - 12, " " * 12)
    return f"        {name} ({about}):\n{body}"


def docstring(version: CheckedVersion, module: str, checks_in: str | None = None) -> str:
    """The docstring of the function that computes; ``checks_in`` is the module of a newer version
    with the same checks."""
    spec, names = version.spec, version.names
    parts = [paragraphs(docstring_text(spec.summary), _WIDTH - 4, "    ").strip()]
    entries = []
    for parameter in spec.inputs:
        about = _types_text(spec, parameter)
        if parameter.option is not Option.SINGLE:
            about += f", {parameter.option.value}"
        entries.append(_entry(str(names.parameters[parameter.name]), about, parameter.description))
    for attribute in spec.attributes:
        about = attribute.kind.value
        if attribute.required:
            about += ", required"
        text = attribute.description
        if names_type(spec, attribute):
            text = f"{text.strip()} Also a NumPy dtype, its name, or ONNX's name of the type."
        entries.append(_entry(str(names.attributes[attribute.name]), about, text))
    single = result_of(spec) is Result.ONE
    if is_counted(spec):
        entries.append(_entry("outputs", "int, optional", _count_text(version)))
    buffer = (
        "A buffer for the result, of its type and shape. It may overlap an input."
        if single
        else "A buffer for each output, of its type and shape. It may overlap an input."
    )
    if any(map(spec.is_sequence, spec.outputs)):
        buffer = "Must be absent: a sequence is a new list."
    if spec.runs_graphs:
        buffer = "Must be absent: the graphs make the outputs."
    if spec.has_maps:
        buffer = "Must be absent: only a call tells what a map gives."
    entries.append(_entry("out", "optional", buffer))
    parts.append("    Args:\n" + "\n".join(entries))
    returns = [_entry(o.name, _types_text(spec, o), o.description) for o in spec.outputs]
    parts.append("    Returns:\n" + "\n".join(returns))
    types = [
        f"        {name}: {', '.join(_bare(str(t)) for t in constraint.types)}"
        for name, constraint in spec.type_constraints.items()
        if len(constraint.types) > 1
    ]
    if types:
        wrapped = [paragraphs(line.strip(), _WIDTH - 8, " " * 8) for line in types]
        parts.append("    Types:\n" + "\n".join(wrapped))
    parts.append(_raises(version))
    parts += _notes(version, module, checks_in)
    parts.append(
        docstring_text(
            f"    Source: {spec.label} of {spec.domain}"
            + (f", checked against {spec.source.release}." if spec.source else ".")
        )
    )
    return "\n\n".join(parts) + "\n    "


def _count_text(version: CheckedVersion) -> str:
    """The description of the parameter ``outputs``."""
    text = "How many outputs to return."
    if result_of(version.spec) is Result.FIRST:
        return f"{text} Without it, the first one is returned, and not a tuple."
    stated = [f"`{name}`" for name in counting_names(version)]
    return f"{text} Not needed with {' or '.join([*stated, '`out`'])}." if stated else text


def _notes(version: CheckedVersion, module: str, checks_in: str | None) -> list[str]:
    """Further parts of the manual's page: checks, changes, decisions and examples."""
    spec = version.spec
    checks = [f"{_where(one.where)}{_check(one)}" for one in checks_of(version)]
    sections = (
        ("Checks, in this order:", checks),
        ("Changes since the version before:", [change.what for change in spec.changes]),
    )
    parts = ["\n".join([f"    {title}", *map(_item, lines)]) for title, lines in sections if lines]
    if checks and checks_in is not None:
        parts[0] = f"    Checks, in this order: those of `{checks_in}`."
    if spec.errata:
        count = f"{len(spec.errata)}" if len(spec.errata) > 1 else "one"
        parts.append(f"    Decisions: {count}, in `SCHEMA.documentation.errata`.")
    sessions = [session_text(version, example, module) for example in spec.examples]
    short = [text for text in sessions if text.count("\n") < _SHORT][:2]
    short = short or sorted(sessions, key=lambda text: text.count("\n"))[:1]
    if short:
        texts = _import_once(short)
        shown = "\n\n".join(textwrap.indent(docstring_text(text), " " * 8) for text in texts)
        parts.append(f"    Examples:\n{shown}")
    return parts


def _import_once(sessions: Sequence[str]) -> Iterator[str]:
    """The sessions, each without the imports of those before it."""
    imported: set[str] = set()
    for session in sessions:
        text, imports = without_imports(session)
        lines = [line for line in imports if line not in imported]
        imported.update(lines)
        yield "\n".join([*lines, text])


def _check(condition: Condition) -> str:
    return f"{condition.holds}, else {condition.error}: {condition.message}"


def _where(where: tuple[str, ...]) -> str:
    return f"{', '.join(where)}: " if where else ""


def _item(text: str) -> str:
    flat = " ".join(docstring_text(text).split())
    return textwrap.fill(
        f"* {flat}",
        _WIDTH - 4,
        initial_indent=" " * 8,
        subsequent_indent=" " * 10,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _bare(text: str) -> str:
    return text[len("tensor(") : -1] if text.startswith("tensor(") else text


def _raises(version: CheckedVersion) -> str:
    lines = ["        TypeConstraintError: an input is of no type that is listed here."]
    if version.spec.attributes:
        lines.append("        AttributeValueError: an attribute is invalid.")
    lines.append("        ShapeError: shapes do not go together, or the result is too large.")
    return "    Raises:\n" + "\n".join(lines)


def infer_docstring(spec: OperatorVersion) -> str:
    """The docstring of the function that infers."""
    if spec.runs_graphs:
        return (
            f"Checks a call of {spec.label} and refuses to infer: only its graphs know what they\n"
            "    return.\n    "
        )
    if spec.has_maps:
        return f"Checks a call of {spec.label} and refuses to infer: maps have no shape.\n    "
    return (
        f"The type and shape that {spec.label} returns, without computing it.\n\n"
        "    A TensorType may stand for an array; where its values decide, the error says so.\n    "
    )
