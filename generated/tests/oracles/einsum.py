"""Reference of Einsum: sums over all indices of the letters, in exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from opmill_checks.indices import ravel
from opmill_checks.rounding import FORMATS, element
from opmill_checks.value import Value

Labels = list[Any]
Sums = dict[tuple[int, ...], Any]
"""Elements by their indices."""


def labels_of(equation: str, inputs: Sequence[Value]) -> tuple[list[Labels], Labels]:
    """The labels of the axes of each input and of the output; a number for a dim under dots."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = [term.replace("...", ".") for term in left.split(",")]
    covered = 0
    for term, value in zip(terms, inputs, strict=True):
        if "." in term:
            covered = len(value.shape) - len(term) + 1

    def spread(term: str) -> Labels:
        return [one for c in term for one in (range(covered) if c == "." else [c])]

    letters = left.replace(".", "").replace(",", "")
    once = sorted(c for c in set(letters) if letters.count(c) == 1)
    output = spread(right.replace("...", ".")) if arrow else [*range(covered), *once]
    return [spread(term) for term in terms], output


def times(a: Any, b: Any) -> Any:
    """The exact product; of what is not finite that of floats."""
    exact = not (isinstance(a, float) or isinstance(b, float))
    return a * b if exact else float(a) * float(b)


def plus(a: Any, b: Any) -> Any:
    exact = not (isinstance(a, float) or isinstance(b, float))
    return a + b if exact else float(a) + float(b)


def number(item: Any) -> Any:
    """An integer, a fraction, or a float that is not finite."""
    return Fraction(item) if isinstance(item, float) and math.isfinite(item) else item


def summed(terms: Sums, labels: Labels, remaining: Labels) -> Sums:
    """The sums over the labels that are not kept."""
    positions = [labels.index(label) for label in remaining]
    found: Sums = {}
    for index, item in terms.items():
        key = tuple(index[position] for position in positions)
        found[key] = plus(found[key], item) if key in found else item
    return found


def read(value: Value, labels: Labels) -> tuple[Sums, Labels]:
    """The elements on the diagonal of equal labels; axes of one position are left out."""
    axes = {label: axis for axis, label in enumerate(labels) if value.shape[axis] != 1}
    sizes = [range(value.shape[axis]) for axis in axes.values()]
    found: Sums = {}
    for index in product(*sizes):
        at = dict(zip(axes, index, strict=True))
        position = [at.get(label, 0) for label in labels]
        found[index] = number(value.items[ravel(position, value.shape)])
    return found, [*axes]


def joined(a: Sums, a_labels: Labels, b: Sums, b_labels: Labels) -> Iterator[tuple[Any, Any]]:
    """All products of elements with the same indices of the labels that both have."""
    shared = [label for label in a_labels if label in b_labels]
    own = [k for k, label in enumerate(b_labels) if label not in a_labels]
    by_shared: dict[tuple[int, ...], list[tuple[tuple[int, ...], Any]]] = {}
    for index, item in b.items():
        key = tuple(index[b_labels.index(label)] for label in shared)
        by_shared.setdefault(key, []).append((tuple(index[k] for k in own), item))
    for index, item in a.items():
        key = tuple(index[a_labels.index(label)] for label in shared)
        for rest, other in by_shared.get(key, []):
            yield (*index, *rest), times(item, other)


def oracle(inputs: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Value]:
    values: Sequence[Value] = inputs["Inputs"]
    type = values[0].type
    given, output = labels_of(attributes["equation"], values)
    sizes: dict[Any, int] = {}
    for labels, value in zip(given, values, strict=True):
        for label, dim in zip(labels, value.shape, strict=True):
            sizes[label] = dim if dim != 1 else sizes.get(label, 1)
    terms = [read(value, labels) for value, labels in zip(values, given, strict=True)]
    total: Sums = {(): 1}
    known: Labels = []
    for position, (elements, labels) in enumerate(terms):
        others = [label for k, (_, some) in enumerate(terms) if k != position for label in some]
        remaining = [label for label in labels if label in others or label in output]
        alone = summed(elements, labels, remaining)
        later = [label for _, some in terms[position + 1 :] for label in some]
        total = dict(joined(total, known, alone, remaining)) if position else alone
        known = [*known, *(label for label in remaining if label not in known)]
        needed = [label for label in known if label in later or label in output]
        total, known = summed(total, known, needed), needed
    shape = tuple(sizes[label] for label in output)
    items = []
    for index in product(*(range(dim) for dim in shape)):
        at = dict(zip(output, index, strict=True))
        item = total.get(tuple(at[label] for label in known), 0)
        items.append(element(type, float(item) if item == 0 and type in FORMATS else item))
    return {"Output": Value(type, shape, tuple(items))}
