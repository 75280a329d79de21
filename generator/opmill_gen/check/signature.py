"""Location, types, arity and attribute defaults of one operator version."""

from __future__ import annotations

from itertools import pairwise
from pathlib import PurePosixPath

from opmill_gen.base.diagnostics import suggestion
from opmill_gen.base.names import is_onnx_name
from opmill_gen.base.onnx_types import TypeVariable, parse_concrete
from opmill_gen.check.types import check_type_sources
from opmill_gen.spec.operator_version import (
    Attribute,
    AttributeKind,
    OperatorVersion,
    Option,
    Parameter,
)
from opmill_gen.yaml_reader.decode import Faults
from opmill_gen.yaml_reader.tree import Entries, Items, Scalar, Tree, describe, plain

_INT64 = range(-(2**63), 2**63)
_SCALAR_KINDS = {
    AttributeKind.FLOAT: "a number",
    AttributeKind.INT: "a whole number",
    AttributeKind.STRING: "text",
}
_LIST_KINDS = {
    AttributeKind.FLOATS: AttributeKind.FLOAT,
    AttributeKind.INTS: AttributeKind.INT,
    AttributeKind.STRINGS: AttributeKind.STRING,
}


def check_location(path: str, spec: OperatorVersion, faults: Faults) -> None:
    """Check that a version's file has the path that its domain, operator and version demand."""
    if not is_onnx_name(spec.operator):
        return  # no path can be right; the name is reported
    expected = f"{spec.domain}/{spec.operator}/{spec.since_version}.yaml"
    if not path.endswith("/" + expected) or len(PurePosixPath(path).parts) != 4:
        faults.report(
            spec.location,
            f"this file describes {spec.label} of {spec.domain}; move it to specs/{expected}",
        )


def check_signature(spec: OperatorVersion, faults: Faults) -> None:
    """Check the type variables, the parameters and the attributes of a spec."""
    _check_type_variables(spec, faults)
    for parameters in (spec.inputs, spec.outputs):
        _check_arity(parameters, faults)
    for output in spec.outputs:
        _check_type_source(spec, output, faults)
    check_type_sources(spec, faults)
    for parameter in spec.inputs:
        if parameter.type_from:
            faults.report(parameter.at("type_from"), "only outputs have type_from; remove it")
    for attribute in spec.attributes:
        _check_default(attribute, faults)


def _check_type_variables(spec: OperatorVersion, faults: Faults) -> None:
    used: set[str] = set()
    for parameter in (*spec.inputs, *spec.outputs):
        if not isinstance(parameter.type, TypeVariable):
            continue
        used.add(parameter.type.name)
        if parameter.type.name not in spec.type_constraints:
            faults.report(
                parameter.at("type"),
                f"type variable '{parameter.type}' is not declared under type_constraints"
                f"{suggestion(parameter.type.name, spec.type_constraints)}",
            )
    for name, constraint in spec.type_constraints.items():
        if constraint.unused and name in used:
            faults.report(constraint.at("unused"), f"'{name}' is used; remove 'unused: true'")
        elif not constraint.unused and name not in used:
            faults.report(
                constraint.location,
                f"no parameter uses '{name}'; use it, remove it, or say 'unused: true' "
                "where ONNX declares it so",
            )
        if not is_onnx_name(name):
            faults.report(
                constraint.location,
                f"'{name[:40]}' cannot name a type variable; use letters, digits and underscores",
            )
        texts = [str(t) for t in constraint.types]
        if not texts:
            faults.report(constraint.location, f"'{name}' names no type")
        for first, second in pairwise(texts):
            if first >= second:
                problem = (
                    f"'{first}' is listed twice among the types of '{name}'; remove one"
                    if first == second
                    else f"the types of '{name}' are not in alphabetical order: "
                    f"'{second}' before '{first}'"
                )
                faults.report(constraint.at("types"), problem)
                break


def _check_arity(parameters: tuple[Parameter, ...], faults: Faults) -> None:
    for position, parameter in enumerate(parameters):
        variadic = parameter.option is Option.VARIADIC
        if variadic and position != len(parameters) - 1:
            faults.report(parameter.at("option"), "only the last parameter can be variadic")
        if not variadic and ("min_arity" in parameter.locations or not parameter.homogeneous):
            faults.report(
                parameter.location, "min_arity and homogeneous: false are for variadic parameters"
            )
        if parameter.min_arity < 0:
            faults.report(parameter.at("min_arity"), "min_arity must be >= 0")


