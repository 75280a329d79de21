"""The attributes of cases: plain values, and tensors, which are written as those of inputs are.

A sparse tensor has the keys ``values`` and ``indices``, tensors both, and ``dims``.
"""

from __future__ import annotations

from dataclasses import dataclass

from opmill_gen.base.onnx_types import ElementType
from opmill_gen.spec.tensor_values import ByOracle, TensorValue
from opmill_gen.yaml_reader.decode import Faults, Node, Unreadable, key, read_node
from opmill_gen.yaml_reader.tree import Entries, Tree, plain


@dataclass(frozen=True, kw_only=True)
class SparseValue(Node):
    """A sparse tensor of a case."""

    values: TensorValue = key("the elements that are not 0")
    indices: TensorValue = key("their places")
    dims: tuple[int, ...] = key("the shape")

    @property
    def type(self) -> ElementType:
        """The type of the elements."""
        return self.values.type


def attribute_value(tree: Tree) -> object:
    """The value of an attribute; a mapping is a tensor. ``check_attribute`` has read it before."""
    return _tensor(tree, Faults()) if isinstance(tree, Entries) else plain(tree)


def check_attribute(tree: Tree, faults: Faults) -> None:
    """Report what is wrong with a value that is a tensor."""
    if not isinstance(tree, Entries):
        return
    try:
        value = _tensor(tree, faults)
    except Unreadable:
        return
    parts = (value.values, value.indices) if isinstance(value, SparseValue) else (value,)
    if any(isinstance(part.source, ByOracle) for part in parts):
        faults.report(tree.location, "an oracle computes outputs; write the attribute's values")


def _tensor(tree: Entries, faults: Faults) -> TensorValue | SparseValue:
    if "values" in tree.entries:
        return read_node(SparseValue, tree, faults)
    return TensorValue.from_tree(tree, faults)
