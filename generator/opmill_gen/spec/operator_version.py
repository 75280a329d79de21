"""Contents of a version's file: the classes mirror the keys of the YAML, one field a key.

Everything is frozen and typed, words with a fixed choice are enums, and every object knows
its place in the file. The field descriptions document the format; a file that has a key
which is not declared here is refused.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from opmill_gen.base.diagnostics import Location
from opmill_gen.base.onnx_types import (
    ConcreteType,
    ElementType,
    OnnxType,
    OptionalType,
    SequenceType,
    TensorType,
)
from opmill_gen.spec.cases import CASES, ERRATA, Argument, Erratum, Example, Reject
from opmill_gen.yaml_reader.decode import (
    Faults,
    Node,
    Unreadable,
    gap_text,
    key,
    read_node,
    read_value,
)
from opmill_gen.yaml_reader.tree import Entries, Scalar, Tree, plain

FACTS = (
    "since_version",
    "support_level",
    "function",
    "shape_inference",
    "deprecated",
    "determinism",
)
"""The keys of what ONNX publishes of a version beside its signature; its number is the first."""

NAME = {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}
ONCE = {"minItems": 1, "uniqueItems": True}


class AttributeKind(enum.Enum):
    """The kinds of ``AttributeProto``."""

    FLOAT = "FLOAT"
    INT = "INT"
    STRING = "STRING"
    TENSOR = "TENSOR"
    GRAPH = "GRAPH"
    SPARSE_TENSOR = "SPARSE_TENSOR"
    TYPE_PROTO = "TYPE_PROTO"
    FLOATS = "FLOATS"
    INTS = "INTS"
    STRINGS = "STRINGS"
    TENSORS = "TENSORS"
    GRAPHS = "GRAPHS"
    SPARSE_TENSORS = "SPARSE_TENSORS"
    TYPE_PROTOS = "TYPE_PROTOS"


class Option(enum.Enum):
    """Arity of a formal parameter."""

    SINGLE = "single"
    OPTIONAL = "optional"
    VARIADIC = "variadic"


class SupportLevel(enum.Enum):
    """ONNX's support level of an operator version."""

    COMMON = "common"
    EXPERIMENTAL = "experimental"


class Determinism(enum.Enum):
    """True if equal inputs give equal outputs."""

    DETERMINISTIC = "deterministic"
    NON_DETERMINISTIC = "non_deterministic"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class TypeSource(Node):
    """The source of an output's type: one of three keys, or a fixed type with another."""

    attribute: str | None = key("the attribute that names the type", default=None)
    variable: str | None = key("the type variable that an input binds", default=None)
    fixed: ConcreteType | None = key(
        "the type itself; beside an attribute, where a call gives that, beside a flag, where that "
        "is 1; beside a variable, where an input binds another type to it",
        default=None,
    )
    refused: tuple[ConcreteType, ...] = key(
        "types of the variable with which the rule refuses a call", default=()
    )


@dataclass(frozen=True, kw_only=True)
class Parameter(Node):
    """An input or an output."""

    name: str = key("ONNX's name of the parameter")
    type: OnnxType = key("a type variable as T, or a type as tensor(int64)")
    description: str = key("what it holds, in our own words")
    option: Option = key("single, optional or variadic", default=Option.SINGLE)
    homogeneous: bool = key("whether all values of a variadic share one type", default=True)
    min_arity: int = key("the least number of values of a variadic", default=1, form={"minimum": 0})
    differentiable: bool | None = key("ONNX's category; absent where unknown", default=None)
    python_name: str | None = key(
        "the Python name, where ONNX's would collide", default=None, form=NAME
    )
    type_from: tuple[TypeSource, ...] = key(
        "for outputs whose type no input binds: its sources, the first that applies wins",
        default=(),
    )


@dataclass(frozen=True, kw_only=True)
class Attribute(Node):
    """An attribute."""

    name: str = key("ONNX's name of the attribute")
    kind: AttributeKind = key("its kind, as INTS")
    description: str = key("what it means, in our own words")
    required: bool = key("whether a call must give it", default=False)
    default: Tree | None = key("the default, as written in ONNX", default=None)
    allowed: tuple[str, ...] = key("the words that a STRING may be", default=())
    python_name: str | None = key(
        "the Python name, where ONNX's would collide", default=None, form=NAME
    )

    @property
    def is_flag(self) -> bool:
        """True if it is an integer that every call has."""
        return self.kind is AttributeKind.INT and (self.required or self.default is not None)

    @property
    def default_value(self) -> object:
        """The default as a plain value; ``None`` where there is no default."""
        if self.default is None:
            return None
        value = plain(self.default)
        if self.kind is AttributeKind.FLOAT and isinstance(value, int):
            return float(value)
        if self.kind is AttributeKind.FLOATS and isinstance(value, tuple):
            return tuple(float(item) for item in value)
        return value


