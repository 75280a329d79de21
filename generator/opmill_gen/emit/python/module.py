"""Context of the template of an operator version's Python module."""

from __future__ import annotations

import re
from typing import Any

from opmill_gen.base.literals import python_literal
from opmill_gen.base.onnx_types import TensorType
from opmill_gen.check.result import CheckedVersion
from opmill_gen.check.rule_signature import rule_name
from opmill_gen.emit.python.docstrings import docstring, infer_docstring
from opmill_gen.emit.python.results import (
    Result,
    counting,
    counting_names,
    is_counted,
    names_type,
    result_of,
)
from opmill_gen.rule_language import ir, is_widened
from opmill_gen.spec.operator_version import (
    Attribute,
    AttributeKind,
    OperatorVersion,
    Option,
    Parameter,
)

_WIDTH = 100
_PARAMETER = re.compile(r"^(\*{0,2}\w+): (?:[^=]*[^= ])(?: = (.*))?$")
"""A parameter with its type and, in the second group, its default."""
_ATTRIBUTE_TYPES = {
    AttributeKind.FLOAT: "float",
    AttributeKind.INT: "int",
    AttributeKind.STRING: "str",
    AttributeKind.TENSOR: "Array",
    AttributeKind.SPARSE_TENSOR: "SparseTensor",
    AttributeKind.FLOATS: "Sequence[float]",
    AttributeKind.INTS: "Sequence[int]",
    AttributeKind.STRINGS: "Sequence[str]",
    AttributeKind.TENSORS: "Sequence[Array]",
    AttributeKind.TYPE_PROTO: "str",
    AttributeKind.GRAPH: "Callable[..., Sequence[Any]]",
}


def version_module(
    version: CheckedVersion,
    package: str,
    module: str,
    checks_in: str | None = None,
    *,
    is_compiled: bool,
) -> dict[str, Any]:
    """The context of ``python/version.py.j2``.

    Args:
        version: the version.
        package: the name of the whole package.
        module: the version's module.
        checks_in: the module of a newer version of the operator that has the same checks.
        is_compiled: whether the native module has a kernel of the version.
    """
    spec, instance = version.spec, version.instance
    functions = [
        _function(version, infer=infer)
        | {"docstring": infer_docstring(spec) if infer else docstring(version, module, checks_in)}
        for infer in (False, True)
    ]
    prepare = _prepare(version)
    text = " ".join(f["signature"] + f["returns"] for f in functions)
    return {
        "package": package,
        "family": instance.family.name,
        "rules": instance.rules_module,
        "kernel": instance.kernel_module,
        "label": spec.label,
        "domain": spec.domain,
        "title": f"{spec.label} of {spec.domain}.",
        "schema": _schema(spec),
        "operator": [
            *_operator_arguments(version),
            *(["native=True"] if is_compiled and not version.spec.has_maps else []),
        ],
        "function": functions[0],
        "infer": functions[1],
        "prepare": prepare,
        "names": sorted(
            ["OPERATOR", "SCHEMA", "infer", str(version.names.package)]
            + (["prepare"] if prepare else [])
        ),
        "typing": [
            name
            for name, used in (
                ("Any", "Any" in text),
                ("overload", bool(functions[0]["overloads"])),
            )
            if used
        ],
        "abstract": [n for n in ("Callable", "Sequence") if f"{n}[" in text],
        "operator_class": _operator_class(spec),
        "counts": bool(counting(version)),
        "sparse": "SparseTensor" in text,
        "types": ["Array", *(name for name in ("TensorType", "TypeLike") if name in text)],
        "schema_classes": _schema_classes(spec),
    }


def _operator_class(spec: OperatorVersion) -> str:
    if spec.runs_graphs:
        return "GraphOperator"
    return "MapOperator" if spec.has_maps else "Operator"


def _schema_classes(spec: OperatorVersion) -> list[str]:
    classes = ["Parameter", "Schema"]
    if spec.attributes:
        classes.append("Attribute")
    if any(map(spec.type_sources, spec.outputs)):
        classes.append("TypeSource")
    return sorted(classes)


