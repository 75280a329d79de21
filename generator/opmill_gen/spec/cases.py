"""Contents of the files beside an operator's versions: examples and rejects, and errata.

Each item applies to a range of the operator's versions.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from opmill_gen.base.diagnostics import Location
from opmill_gen.base.onnx_types import ElementType
from opmill_gen.spec.tensor_values import TensorValue
from opmill_gen.yaml_reader.decode import Faults, Node, key, read_node, read_value
from opmill_gen.yaml_reader.tree import Entries, Items, Scalar, Tree

CASES = "cases.yaml"
ERRATA = "errata.yaml"
"""The names of these files."""

CASE_NAME = {"pattern": "^[a-z0-9][a-z0-9 _-]*$"}


class ErrorClass(enum.Enum):
    """The error that a rejected call raises."""

    OP = "OpError"
    TYPE = "TypeConstraintError"
    SHAPE = "ShapeError"
    ATTRIBUTE = "AttributeValueError"


@dataclass(frozen=True, kw_only=True)
class WrittenSequence(Node):
    """A sequence."""

    sequence: tuple[TensorValue, ...] = key("its tensors, all of one element type")
    type: ElementType | None = key("the element type, of an empty one", default=None)


@dataclass(frozen=True)
class Argument:
    """The value of an example for a parameter: a tensor, several for a variadic, or nothing.

    ``sequence`` is true where the tensors are those of one sequence, and ``element`` is the
    element type of one without tensors, where it is stated. Nothing is an absent
    parameter, or an optional without contents where the parameter's type allows optionals.
    ``parts`` are the values of a variadic, where one of them is no tensor; ``tensors`` are then
    those of all of them.
    """

    location: Location = field(repr=False, compare=False)
    tensors: tuple[TensorValue, ...] | None
    variadic: bool = False
    sequence: bool = False
    element: ElementType | None = None
    parts: tuple[Argument, ...] = ()

    @classmethod
    def from_tree(cls, tree: Tree, faults: Faults) -> Argument:
        """Read a tensor, a list of tensors, ``{sequence: [...]}``, or ``null``."""
        if isinstance(tree, Scalar) and tree.value is None:
            return cls(tree.location, None)
        if isinstance(tree, Items) and any(map(_is_other, tree.items)):
            parts = tuple(cls.from_tree(item, faults) for item in tree.items)
            tensors = [tensor for part in parts for tensor in part.tensors or ()]
            return cls(tree.location, tuple(tensors), variadic=True, parts=parts)
        if isinstance(tree, Items):
            tensors = [TensorValue.from_tree(item, faults) for item in tree.items]
            return cls(tree.location, tuple(tensors), variadic=True)
        if isinstance(tree, Entries) and "sequence" in tree.entries:
            written = read_node(WrittenSequence, tree, faults)
            return cls(tree.location, written.sequence, sequence=True, element=written.type)
        return cls(tree.location, (TensorValue.from_tree(tree, faults),))


def _is_other(tree: Tree) -> bool:
    """Return whether a value of a variadic is a sequence, or an optional without contents."""
    if isinstance(tree, Scalar):
        return tree.value is None
    return isinstance(tree, Entries) and "sequence" in tree.entries


_VERSION = {"minimum": 1}


@dataclass(frozen=True, kw_only=True)
class Ranged(Node):
    """An entry that applies to a range of an operator's versions."""

    since: int | None = key(
        "the first version that it applies to; absent where that is the operator's first",
        default=None,
        form=_VERSION,
        compare=False,
    )
    before: int | None = key(
        "the version that ends it, the first that it does not apply to; absent where none does",
        default=None,
        form=_VERSION,
        compare=False,
    )

    def applies_to(self, version: int) -> bool:
        """Return whether a version is in the range."""
        begun = self.since is None or self.since <= version
        return begun and (self.before is None or version < self.before)


@dataclass(frozen=True, kw_only=True)
class Case(Ranged):
    """A call and its outcome."""

    name: str = key("the name of the case, unique within a version", form=CASE_NAME)
    rests_on: tuple[str, ...] = key(
        "the names of errata without which ONNX's text allows another outcome",
        default=(),
        form={"minItems": 1, "uniqueItems": True},
    )


@dataclass(frozen=True, kw_only=True)
class Example(Case):
    """A call and what it returns."""

    inputs: Mapping[str, Argument] = key("the inputs by name")
    outputs: Mapping[str, Argument] = key("the expected outputs by name")
    attributes: Mapping[str, Tree] = key("the attributes by name", default={})
    description: str | None = key("what the example shows", default=None)
    onnx_test: str | None = key("ONNX's own test with the same data", default=None)
    each_type: str | None = key("the type variable to repeat it for", default=None)


@dataclass(frozen=True)
class RejectedInputs:
    """The inputs of a call that is refused: by name, or as many as one likes by position."""

    location: Location = field(repr=False, compare=False)
    named: Mapping[str, Argument] | None
    positional: tuple[Argument, ...] = ()

    @classmethod
    def from_tree(cls, tree: Tree, faults: Faults) -> RejectedInputs:
        """Read a mapping or a list."""
        if isinstance(tree, Items):
            arguments = [Argument.from_tree(item, faults) for item in tree.items]
            return cls(tree.location, None, tuple(arguments))
        named = read_value(Mapping[str, Argument], tree, faults)
        return cls(tree.location, named)

    @property
    def arguments(self) -> Iterator[Argument]:
        """Every argument."""
        yield from self.positional if self.named is None else self.named.values()


@dataclass(frozen=True, kw_only=True)
class Reject(Case):
    """A call that is refused, and the words it is refused with."""

    inputs: RejectedInputs = key("the inputs, by name or as a list")
    raises: ErrorClass = key("the class of the error")
    error: str = key("the message, without the operator in front")
    attributes: Mapping[str, Tree] = key("the attributes by name", default={})
    outputs: int | None = key("how many outputs the call asks for", default=None)
    by_kernel: bool = key("whether the kernel refuses it, for contents", default=False)
    description: str | None = key("why it is refused", default=None)


class ErratumKind(enum.Enum):
    """The answers that conform to the published text, where an erratum is about it.

    Any answer, where it is silent; each of its readings, where it is contradictory; that of the
    text, where we overrule it; ours alone, where it is clear and others differ.
    """

    SILENT = "silent"
    CONTRADICTORY = "contradictory"
    OVERRULED = "overruled"
    CLEAR = "clear"

    @property
    def is_open(self) -> bool:
        """True if other answers than ours conform."""
        return self is not ErratumKind.CLEAR


@dataclass(frozen=True, kw_only=True)
class Erratum(Ranged):
    """A contradiction in the published text, or with the runtimes, and our decision."""

    name: str | None = key("its name, where cases rest on it", default=None, form=CASE_NAME)
    kind: ErratumKind = key("silent, contradictory, overruled or clear")
    text: str = key("what is contradictory")
    decision: str = key("what we do")
    evidence: str = key("how we know")


@dataclass(frozen=True, kw_only=True)
class CasesFile(Node):
    """The examples and rejects of all versions of an operator."""

    examples: tuple[Example, ...] = key("calls and their results")
    rejects: tuple[Reject, ...] = key("calls that are refused", default=())


@dataclass(frozen=True, kw_only=True)
class ErrataFile(Node):
    """The errata of all versions of an operator."""

    errata: tuple[Erratum, ...] = key("contradictions and decisions", form={"minItems": 1})