@dataclass(frozen=True, kw_only=True)
class TypeConstraint(Node):
    """The types that a type variable stands for."""

    types: tuple[ConcreteType, ...] = key("the types, in alphabetical order", form=ONCE)
    description: str = key("what the variable is for, in our own words")
    unused: bool = key("said of a variable that no parameter uses", default=False)


@dataclass(frozen=True)
class FamilyUse:
    """The family that computes the operator, its rule where it has several, its parameters."""

    location: Location = field(repr=False, compare=False)
    name: str
    rule: str | None
    parameters: Mapping[str, str | int | bool]
    locations: Mapping[str, Location] = field(repr=False, compare=False)

    @classmethod
    def stand_in(cls, location: Location) -> FamilyUse:
        """The placeholder of a family that is not named yet."""
        return cls(location, "", None, {}, {})

    @classmethod
    def from_tree(cls, tree: Tree, faults: Faults) -> FamilyUse:
        """Read ``tile`` or ``{name: reduce, rule: axes_input, with: {...}}``."""
        if isinstance(tree, Scalar) and isinstance(tree.value, str):
            return cls(tree.location, tree.value, None, {}, {})
        if not isinstance(tree, Entries) or set(tree.entries) - {"name", "rule", "with"}:
            raise faults.refuse(
                tree.location, "expected a family's name, or {name: ..., rule: ..., with: {...}}"
            )
        if "name" not in tree.entries:
            raise faults.refuse(tree.location, "key 'name' is missing; it names the family")
        name = read_value(str, tree.entries["name"], faults)
        rule = None
        if "rule" in tree.entries:
            rule = read_value(str, tree.entries["rule"], faults)
        parameters: dict[str, str | int | bool] = {}
        locations = {key: value.location for key, value in tree.entries.items()}
        given = tree.entries.get("with")
        if isinstance(given, Entries):
            for parameter, value in given.entries.items():
                gap = gap_text(value)
                if gap is not None:
                    faults.leave_open(value.location, gap or "the family's parameter")
                    return cls.stand_in(tree.location)
                if not isinstance(value, Scalar) or not isinstance(value.value, (str, int, bool)):
                    raise faults.refuse(
                        value.location, "a family's parameter is text, a whole number or a bool"
                    )
                parameters[parameter] = value.value
                locations[f"with {parameter}"] = value.location
        elif given is not None:
            raise faults.refuse(given.location, "expected a mapping of the family's parameters")
        return cls(tree.location, name, rule, parameters, locations)


@dataclass(frozen=True, kw_only=True)
class Tolerance(Node):
    """Maximum distance of a floating-point result from the exact one."""

    rtol: str = key("the part of the expected value", form={"type": "number", "minimum": 0})
    atol: str = key("the absolute part", form={"type": "number", "minimum": 0})


@dataclass(frozen=True)
class Accuracy:
    """The comparison of a result: bit for bit, or with a tolerance for each element type."""

    location: Location = field(repr=False, compare=False)
    tolerances: Mapping[ElementType, Tolerance]
    reason: str = field(default="", compare=False)
    """Why these tolerances: the comment in the spec."""

    @classmethod
    def stand_in(cls, location: Location) -> Accuracy:
        """The placeholder of an accuracy that is not stated yet."""
        return cls(location, {})

    @classmethod
    def from_tree(cls, tree: Tree, faults: Faults) -> Accuracy:
        """Read ``exact`` or a mapping of element types to tolerances."""
        if isinstance(tree, Scalar) and tree.value == "exact":
            return cls(tree.location, {})
        if not isinstance(tree, Entries):
            raise faults.refuse(
                tree.location, "expected exact, or {float: {rtol: 1e-5, atol: 1e-6}, ...}"
            )
        tolerances: dict[ElementType, Tolerance] = {}
        for word, value in tree.entries.items():
            element = read_value(ElementType, Scalar(tree.keys[word], word, word), faults)
            tolerances[element] = read_node(Tolerance, value, faults)
            for name in ("rtol", "atol"):
                number = value.entries[name] if isinstance(value, Entries) else value
                if not isinstance(number, Scalar) or not _is_tolerance(number.value):
                    raise faults.refuse(number.location, "expected a number >= 0, as 1e-5")
        return cls(tree.location, tolerances)


def _is_tolerance(value: object) -> bool:
    return type(value) in (int, float) and 0 <= value < math.inf  # type: ignore[operator]