def _schema(spec: OperatorVersion) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": spec.operator, "domain": spec.domain, **spec.facts}
    if spec.node_domain is not None:
        facts["node_domain"] = spec.node_domain
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
    type_sources = spec.type_sources(parameter) if parameter in spec.outputs else ()
    if type_sources:
        sources = []
        for source in type_sources:
            keys = {key: getattr(source, key) for key in ("attribute", "variable", "fixed")}
            given = {k: python_literal(str(v)) for k, v in keys.items() if v is not None}
            sources.append(f"TypeSource({', '.join(f'{k}={v}' for k, v in given.items())})")
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
    """Name of a part in rules and kernels, where that is not its own."""
    name = rule_name(spec, part)
    return {} if name == part.name else {"alias": python_literal(name)}


def _operator_arguments(version: CheckedVersion) -> list[str]:
    program, function = version.instance.program, version.instance.function
    arguments = ["SCHEMA", "_rules.rules", f"_kernel.{function('compute')}"]
    if program.bounded:
        bounded = ", ".join(map(python_literal, sorted(program.bounded)))
        arguments += [f"measure=_kernel.{function('measure')}", f"bounded=frozenset({{{bounded}}})"]
    if program.counts_outputs:
        arguments.append("counts_outputs=True")
    inputs, taken = version.instance.inputs, version.instance.kernel_inputs
    if inputs != taken:
        positions = [inputs.index(name) if name in inputs else None for name in taken]
        arguments.append(f"kernel_inputs={python_literal(tuple(positions))}")
    if version.instance.family.document.checks_contents:
        arguments.append("checks_contents=True")
    if version.spec.runs_graphs:
        return arguments
    if not version.spec.has_maps and any(map(version.spec.has_others, version.spec.inputs)):
        arguments.append(f"compute_any=_kernel.{function('compute_any')}")
    tensors = [
        p.name
        for p in program.parameters
        if p.role is ir.Role.ATTRIBUTE and p.kind is ir.Kind.TENSOR
    ]
    if tensors:
        arguments.append(f"tensors={python_literal(tuple(tensors))}")
    widened = _widened(version)
    if widened:
        arguments.append(f"widened={python_literal(widened)}")
    prepares = _prepares(version)
    if prepares:
        arguments.append(f"prepares={python_literal(prepares)}")
    if version.instance.family.document.takes_limits:
        arguments.append("takes_limits=True")
    return [*arguments, *_structure(version)]


def _widened(version: CheckedVersion) -> tuple[str, ...]:
    """The integer attributes that the rule takes as floats, by its names."""
    kinds = {rule_name(version.spec, a): a.kind.value for a in version.spec.attributes}
    return tuple(
        p.name for p in version.instance.program.parameters if is_widened(p, kinds.get(p.name, ""))
    )


def _structure(version: CheckedVersion) -> list[str]:
    """Dependence of the output on the inputs, as the family declares it."""
    document, rule = version.instance.family.document, version.instance.rule.name or "rules"
    given = version.instance.inputs
    elementwise = tuple(name for name in document.elementwise.get(rule, ()) if name in given)
    arguments = [f"elementwise={python_literal(elementwise)}"] if elementwise else []
    if rule in document.selects_along:
        arguments.append(f"selects_along={python_literal(document.selects_along[rule])}")
    return arguments


def _prepares(version: CheckedVersion) -> dict[str, tuple[str, ...]]:
    """The inputs that the kernel takes packed, with those that their packed forms depend on."""
    family = version.instance.family
    rule_names = [rule_name(version.spec, one) for one in version.spec.inputs]
    names = {family.in_kernel(name): name for name in rule_names}
    return {
        names[name]: tuple(names[other] for other in others if other in names)
        for name, others in family.document.prepares.items()
        if name in names
    }


