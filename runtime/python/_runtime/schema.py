"""Schema of an operator version: its parameters, attributes and types, in ONNX's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from opmill._runtime.public import public

if TYPE_CHECKING:
    from opmill._runtime.documentation import Documentation

Option = Literal["single", "optional", "variadic"]
Kind = Literal[
    "FLOAT",
    "INT",
    "STRING",
    "TENSOR",
    "GRAPH",
    "SPARSE_TENSOR",
    "TYPE_PROTO",
    "FLOATS",
    "INTS",
    "STRINGS",
    "TENSORS",
    "GRAPHS",
    "SPARSE_TENSORS",
    "TYPE_PROTOS",
]


@dataclass(frozen=True, slots=True)
class TypeSource:
    """The source of an output's type: an attribute, a type variable or a fixed type.

    With an attribute, a fixed type applies where a call gives the attribute, with a flag where it
    is 1; with a variable, where an input binds another type to it.
    """

    attribute: str | None = None
    variable: str | None = None
    fixed: str | None = None


@dataclass(frozen=True, slots=True)
class Parameter:
    """An input or output.

    Args:
        name: ONNX's name.
        type: a type variable of the schema, as ``T``, or a type, as ``tensor(int64)``.
        option: single, optional or variadic.
        homogeneous: whether all values of a variadic parameter share one type.
        min_arity: the least number of values of a variadic parameter.
        differentiable: ONNX's category; ``None`` where ONNX does not say.
        type_from: for an output whose type no input binds; the first source that applies wins.
        alias: what rules and kernels call it, where ONNX's name cannot stand there.
    """

    name: str
    type: str
    option: Option = "single"
    homogeneous: bool = True
    min_arity: int = 1
    differentiable: bool | None = None
    type_from: tuple[TypeSource, ...] = ()
    alias: str | None = None


def value_name(parameters: Sequence[Parameter], position: int) -> str:
    """Return the name of a value in messages: ``X``, or ``Xs[1]``, the second of a variadic ``Xs``.

    Args:
        parameters: the inputs or the outputs of a schema.
        position: which value of a call, from 0; a variadic parameter has several.
    """
    last = len(parameters) - 1
    if position < last or parameters[last].option != "variadic":
        return parameters[position].name
    return f"{parameters[last].name}[{position - last}]"


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute. ``default`` is ``None`` where there is none; ``allowed`` lists words.

    ``alias`` is what rules and kernels call it, where it shares its name with an input.
    """

    name: str
    kind: Kind
    required: bool = False
    default: Any = None
    allowed: tuple[str, ...] = ()
    alias: str | None = None

    @property
    def is_flag(self) -> bool:
        """True if it is an integer that every call has."""
        return self.kind == "INT" and (self.required or self.default is not None)


@public
@dataclass(frozen=True, slots=True)
class Schema:
    """One version of one operator as data.

    Args:
        name: ONNX's name of the operator.
        domain: the domain, ``ai.onnx`` for ONNX's own.
        since_version: the opset that introduced this version.
        support_level: ``common`` or ``experimental``.
        function: whether ONNX gives the operator a function body.
        shape_inference: whether ONNX infers its types and shapes.
        deprecated: whether this version deprecates the operator.
        determinism: ``deterministic``, ``non_deterministic`` or ``unknown``.
        inputs: the inputs, in order, each with ``name``, ``type`` (a type variable, as ``T``, or a
            type, as ``tensor(int64)``), ``option`` (``single``, ``optional`` or ``variadic``),
            ``min_arity``, ``homogeneous`` and ``differentiable``.
        outputs: the outputs, in order, with the same fields.
        attributes: the attributes, in alphabetical order, each with ``name``, ``kind`` (as
            ``INTS``), ``required``, ``default`` (``None`` for none) and ``allowed`` (the words that
            a STRING may have, where ONNX lists them).
        type_constraints: the types that each type variable can be, by its name.
        node_domain: the domain of its nodes in models, where that is another one: onnxruntime reads
            some operators under ONNX's own domain that ONNX does not have.
    """

    name: str
    domain: str
    since_version: int
    support_level: Literal["common", "experimental"]
    function: bool
    shape_inference: bool
    deprecated: bool
    determinism: Literal["deterministic", "non_deterministic", "unknown"]
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    attributes: tuple[Attribute, ...] = ()
    type_constraints: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    node_domain: str | None = None

    @property
    def label(self) -> str:
        """The operator and its version, as ``Tile-13``."""
        return f"{self.name}-{self.since_version}"

    @property
    def domain_in_models(self) -> str:
        """The domain as nodes of models have it, empty for ONNX's own."""
        domain = self.node_domain or self.domain
        return "" if domain == "ai.onnx" else domain

    def is_sequence(self, parameter: Parameter) -> bool:
        """Return whether an input or output can be nothing but a sequence.

        Args:
            parameter: the input or output, one of the schema's.
        """
        types = self.type_constraints.get(parameter.type, (parameter.type,))
        return all(type_.startswith("seq(") for type_ in types)

    def is_tensor(self, parameter: Parameter) -> bool:
        """Return whether an input or output can be a tensor.

        Args:
            parameter: the input or output, one of the schema's.
        """
        types = self.type_constraints.get(parameter.type, (parameter.type,))
        return any(type_.startswith("tensor(") for type_ in types)

    @property
    def unused_types(self) -> tuple[str, ...]:
        """The type variables that ONNX publishes for the version and no parameter uses."""
        types = " ".join(parameter.type for parameter in (*self.inputs, *self.outputs))
        used = types.replace("(", " ").replace(")", " ").split()
        return tuple(name for name in self.type_constraints if name not in used)

    @property
    def documentation(self) -> Documentation:
        """The texts that describe the version; read from a file when they are first used."""
        from opmill._runtime.documentation import documentation_of

        return documentation_of(self)
