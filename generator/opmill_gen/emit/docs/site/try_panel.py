"""Calls that a "Try it" panel starts with: examples of the corpus, which the page's script reads.

The panel calls the C library in the browser, and knows inputs, types and attributes from it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable

from opmill_gen.base.onnx_types import ElementType
from opmill_gen.check.result import CheckedVersion
from opmill_gen.emit.backends import C

_MAX_CALLS, _MAX_ELEMENTS = 12, 64
_TYPES = (
    *(ElementType.FLOAT, ElementType.DOUBLE, ElementType.FLOAT16, ElementType.BFLOAT16),
    *(ElementType.INT8, ElementType.INT16, ElementType.INT32, ElementType.INT64),
    *(ElementType.UINT8, ElementType.UINT16, ElementType.UINT32, ElementType.UINT64),
    *(ElementType.BOOL, ElementType.STRING),
)
"""The types that the panel reads and shows."""
_TENSOR = re.compile(
    rf"input \S+ (?:{'|'.join(one.value for one in _TYPES)}) \[([\d,]*)\](?! bits ).*"
)
_ABSENT = re.compile(r"input \S+ absent")
_ATTRIBUTE = re.compile(
    r'attribute \S+ (?:(?:int|float|ints|floats|strings)\b.*|string "(?!")(?:(?!\\n).)*)'
)
"""A field is one line, and an empty one stands for an absent attribute."""
_STRINGS = re.compile(r"\noutput \S+ string ")
_PUBLISHED = re.compile(r"\norigin (?:published|oracle) \S")


def try_panel(version: CheckedVersion, examples: Iterable[str]) -> dict[str, str] | None:
    """The module and record of a version, and its first calls; ``None`` where C lacks it.

    Args:
        version: the version.
        examples: the blocks of the operator's examples in the corpus.
    """
    spec = version.spec
    if C.gap(version) is not None:
        return None
    own = (one for one in examples if str(spec.since_version) in one.split("\n")[1].split(" "))
    # C creates strings in memory that the panel does not provide.
    shown = [one for one in own if not (version.creates_strings and _STRINGS.search(one))]
    ordered = sorted(shown, key=lambda one: _PUBLISHED.search(one) is None)
    calls = [call for one in ordered if (call := _call(one)) is not None][:_MAX_CALLS]
    if not calls:
        return None
    defaults = {
        attribute.name: _default(attribute.default_value)
        for attribute in spec.attributes
        if attribute.default is not None
    }
    data = {"examples": calls, "defaults": defaults}
    return {
        "module": version.instance.family.name,
        "operator": f"opmill_operator_{version.c_package}_{spec.since_version}",
        "data": json.dumps(data, ensure_ascii=True).replace("<", "\\u003c").replace("`", "\\u0060"),
    }


def _call(example: str) -> str | None:
    """The lines that state the call; ``None`` where a tensor is large or cannot be typed."""
    lines = example.split("\n")
    given = [line for line in lines if line.startswith(("attribute ", "input "))]
    if not all(map(_can_be_typed, given)):
        return None
    outputs = sum(line.startswith("output ") for line in lines)
    return "\n".join([lines[0], *given, f"outputs {outputs}"])


def _can_be_typed(line: str) -> bool:
    tensor = _TENSOR.fullmatch(line)
    if tensor is None:
        return _ABSENT.fullmatch(line) is not None or _ATTRIBUTE.fullmatch(line) is not None
    dims = [int(dim) for dim in tensor[1].split(",") if dim]
    # Nested lists hold no dims after the first 0.
    return math.prod(dims) <= _MAX_ELEMENTS and 0 not in dims[:-1]


def _default(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