def _prepare(version: CheckedVersion) -> dict[str, Any] | None:
    """The function ``prepare`` of a version some of whose inputs its kernel takes packed."""
    spec, names = version.spec, version.names
    packed = _prepares(version)
    if not packed:
        return None
    inputs = {rule_name(spec, one): str(names.parameters[one.name]) for one in spec.inputs}
    first = [f"{inputs[name]}: Array" for name in packed]
    others = [f"{name}: Array | None = None" for key, name in inputs.items() if key not in packed]
    keywords = [
        f"{names.attributes[one.name]}: {_attribute_hint(one, names_type(spec, one))}"
        for one in spec.attributes
    ]
    given = ", ".join(
        f"{python_literal(one.name)}: {names.parameters[one.name]}" for one in spec.inputs
    )
    return {
        "signature": ", ".join(["*", *first, *others, *keywords]),
        "call": f"OPERATOR.prepare({{{given}}}, {_passed(version)})",
        "packed": " and ".join(f"``{inputs[name]}``" for name in packed),
    }


def _has_others(spec: OperatorVersion, parameter: Parameter) -> bool:
    """Return whether a parameter may be something else than a tensor."""
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


def _output_type(spec: OperatorVersion, infer: bool) -> str:
    """The type of an output."""
    if infer:
        return "Any" if any(map(spec.is_sequence, spec.outputs)) else "TensorType"
    return "Any" if any(_has_others(spec, output) for output in spec.outputs) else "Array"


def _function(version: CheckedVersion, *, infer: bool) -> dict[str, Any]:
    """The signature, the forwarding call and the docstring of one function of the module."""
    spec, names = version.spec, version.names
    item, result = _output_type(spec, infer), result_of(spec)
    positional: list[str] = []
    keywords: list[str] = []
    forwarded: list[str] = []
    for position, parameter in enumerate(spec.inputs):
        name = names.parameters[parameter.name]
        hint = _input_type(spec, parameter, infer)
        if parameter.option is Option.VARIADIC:
            positional.append(f"*{name}: {hint}")
            forwarded.append(f"*{name}")
            continue
        default = " | None" if parameter.option is Option.OPTIONAL else ""
        if default and not any(p.option is Option.SINGLE for p in spec.inputs[position:]):
            default += " = None"  # unlike one that a required input follows
        positional.append(f"{name}: {hint}{default}")
        forwarded.append(str(name))
    for attribute in spec.attributes:
        hint = _attribute_hint(attribute, names_type(spec, attribute))
        keywords.append(f"{names.attributes[attribute.name]}: {hint}")
    shared = [*positional, *keywords]
    if not any(text.startswith("*") for text in positional):
        shared.insert(len(positional), "*")
    forms = _forms(spec, item, infer)
    overloads = [
        {"signature": ", ".join([*shared, *last]), "returns": returns} for last, returns in forms
    ]
    parameters = [*shared, *forms[-1][0]]
    if parameters[-1] == "*":
        parameters.pop()
    inputs = f"({', '.join(forwarded)}{',' if len(forwarded) == 1 else ''})"
    arguments = [inputs, _passed(version), *([] if infer else ["out"])]
    if is_counted(spec):
        arguments.append(_count(version, infer))
    elif result is Result.ALL and not infer:
        arguments.append("None")
    call = f"OPERATOR.{_METHODS[infer, result]}({', '.join(arguments)})"
    return {
        "name": "infer" if infer else str(names.package),
        "parameters": parameters,
        "overloads": overloads[:-1],
        "signature": ", ".join(parameters),
        "returns": forms[-1][1],
        "call": f"{call}[0]" if infer and result is Result.ONE else call,
    }


_METHODS = {
    (False, Result.ONE): "result",
    (False, Result.FIRST): "first_or_all",
    (False, Result.ALL): "results",
    (True, Result.ONE): "infer",
    (True, Result.FIRST): "infer_first_or_all",
    (True, Result.ALL): "infer",
}
"""The method of Operator that computes, by whether it infers and by what a function returns."""


