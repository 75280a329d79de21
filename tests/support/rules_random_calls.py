"""Random and hostile calls of the rules of families: mostly legal, with numbers that overflow."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

from rules_values import Given

LARGE = (2**31, 2**32, 2**62, 2**63 - 2, 2**63 - 1)
Call = tuple[list[Given | None], dict[str, Any]]


def dims(rng: random.Random, rank: int) -> tuple[int, ...]:
    hostile = rng.random() < 0.2
    return tuple(
        rng.choice(LARGE) if hostile and rng.random() < 0.4 else rng.randint(0, 4)
        for _ in range(rank)
    )


def rank(rng: random.Random) -> int:
    return rng.choice((0, 1, 1, 2, 2, 3, 4, 63, 64))


def counts(rng: random.Random, length: int) -> tuple[int, ...]:
    values = [rng.choice((0, 1, 1, 2, 3)) for _ in range(length)]
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        if values:
            values[rng.randrange(length)] = rng.choice((*LARGE, -1, -(2**63)))
    return tuple(values)


def integers(name: str, values: tuple[int, ...], rng: random.Random) -> Given:
    """A tensor of integers; now and then of another rank, or of unknown contents."""
    if rng.random() < 0.04:
        return Given(name, "int64", (1, len(values)), values)
    if rng.random() < 0.04 and len(values) == 1:
        return Given(name, "int64", (), values)
    return Given(name, "int64", (len(values),), None if rng.random() < 0.03 else values)


def cast_call(rng: random.Random) -> Call:
    mode = rng.choice(("up", "down", "nearest", "up", "", "UP", "\n'\\", "é" * 30))
    attributes = {"to": 1, "saturate": rng.choice((0, 1, -1, *LARGE)), "round_mode": mode}
    return [Given("input", "float", dims(rng, rank(rng)))], attributes


def cast_like_call(rng: random.Random) -> Call:
    inputs, attributes = cast_call(rng)
    del attributes["to"]
    return [*inputs, Given("target_type", "int8", dims(rng, rank(rng)))], attributes


def elementwise_call(rng: random.Random, name: str = "X") -> Call:
    attributes = {
        "alpha": rng.choice((1.0, -0.5, 0.0)),
        "consumed_inputs": rng.choice((None, [], [0], [1, 2])),
        "approximate": rng.choice(("none", "tanh", "none", "Tanh")),
        "beta": rng.choice((0.5, -1.0)),
        "gamma": rng.choice((1.0, 1.0507)),
        "detect_negative": rng.choice((0, 1, 2, -1, *LARGE)),
        "detect_positive": rng.choice((0, 1, 2, -1, *LARGE)),
        "lambd": rng.choice((0.5, -1.0, float("inf"))),
        "threshold": rng.choice((0.0, 1.5)),
    }
    return [Given(name, "float", dims(rng, rank(rng)))], attributes


def shrink_call(rng: random.Random) -> Call:
    """A sum of any kind, to which integers have an answer only where it is finite."""
    (given,), attributes = elementwise_call(rng, "input")
    assert given is not None
    odd = (float("inf"), float("-inf"), float("nan"), 3.5e38, -3.5e38)
    attributes["bias"] = rng.choice(odd if rng.random() < 0.3 else (0.0, 1.5, -0.5))
    return [given._replace(type=rng.choice(("float", "double", "int32", "uint8")))], attributes


def elementwise_binary_call(rng: random.Random) -> Call:
    """B is a stretch of A's dims, often the last ones; now and then with ones, or others."""
    a = dims(rng, rank(rng))
    first = rng.randint(0, len(a))
    last = len(a) if rng.random() < 0.6 else rng.randint(first, len(a))
    change = rng.choice((0, 0, 0.3))
    b = [rng.choice((1, 1, 2, *LARGE)) if rng.random() < change else d for d in a[first:last]]
    if rng.random() < 0.3:
        first, b = 0, list(a)
    attributes = {
        "axis": rng.choice((None, None, first, first, -1, len(a), 2**63 - 1, -(2**63))),
        "broadcast": rng.choice((0, 1, 1, 1, 1, 2, -1)),
        "consumed_inputs": rng.choice((None, [0, 1])),
        "fmod": rng.choice((0, 1)) if rng.random() < 0.85 else rng.choice((2, -1, *LARGE)),
    }
    type = rng.choice(("float", "int32"))
    return [Given("A", type, a), Given("B", type, tuple(b))], attributes


