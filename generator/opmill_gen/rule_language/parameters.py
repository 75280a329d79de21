"""Reads the parameters of a rule and of its helpers: annotations and defaults."""

from __future__ import annotations

import ast
from dataclasses import replace

from opmill_gen.rule_language import ir
from opmill_gen.rule_language.expressions import Expressions
from opmill_gen.rule_language.ir import Kind, Role

KINDS = {kind.value: kind for kind in Kind}
_PROMISED = {promise.value: promise for promise in ir.Promise}
_OUTPUT_COUNT = "outputs"
"""Name of the parameter that holds the number of outputs."""


def read_parameters(
    expressions: Expressions, node: ast.FunctionDef, *, rule: bool
) -> tuple[ir.Parameter, ...]:
    """Read the parameters of the rule or a helper: inputs or arguments, then attributes."""
    given = node.args
    if given.vararg or given.kwarg:
        raise expressions.fault(node, "parameters have no * and no **")
    if not rule and (given.kwonlyargs or given.defaults):
        raise expressions.fault(node, "a helper takes all its arguments, by position")
    parameters: list[ir.Parameter] = []
    positional = (*given.posonlyargs, *given.args)
    for argument in positional:
        role = Role.INPUT if rule else Role.ARGUMENT
        parameters.append(_parameter(expressions, argument, role))
    first = len(positional) - len(given.defaults)
    for position, absent in enumerate(given.defaults, first):
        argument, parameter = positional[position], parameters[position]
        if ast.unparse(absent) != "None" or not parameter.optional:
            raise expressions.fault(
                argument, f"write '{argument.arg}: Tensor | None = None': no other default"
            )
        parameters[position] = replace(parameter, default=ir.Default(None))
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        attribute = _parameter(expressions, argument, Role.ATTRIBUTE)
        if default is not None:
            attribute = replace(
                attribute, default=_default(expressions, attribute, argument, default)
            )
        parameters.append(attribute)
    return tuple(parameters)


def _parameter(expressions: Expressions, argument: ast.arg, role: Role) -> ir.Parameter:
    """Read a parameter without its default."""
    location = expressions.location(argument)
    text = ast.unparse(argument.annotation) if argument.annotation else ""
    optional = text.endswith(" | None")
    word = text.removesuffix(" | None")
    if word == "OutputCount" and role is Role.ATTRIBUTE and not optional:
        if argument.arg != _OUTPUT_COUNT:
            raise expressions.fault(argument, f"call the OutputCount '{_OUTPUT_COUNT}'")
        return ir.Parameter(location, argument.arg, Kind.INT, False, Role.OUTPUT_COUNT)
    promise = _PROMISED.get(word) if role is Role.ARGUMENT and not optional else None
    if promise is not None:
        kind: Kind | None = Kind.INTS if promise is ir.Promise.DIMS else Kind.INT
    else:
        kind = KINDS.get(word)
    tensor = kind in (Kind.TENSOR, Kind.TENSORS)
    if (
        kind is None
        or (role is Role.INPUT and not tensor)
        or (role is Role.ATTRIBUTE and kind is Kind.TENSORS)
        or (role is Role.ARGUMENT and kind is Kind.SPARSE)
        or (optional and kind is Kind.TENSORS)
    ):
        expected = {
            Role.INPUT: "Tensor, Tensor | None or Tensors",
            Role.ATTRIBUTE: (
                "int, float, str, a list, Tensor, SparseTensor, Opaque or OutputCount"
            ),
            Role.ARGUMENT: "a kind, as int, Count, Ints or Tensor",
        }[role]
        raise expressions.fault(argument, f"annotate '{argument.arg}' as {expected}")
    return ir.Parameter(location, argument.arg, kind, optional, role, promise)


def _default(
    expressions: Expressions, attribute: ir.Parameter, argument: ast.arg, node: ast.expr
) -> ir.Default:
    """The default of an attribute, for versions that lack it."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        value = ...
    if attribute.role is Role.ATTRIBUTE and (
        (value is None and attribute.optional)
        or (type(value) is int and attribute.kind is Kind.INT and -(2**63) <= value < 2**63)
        or (type(value) is float and attribute.kind is Kind.FLOAT)
        or (isinstance(value, str) and attribute.kind is Kind.STR)
    ):
        return ir.Default(value)
    expected = "None" if attribute.optional else f"a constant of the kind {attribute.kind.value}"
    raise expressions.fault(argument, f"the default of '{argument.arg}' is not {expected}")
