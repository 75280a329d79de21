"""Draws what can be wrong with the attributes that operators with windows share.

The input ``X`` has two axes, batch and channels, before those that windows move along.
"""

from __future__ import annotations

from collections.abc import Mapping

from opmill_checks.drawing import Call, Draw, Illegal, choice, integer

WORDS = ("", "same_upper", "SAME", "NOTSET ", "VALID\n", "gr\u00f6\u00dfer", "x" * 300)
"""What ``auto_pad`` cannot be."""


def wrong_auto_pad(draw: Draw, call: Call) -> Illegal:
    """A word that is none of the four."""
    return Illegal(call.but(auto_pad=choice(draw, WORDS)), "AttributeValueError")


def pads_beside_auto_pad(draw: Draw, call: Call) -> Illegal:
    """Both say how to pad, even if the pads are 0."""
    auto_pad = choice(draw, ("VALID", "SAME_UPPER", "SAME_LOWER"))
    zeros = [0] * (2 * axes_of(call))
    return Illegal(call.but(pads=zeros, auto_pad=auto_pad), "AttributeValueError")


def wrong_length(draw: Draw, call: Call, lists: Mapping[str, int]) -> Illegal:
    """A list with too many values or too few.

    Args:
        draw: draws.
        call: a legal call.
        lists: the attributes with a value for each axis, and the least value of each.
    """
    name = choice(draw, (*lists, "pads"))
    right = axes_of(call) if name != "pads" else 2 * axes_of(call)
    count = choice(draw, (right + 1, right - 1, 0, right + 2, 40))
    return Illegal(without_auto_pad(call, name).but(**{name: [1] * count}), "AttributeValueError")


def wrong_value(draw: Draw, call: Call, lists: Mapping[str, int]) -> Illegal:
    """A list with a value below the least one; the arguments are those of ``wrong_length``."""
    name = choice(draw, (*lists, "pads"))
    min_value = lists.get(name, 0)
    default = [min_value] * (axes_of(call) if name != "pads" else 2 * axes_of(call))
    changed = without_auto_pad(call, name)
    values = list(changed.attributes.get(name, default))
    values[integer(draw, 0, len(values) - 1)] = min_value - choice(draw, (1, 2, 2**62))
    return Illegal(changed.but(**{name: values}), "AttributeValueError")


def axes_of(call: Call) -> int:
    """Number of axes along which windows move."""
    return len(call.dims_of("X" if "X" in call.inputs else "x")) - 2


def without_auto_pad(call: Call, name: str) -> Call:
    """The call as it can be given pads, where these are what ``name`` says."""
    return call.but(auto_pad=None) if name == "pads" else call