def shift_call(rng: random.Random) -> Call:
    (x, y), attributes = elementwise_binary_call(rng)
    assert x is not None
    assert y is not None
    words = ("LEFT", "RIGHT") if rng.random() < 0.8 else ("", "left", "LEFT ", "\n'\\", "é" * 30)
    attributes["direction"] = rng.choice(words)
    return [x._replace(name="X", type="uint8"), y._replace(name="Y", type="uint8")], attributes


def identity_call(rng: random.Random) -> Call:
    return [Given("input", "float", dims(rng, rank(rng)))], {}


def expand_call(rng: random.Random) -> Call:
    shape = dims(rng, rank(rng))
    wanted = [rng.choice((dim, dim, 1, rng.randint(0, 4))) for dim in shape[-rng.randint(0, 64) :]]
    if rng.random() < 0.4:
        wanted = [*counts(rng, rng.choice((1, 2, 62))), *wanted]
    if rng.random() < 0.1:
        wanted = list(counts(rng, rng.choice((0, 1, 2, 3, 64, 65, 200))))
    return [Given("input", "float", shape), integers("shape", tuple(wanted), rng)], {}


def non_zero_call(rng: random.Random) -> Call:
    """One of five has two huge dims, so that the bound leaves int64."""
    shape = list(dims(rng, rank(rng)))
    if len(shape) > 1 and rng.random() < 0.2:
        shape[:2] = [rng.choice(LARGE), rng.choice(LARGE)]
    return [Given("X", "float", tuple(shape))], {}


def some_axes(rng: random.Random, rank: int) -> tuple[int, ...]:
    """Some axes of such a tensor, mostly each once; now and then from the end, or none of its."""
    axes = [axis for axis in range(rank) if rng.random() < 0.5]
    if rng.random() < 0.4:
        axes = [axis - rank if rng.random() < 0.5 else axis for axis in axes]
    rng.shuffle(axes)
    if rng.random() < 0.2:
        odd = (rank, -rank, -rank - 1, 0, -1, *LARGE, -(2**63))
        axes.insert(rng.randint(0, len(axes)), rng.choice(odd))
    return tuple(axes)


def flag(rng: random.Random) -> int:
    return rng.choice((0, 1)) if rng.random() < 0.95 else rng.choice((2, -1, 2**63 - 1))


def reduce_attribute_call(rng: random.Random) -> Call:
    shape = dims(rng, rank(rng))
    axes = list(some_axes(rng, len(shape))) if rng.random() < 0.8 else None
    return [Given("data", "float", shape)], {"axes": axes, "keepdims": flag(rng)}


def reduce_input_call(rng: random.Random) -> Call:
    shape = dims(rng, rank(rng))
    axes = integers("axes", some_axes(rng, len(shape)), rng) if rng.random() < 0.8 else None
    attributes = {"keepdims": flag(rng), "noop_with_empty_axes": flag(rng)}
    return [Given("data", "float", shape), axes], attributes


def reduce_spatial_call(rng: random.Random) -> Call:
    return [Given("X", "float", dims(rng, rank(rng)))], {}


def an_axis(rng: random.Random, rank: int) -> int:
    """Mostly one of a tensor's, counted from either end."""
    if rng.random() < 0.1:
        return rng.choice((rank, -rank - 1, *LARGE, -(2**63)))
    return rng.randint(-rank, rank - 1) if rank and rng.random() < 0.3 else rng.randrange(rank or 1)


