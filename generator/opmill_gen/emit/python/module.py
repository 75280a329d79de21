"""What the template of an operator version's Python module needs to know."""

from __future__ import annotations

import textwrap
from typing import Any

from opmill_gen.base.literals import docstring_text, first_sentence, paragraphs, python_literal
from opmill_gen.base.onnx_types import TensorType, TypeVariable
from opmill_gen.check.result import CheckedVersion
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.emit.c.support import c_gap
from opmill_gen.emit.docs.rule_checks import Call, Condition, checks_of
from opmill_gen.emit.python.examples import session_text
from opmill_gen.spec.operator_version import (
    Attribute,
    AttributeKind,
    OperatorVersion,
    Option,
    Parameter,
)

_WIDTH = 100
_SHORT = 12
"""The lines of an example that a docstring may show."""
_ATTRIBUTE_TYPES = {
    AttributeKind.FLOAT: "float",
    AttributeKind.INT: "int",
    AttributeKind.STRING: "str",
    AttributeKind.TENSOR: "Array",
    AttributeKind.FLOATS: "Sequence[float]",
    AttributeKind.INTS: "Sequence[int]",
    AttributeKind.STRINGS: "Sequence[str]",
    AttributeKind.TENSORS: "Sequence[Array]",
}


def version_module(version: CheckedVersion, package: str, module: str) -> dict[str, Any]:
    """The context of ``python/version.py.j2``."""
    spec, instance = version.spec, version.instance
    functions = [_function(version, module, infer=infer) for infer in (False, True)]
    text = " ".join(f["signature"] + f["returns"] for f in functions)
    return {
        "package": package,
        "family": instance.family.name,
        "rules": instance.rules_module,
        "kernel": instance.kernel_module,
        "label": spec.label,
        "domain": spec.domain,
        "title": paragraphs(
            docstring_text(f"{spec.label} of {spec.domain}. {first_sentence(spec.summary)}"), _WIDTH
        ),
        "schema": _schema(spec),
        "operator": _operator_arguments(version),
        "function": functions[0],
        "infer": functions[1],
        "names": sorted(["OPERATOR", "SCHEMA", "infer", str(version.names.package)]),
        "uses_any": "Any" in text,
        "uses_sequence": "Sequence[" in text,
        "schema_classes": _schema_classes(spec),
    }


def _schema_classes(spec: OperatorVersion) -> list[str]:
    classes = ["Parameter", "Schema"]
    if spec.attributes:
        classes.append("Attribute")
    if any(output.type_from for output in spec.outputs):
        classes.append("TypeSource")
    return sorted(classes)


def _schema(spec: OperatorVersion) -> dict[str, Any]:
    facts = {"name": spec.operator, "domain": spec.domain, **spec.facts}
    return {
        "facts": {name: python_literal(value) for name, value in facts.items()},
        "inputs": [_parameter(spec, parameter) for parameter in spec.inputs],
        "outputs": [_parameter(spec, parameter) for parameter in spec.outputs],
        "attributes": [_attribute(spec, attribute) for attribute in spec.attributes],
        "type_constraints": {
            python_literal(name): python_literal(tuple(str(t) for t in constraint.types))
            for name, constraint in spec.type_constraints.items()
        },
    }


def _arguments(positional: list[object], named: dict[str, str]) -> str:
    return ", ".join(
        [*map(python_literal, positional), *(f"{name}={text}" for name, text in named.items())]
    )


def _parameter(spec: OperatorVersion, parameter: Parameter) -> str:
    named: dict[str, str] = {}
    if parameter.option is not Option.SINGLE:
        named["option"] = python_literal(parameter.option.value)
    if not parameter.homogeneous:
        named["homogeneous"] = "False"
    if parameter.min_arity != 1:
        named["min_arity"] = str(parameter.min_arity)
    if parameter.differentiable is not None:
        named["differentiable"] = str(parameter.differentiable)
    if parameter.type_from:
        sources = []
        for source in parameter.type_from:
            for key in ("attribute", "variable", "fixed"):
                value = getattr(source, key)
                if value is not None:
                    sources.append(f"TypeSource({key}={python_literal(str(value))})")
        named["type_from"] = f"({', '.join(sources)},)"
    named.update(_alias(spec, parameter))
    return _arguments([parameter.name, str(parameter.type)], named)


