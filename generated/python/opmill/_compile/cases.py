"""The inputs of a network's test, and the outputs that the model computes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from opmill._compile.bounds import shape_at
from opmill._compile.network import Network
from opmill._compile.verify import node_values
from opmill._model.declared import check_fed
from opmill._model.errors import FeedError, ModelError, shown
from opmill._model.graph import Graph
from opmill._model.plan import Program
from opmill._runtime.errors import Error
from opmill._runtime.progress import Progress, silent
from opmill._runtime.types import Array, dtype_of

_MAX_TRIED = 40
"""Number of random inputs after which the first ones' error is reported."""


class Case(NamedTuple):
    """Inputs of a network's test, and the outputs that they give.

    Args:
        sizes: the sizes that the caller chooses, and values with maxima, by their keys.
        inputs: in the network's order.
        outputs: in the network's order.
    """

    sizes: Mapping[str, int]
    inputs: Sequence[Array]
    outputs: Sequence[Array]


def cases_of_test(
    net: Network,
    graph: Graph,
    program: Program,
    given: Mapping[str, Any],
    seed: int,
    progress: Progress = silent,
) -> tuple[list[Case], list[list[Any]]]:
    """The cases of a test, and the outputs of each checked node in the first one.

    Args:
        net: the network.
        graph: the model.
        program: its plan.
        given: inputs by name, of which there is one case; the others are random.
        seed: of random ones.
        progress: passes on the nodes that are computed.

    Raises:
        FeedError: a given input does not match the model's.
        Error: the model does not compute the inputs.
    """
    refusal: Error | None = None
    for sizes, chosen in _first(net, seed, bool(given)):
        found, arrays = inputs_of_test(net, graph, given, chosen, sizes)
        try:
            expected = list(node_values(net, program, arrays, progress))
        except Error as error:
            refusal = refusal or error
            continue
        cases = [Case(found, arrays, expected[-1])]
        return cases + (
            [] if given else _smaller_cases(net, graph, program, chosen, found)
        ), expected
    assert refusal is not None
    if _have_values(net) and not given:
        raise ModelError(f"{refusal}; choose the inputs of the test with --inputs")
    raise refusal


def _have_values(net: Network) -> bool:
    """Return whether values have maxima, not dims alone."""
    return net.maxima.names != net.size_names


def _first(net: Network, seed: int, given: bool) -> Iterator[tuple[Mapping[str, int], int]]:
    """Sizes and seeds of the first case: others where values decide what is valid."""
    yield net.maxima.sizes, seed
    if not given and _have_values(net):
        for k in range(1, _MAX_TRIED):
            yield net.valid_sizes[k % len(net.valid_sizes)], seed + k


def inputs_of_test(
    net: Network,
    graph: Graph,
    given: Mapping[str, Any],
    seed: int,
    sizes: Mapping[str, int] | None = None,
) -> tuple[Mapping[str, int], list[Array]]:
    """The sizes and the inputs of a test: given by name, otherwise random.

    Args:
        net: the network.
        graph: the model.
        given: arrays by name.
        seed: of random ones.
        sizes: of the dims that are open, by name; without, those of given ones and the maxima.

    Raises:
        FeedError: a given one does not match the model's input.
    """
    names = {port.name for port in net.inputs}
    for name in given:
        if name not in names:
            have = ", ".join(map(shown, sorted(names))) or "none"
            raise FeedError(f"the model has no input {shown(name)}, expected: {have}")
    declared = {one.name: one for one in graph.inputs}
    random = np.random.default_rng(seed)
    found: list[Array] = []
    arrays = {name: check_fed(declared[name], value, {}) for name, value in given.items()}
    chosen = dict(net.maxima.sizes if sizes is None else sizes)
    for port in net.inputs:
        if port.name in arrays:
            dims = net.open_dims.get(port.number, ())
            shape = arrays[port.name].shape
            if len(shape) == len(dims):
                chosen.update(
                    (dim, min(size, net.maxima.sizes[dim]))
                    for dim, size in zip(dims, shape, strict=True)
                    if isinstance(dim, str)
                )
    for port in net.inputs:
        value = net.values[port.number]
        expected = shape_at(net.open_dims.get(port.number, value.shape), chosen)
        if port.name in arrays:
            array = arrays[port.name]
            if array.shape != expected:
                raise FeedError(
                    f"input {shown(port.name)} has shape {list(array.shape)}, expected "
                    f"{list(expected)}"
                )
            found.append(np.ascontiguousarray(array, array.dtype.newbyteorder("=")))
        elif port.number in net.bounded_inputs:
            found.append(net.maxima.values(port.name, value.type, expected, chosen))
        else:
            found.append(_random(value.type, expected, random))
    return chosen, found


def _random(word: str, shape: tuple[int, ...], random: np.random.Generator) -> Array:
    """Normal floats; integers of 8 and 16 bits of any value, others 0 or 1, for any index."""
    dtype = dtype_of(word)
    if dtype.kind in "iu" and dtype.itemsize <= 2:
        limits = np.iinfo(dtype)
        return random.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    if dtype.kind in "iub":
        return random.integers(0, 2, shape).astype(dtype)
    real = random.standard_normal(shape)
    if dtype.kind == "c":
        return (real + 1j * random.standard_normal(shape)).astype(dtype)
    return np.asarray(real).astype(dtype)


def _smaller_cases(
    net: Network, graph: Graph, program: Program, seed: int, first: Mapping[str, int]
) -> list[Case]:
    """Cases of the test with sizes below the maxima, as far as the model computes them."""
    found = []
    tried = [first]
    maxima = net.maxima.sizes
    others = [net.valid_sizes[-1], *net.valid_sizes[1:3]] if _have_values(net) else []
    for sizes in (
        {name: size // 2 for name, size in maxima.items()},
        {name: min(size, 1) for name, size in maxima.items()},
        dict.fromkeys(maxima, 0),
        *others,
    ):
        if sizes in tried:
            continue
        tried.append(sizes)
        _, given = inputs_of_test(net, graph, {}, seed + len(tried) - 1, sizes)
        try:
            *_, outputs = node_values(net, program, given)
        except Error:  # which the network reports too
            continue
        found.append(Case(sizes, given, outputs))
    return found