@dataclass(frozen=True, kw_only=True)
class Change(Node):
    """Difference in meaning from the previous version."""

    what: str = key("the difference")
    shown_by: str = key("the example or reject of this version that shows it")
    prose: tuple[str, ...] = key(
        "the descriptions that differ in their text, as inputs.input or summary", default=()
    )


@dataclass(frozen=True, kw_only=True)
class Source(Node):
    """The release that the facts were checked against."""

    onnx: str | None = key("the version of the onnx package", default=None)
    onnxruntime: str | None = key(
        "the version of the onnxruntime package, for the domains that it publishes", default=None
    )

    @property
    def release(self) -> str | None:
        """The package and its version, as ``onnx 1.23.2``; ``None`` where neither is given."""
        return _release(self.onnx, self.onnxruntime)


@dataclass(frozen=True, kw_only=True)
class OperatorVersion(Node):
    """One version of one operator."""

    operator: str = key("ONNX's name of the operator", form=NAME)
    domain: str = key("the operator's domain, as ai.onnx")
    since_version: int = key("the opset version that introduced this version", form={"minimum": 1})
    support_level: SupportLevel = key("common or experimental")
    function: bool = key("whether ONNX gives it a function body")
    shape_inference: bool = key("whether ONNX infers its types and shapes")
    deprecated: bool = key("whether this version says that the operator is deprecated")
    determinism: Determinism = key("deterministic, non_deterministic or unknown")
    summary: str = key("what it computes, in our own words")
    inputs: tuple[Parameter, ...] = key("the inputs, in order", default=())
    outputs: tuple[Parameter, ...] = key("the outputs, in order", default=())
    attributes: tuple[Attribute, ...] = key("the attributes, in alphabetical order", default=())
    type_constraints: Mapping[str, TypeConstraint] = key("the type variables", default={})
    family: FamilyUse = key("the family that computes it")
    accuracy: Accuracy = key("exact, or a tolerance for each element type")
    changes: tuple[Change, ...] = key("what differs from the previous version", default=())
    source: Source | None = key(
        "the release that the facts were checked against, where ONNX has the domain", default=None
    )
    python_name: str | None = key(
        "the Python name, where ONNX's would collide", default=None, form=NAME
    )
    node_domain: str | None = key(
        "the domain of its nodes in models, where that is another one", default=None
    )

    # Selected from the files beside this one.
    examples: Sequence[Example] = ()
    rejects: Sequence[Reject] = ()
    errata: Sequence[Erratum] = ()

    elsewhere: ClassVar[Mapping[str, str]] = {
        "examples": f"{CASES}, beside this file",
        "rejects": f"{CASES}, beside this file",
        "errata": f"{ERRATA}, beside this file",
    }

    @property
    def label(self) -> str:
        """The operator and its version, as ``Tile-13``."""
        return f"{self.operator}-{self.since_version}"

    def prose(self) -> dict[str, str]:
        """Every description that is compared between versions, by its key."""
        texts = {"summary": self.summary}
        for section, parts in (
            ("inputs", self.inputs),
            ("outputs", self.outputs),
            ("attributes", self.attributes),
        ):
            texts.update({f"{section}.{part.name}": part.description for part in parts})
        texts.update(
            {f"type_constraints.{n}": c.description for n, c in self.type_constraints.items()}
        )
        return texts

    @property
    def facts(self) -> dict[str, str | int]:
        """The published facts by their keys, in the words of the spec file."""
        values = {name: getattr(self, name) for name in FACTS}
        return {
            name: value.value if isinstance(value, enum.Enum) else value
            for name, value in values.items()
        }

    def allowed_types(self, parameter: Parameter) -> tuple[ConcreteType, ...]:
        """The types that a parameter accepts."""
        constraint = self.type_constraints.get(str(parameter.type))
        if constraint is not None:
            return constraint.types
        return (parameter.type,)  # type: ignore[return-value]

    def type_sources(self, output: Parameter) -> tuple[TypeSource, ...]:
        """The sources of outputs' types, where they are not variables that an input binds.

        A variable that no input binds and that allows one type decides it, whatever the inputs are.
        """
        if output.type_from or str(output.type) not in self.type_constraints:
            return output.type_from
        allowed = self.allowed_types(output)
        if len(allowed) != 1 or any(parameter.type == output.type for parameter in self.inputs):
            return ()
        return (TypeSource(location=output.location, locations=output.locations, fixed=allowed[0]),)

    @property
    def runs_graphs(self) -> bool:
        """True if an attribute is a graph: what it returns, only a call tells."""
        return any(attribute.kind is AttributeKind.GRAPH for attribute in self.attributes)

    @property
    def has_maps(self) -> bool:
        """True if an input or output is a map or a sequence of maps, which no rule sees."""
        parts = (*self.inputs, *self.outputs)
        return any("map(" in str(type_) for one in parts for type_ in self.allowed_types(one))

    @property
    def is_dynamic(self) -> bool:
        """True if only a call tells what the version returns."""
        return self.runs_graphs or self.has_maps

    def is_sequence(self, parameter: Parameter) -> bool:
        """Return whether a parameter can be nothing but a sequence."""
        return all(isinstance(type_, SequenceType) for type_ in self.allowed_types(parameter))

    def is_optional_value(self, parameter: Parameter) -> bool:
        """Return whether a parameter can be nothing but an optional."""
        return all(isinstance(type_, OptionalType) for type_ in self.allowed_types(parameter))

    def is_never_tensor(self, parameter: Parameter) -> bool:
        """Return whether a parameter cannot be a tensor."""
        return not any(isinstance(type_, TensorType) for type_ in self.allowed_types(parameter))

    def has_others(self, parameter: Parameter) -> bool:
        """True if a parameter may be a tensor or something else, which its rule does not see."""
        return not self.is_sequence(parameter) and any(
            not isinstance(type_, TensorType) for type_ in self.allowed_types(parameter)
        )

    def allows_optionals(self, parameter: Parameter) -> bool:
        """Return whether a parameter may be an optional, and so be without contents."""
        return any(isinstance(type_, OptionalType) for type_ in self.allowed_types(parameter))

    def is_container(self, parameter: Parameter, argument: Argument | None) -> bool:
        """True if a sequence is given, or an optional without contents: what is no tensor."""
        if argument is None:
            return False
        return (
            bool(argument.parts)
            or argument.sequence
            or (argument.tensors is None and self.allows_optionals(parameter))
        )

    @property
    def always_holds_others(self) -> bool:
        """True if a parameter that every call has is a sequence."""
        return any(
            self.is_sequence(parameter)
            for parameter in (*self.inputs, *self.outputs)
            if parameter.option is Option.SINGLE
        )

    def holds_others(self, case: Example | Reject) -> bool:
        """Return whether anything in a case is no tensor."""
        if isinstance(case, Reject):
            given = case.inputs.named
            if given is None:
                return any(one.sequence or one.parts for one in case.inputs.positional)
            return any(self.is_container(p, given.get(p.name)) for p in self.inputs)
        return any(self.is_container(p, case.inputs.get(p.name)) for p in self.inputs) or any(
            self.is_container(p, case.outputs.get(p.name)) for p in self.outputs
        )


