"""An example of a spec as Python that can be copied and run, with what it prints."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from opmill_gen.base.literals import python_literal
from opmill_gen.base.names import MAIN_DOMAIN, snake_case, without_keyword
from opmill_gen.base.onnx_types import ElementType
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.python.arrays import (
    ML_DTYPES,
    UNPACK,
    WIDTH,
    array_code,
    bits_of,
    empty,
    flat,
    layout,
    nested,
    rounded_to,
)
from opmill_gen.emit.python.results import Result, counting, result_of
from opmill_gen.spec.attribute_values import GraphNode, GraphValue, SparseValue, attribute_value
from opmill_gen.spec.cases import Argument, Example, Reject
from opmill_gen.spec.operator_version import OperatorVersion, Option, Parameter
from opmill_gen.spec.tensor_values import Bits, Element, Fill, Given, TensorValue
from opmill_gen.yaml_reader.tree import Tree, natural

_UNUSED = "_"
"""Name of a result that an example does not request."""
_MAX_SHOWN = 96
"""Results of more elements are shown by their shape alone."""

_EXACT_TO = {ElementType.BFLOAT16: 2**8, ElementType.FLOAT16: 2**11}
"""Largest exact sum of whole numbers in an element type; 2^24 in the wider ones."""


@dataclass(frozen=True)
class Statement:
    """A line of Python, and what it prints in an interactive session."""

    source: str
    shown: str | None = None

    def session(self) -> str:
        """The code as in an interactive session."""
        first, *more = self.source.splitlines()
        lines = [f">>> {first}", *(f"... {line}".rstrip() for line in more)]
        return "\n".join([*lines, *(self.shown.splitlines() if self.shown else ())])


def python_session(version: CheckedVersion, example: Example, module: str) -> list[Statement]:
    """The call of an example and its result.

    Args:
        version: the operator version.
        example: one of its examples.
        module: the Python module of the version, as ``opmill.tile.v13``.
    """
    spec, names = version.spec, version.names
    package, _, name = module.rpartition(".")
    statements, positional = _arguments(version, example.inputs)
    statements += _graphs(spec, example.attributes)
    keywords = [
        f"{names.attributes[key]}={_attribute(tree, key)}"
        for key, tree in example.attributes.items()
    ]
    keywords += _asked(version, example)
    call = _call(f"{name}.{names.package}", [*positional, *keywords])
    statements += _results(spec, example, call)
    used = "\n".join(statement.source for statement in statements)
    imports = [f"from {package} import {name}"]
    if "np." in used:
        imports.insert(0, "import numpy as np")
    if "ml_dtypes." in used:
        imports.insert(0, "import ml_dtypes")
    if re.search(r"\bopmill\.(SparseTensor|TensorSequence|TensorType|opset)", used):
        imports.insert(0, f"import {package.partition('.')[0]}")
    return [*map(Statement, imports), *statements]


def _graphs(spec: OperatorVersion, attributes: Mapping[str, Tree]) -> list[Statement]:
    """Functions for the attributes that are graphs."""
    statements: list[Statement] = []
    for name, tree in attributes.items():
        graph = attribute_value(tree)
        if not isinstance(graph, GraphValue):
            continue
        lines = [f"def {name}({', '.join(graph.inputs)}):"]
        for node in graph.nodes:
            lines += textwrap.indent(_node(spec, node), "    ").splitlines()
        results = ", ".join(graph.outputs) or "()"
        lines.append(
            f"    return ({results},)" if len(graph.outputs) == 1 else f"    return {results}"
        )
        statements.append(Statement("\n".join(lines)))
        if graph.types:
            declared = [graph.types.get(output) for output in graph.outputs]
            types = [
                f'opmill.TensorType("{one.type.value}", {python_literal(one.shape)})'
                if one
                else "None"
                for one in declared
            ]
            statements.append(Statement(f"{name}.output_types = [{', '.join(types)}]"))
    return statements


def _node(spec: OperatorVersion, node: GraphNode) -> str:
    """A node of a graph as an assignment."""
    written = ", ".join(node.outputs)
    keywords = [f"{key}={_attribute(tree)}" for key, tree in node.attributes.items()]
    function = without_keyword(snake_case(node.op))
    arguments = ", ".join([*node.inputs, *keywords])
    opset = spec.since_version if spec.domain == MAIN_DOMAIN else _OPSET_OF_NODES
    return f"{written} = opmill.opset{opset}.{function}({arguments})"


_OPSET_OF_NODES = 21
"""Of ai.onnx, in the graphs of operators of other domains, which number their opsets otherwise."""


def _arguments(
    version: CheckedVersion, inputs: Mapping[str, Argument], *, as_lists: bool = True
) -> tuple[list[Statement], list[str]]:
    """Statements that assign the inputs of a call, and the call's positional arguments.

    ``as_lists`` writes short tensors as lists where the operator allows int64 alone.
    """
    spec, names = version.spec, version.names
    statements: list[Statement] = []
    positional: list[str] = []
    for parameter in spec.inputs:
        argument = inputs.get(parameter.name)
        python_name = names.parameters[parameter.name]
        if argument is None or argument.tensors is None:
            positional.append("None")
        elif argument.sequence:
            statements.append(_assigned_sequence(python_name, argument))
            positional.append(python_name)
        elif argument.parts:
            for k, part in enumerate(argument.parts):
                if part.tensors is None:
                    positional.append("None")
                    continue
                assign = _assigned_sequence(f"{python_name}{k}", part)
                if not part.sequence:
                    assign = _assigned(f"{python_name}{k}", part.tensors[0])
                statements.append(assign)
                positional.append(f"{python_name}{k}")
        elif parameter.option is Option.VARIADIC:
            for k, tensor in enumerate(argument.tensors):
                statements.append(_assigned(f"{python_name}{k}", tensor))
                positional.append(f"{python_name}{k}")
        elif as_lists and _is_short_list(spec, parameter, argument.tensors[0]):
            tensor = argument.tensors[0]
            positional.append(flat(nested(tensor)) if tensor.size else "[]")
        else:
            statements.append(_assigned(python_name, argument.tensors[0]))
            positional.append(python_name)
    if not any(argument.parts for argument in inputs.values()):
        while len(positional) > _needed(spec) and positional[-1] == "None":
            positional.pop()
    return statements, positional


def refused_session(version: CheckedVersion, reject: Reject, module: str) -> str:
    """A call that is refused, and its error, as an interactive session shows them.

    The operator is called as runners of nodes call it: with a list of inputs and a mapping of
    attributes, because a function's signature leaves no room for some of these calls.
    """
    spec = version.spec
    statements: list[Statement] = []
    given: list[str] = []
    if reject.inputs.named is None:
        for k, argument in enumerate(reject.inputs.positional):
            given.append("None" if argument.tensors is None else f"x{k}")
            if argument.tensors is not None and argument.sequence:
                statements.append(_assigned_sequence(f"x{k}", argument))
            elif argument.tensors is not None:
                statements.append(_assigned(f"x{k}", argument.tensors[0]))
    else:
        statements, given = _arguments(version, reject.inputs.named, as_lists=False)
        if not any(argument.parts for argument in reject.inputs.arguments):
            while given and given[-1] == "None":
                given.pop()
    statements += _graphs(spec, reject.attributes)
    attributes = ", ".join(
        f"{python_literal(key)}: {_attribute(tree, key)}" for key, tree in reject.attributes.items()
    )
    package = module.split(".")[0]
    identity = [python_literal(spec.operator), str(spec.since_version)]
    if spec.domain != MAIN_DOMAIN:
        identity.append(f"domain={python_literal(spec.domain)}")
    statements.append(Statement(f"operator = {package}.operator({', '.join(identity)})"))
    outputs = [f"outputs={reject.outputs}"] if reject.outputs is not None else []
    call = _call("operator", [f"[{', '.join(given)}]", f"{{{attributes}}}", *outputs])
    shown = [
        "Traceback (most recent call last):",
        f"{package}.{reject.raises.value}: {spec.label}: {reject.error}",
    ]
    statements.append(Statement(call, "\n".join(shown)))
    used = "\n".join(statement.source for statement in statements)
    imports = [f"import {package}"]
    if "ml_dtypes." in used:
        imports.append("import ml_dtypes")
    if "np." in used:
        imports.append("import numpy as np")
    return "\n".join(s.session() for s in (*map(Statement, imports), *statements))


def _needed(spec: OperatorVersion) -> int:
    """Number of inputs a call gives at least, by position."""
    return max(
        (k for k, p in enumerate(spec.inputs, start=1) if p.option is Option.SINGLE), default=0
    )


def session_text(version: CheckedVersion, example: Example, module: str) -> str:
    """The call and its result as an interactive session shows them."""
    return "\n".join(s.session() for s in python_session(version, example, module))


def without_imports(session: str) -> tuple[str, list[str]]:
    """A session without the imports at its beginning, and those."""
    lines = session.splitlines()
    count = next(
        (k for k, line in enumerate(lines) if not line.startswith((">>> import ", ">>> from "))),
        len(lines),
    )
    return "\n".join(lines[count:]), lines[:count]


def _attribute(tree: Tree, name: str = "") -> str:
    """The value of an attribute; a graph is a function of the attribute's name."""
    value = attribute_value(tree)
    if isinstance(value, GraphValue):
        return name
    if isinstance(value, TensorValue):
        return array_code(value)
    if isinstance(value, SparseValue):
        parts = f"{array_code(value.values)}, {array_code(value.indices)}"
        return f"opmill.SparseTensor({parts}, {python_literal(list(value.dims))})"
    return python_literal(_listed(value))