def arg_reduce_call(rng: random.Random) -> Call:
    shape = dims(rng, rank(rng))
    attributes = {"axis": an_axis(rng, len(shape)), "keepdims": flag(rng)}
    return [Given("data", "float", shape)], {**attributes, "select_last_index": flag(rng)}


def top_k_attribute_call(rng: random.Random) -> Call:
    shape = dims(rng, rank(rng))
    count = rng.choice((0, 1, 2, 3, 4, -1, *LARGE))
    return [Given("X", "float", shape)], {"axis": an_axis(rng, len(shape)), "k": count}


def top_k_input_call(rng: random.Random) -> Call:
    shape = dims(rng, rank(rng))
    count = integers("K", counts(rng, rng.choice((0, 1, 1, 1, 1, 1, 2))), rng)
    attributes = {"axis": an_axis(rng, len(shape)), "largest": flag(rng), "sorted": flag(rng)}
    return [Given("X", "float", shape), count], attributes


def scan_call(rng: random.Random) -> Call:
    shape = dims(rng, rank(rng))
    axis = Given("axis", "int64", (), (an_axis(rng, len(shape)),))
    if rng.random() < 0.1:
        axis = integers("axis", counts(rng, rng.choice((0, 1, 2))), rng)
    attributes = {"exclusive": flag(rng), "reverse": flag(rng)}
    return [Given("x", "float", shape), axis], attributes


def concat_call(rng: random.Random) -> Call:
    """Inputs that differ along the axis, now and then elsewhere, in rank, or by huge dims."""
    shape = list(dims(rng, rank(rng)))
    axis = an_axis(rng, len(shape))
    given = []
    for _ in range(rng.choice((1, 2, 2, 3, 5, 130))):
        own = list(shape)
        if -len(own) <= axis < len(own):
            own[axis] = rng.choice((0, 1, 2, 2**61)) if rng.random() < 0.9 else rng.choice(LARGE)
        if rng.random() < 0.02:
            own[:1] = [rng.randint(0, 4), rng.randint(0, 4)][: rng.randint(0, 2)]
        given.append(Given("inputs", "float", tuple(own)))
    return [given], {"axis": None if rng.random() < 0.1 else axis}


def lengths_of(rng: random.Random, shape: tuple[int, ...], axis: int) -> tuple[list[int], int]:
    """The lengths of some parts, mostly right, and how many outputs are asked for."""
    size = shape[axis] if -len(shape) <= axis < len(shape) else 3
    cuts = sorted(rng.randint(0, min(size, 9)) for _ in range(rng.choice((0, 1, 1, 2, 129))))
    lengths = [b - a for a, b in zip([0, *cuts], [*cuts, size], strict=True)]
    if rng.random() < 0.15:
        lengths[rng.randrange(len(lengths))] = rng.choice((0, 1, -1, *LARGE))
    return lengths, len(lengths) if rng.random() < 0.9 else rng.randint(1, 4)


def divided(rng: random.Random, shape: tuple[int, ...], axis: int, parts: int) -> tuple[int, ...]:
    """A shape whose axis has so many equal parts, more often than by chance."""
    if -len(shape) <= axis < len(shape) and rng.random() < 0.7:
        changed = list(shape)
        changed[axis] = parts * rng.randint(0, 3) + rng.choice((0, 0, 1))
        return tuple(changed)
    return shape


def split_input_call(rng: random.Random) -> Call:
    shape = dims(rng, rank(rng))
    axis = an_axis(rng, len(shape))
    lengths, outputs = lengths_of(rng, shape, axis)
    attributes: dict[str, Any] = {"axis": rng.choice((axis, axis, axis, None)), "outputs": outputs}
    way = rng.choice(("input", "input", "attribute", "number", "neither", "all"))
    attributes["split_attribute"] = lengths if way in ("attribute", "all") else None
    number = outputs if rng.random() < 0.9 else rng.choice((0, -1, outputs + 1, *LARGE))
    attributes["num_outputs"] = number if way in ("number", "all") else None
    if way in ("number", "neither"):
        shape = divided(rng, shape, axis, outputs)
    split = None
    if way in ("input", "all"):
        split = integers("split", tuple(lengths), rng)
    return [Given("input", "float", shape), split], attributes