@dataclass(frozen=True, kw_only=True)
class Published(Node):
    """The published versions of an operator."""

    versions: tuple[int, ...] = key("the versions, ascending", form=ONCE)
    deprecated: tuple[int, ...] = key("the versions that deprecate the operator", default=())
    refused: str | None = key(
        "why the operator has no spec, where it cannot have one", default=None
    )


@dataclass(frozen=True, kw_only=True)
class Coming(Node):
    """The opsets of a domain that no final release of ONNX has yet."""

    onnx: str = key("the onnx release, as 1.24.0.dev20261026, that they were taken from")
    opset: int = key("the first of these opsets", form={"minimum": 1})


@dataclass(frozen=True, kw_only=True)
class DomainIndex(Node):
    """Every published operator of a domain."""

    domain: str = key("the domain")
    onnx: str | None = key("the onnx release the list was taken from", default=None)
    onnxruntime: str | None = key(
        "the onnxruntime release, for a domain that onnxruntime publishes", default=None
    )
    opset: int = key("the newest opset of the domain", form={"minimum": 1})
    coming: Coming | None = key(
        "the opsets, up to the newest, that are of a release to come", default=None
    )
    operators: Mapping[str, Published] = key("the operators, in alphabetical order")

    @property
    def release(self) -> str | None:
        """The package and its version, as ``onnx 1.23.2``; ``None`` for a domain of one's own."""
        return _release(self.onnx, self.onnxruntime)


def _release(onnx: str | None, onnxruntime: str | None) -> str | None:
    if onnx is not None:
        return f"onnx {onnx}"
    return None if onnxruntime is None else f"onnxruntime {onnxruntime}"


def read_document(cls: type[Node], tree: Tree, faults: Faults) -> Node | None:
    """Read a whole file; ``None`` where it cannot be read, with the faults reported."""
    try:
        return read_node(cls, tree, faults)
    except Unreadable:
        return None
