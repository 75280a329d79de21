"""Selection of the parts of a case that apply to one of several versions.

The message of a reject may list the types of a type variable, as ``{T}``, and the names of the
attributes, as ``{attributes}``: each version has its own.
"""

from __future__ import annotations

import dataclasses
import re

from opmill_gen.base.onnx_types import OptionalType, SequenceType, TensorType
from opmill_gen.base.shared_messages import cut_message
from opmill_gen.spec.cases import Ranged, Reject
from opmill_gen.spec.operator_version import OperatorVersion

ATTRIBUTES = "attributes"
"""The placeholder of the names of a version's attributes."""

PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def in_words_of(spec: OperatorVersion, item: Ranged) -> Ranged:
    """The item as it is in a version; a placeholder of no type variable stays as it is."""
    if not isinstance(item, Reject) or not PLACEHOLDER.search(item.error):
        return item
    error = with_names(spec, item.error)
    return dataclasses.replace(item, error=cut_message(spec.label, error))


def with_names(spec: OperatorVersion, text: str) -> str:
    """A text with the types in place of ``{T}``, the attributes in place of ``{attributes}``."""
    return PLACEHOLDER.sub(lambda match: _names(spec, match[1]) or match[0], text)


def _names(spec: OperatorVersion, placeholder: str) -> str:
    if placeholder == ATTRIBUTES:
        names = [attribute.name for attribute in spec.attributes]
        listed = ", ".join(names)
        return f"one of {listed}" if len(names) > 1 else listed or "none"
    return _types(spec, placeholder)


def _types(spec: OperatorVersion, variable: str) -> str:
    """The element types of a type variable, as messages list them.

    Where it has no tensors, they are those of its optionals, else of its sequences.
    """
    constraint = spec.type_constraints.get(variable)
    types = () if constraint is None else constraint.types
    optionals = [t.item for t in types if isinstance(t, OptionalType)]
    sequences = [t.item for t in types if isinstance(t, SequenceType)]
    for some in (types, optionals, sequences):
        words = [t.element.value for t in some if isinstance(t, TensorType)]
        if words:
            return ", ".join(words)
    return ""