def split_floats_call(rng: random.Random) -> Call:
    """The lengths are floats, now and then such as are no integers."""
    (whole, split), attributes = split_input_call(rng)
    if split is not None and split.contents is not None:
        values = [float(length) for length in split.contents]
        if rng.random() < 0.15:
            values[-1] = rng.choice((0.5, float("nan"), -0.0, 2.0**63))
        split = Given("split", "float", split.shape, tuple(values))
    return [whole, split], attributes


def split_attribute_call(rng: random.Random) -> Call:
    shape = dims(rng, rank(rng))
    axis = an_axis(rng, len(shape))
    lengths, outputs = lengths_of(rng, shape, axis)
    listed = rng.random() < 0.6
    if not listed:
        shape = divided(rng, shape, axis, outputs)
    attributes = {"axis": axis, "split": lengths if listed else None, "outputs": outputs}
    return [Given("input", "float", shape)], attributes


def tile_call(rng: random.Random) -> Call:
    shape = dims(rng, rank(rng))
    length = len(shape) if rng.random() < 0.85 else rank(rng)
    return [Given("input", "float", shape), integers("repeats", counts(rng, length), rng)], {}


def tile_one_axis_call(rng: random.Random) -> Call:
    shape = dims(rng, rank(rng))

    def one(name: str, usual: float) -> Given:
        odd = (0.5, -0.0, -1.0, float("nan"), float("inf"), 2.0**62, 2.0**63, -(2.0**63), 1e300)
        value = rng.choice(odd) if rng.random() < 0.3 else usual
        held = rng.choice(((), (1,), (1,), (1, 1)))
        if rng.random() < 0.05:
            return Given(name, "float", (2,), (value, value))
        return Given(name, "float", held, None if rng.random() < 0.03 else (value,))

    axis = float(rng.randint(-len(shape) - 1, len(shape)))
    return [
        Given("input", "float", shape),
        one("tiles", float(rng.randint(-1, 4))),
        one("axis", axis),
    ], {}


def conv_transpose_call(rng: random.Random) -> Call:
    spatial = rng.choice((1, 1, 2, 3, 62))
    group = rng.choice((1, 1, 2, 3))
    channels = group * rng.randint(0, 3)
    each = rng.randint(0, 3)
    small = rng.random() < 0.75
    length = [rng.randint(0 if small else 1, 5) for _ in range(spatial)]
    kernel = [rng.randint(1, 4) for _ in range(spatial)]
    x = [rng.randint(0, 3), channels, *length]
    w = [channels, each, *kernel]
    attributes: dict[str, Any] = {
        "auto_pad": rng.choice(("NOTSET", "NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")),
        "group": group,
        "dilations": [rng.randint(1, 3) for _ in range(spatial)],
        "strides": [rng.randint(1, 3) for _ in range(spatial)],
        "kernel_shape": list(kernel),
        "output_padding": [rng.choice((0, 0, 0, 1)) for _ in range(spatial)],
        "output_shape": [rng.randint(1, 9) for _ in range(spatial)],
        "pads": [rng.choice((0, 0, 1)) for _ in range(2 * spatial)],
    }
    for name in ("dilations", "kernel_shape", "output_padding", "output_shape", "pads", "strides"):
        if rng.random() < (0.85 if name == "output_shape" else 0.5):
            attributes[name] = None
    b: Given | None = None
    if rng.random() < 0.4:
        b = Given("B", "float", (each * group,))
    if not small:
        spoil(rng, [x, w], attributes)
    inputs = [Given("X", "float", tuple(x)), Given("W", "float", tuple(w)), b]
    return inputs, attributes


