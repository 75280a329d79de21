"""Context of the template of an operator's test module.

The tables are written with the helpers of ``opmill_checks.case``; the values are the spec's
own, never computed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opmill_gen.base.literals import docstring_text, python_literal
from opmill_gen.base.onnx_types import OptionalType, SequenceType, TensorType, TypeVariable
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.case_runs import cases_by_versions
from opmill_gen.spec.attribute_values import GraphValue, SparseValue, attribute_value
from opmill_gen.spec.cases import Argument, Case, Example, Reject
from opmill_gen.spec.operator_version import OperatorVersion, Parameter
from opmill_gen.spec.tensor_values import Bits, ByOracle, Fill, Formula, Given, TensorValue
from opmill_gen.yaml_reader.tree import Tree, natural

_HELPERS = (
    "bits", "by_oracle", "formula", "full", "graph", "no_contents", "node", "sequence", "sparse",
    "tensor",
)  # fmt: skip

_WIDTH = 80
"""Maximum length of a dictionary on one line."""


def operator_tests(versions: Sequence[CheckedVersion], modules: Sequence[str]) -> dict[str, Any]:
    """The context of ``tests/operator.py.j2``.

    Args:
        versions: of one operator, in ascending order.
        modules: of the package, in the same order.
    """
    specs = [version.spec for version in versions]
    numbers = [spec.since_version for spec in specs]
    examples = cases_by_versions(
        [[_example(spec, one) for one in spec.examples] for spec in specs], numbers
    )
    rejects = cases_by_versions(
        [[_reject(spec, one) for one in spec.rejects] for spec in specs], numbers
    )
    text = "\n".join(
        value
        for case in (*examples, *rejects)
        for value in (case["inputs"], case.get("outputs", ""), case["attributes"])
    )
    names = [module.rpartition(".")[2] for module in modules]
    judged = [version for version in versions if version.instance.family.oracle_path is not None]
    return {
        "title": docstring_text(
            f"Examples, rejects, types and defaults of {specs[0].operator}, every version."
        ),
        "package": modules[0].rpartition(".")[0],
        "modules": ", ".join(names),
        "families": ", ".join(sorted({version.instance.family.name for version in judged})),
        "with_parameters": any(version.instance.parameters for version in judged),
        "versions": [
            _version(version, name) for version, name in zip(versions, names, strict=True)
        ],
        "examples": examples,
        "rejects": rejects,
        "helpers": [helper for helper in _HELPERS if f"{helper}(" in text],
    }


def _version(version: CheckedVersion, module: str) -> dict[str, Any]:
    """Statements of the table about a version beside its cases."""
    spec = version.spec
    first = [p for p in spec.inputs if _is_first(spec, p) and not spec.is_sequence(p)]
    later = [
        parameter
        for parameter in spec.inputs
        if isinstance(parameter.type, TypeVariable) and not _is_first(spec, parameter)
    ]
    return {
        "number": spec.since_version,
        "module": module,
        "witness": python_literal(_witness(spec).name if spec.examples else ""),
        "oracle": _oracle(version),
        "accuracy": {
            python_literal(element.value): python_literal(
                (natural(tolerance.rtol), natural(tolerance.atol))
            )
            for element, tolerance in spec.accuracy.tolerances.items()
        },
        "types": _dictionary(
            {
                python_literal(name): python_literal(_elements(constraint.types))
                for name, constraint in spec.type_constraints.items()
            }
            | {
                python_literal(f"seq({name})"): python_literal(_sequence_elements(constraint.types))
                for name, constraint in spec.type_constraints.items()
                if _sequence_elements(constraint.types)
            }
        ),
        "accepted": [(python_literal(p.name), _types_of(spec, p)) for p in first],
        "mixed": [
            (python_literal(p.name), _types_of(spec, p))
            for p in later
            if len(spec.allowed_types(p)) > 1 and _given_in(spec, p)
        ],
        "defaults": {
            python_literal(a.name): python_literal(a.default_value)
            for a in spec.attributes
            if a.default is not None
        },
    }


def _oracle(version: CheckedVersion) -> str | None:
    """The family's oracle, with its parameters bound where it has any."""
    family = version.instance.family
    if family.oracle_path is None:
        return None
    oracle = f"{family.name}.{version.instance.function('oracle')}"
    parameters = _parameters(version)
    return f"with_parameters({oracle}, {parameters})" if parameters else oracle


def _types_of(spec: OperatorVersion, parameter: Parameter) -> str:
    """The element types of an input: its type variable, or what it has in its place."""
    if isinstance(parameter.type, TypeVariable):
        return python_literal(str(parameter.type))
    return python_literal(_elements(spec.allowed_types(parameter)))


def _parameters(version: CheckedVersion) -> str:
    """The parameters of the family as a dictionary; empty where there are none."""
    pairs = [
        f"{python_literal(name)}: {python_literal(value)}"
        for name, value in version.instance.parameters
    ]
    return "{" + ", ".join(pairs) + "}" if pairs else ""


def _elements(types: tuple[Any, ...]) -> tuple[str, ...]:
    """The element types of tensors; of optionals where there are no others."""
    inner = tuple(t.item for t in types if isinstance(t, OptionalType))
    tensors = [t for t in types if isinstance(t, TensorType)]
    return tuple(t.element.value for t in tensors or inner if isinstance(t, TensorType))