def _listed(value: object) -> object:
    return [_listed(item) for item in value] if isinstance(value, tuple) else value


def _call(function: str, arguments: Iterable[str]) -> str:
    """A call, on one line where it fits and an argument a line where not."""
    arguments = list(arguments)
    line = f"{function}({', '.join(arguments)})"
    if len(line) <= WIDTH:
        return line
    return f"{function}(\n" + "".join(f"    {argument},\n" for argument in arguments) + ")"


# Results


def _results(spec: OperatorVersion, example: Example, call: str) -> list[Statement]:
    if any(spec.is_container(p, example.outputs.get(p.name)) for p in spec.outputs):
        return _container_results(spec, example, call)
    arguments = [example.outputs.get(parameter.name) for parameter in spec.outputs]
    tensors = [t for argument in arguments if argument for t in argument.tensors or ()]
    result = result_of(spec)
    single = result is Result.ONE or (result is Result.FIRST and len(tensors) == 1)
    if single and len(tensors) == 1 and "\n" not in call and _prints(spec, example, tensors[0]):
        return [Statement(*_printed(call, tensors[0]))]
    names = _output_names(spec, example.outputs)
    targets = _targets(spec, example.outputs)
    target = ", ".join(targets) + ("" if single or len(targets) > 1 else ",")
    statements = [Statement(f"{target} = {call}")]
    for name, tensor in zip(names, tensors, strict=True):
        statements += _shown(spec, example, name, tensor)
    return statements