def _forms(spec: OperatorVersion, item: str, infer: bool) -> list[tuple[list[str], str]]:
    """The last parameters and what is returned then: of each overload, and of the function."""
    several = f"tuple[{item}, ...]"

    def last(outputs: str, out: str) -> list[str]:
        counted = [f"outputs: {outputs}"] if is_counted(spec) else []
        return counted if infer else [*counted, f"out: {out} | None = None"]

    match result_of(spec):
        case Result.ONE:
            return [(last("", "Array"), item)]
        case Result.ALL:
            return [(last("int | None = None", "Sequence[Array]"), several)]
        case Result.FIRST:
            return [
                (last("None = None", "Array"), item),
                (last("int", "Sequence[Array]"), several),
                (last("int | None = None", "Array | Sequence[Array]"), f"{item} | {several}"),
            ]


def _passed(version: CheckedVersion) -> str:
    """The attributes by ONNX's names, as an expression."""
    pairs = []
    for attribute in version.spec.attributes:
        name, value = python_literal(attribute.name), str(version.names.attributes[attribute.name])
        if names_type(version.spec, attribute):
            # A number, the usual case, costs no call.
            call = f"OPERATOR.type_attribute({name}, {value})"
            value = f"{value} if type({value}) is int else {call}"
        pairs.append(f"{name}: {value}")
    return f"{{{', '.join(pairs)}}}" if pairs else "NO_ATTRIBUTES"


def _count(version: CheckedVersion, infer: bool) -> str:
    """Number of outputs the call asks for, as an expression."""
    stated = counting_names(version)
    if not stated:
        return "outputs"
    return f"stated_count(outputs, {'None' if infer else 'out'}, {', '.join(stated)})"


def python_signature(version: CheckedVersion, module: str) -> str:
    """The import and the signature of a version's function, as the manual shows them.

    Args:
        version: the operator version.
        module: its module, as ``opmill.tile.v13``.
    """
    function = _function(version, infer=False)
    package, _, name = module.rpartition(".")
    head, tail = f"{name}.{function['name']}(", f") -> {function['returns']}"
    line = f"{head}{function['signature']}{tail}"
    if len(line) > _WIDTH - 12:
        parameters = "".join(f"    {part},\n" for part in function["parameters"])
        line = f"{head}\n{parameters}{tail}"
    return f"from {package} import {name}\n\n{line}"


def short_signature(version: CheckedVersion, module: str) -> str:
    """A call of a version's function with every parameter, without types, on few lines.

    Args:
        version: the operator version.
        module: its module, as ``opmill.tile.v13``.
    """
    function = _function(version, infer=False)
    name = module.rpartition(".")[2]
    parts = [_PARAMETER.sub(_short, part) for part in function["parameters"]]
    parts = [part for part in parts if part != "out=None"]
    if parts[-1:] == ["*"]:
        parts.pop()
    outputs = ", ".join(output.name for output in version.spec.outputs)
    lines = [f"{name}.{function['name']}("]
    for k, part in enumerate(parts):
        last = k == len(parts) - 1
        text = f"{part}) -> {outputs}" if last else f"{part}, "
        if len(lines[-1] + text.rstrip()) > _WIDTH - 12:
            lines[-1] = lines[-1].rstrip()
            lines.append("    ")
        lines[-1] += text
    if not parts:
        lines[-1] += f") -> {outputs}"
    return "\n".join(lines)


def _short(match: re.Match[str]) -> str:
    return match[1] if match[2] is None else f"{match[1]}={match[2]}"


def _attribute_hint(attribute: Attribute, is_type: bool) -> str:
    hint = "TypeLike" if is_type else _ATTRIBUTE_TYPES.get(attribute.kind, "Any")
    if attribute.required:
        return hint
    if attribute.default is None:
        return f"{hint} | None = None"
    return f"{hint} = {python_literal(attribute.default_value)}"