def pool_call(rng: random.Random, p: tuple[Any, ...] = ()) -> Call:
    spatial = rng.choice((1, 1, 2, 3, 62))
    small = rng.random() < 0.75
    x = [rng.randint(0, 3), rng.randint(0, 3), *(rng.randint(1, 9) for _ in range(spatial))]
    attributes: dict[str, Any] = {
        "auto_pad": rng.choice(("NOTSET", "NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")),
        "ceil_mode": rng.choice((0, 1, 1) if small else (0, 1, 2, -1)),
        "count_include_pad": rng.choice((0, 1, 1) if small else (0, 1, 2, -1)),
        "dilations": [rng.randint(1, 3) for _ in range(spatial)],
        "kernel_shape": [rng.choice((1, 1, 2, 3)) for _ in range(spatial)],
        "pads": [rng.choice((0, 0, 1, 4)) for _ in range(2 * spatial)],
        "storage_order": rng.choice((0, 1) if small else (0, 1, 2**40)),
        "strides": [rng.randint(1, 4) for _ in range(spatial)],
    }
    if p:
        attributes["p"] = rng.choice(p)
        if rng.random() < 0.03:
            attributes["kernel_shape"] = None
    for name in ("dilations", "pads", "strides"):
        if rng.random() < 0.5:
            attributes[name] = None
    if not small:
        spoil(rng, [x], attributes)
    return [Given("X", "float", tuple(x))], attributes


P = (1.0, 2.0, 1.5, 3.4e38, 1.0, 2.0, 0.5, float("inf"), float("nan"), -1.0)


def global_pool_call(rng: random.Random, p: tuple[Any, ...]) -> Call:
    return [Given("X", "float", dims(rng, rank(rng)))], {"p": rng.choice(p)}


def spoil(rng: random.Random, shapes: list[list[int]], attributes: dict[str, Any]) -> None:
    """Make one or two things wrong, or huge."""
    for _ in range(rng.choice((1, 1, 2))):
        lists = [value for value in attributes.values() if isinstance(value, list)]
        values = rng.choice([*shapes, *lists])
        kind = rng.randrange(6)
        if kind == 0 and values:
            values[rng.randrange(len(values))] = rng.choice((0, *LARGE))
        elif kind == 1 and lists:
            rng.choice(lists)[:1] = [rng.choice((-1, 0, -(2**63), *LARGE))]
        elif kind == 2 and lists:
            rng.choice(lists).append(1)
        elif kind == 3 and values:
            del values[-1]
        elif kind == 4 and "group" in attributes:
            attributes["group"] = rng.choice((0, -1, 5, 2**63 - 1, -(2**63)))
        else:
            attributes["auto_pad"] = rng.choice(("", "same", "NOTSET ", "\n'\\", "é" * 30, "VALID"))


def elementwise_variadic_call(rng: random.Random) -> Call:
    """Shapes with dims of 1, without first axes, and now and then another dim; or all the same."""
    shape = dims(rng, rank(rng))
    same = rng.random() < 0.3
    given = []
    for _ in range(rng.choice((1, 2, 2, 3, 5, 130))):
        own = [1 if not same and rng.random() < 0.3 else dim for dim in shape]
        own = own[0 if same else rng.choice((0, 0, 1, 3)) :]
        if own and rng.random() < 0.05:
            own[rng.randrange(len(own))] = rng.randint(0, 4)
        given.append(Given("data_0", "float", tuple(own)))
    return [given], {"consumed_inputs": rng.choice((None, [], [0], [1, 2]))}


def where_call(rng: random.Random) -> Call:
    """One shape thrice, with dims of 1, without first axes, and now and then another dim."""
    shape = dims(rng, rank(rng))
    sides = []
    for name, type in (("condition", "bool"), ("X", "float"), ("Y", "float")):
        own = [1 if rng.random() < 0.3 else dim for dim in shape]
        own = own[rng.choice((0, 0, 1, 3)) :]
        if own and rng.random() < 0.1:
            own[rng.randrange(len(own))] = rng.randint(0, 4)
        sides.append(Given(name, type, tuple(own)))
    return list(sides), {}