def _attribute(spec: OperatorVersion, attribute: Attribute) -> str:
    named: dict[str, str] = {}
    if attribute.required:
        named["required"] = "True"
    if attribute.default is not None:
        named["default"] = python_literal(attribute.default_value)
    if attribute.allowed:
        named["allowed"] = python_literal(attribute.allowed)
    named.update(_alias(spec, attribute))
    return _arguments([attribute.name, attribute.kind.value], named)


def _alias(spec: OperatorVersion, part: Parameter | Attribute) -> dict[str, str]:
    """What rules and kernels call a part, where that is not its own name."""
    name = rule_name(spec, part)
    return {} if name == part.name else {"alias": python_literal(name)}


def _operator_arguments(version: CheckedVersion) -> list[str]:
    program = version.instance.program
    arguments = ["SCHEMA", "_rules.rules", "_kernel.compute"]
    if program.bounded:
        bounded = ", ".join(map(python_literal, sorted(program.bounded)))
        arguments += ["measure=_kernel.measure", f"bounded=frozenset({{{bounded}}})"]
    if program.counts_outputs:
        arguments.append("counts_outputs=True")
    inputs, taken = version.instance.inputs, version.instance.kernel_inputs
    if inputs != taken:
        places = [inputs.index(name) if name in inputs else None for name in taken]
        arguments.append(f"kernel_inputs={python_literal(tuple(places))}")
    if any(_has_others(version.spec, parameter) for parameter in version.spec.inputs):
        arguments.append("compute_any=_kernel.compute_any")
    if c_gap(version) is None:
        arguments.append("native=True")
    return arguments


def _has_others(spec: OperatorVersion, parameter: Parameter) -> bool:
    """Whether a parameter may be something else than a tensor."""
    return any(not isinstance(type_, TensorType) for type_ in spec.allowed_types(parameter))


def _is_int64(spec: OperatorVersion, parameter: Parameter) -> bool:
    return [str(t) for t in spec.allowed_types(parameter)] == ["tensor(int64)"]


def _input_type(spec: OperatorVersion, parameter: Parameter, infer: bool) -> str:
    hint = "Array"
    if _has_others(spec, parameter):
        hint = "Any"
    elif _is_int64(spec, parameter) and parameter.option is not Option.VARIADIC:
        hint += " | Sequence[int]"
    if infer and hint != "Any":
        hint += " | TensorType"
    return hint


def _returns(spec: OperatorVersion, item: str) -> str:
    if item == "Array" and any(_has_others(spec, output) for output in spec.outputs):
        item = "Any"
    if len(spec.outputs) == 1 and spec.outputs[0].option is Option.SINGLE:
        return item
    return f"tuple[{item}, ...]"


def _function(version: CheckedVersion, module: str, *, infer: bool) -> dict[str, Any]:
    """The signature, the forwarding call and the docstring of one function of the module."""
    spec, names = version.spec, version.names
    single = _returns(spec, "x") == "x"
    counted = any(output.option is not Option.SINGLE for output in spec.outputs)
    positional: list[str] = []
    keywords: list[str] = []
    forwarded: list[str] = []
    for parameter in spec.inputs:
        name = names.parameters[parameter.name]
        hint = _input_type(spec, parameter, infer)
        if parameter.option is Option.VARIADIC:
            positional.append(f"*{name}: {hint}")
            forwarded.append(f"*{name}")
            continue
        default = " | None = None" if parameter.option is Option.OPTIONAL else ""
        positional.append(f"{name}: {hint}{default}")
        forwarded.append(str(name))
    for attribute in spec.attributes:
        keywords.append(f"{names.attributes[attribute.name]}: {_attribute_hint(attribute)}")
    if counted:
        keywords.append("outputs: int | None = None")
    if not infer:
        keywords.append(f"out: {'Array' if single else 'Sequence[Array]'} | None = None")
    if keywords and not any(text.startswith("*") for text in positional):
        positional.append("*")
    pairs = [f"{python_literal(a.name)}: {names.attributes[a.name]}" for a in spec.attributes]
    passed = f"{{{', '.join(pairs)}}}" if pairs else "NO_ATTRIBUTES"
    inputs = f"({', '.join(forwarded)}{',' if len(forwarded) == 1 else ''})"
    if infer:
        arguments = f"{inputs}, {passed}" + (", outputs=outputs" if counted else "")
        call = f"OPERATOR.infer({arguments})" + ("[0]" if single else "")
    elif single:
        call = f"OPERATOR.result({inputs}, {passed}, out)"
    else:
        call = f"OPERATOR.results({inputs}, {passed}, out, {'outputs' if counted else 'None'})"
    return {
        "name": "infer" if infer else str(names.package),
        "parameters": [*positional, *keywords],
        "signature": ", ".join([*positional, *keywords]),
        "returns": _returns(spec, "TensorType" if infer else "Array"),
        "call": call,
        "docstring": _infer_docstring(spec) if infer else _docstring(version, module),
    }


