"""Calls of Einsum: equations that are put together from a few letters, and broken ones."""

from __future__ import annotations

from math import prod

from opmill_checks.drawing import Call, Draw, Illegal, choice, happens, integer

LETTERS = "ijkAbZ"


def legal(draw: Draw) -> Call:
    """Up to three inputs of few letters, of which some may be under dots, and any output."""
    sizes = {letter: choice(draw, (2, 1, 3, 0, 4)) for letter in LETTERS}
    middle = [choice(draw, (2, 1, 3)) for _ in range(choice(draw, (0, 0, 1, 2)))]
    dotted = happens(draw, 30)
    terms, shapes, used = [], [], ""
    for _ in range(choice(draw, (2, 1, 3))):
        letters = [choice(draw, LETTERS) for _ in range(integer(draw, 0, 3))]
        dims = [sizes[letter] for letter in letters]
        for letter in sorted(set(letters)):  # a dim of 1 goes with every size, but not beside it
            if happens(draw, 10):
                dims = [1 if one == letter else dim for one, dim in zip(letters, dims, strict=True)]
        used += "".join(letters)
        if dotted and happens(draw, 80):
            position = integer(draw, 0, len(letters))
            letters.insert(position, "...")
            dims[position:position] = [1 if happens(draw, 20) else dim for dim in middle]
        terms.append("".join(letters))
        shapes.append(tuple(dims))
    equation = (", " if happens(draw, 20) else ",").join(terms)
    if happens(draw, 60):
        output = [letter for letter in sorted(set(used)) if happens(draw, 50)]
        if dotted and happens(draw, 80):
            output.insert(integer(draw, 0, len(output)), "...")
        equation += (" -> " if happens(draw, 20) else "->") + "".join(output)
    if prod(sizes[letter] or 1 for letter in set(used)) * prod(middle) > 3000:
        return Call({"Inputs": [(2, 3), (3, 2)]}, {"equation": "ij,jk"})
    return Call({"Inputs": [*shapes]}, {"equation": equation})


def illegal(draw: Draw) -> Illegal:
    """Equations that are none or do not fit the inputs; shapes that do not fit the equation."""
    if happens(draw, 50):
        equation = choice(
            draw,
            ("ij", "ij,jk,k", "ij,jk->i,k", "ij,j1->i", "ij,jk->il", "ij,jk->ii", "ij,jk-ik",
             "ij,jk->i->k", "i..j,jk", "ij,jk->i..", ">ij,jk", "......ij,jk", "ij,jk->......",
             "ij;jk", "ij,jk\u00e9"),
        )  # fmt: skip
        return Illegal(
            Call({"Inputs": [(2, 3), (3, 2)]}, {"equation": equation}), "AttributeValueError"
        )
    equation, shapes = choice(
        draw,
        (
            ("ij,jk", ((2, 3), (2, 3))),
            ("ij,jk", ((2, 3), (3,))),
            ("ij,jk", ((2, 3, 1), (3, 2))),
            ("ii", ((2, 3),)),
            ("ii", ((1, 3),)),
            ("...i,...i", ((2, 3), (1, 2, 3))),
            ("...i,...i", ((2, 3), (4, 3))),
            ("...ij", ((2,),)),
            ("", ((2,),)),
        ),
    )
    return Illegal(Call({"Inputs": list(shapes)}, {"equation": equation}), "ShapeError")