def matmul_call(rng: random.Random) -> Call:
    """Stacks of matrices that mostly fit; now and then vectors, or another dim."""
    m, k, n = (rng.choice((0, 1, 2, 3, 5)) for _ in range(3))
    stack = list(dims(rng, rng.choice((0, 0, 1, 2, 62))))
    sides = []
    for name, last in (("A", [m, k]), ("B", [k, n])):
        own = [1 if rng.random() < 0.3 else dim for dim in stack][rng.choice((0, 0, 1)) :] + last
        if rng.random() < 0.15:
            own = [k][: rng.choice((1, 1, 0))]
        if own and rng.random() < 0.15:
            own[rng.randrange(len(own))] = rng.randint(0, 4)
        sides.append(Given(name, "float", tuple(own)))
    return list(sides), {}


def gemm_call(rng: random.Random) -> Call:
    m, k, n = (rng.choice((0, 1, 2, 3, 5, *LARGE[:2])) for _ in range(3))
    flip_a, flip_b = rng.choice((0, 0, 1, -1)), rng.choice((0, 0, 1, 2))
    shapes = [[k, m] if flip_a else [m, k], [n, k] if flip_b else [k, n]]
    shapes.append(rng.choice(([m, n], [m, n], [n], [1, n], [m, 1], [], [1], [1, m, n])))
    for shape in shapes:
        if shape and rng.random() < 0.08:
            shape[rng.randrange(len(shape))] = rng.randint(0, 4)
        if rng.random() < 0.04:
            shape.append(1)
    a, b, c = (
        Given(name, "float", tuple(shape)) for name, shape in zip("ABC", shapes, strict=True)
    )
    attributes: dict[str, Any] = {
        "alpha": rng.choice((1.0, 0.5)),
        "beta": rng.choice((1.0, 0.0)),
        "broadcast": rng.choice((0, 0, 1, 7)),
        "transA": flip_a,
        "transB": flip_b,
    }
    return [a, b, c if rng.random() < 0.8 else None], attributes


def conv_call(rng: random.Random) -> Call:
    inputs, attributes = conv_transpose_call(rng)
    x, w = inputs[0], inputs[1]
    assert x is not None
    assert w is not None
    group = max(1, attributes["group"])
    shape = [min(w.shape[1] * group, 2**63 - 1), w.shape[0] // group, *w.shape[2:]]
    if rng.random() < 0.05:
        shape[0] += 1
    del attributes["output_padding"], attributes["output_shape"]
    return [x, Given("W", "float", tuple(shape)), inputs[2]], attributes


CALL: dict[str, Callable[[random.Random], Call]] = {
    "arg_reduce": arg_reduce_call,
    "cast/attribute": cast_call,
    "cast/like": cast_like_call,
    "concat": concat_call,
    "conv": conv_call,
    "conv_transpose/attributes": conv_transpose_call,
    "elementwise": elementwise_call,
    "elementwise.rules_plain_input": lambda rng: elementwise_call(rng, "input"),
    "elementwise.rules_shrink": shrink_call,
    "elementwise_binary": elementwise_binary_call,
    "elementwise_binary.rules_shift": shift_call,
    "elementwise_variadic": elementwise_variadic_call,
    "expand": expand_call,
    "gemm": gemm_call,
    "identity": identity_call,
    "matmul": matmul_call,
    "max_pool": pool_call,
    "pool/global_norm": partial(global_pool_call, p=P),
    "pool/mean": pool_call,
    "pool/norm": partial(pool_call, p=P),
    "non_zero": non_zero_call,
    "reduce/axes_attribute": reduce_attribute_call,
    "reduce/axes_input": reduce_input_call,
    "scan": scan_call,
    "reduce/spatial": reduce_spatial_call,
    "split/lengths_attribute": split_attribute_call,
    "split/lengths_input": split_input_call,
    "split.rules_lengths_input_floats": split_floats_call,
    "tile/all_axes": tile_call,
    "tile/one_axis": tile_one_axis_call,
    "top_k/k_attribute": top_k_attribute_call,
    "top_k/k_input": top_k_input_call,
    "where": where_call,
}
"""By family, by family and rule where it has several, or by module."""