def _sequence_elements(types: tuple[Any, ...]) -> tuple[str, ...]:
    """The element types of the sequences among these types."""
    items = tuple(t.item for t in types if isinstance(t, SequenceType))
    return _elements(items)


def _is_first(spec: OperatorVersion, parameter: Parameter) -> bool:
    """Return whether this is the input that binds its type variable, or has a fixed type."""
    if not isinstance(parameter.type, TypeVariable):
        return True
    return next(p for p in spec.inputs if p.type == parameter.type) is parameter


def _witness(spec: OperatorVersion) -> Example:
    """The example that the type tests vary: one that gives as many inputs as any, all tensors.

    Where every call has a sequence, it is one of those.
    """
    return max(
        (
            example
            for example in reversed(spec.examples)
            if spec.always_holds_others or not spec.holds_others(example)
        ),
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
        "inputs": _dictionary(_named(spec, spec.inputs, example.inputs)),
        "attributes": _attributes(example.attributes),
        "outputs": _dictionary(_named(spec, spec.outputs, example.outputs)),
        "each_type": python_literal(example.each_type) if example.each_type else None,
        "rests_on": _rests_on(example),
    }


def _reject(spec: OperatorVersion, reject: Reject) -> dict[str, Any]:
    if reject.inputs.named is not None:
        inputs = _dictionary(_named(spec, spec.inputs, reject.inputs.named))
    else:
        inputs = _bracketed("[", [_argument(one) for one in reject.inputs.positional], "]")
    return {
        "name": python_literal(reject.name),
        "inputs": inputs,
        "attributes": _attributes(reject.attributes),
        "asked": reject.outputs,
        "by_kernel": reject.by_kernel,
        "raises": python_literal(reject.raises.value),
        "error": python_literal(reject.error),
        "rests_on": _rests_on(reject),
    }


def _rests_on(case: Case) -> str | None:
    return python_literal(case.rests_on) if case.rests_on else None


def _named(
    spec: OperatorVersion, parameters: tuple[Parameter, ...], arguments: Mapping[str, Argument]
) -> dict[str, str]:
    containers = {p.name for p in parameters if spec.is_container(p, arguments.get(p.name))}
    return {
        python_literal(name): (
            "no_contents()"
            if name in containers and argument.tensors is None
            else _argument(argument)
        )
        for name, argument in arguments.items()
    }


def _attributes(attributes: Mapping[str, Tree]) -> str:
    """The attributes as a dictionary; empty where none is given."""
    pairs = {
        python_literal(name): _value(attribute_value(tree)) for name, tree in attributes.items()
    }
    return _dictionary(pairs) if pairs else ""


def _dictionary(pairs: Mapping[str, str]) -> str:
    return _bracketed("{", [f"{name}: {value}" for name, value in pairs.items()], "}")


def _bracketed(opening: str, items: Sequence[str], closing: str) -> str:
    """Items on one line where they fit, otherwise each on its own below an indent of 8."""
    line = f"{opening}{', '.join(items)}{closing}"
    if len(items) < 2 or len(line) <= _WIDTH:
        return line
    lines = "".join(f"\n            {item}," for item in items)
    return f"{opening}{lines}\n        {closing}"


def _value(value: object) -> str:
    if isinstance(value, GraphValue):
        return _graph(value)
    if isinstance(value, SparseValue):
        parts = [tensor_call(value.values), tensor_call(value.indices)]
        return f"sparse({', '.join(parts)}, {python_literal(list(value.dims))})"
    return tensor_call(value) if isinstance(value, TensorValue) else python_literal(_listed(value))


def _graph(value: GraphValue) -> str:
    """The helper call that stands for a graph."""
    nodes = [
        ", ".join(
            [
                f"node({python_literal(one.op)}, {python_literal(list(one.inputs))}",
                python_literal(list(one.outputs)),
                *(f"{k}={_value(attribute_value(tree))}" for k, tree in one.attributes.items()),
            ]
        )
        + ")"
        for one in value.nodes
    ]
    parts = [
        python_literal(list(value.inputs)),
        f"[{', '.join(nodes)}]",
        python_literal(list(value.outputs)),
        *(
            f"{name}={python_literal((one.type.value, one.shape))}"
            for name, one in value.types.items()
        ),
    ]
    return f"graph({', '.join(parts)})"


def _listed(value: object) -> object:
    """Tuples as lists, as a caller writes them."""
    return [_listed(item) for item in value] if isinstance(value, tuple) else value


def _argument(argument: Argument) -> str:
    if argument.tensors is None:
        return "None"
    if argument.parts:
        parts = [
            "no_contents()" if part.tensors is None else _argument(part) for part in argument.parts
        ]
        return f"[{', '.join(parts)}]"
    tensors = [tensor_call(tensor) for tensor in argument.tensors]
    if argument.element is not None:
        tensors.append(f"type={python_literal(argument.element.value)}")
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
        nested, complete = _nested(items, value.shape)
        return (
            f"{helper}({type_}, {nested})" if complete else f"{helper}({type_}, {nested}, {shape})"
        )
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
