"""Calls of DepthToSpace and SpaceToDepth: small blocks, and pictures that have them or do not."""

from __future__ import annotations

from typing import Any

from opmill_checks.drawing import Call, Draw, Illegal, choice, happens, integer


def drawn(draw: Draw, operation: str, block: int) -> tuple[int, ...]:
    """The shape of an input that has whole blocks."""
    batch, depth = integer(draw, 0, 3), integer(draw, 0, 3)
    height, width = integer(draw, 0, 3), integer(draw, 0, 3)
    if happens(draw, 20):
        width = integer(draw, 10, 40)
    if operation == "depth_to_space":
        return (batch, depth * block * block, height, width)
    return (batch, depth, height * block, width * block)


def legal(draw: Draw, *, operation: str, attributes: frozenset[str]) -> Call:
    """Whole blocks, in either order where the version has one."""
    block = choice(draw, (2, 1, 3, 4))
    given: dict[str, Any] = {"blocksize": block}
    if "mode" in attributes and happens(draw, 70):
        given["mode"] = choice(draw, ("CRD", "DCR"))
    return Call({"input": drawn(draw, operation, block)}, given)


def illegal(draw: Draw, *, operation: str, attributes: frozenset[str]) -> Illegal:
    """A legal call with one thing wrong."""
    block = choice(draw, (2, 3))
    shape = list(drawn(draw, operation, block))
    given: dict[str, Any] = {"blocksize": block}
    known = ("mode",) if "mode" in attributes else ("unknown",)
    wrong = choice(draw, ("rank", "block", "missing", "parts", *known))
    raises = "AttributeValueError"
    if wrong == "rank":
        shape = shape[: integer(draw, 0, 3)] if happens(draw, 70) else [*shape, 1]
        raises = "ShapeError"
    elif wrong == "block":
        given["blocksize"] = choice(draw, (0, -1, -2, -(2**63)))
    elif wrong == "missing":
        del given["blocksize"]
    elif wrong == "parts":
        axis = 1 if operation == "depth_to_space" else choice(draw, (2, 3))
        shape[axis] += integer(draw, 1, block - 1)
        raises = "ShapeError"
    elif wrong == "mode":
        given["mode"] = choice(draw, ("", "dcr", "CDR", "DCRD"))
    else:
        given["mode"] = "DCR"
    return Illegal(Call({"input": tuple(shape)}, given), raises)
