"""What the template of an operator version's test module needs to know.

The tables are written with the helpers of ``opmill_checks.case``; the values are the spec's
own, never computed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opmill_gen.base.literals import docstring_text, python_literal
from opmill_gen.base.onnx_types import SequenceType, TensorType, TypeVariable
from opmill_gen.check.result import CheckedVersion
from opmill_gen.spec.cases import Argument, Example, Reject
from opmill_gen.spec.operator_version import OperatorVersion, Parameter
from opmill_gen.spec.tensor_values import Bits, ByOracle, Fill, Formula, Given, TensorValue
from opmill_gen.yaml_reader.tree import Tree, natural, plain

_HELPERS = ("bits", "by_oracle", "formula", "full", "no_contents", "sequence", "tensor")


def version_tests(version: CheckedVersion, module: str) -> dict[str, Any]:
    """The context of ``tests/version.py.j2``."""
    spec = version.spec
    examples = [_example(spec, example) for example in spec.examples]
    rejects = [_reject(spec, reject) for reject in spec.rejects]
    text = "\n".join(
        value
        for case in (*examples, *rejects)
        for table in (case["inputs"], case.get("outputs", {}))
        for value in (table.values() if isinstance(table, dict) else table)
    )
    package, _, name = module.rpartition(".")
    oracle = version.instance.family.oracle_path is not None
    first = [parameter for parameter in spec.inputs if _is_first(spec, parameter)]
    later = [
        parameter
        for parameter in spec.inputs
        if isinstance(parameter.type, TypeVariable) and not _is_first(spec, parameter)
    ]
    return {
        "title": docstring_text(f"Examples, rejects, types and defaults of {spec.label}."),
        "package": package,
        "module": name,
        "family": version.instance.family.name if oracle else None,
        "parameters": _parameters(version),
        "examples": examples,
        "rejects": rejects,
        "helpers": [helper for helper in _HELPERS if f"{helper}(" in text],
        "constants": [word for word in ("inf", "nan") if _uses(text, word)],
        "accuracy": {
            python_literal(element.value): python_literal(
                (natural(tolerance.rtol), natural(tolerance.atol))
            )
            for element, tolerance in spec.accuracy.tolerances.items()
        },
        "types": {
            python_literal(name): python_literal(_elements(constraint.types))
            for name, constraint in spec.type_constraints.items()
        }
        | {
            python_literal(f"seq({name})"): python_literal(_sequence_elements(constraint.types))
            for name, constraint in spec.type_constraints.items()
            if _sequence_elements(constraint.types)
        },
        "any_each_type": any(example.each_type for example in spec.examples),
        "accepted": [
            (python_literal(p.name), python_literal(_elements(spec.allowed_types(p))))
            for p in first
        ],
        "mixed": [
            (python_literal(p.name), python_literal(_elements(spec.allowed_types(p))))
            for p in later
            if len(spec.allowed_types(p)) > 1 and _given_in(spec, p)
        ],
        "witness": python_literal(_witness(spec).name),
        "defaults": {
            python_literal(a.name): python_literal(a.default_value)
            for a in spec.attributes
            if a.default is not None
        },
    }


def _parameters(version: CheckedVersion) -> str:
    """The parameters of the family as a dictionary; empty where there are none."""
    pairs = [
        f"{python_literal(name)}: {python_literal(value)}"
        for name, value in version.instance.parameters
    ]
    return "{" + ", ".join(pairs) + "}" if pairs else ""


def _uses(text: str, word: str) -> bool:
    return f'float("{word}")' in text or f'float("-{word}")' in text


def _elements(types: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(t.element.value for t in types if isinstance(t, TensorType))


def _sequence_elements(types: tuple[Any, ...]) -> tuple[str, ...]:
    """The element types of the sequences among these types."""
    items = tuple(t.item for t in types if isinstance(t, SequenceType))
    return _elements(items)


def _is_first(spec: OperatorVersion, parameter: Parameter) -> bool:
    """Whether this is the input that binds its type variable, or has a fixed type."""
    if not isinstance(parameter.type, TypeVariable):
        return True
    return next(p for p in spec.inputs if p.type == parameter.type) is parameter


def _witness(spec: OperatorVersion) -> Example:
    """The example that the type tests vary: one that gives as many inputs as any, all tensors."""
    return max(
        (example for example in reversed(spec.examples) if not spec.holds_others(example)),
        key=lambda e: (
            e.each_type is not None,
            sum(a.tensors is not None for a in e.inputs.values()),
        ),
    )


def _given_in(spec: OperatorVersion, parameter: Parameter) -> bool:
    argument = _witness(spec).inputs.get(parameter.name)
    return argument is not None and argument.tensors is not None


def _example(spec: OperatorVersion, example: Example) -> dict[str, Any]:
    return {
        "name": python_literal(example.name),
        "inputs": _named(spec, spec.inputs, example.inputs),
        "attributes": _attributes(example.attributes),
        "outputs": _named(spec, spec.outputs, example.outputs),
        "each_type": python_literal(example.each_type) if example.each_type else None,
    }


def _reject(spec: OperatorVersion, reject: Reject) -> dict[str, Any]:
    inputs: dict[str, str] | list[str]
    if reject.inputs.named is not None:
        inputs = _named(spec, spec.inputs, reject.inputs.named)
    else:
        inputs = [_argument(argument) for argument in reject.inputs.positional]
    return {
        "name": python_literal(reject.name),
        "inputs": inputs,
        "positional": reject.inputs.named is None,
        "attributes": _attributes(reject.attributes),
        "asked": reject.outputs,
        "raises": python_literal(reject.raises.value),
        "error": python_literal(reject.error),
    }


def _named(
    spec: OperatorVersion, parameters: tuple[Parameter, ...], arguments: Mapping[str, Argument]
) -> dict[str, str]:
    held = {p.name for p in parameters if spec.is_held(p, arguments.get(p.name))}
    return {
        python_literal(name): (
            "no_contents()" if name in held and argument.tensors is None else _argument(argument)
        )
        for name, argument in arguments.items()
    }


def _attributes(attributes: Mapping[str, Tree]) -> dict[str, str]:
    return {
        python_literal(name): python_literal(_listed(plain(tree)))
        for name, tree in attributes.items()
    }


def _listed(value: object) -> object:
    """Tuples as lists, as a caller writes them."""
    return [_listed(item) for item in value] if isinstance(value, tuple) else value


def _argument(argument: Argument) -> str:
    if argument.tensors is None:
        return "None"
    tensors = [tensor_call(tensor) for tensor in argument.tensors]
    if argument.sequence:
        return f"sequence({', '.join(tensors)})"
    return f"[{', '.join(tensors)}]" if argument.variadic else tensors[0]


def tensor_call(value: TensorValue) -> str:
    """The helper call that stands for a tensor, as ``tensor("float", [[0, 1], [2, 3]])``."""
    type_ = python_literal(value.type.value)
    shape = python_literal(value.shape)
    source = value.source
    if isinstance(source, (Given, Bits)):
        helper = "tensor" if isinstance(source, Given) else "bits"
        flat = source.elements if isinstance(source, Given) else source.patterns
        items = [python_literal(_written(item)) for item in flat]
        nested, told = _nested(items, value.shape)
        return f"{helper}({type_}, {nested})" if told else f"{helper}({type_}, {nested}, {shape})"
    if isinstance(source, Fill):
        return f"full({type_}, {shape}, {python_literal(_written(source.element))})"
    if isinstance(source, Formula):
        return f"formula({type_}, {shape}{_formula(source)})"
    assert isinstance(source, ByOracle)
    return f"by_oracle({type_}, {shape})"


def _written(element: object) -> object:
    """Complex numbers as text: Python's own literals lose the signs of zeros."""
    if isinstance(element, complex):
        return (
            f"{element.real!r}{'' if repr(element.imag).startswith('-') else '+'}{element.imag!r}j"
        )
    return element


def _nested(items: list[str], shape: tuple[int, ...]) -> tuple[str, bool]:
    """The items as nested lists, and whether the nesting tells the shape."""
    if not shape:
        return items[0], True
    if 0 in shape:
        return "[]", shape == (0,)
    width = shape[-1]
    if len(shape) == 1:
        return f"[{', '.join(items)}]", True
    rows = [f"[{', '.join(items[k : k + width])}]" for k in range(0, len(items), width)]
    return _nested(rows, shape[:-1])


def _formula(formula: Formula) -> str:
    parts = {"start": formula.start, "step": formula.step, "modulo": formula.modulo}
    text = ""
    for name, absent in (("start", 0), ("step", 1), ("modulo", None)):
        if parts[name] != absent:
            text += f", {name}={parts[name]}"
    for name, default in (("offset", 0), ("scale", 1)):
        number = formula.number(name, default)
        if number != default:
            text += f", {name}={python_literal(number)}"
    return text