def _container_results(spec: OperatorVersion, example: Example, call: str) -> list[Statement]:
    """Results of a call that returns a sequence, or an optional without contents."""
    if len(spec.outputs) > 1:
        return [Statement(f"results = {call}")]
    argument = example.outputs[spec.outputs[0].name]
    if argument.tensors is None:
        return [Statement(f"{call} is None", "True")]
    names = _output_names(spec, example.outputs)
    if not argument.parts:
        return [Statement(f"{names[0]} = {call}"), _shown_sequence(names[0], argument)]
    target = f"{names[0]}," if len(names) == 1 else ", ".join(names)
    statements = [Statement(f"{target} = {call}")]
    for name, part in zip(names, argument.parts, strict=True):
        if part.tensors is None:
            statements.append(Statement(f"{name} is None", "True"))
        elif part.sequence:
            statements.append(_shown_sequence(name, part))
        else:
            statements += _shown(spec, example, name, part.tensors[0])
    return statements


def _shown_sequence(name: str, argument: Argument) -> Statement:
    """The tensors of a sequence."""
    tensors = argument.tensors or ()
    shown = [nested(t, rounded=True) if t.size else empty(t.shape) for t in tensors]
    return Statement(f"[array.tolist() for array in {name}]", layout(shown, 0) if shown else "[]")


def _asked(version: CheckedVersion, example: Example) -> list[str]:
    """Number of outputs a call asks for, where that must be said."""
    spec = version.spec
    given = {*(name for name, one in example.inputs.items() if one.tensors), *example.attributes}
    if spec.runs_graphs or any(part.name in given for part in counting(version)):
        return []
    count = len(_targets(spec, example.outputs))
    always = sum(parameter.option is Option.SINGLE for parameter in spec.outputs)
    variadic = any(parameter.option is Option.VARIADIC for parameter in spec.outputs)
    return [f"outputs={count}"] if variadic or count > max(1, always) else []


def _output_names(spec: OperatorVersion, outputs: Mapping[str, Argument]) -> list[str]:
    return [name for name in _targets(spec, outputs) if name != _UNUSED]


def _targets(spec: OperatorVersion, outputs: Mapping[str, Argument]) -> list[str]:
    """Names that a call's results are assigned to, ``_`` for those before the last requested."""
    names: list[str] = []
    for parameter in spec.outputs:
        argument = outputs.get(parameter.name)
        count = len(argument.tensors) if argument and argument.tensors else 0
        if argument and argument.parts:
            count = len(argument.parts)
        if argument and argument.sequence:
            count = 1
        word = parameter.python_name or re.sub(r"\W", "", parameter.name)
        if parameter.option is Option.VARIADIC:
            names += [f"{without_keyword(word)}{k}" for k in range(count)]
        else:
            names.append(without_keyword(word) if count else _UNUSED)
    while names and names[-1] == _UNUSED:
        names.pop()
    return names


