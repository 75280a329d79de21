"""Calls of the recurrent layers: all activations, lengths and absent inputs, and tame states.

The weights of the state are small where there are many steps, as an error of the first one would
grow otherwise. ThresholdedRelu, which jumps, comes with activations that compute exactly alone.
With weights of integers a state can lie between two steps of its quantization, and an error of its
last digit is one step then: weights of the state are as small as makes that error small, and
there are no activations without bounds.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, happens, integer

GATES = {"rnn": 1, "gru": 3, "lstm": 4}
ACTIVATIONS = {"rnn": 1, "gru": 2, "lstm": 3}
SMOOTH = ("Sigmoid", "Tanh", "Softsign", "HardSigmoid", "ScaledTanh")
OPEN = ("Affine", "Elu", "LeakyRelu", "Relu", "Softplus")
BOTH_NUMBERS = ("Affine", "HardSigmoid", "ScaledTanh")
ONE_NUMBER = ("Elu", "LeakyRelu", "ThresholdedRelu")


def weights(draw: Draw, shape: tuple[int, ...], largest: int) -> Contents:
    """Eighths up to a number of them."""
    count = 1
    for dim in shape:
        count *= dim
    pattern = [integer(draw, -largest, largest) / 8 for _ in range(min(count, 24))]
    return Contents(shape, tuple(pattern[(7 * i + i // 5) % len(pattern)] for i in range(count)))


def words(draw: Draw, count: int, jumps: bool) -> dict[str, Any]:
    """Names of activations, some in lower case, with numbers enough and now and then more."""
    names = ("ThresholdedRelu", "Relu") if jumps else SMOOTH + OPEN
    chosen = [choice(draw, names) for _ in range(count)]
    both = sum(name in BOTH_NUMBERS for name in chosen)
    one = both + sum(name in ONE_NUMBER for name in chosen)
    attributes: dict[str, Any] = {
        "activations": [name.lower() if happens(draw, 20) else name for name in chosen]
    }
    if any(name in ("Affine", "ScaledTanh") for name in chosen) or happens(draw, 50):
        attributes["activation_alpha"] = numbers(draw, one)
        attributes["activation_beta"] = numbers(draw, both)
    return attributes


def numbers(draw: Draw, count: int) -> list[float]:
    more = count + (integer(draw, 0, 2) if happens(draw, 20) else 0)
    return [integer(draw, -8, 8) / 8 for _ in range(more)]


def legal(
    draw: Draw,
    *,
    rule: str,
    cell: str,
    misspells_forward: bool,
    inputs: Collection[str],
    attributes: Collection[str],
) -> Call:
    """Now and then a length that the kernels must refuse."""
    if rule == "quantized_lstm":
        return quantized(draw)
    direction = choice(draw, ("forward", "reverse", "bidirectional"))
    directions = 2 if direction == "bidirectional" else 1
    jumps = happens(draw, 12)
    steps = choice(draw, (1, 2, 3, 0) if not jumps else (1, 0))
    if not jumps and happens(draw, 10):
        steps = integer(draw, 4, 40)
    batch = choice(draw, (1, 2, 3, 0, 6)) if happens(draw, 60) else 1
    size = choice(draw, (2, 1, 3, 0))
    hidden = choice(draw, (2, 1, 3, 0)) if happens(draw, 90) else integer(draw, 4, 17)
    given: dict[str, Any] = {}
    if happens(draw, 60) or jumps:
        each = ACTIVATIONS[cell] * directions
        extra = cell == "rnn" and directions == 1 and not jumps and happens(draw, 30)
        given.update(words(draw, each, jumps))
        if extra:
            given["activations"].append(choice(draw, ("Tanh", "relu")))
    if direction != "forward" or happens(draw, 20):
        given["direction"] = direction
    if direction == "forward" and misspells_forward and happens(draw, 30):
        given["direction"] = "foward"
    if not jumps and happens(draw, 25):
        given["clip"] = integer(draw, 1, 16) / 8
    if happens(draw, 80):  # onnxruntime wants it
        given["hidden_size"] = hidden
    for name in ("input_forget", "linear_before_reset", "output_sequence"):
        if name in attributes and happens(draw, 40):
            given[name] = choice(draw, (1, 0, 2, -1))
    first = "layout" in attributes and happens(draw, 25)
    if first:
        given["layout"] = 1
    gates = GATES[cell]
    state = (batch, directions, hidden) if first else (directions, batch, hidden)
    drawn: dict[str, Any] = {
        "X": (batch, steps, size) if first else (steps, batch, size),
        "W": (directions, gates * hidden, size),
        "R": weights(
            draw, (directions, gates * hidden, hidden), 8 if steps < 3 and hidden < 4 else 1
        ),
        "B": (directions, 2 * gates * hidden) if happens(draw, 60) else None,
        "sequence_lens": None,
        "initial_h": state if happens(draw, 60) and not jumps else None,
    }
    if happens(draw, 40):
        lengths = [integer(draw, 0, steps) for _ in range(batch)]
        if lengths and happens(draw, 5):
            lengths[integer(draw, 0, batch - 1)] = choice(draw, (-1, steps + 1, 2**31 - 1))
        drawn["sequence_lens"] = Contents((batch,), tuple(lengths))
    if "P" in inputs:
        drawn["initial_c"] = state if happens(draw, 50) and not jumps else None
        drawn["P"] = (directions, 3 * hidden) if happens(draw, 40) and not jumps else None
    return Call(drawn, given)


def quantized(draw: Draw) -> Call:
    """A call of the LSTM with weights of integers."""
    direction = choice(draw, ("forward", "reverse", "bidirectional"))
    directions = 2 if direction == "bidirectional" else 1
    steps = choice(draw, (1, 2, 3, 0)) if happens(draw, 90) else integer(draw, 4, 12)
    batch = choice(draw, (1, 2, 3, 0, 6)) if happens(draw, 60) else 1
    size = choice(draw, (2, 1, 3, 0, 5))
    hidden = choice(draw, (2, 1, 3, 0)) if happens(draw, 80) else integer(draw, 4, 17)
    given: dict[str, Any] = {"direction": direction} if direction != "forward" else {}
    if happens(draw, 40):
        names = ("Sigmoid", "Tanh", "HardSigmoid", "Softsign")
        given["activations"] = [choice(draw, names) for _ in range(3 * directions)]
    if happens(draw, 20):
        given["clip"] = integer(draw, 1, 16) / 8
    if happens(draw, 80):  # onnxruntime wants it
        given["hidden_size"] = hidden
    if happens(draw, 30):
        given["input_forget"] = choice(draw, (1, 0, 2, -1))
    columns, state = 4 * hidden, (directions, batch, hidden)
    drawn: dict[str, Any] = {
        "X": weights(draw, (steps, batch, size), 16),
        "W": small(draw, (directions, size, columns), 127, 0),
        "R": small(draw, (directions, hidden, columns), 8, 4),
        "B": weights(draw, (directions, 2 * columns), 8) if happens(draw, 60) else None,
        "sequence_lens": None,
        "initial_h": weights(draw, state, 8) if happens(draw, 60) else None,
        "initial_c": weights(draw, state, 8) if happens(draw, 50) else None,
        "P": weights(draw, (directions, 3 * hidden), 8) if happens(draw, 40) else None,
        "W_scale": scales(draw, directions, columns),
        "W_zero_point": zero_points(draw, directions, columns, 9),
        "R_scale": scales(draw, directions, columns),
        "R_zero_point": zero_points(draw, directions, columns, 4),
    }
    if happens(draw, 40):
        lengths = [integer(draw, 0, steps) for _ in range(batch)]
        if lengths and happens(draw, 5):
            lengths[integer(draw, 0, batch - 1)] = choice(draw, (-1, steps + 1, 2**31 - 1))
        drawn["sequence_lens"] = Contents((batch,), tuple(lengths))
    return Call(drawn, given)


def small(draw: Draw, shape: tuple[int, ...], largest: int, lowest: int) -> Contents:
    """Integers from the lowest to the largest."""
    count = 1
    for dim in shape:
        count *= dim
    pattern = [integer(draw, lowest, largest) for _ in range(min(count, 24))]
    return Contents(shape, tuple(pattern[(7 * i + i // 5) % len(pattern)] for i in range(count)))


def scales(draw: Draw, directions: int, columns: int) -> Contents:
    shape = (directions, columns) if happens(draw, 50) else (directions,)
    count = directions * (columns if len(shape) == 2 else 1)
    return Contents(shape, tuple(choice(draw, (0.01, 0.0078125, 0.015)) for _ in range(count)))


def zero_points(draw: Draw, directions: int, columns: int, largest: int) -> Contents:
    """For each direction, or for each column one, of which onnxruntime wants all alike."""
    if happens(draw, 60):
        return small(draw, (directions,), largest, 0)
    if happens(draw, 30):
        return small(draw, (directions, columns), largest, 0)
    return Contents((directions, columns), (0,) * (directions * columns))


def illegal(
    draw: Draw, *, rule: str, cell: str, inputs: Collection[str], attributes: Collection[str]
) -> Illegal:
    """Shapes that do not fit each other; words, and numbers of them, that there are not."""
    rows = 2 * GATES[cell]
    absent = dict.fromkeys(inputs)
    call = Call({**absent, "X": (3, 2, 4), "W": (1, rows, 4), "R": (1, rows, 2)})
    if rule == "quantized_lstm":
        each = ("W_scale", "W_zero_point", "R_scale", "R_zero_point")
        call = call.but({"W": (1, 4, 8), "R": (1, 2, 8), **dict.fromkeys(each, (1,))})
    shapes: dict[str, tuple[tuple[int, ...], ...]] = {
        "X": ((3, 2), (3, 2, 5), (3, 2, 4, 1)),
        "W": ((2, rows, 4), (1, rows + 1, 4), (rows, 4), (1, rows, 3)),
        "R": ((1, rows, 3), (1, rows + 2, 2), (rows, 2), (1, 2, 2, 2)),
        "B": ((1, rows), (1, 2 * rows + 1), (2 * rows,), (2, 2 * rows)),
        "initial_h": ((1, 3, 2), (2, 2), (2, 2, 2), (1, 2, 3)),
    }
    if rule == "quantized_lstm":
        shapes["W"] = ((2, 4, 8), (1, 4, 9), (4, 8), (1, 3, 8), (1, 8, 4))
        shapes["R"] = ((1, 3, 8), (1, 2, 10), (2, 8), (1, 8, 2), (1, 2, 2, 8))
        shapes.update(dict.fromkeys(each, ((), (2,), (8,), (2, 8), (1, 7), (1, 1), (1, 8, 1))))
    if "P" in inputs:
        shapes["initial_c"] = shapes["initial_h"]
        shapes["P"] = ((1, 8), (6,), (2, 6))
    wrong = choice(draw, ("shape", "word", "count", "number", "clip", "size", "lengths", "layout"))
    count = ACTIVATIONS[cell]
    given: dict[str, Any] = {}
    if wrong == "shape":
        name = choice(draw, tuple(shapes))
        return Illegal(call.but({name: choice(draw, shapes[name])}), "ShapeError")
    if wrong == "lengths":
        lengths = choice(draw, (Contents((3,), (1, 1, 1)), Contents((2, 1), (1, 1))))
        return Illegal(call.but({"sequence_lens": lengths}), "ShapeError")
    if wrong == "layout" and "layout" in attributes:
        given["layout"] = choice(draw, (2, -1))
    elif wrong == "word" and happens(draw, 50):
        given["direction"] = choice(draw, ("", "Forward", "both", "backward"))
    elif wrong == "word":
        name = choice(draw, ("", "TANH", "Gelu", "tanH"))
        given["activations"] = [*["Tanh"] * (count - 1), name]
    elif wrong == "number":
        given["activations"] = [*["Tanh"] * (count - 1), choice(draw, ("Affine", "ScaledTanh"))]
        if happens(draw, 50):
            given[choice(draw, ("activation_alpha", "activation_beta"))] = [1.0]
    elif wrong == "clip":
        given["clip"] = choice(draw, (0.0, -1.0))
    elif wrong == "size":
        given["hidden_size"] = choice(draw, (0, 1, 3, -2))
    else:
        given["activations"] = ["Tanh"] * choice(draw, (0, count + 2, 7))
    return Illegal(call.but(**given), "AttributeValueError")