def _check_type_source(spec: OperatorVersion, output: Parameter, faults: Faults) -> None:
    attributes = {attribute.name for attribute in spec.attributes}
    bound = {str(p.type) for p in spec.inputs}
    for source in output.type_from:
        given = [n for n in ("attribute", "variable", "fixed") if getattr(source, n) is not None]
        if len(given) != 1 and given[1:] != ["fixed"]:
            faults.report(
                source.location, "a source of a type is one of attribute, variable, fixed"
            )
        elif source.attribute is not None and source.attribute not in attributes:
            faults.report(
                source.at("attribute"),
                f"there is no attribute '{source.attribute}'"
                f"{suggestion(source.attribute, attributes)}",
            )
        elif source.variable is not None and source.variable not in bound:
            faults.report(source.at("variable"), f"no input has the type '{source.variable}'")
    if output.type_from or not isinstance(output.type, TypeVariable):
        return
    if "type_from" in output.locations or spec.type_sources(output):  # empty, or a gap
        return
    if spec.is_dynamic:
        return
    if output.type.name not in bound:
        faults.report(
            output.at("type"),
            f"no input binds '{output.type}'; say where the type of '{output.name}' comes from, "
            "as type_from: [{attribute: to}]",
        )


def _check_default(attribute: Attribute, faults: Faults) -> None:
    if attribute.allowed and attribute.kind is not AttributeKind.STRING:
        faults.report(attribute.at("allowed"), "only a STRING has allowed words")
        return
    default = attribute.default
    if default is None:
        return
    if attribute.required:
        faults.report(attribute.at("default"), "a required attribute has no default; remove one")
    problem = kind_problem(attribute.kind, default)
    if problem is not None:
        faults.report(attribute.at("default"), f"the default of {attribute.name} {problem}")
    elif attribute.allowed and plain(default) not in attribute.allowed:
        faults.report(
            attribute.at("default"),
            f"the default '{plain(default)}' is not allowed"
            f"{suggestion(str(plain(default)), attribute.allowed)}",
        )


def kind_problem(kind: AttributeKind, tree: Tree) -> str | None:
    """Why a value cannot be an attribute of this kind, as ``must be a number, got ...``."""
    if kind in _SCALAR_KINDS:
        if isinstance(tree, Scalar) and _is_scalar(kind, tree.value):
            return None
        return f"must be {_SCALAR_KINDS[kind]}, got {describe(tree)}"
    if kind in _LIST_KINDS:
        item_kind = _LIST_KINDS[kind]
        if not isinstance(tree, Items):
            return f"must be a list, got {describe(tree)}"
        for item in tree.items:
            if not isinstance(item, Scalar) or not _is_scalar(item_kind, item.value):
                return f"must hold {_SCALAR_KINDS[item_kind]} each, got {describe(item)}"
        return None
    if kind is AttributeKind.TYPE_PROTO:
        return _type_problem(tree)
    if kind is AttributeKind.SPARSE_TENSOR and not isinstance(tree, Entries):
        return f"must be a mapping with values, indices and dims, got {describe(tree)}"
    if kind is AttributeKind.GRAPH and not isinstance(tree, Entries):
        return f"must be a mapping with inputs, nodes and outputs, got {describe(tree)}"
    if kind is AttributeKind.TENSOR and not isinstance(tree, Entries):
        return f"must be a tensor as {{type: float, value: [1]}}, got {describe(tree)}"
    return None


def _is_scalar(kind: AttributeKind, value: object) -> bool:
    if kind is AttributeKind.STRING:
        return isinstance(value, str)
    if isinstance(value, bool):
        return False
    if kind is AttributeKind.INT:
        return isinstance(value, int) and value in _INT64
    return isinstance(value, (int, float))


def _type_problem(tree: Tree) -> str | None:
    if not isinstance(tree, Scalar) or not isinstance(tree.value, str):
        return f"must be a type as tensor(float), got {describe(tree)}"
    try:
        parse_concrete(tree.value)
    except ValueError as error:
        return f"must be a type: {error}"
    return None
