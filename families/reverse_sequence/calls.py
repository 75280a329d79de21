"""Calls of ReverseSequence: lengths within the time axis, now and then one beyond it."""

from __future__ import annotations

from opmill_checks.drawing import Call, Draw, Illegal, choice, dims, happens, integer, vector


def legal(draw: Draw) -> Call:
    """Either axis first; a length that is out of range is refused by the kernels."""
    source = dims(draw, choice(draw, (2, 3, 4, 64)), 500)
    batch = integer(draw, 0, 1)
    longest = source[1 - batch]
    lengths = [integer(draw, 0, longest) for _ in range(source[batch])]
    if lengths and happens(draw, 10):
        wrong = choice(draw, (longest + 1, -1, 2**32 + longest, 2**63 - 1, -(2**63)))
        lengths[integer(draw, 0, len(lengths) - 1)] = wrong
    given = {} if batch and happens(draw, 30) else {"batch_axis": batch, "time_axis": 1 - batch}
    return Call({"input": source, "sequence_lens": vector(lengths)}, given)


def illegal(draw: Draw) -> Illegal:
    """A legal call with one thing wrong that the shapes or an attribute show."""
    call = legal(draw)
    lengths = call.items_of("sequence_lens")
    wrong = choice(draw, ("count", "rank", "axes", "equal", "lone"))
    if wrong == "count":
        return Illegal(call.but({"sequence_lens": vector([*lengths, 0])}), "ShapeError")
    if wrong == "rank":
        return Illegal(call.but({"input": choice(draw, ((), (4,)))}), "ShapeError")
    if wrong == "axes":
        axes = choice(draw, ((2, 0), (-1, 0), (0, -1), (1, 2)))
        changed = call.but(batch_axis=axes[0], time_axis=axes[1])
    elif wrong == "equal":
        axis = integer(draw, 0, 1)
        changed = call.but(batch_axis=axis, time_axis=axis)
    else:  # the other axis keeps its default, which is the same
        name = choice(draw, ("batch_axis", "time_axis"))
        changed = Call(call.inputs, {name: 0 if name == "batch_axis" else 1})
    return Illegal(changed, "AttributeValueError")