def python_signature(version: CheckedVersion, module: str) -> str:
    """The import and the signature of a version's function, as the manual shows them.

    Args:
        version: the operator version.
        module: its module, as ``opmill.tile.v13``.
    """
    function = _function(version, module, infer=False)
    package, _, name = module.rpartition(".")
    head, tail = f"{name}.{function['name']}(", f") -> {function['returns']}"
    line = f"{head}{function['signature']}{tail}"
    if len(line) > _WIDTH - 12:
        parameters = "".join(f"    {part},\n" for part in function["parameters"])
        line = f"{head}\n{parameters}{tail}"
    return f"from {package} import {name}\n\n{line}"


def _attribute_hint(attribute: Attribute) -> str:
    hint = _ATTRIBUTE_TYPES.get(attribute.kind, "Any")
    if attribute.required:
        return hint
    if attribute.default is None:
        return f"{hint} | None = None"
    return f"{hint} = {python_literal(attribute.default_value)}"


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


def _docstring(version: CheckedVersion, module: str) -> str:
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
        entries.append(_entry(str(names.attributes[attribute.name]), about, attribute.description))
    single = _returns(spec, "x") == "x"
    if any(output.option is not Option.SINGLE for output in spec.outputs):
        entries.append(_entry("outputs", "int, optional", "How many outputs to return."))
    buffer = (
        "A buffer for the result, of its type and shape. It may overlap an input."
        if single
        else "A buffer for each output, of its type and shape. It may overlap an input."
    )
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
    parts += _notes(version, module)
    parts.append(
        docstring_text(
            f"    Source: {spec.label} of {spec.domain}"
            + (f", checked against onnx {spec.source.onnx}." if spec.source else ".")
        )
    )
    return "\n\n".join(parts) + "\n    "


def _notes(version: CheckedVersion, module: str) -> list[str]:
    """What the manual's page has besides: checks, changes, decisions and examples."""
    spec = version.spec
    checks = [
        f"{'' if checks.is_rule else f'in {checks.signature}, '}"
        f"{_where(condition.where)}{_check(condition)}"
        for checks in checks_of(version)
        for condition in checks.conditions
    ]
    sections = (
        (
            "Checks of the rule, in this order, then of its helpers, each done where it is called:",
            checks,
        ),
        ("Changes since the version before:", [change.what for change in spec.changes]),
        ("Decisions:", [f"{e.text.strip()} {e.decision.strip()}" for e in spec.errata]),
    )
    parts = ["\n".join([f"    {title}", *map(_item, lines)]) for title, lines in sections if lines]
    sessions = [session_text(version, example, module) for example in spec.examples]
    short = [text for text in sessions if text.count("\n") < _SHORT][:2]
    if short:
        shown = "\n\n".join(textwrap.indent(docstring_text(text), " " * 8) for text in short)
        parts.append(f"    Examples:\n{shown}")
    return parts


def _check(condition: Condition | Call) -> str:
    if isinstance(condition, Call):
        return f"what {condition.call} checks"
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
    lines = [
        "        TypeConstraintError: an input is not of a type that is listed here.",
    ]
    if version.spec.attributes:
        lines.append(
            "        AttributeValueError: an attribute is of the wrong kind or not allowed."
        )
    lines.append("        ShapeError: shapes do not go together, or the result is too large.")
    return "    Raises:\n" + "\n".join(lines)


def _infer_docstring(spec: OperatorVersion) -> str:
    return (
        f"The type and shape that {spec.label} returns, without computing it.\n\n"
        "    Takes what the function takes. A TensorType may stand for an array wherever its\n"
        "    values do not decide the result; where they do, the error says so.\n    "
    )