def _prints(spec: OperatorVersion, example: Example, tensor: TensorValue) -> bool:
    """True if the result can be shown digit by digit: few elements, and no rounding in doubt."""
    if tensor.size == 0:
        return False
    if isinstance(tensor.source, Bits):
        return tensor.size <= _MAX_SHOWN
    if not isinstance(tensor.source, (Given, Fill)) or tensor.size > _MAX_SHOWN:
        return False
    if tensor.type in ML_DTYPES and tensor.type is not ElementType.BFLOAT16:
        return all(_is_whole(item, 16) for item in _items(tensor))
    if not spec.accuracy.tolerances:
        return True
    given = [t for argument in example.inputs.values() for t in argument.tensors or ()]
    limit = _EXACT_TO.get(tensor.type, 2**24)
    return all(_is_whole(item, limit) for t in (*given, tensor) for item in _items(t))


def _items(tensor: TensorValue) -> Iterable[Element | None]:
    if isinstance(tensor.source, Given):
        return tensor.source.elements
    if isinstance(tensor.source, Fill):
        return (tensor.source.element,)
    return (None,)


_OF_NUMPY = {
    ElementType.INT32,
    ElementType.INT64,
    ElementType.UINT32,
    ElementType.UINT64,
    ElementType.COMPLEX64,
    ElementType.COMPLEX128,
}
"""Types that float does not hold, and that NumPy compares."""


def _is_whole(item: Element | None, limit: int) -> bool:
    """Return whether it is a whole number up to ``limit``: their sums are exact in any order."""
    return isinstance(item, (int, float)) and abs(item) <= limit and item == int(item)


def _printed(expression: str, tensor: TensorValue) -> tuple[str, str]:
    if isinstance(tensor.source, Bits):
        unsigned = f"np.uint{bits_of(tensor.type)}"
        return f"{expression}.view({unsigned}).tolist()", layout(nested(tensor), 0)
    return f"{expression}.tolist()", layout(nested(tensor, rounded=True), 0)


def _shown(
    spec: OperatorVersion, example: Example, name: str, tensor: TensorValue
) -> list[Statement]:
    if _prints(spec, example, tensor):
        return [Statement(*_printed(name, tensor))]
    shape = python_literal(tensor.shape)
    statements = [Statement(f"{name}.shape", shape)]
    tolerance = spec.accuracy.tolerances.get(tensor.type)
    is_short = isinstance(tensor.source, Given) and 0 < tensor.size <= _MAX_SHOWN
    if is_short and tolerance is not None:
        if float(tolerance.rtol) == 0 and _is_rounded(tensor):
            expected = array_code(tensor, len("expected = "))
            expected += "" if tensor.type in UNPACK else ".astype(np.float32)"
        else:
            expected = layout(nested(tensor), len("expected = "))
        statements.append(Statement(f"expected = {expected}"))
        plain = tensor.type in UNPACK or tensor.type in _OF_NUMPY
        actual = name if plain else f"{name}.astype(np.float32)"
        statements.append(
            Statement(
                f"np.testing.assert_allclose({actual}, expected, "
                f"rtol={natural(tolerance.rtol)}, atol={natural(tolerance.atol)})"
            )
        )
    return statements


def _is_rounded(tensor: TensorValue) -> bool:
    """Return whether a number of the tensor is not exactly one of its type, as 3e38 of float."""
    assert isinstance(tensor.source, Given)
    numbers = [item for item in tensor.source.elements if isinstance(item, float)]
    return any(
        number != rounded_to(tensor.type, number) for number in numbers if math.isfinite(number)
    )


# Arrays


def _is_short_list(spec: OperatorVersion, parameter: Parameter, tensor: TensorValue) -> bool:
    """True if a plain list may stand for the tensor: the schema fixes int64, and it is 1-D."""
    fixed = [str(t) for t in spec.allowed_types(parameter)] == ["tensor(int64)"]
    short = len(tensor.shape) == 1 and tensor.size <= 16
    return fixed and short and isinstance(tensor.source, Given)


def _assigned(name: str, tensor: TensorValue) -> Statement:
    return Statement(f"{name} = {array_code(tensor, len(name) + 3)}")


def _assigned_sequence(name: str, argument: Argument) -> Statement:
    if argument.element is not None:
        word = python_literal(argument.element.value)
        return Statement(f"{name} = opmill.TensorSequence([], {word})")
    items = [array_code(tensor, 4) for tensor in argument.tensors or ()]
    line = f"{name} = [{', '.join(items)}]"
    if len(line) <= WIDTH and "\n" not in line:
        return Statement(line)
    return Statement(f"{name} = [\n" + "".join(f"    {item},\n" for item in items) + "]")
