"""Calls of TfIdfVectorizer: few different tokens, so that n-grams of the pool occur."""

from __future__ import annotations

from math import prod
from typing import Any

from opmill_checks.drawing import Call, Contents, Draw, Illegal, choice, happens, integer


def legal(draw: Draw) -> Call:
    """Up to three lists, of up to four n-grams each; coordinates may repeat and leave gaps."""
    shape = choice(draw, ((5,), (2, 4), (1, 9), (0,), (3, 0), (0, 3), (1,), (12,)))
    tokens = choice(draw, (2, 1, 3))
    items = tuple(integer(draw, 0, tokens) for _ in range(prod(shape)))
    lists = choice(draw, (2, 1, 3))
    pool: list[int] = []
    starts: list[int] = []
    grams = 0
    for length in range(1, lists + 1):
        starts.append(len(pool))
        count = integer(draw, 0, 4)
        count += length == lists and grams + count == 0
        pool += [integer(draw, 0, tokens) for _ in range(count * length)]
        grams += count
    longest = integer(draw, 1, lists)
    attributes: dict[str, Any] = {
        "mode": choice(draw, ("TF", "IDF", "TFIDF")),
        "min_gram_length": integer(draw, 1, longest),
        "max_gram_length": longest,
        "max_skip_count": choice(draw, (0, 1, 5, 2**63 - 1)),
        "ngram_counts": starts,
        "ngram_indexes": [integer(draw, 0, grams + 1) for _ in range(grams)],
    }
    if happens(draw, 60):
        attributes["weights"] = [choice(draw, (0.5, 2.0, -1.25, 0.1)) for _ in range(grams)]
    type = choice(draw, ("int64", "int32", "string"))
    if type == "string":
        attributes["pool_strings"] = [str(one) for one in pool]
    else:
        attributes["pool_int64s"] = pool
    return Call({"X": Contents(shape, items)}, attributes, {"T": f"tensor({type})"})


def illegal(draw: Draw) -> Illegal:
    """One attribute that does not fit the others, a rank, a pool of the wrong kind.

    None has fewer coordinates than n-grams, which end the process of onnxruntime.
    """
    call = Call(
        {"X": Contents((3,), (0, 1, 0))},
        {
            "mode": "TF",
            "min_gram_length": 1,
            "max_gram_length": 2,
            "max_skip_count": 0,
            "ngram_counts": [0, 2],
            "ngram_indexes": [0, 1, 2],
            "pool_int64s": [0, 1, 0, 1],
        },
        {"T": "tensor(int64)"},
    )
    if happens(draw, 15):
        wrong = choice(draw, (Contents((), (0,)), Contents((1, 1, 1), (0,))))
        return Illegal(call.but({"X": wrong}), "ShapeError")
    name, values = choice(
        draw,
        (
            ("mode", ("tf", "")),
            ("min_gram_length", (0, 3, -(2**63))),
            ("max_gram_length", (0, 3, 2**63 - 1)),
            ("max_skip_count", (-1, -(2**63))),
            ("ngram_counts", ([], [0], [0, 5], [0, -1], [0, 2, 1])),
            ("ngram_indexes", ([0, 1, -1], [0, -(2**63), 1], [0, 1, 2, 3])),
            ("pool_int64s", ([0, 1, 0],)),
            ("pool_strings", (["0", "1", "0", "1"],)),
            ("weights", ([], [1.0], [1.0] * 4)),
        ),
    )
    return Illegal(call.but(**{name: choice(draw, values)}), "AttributeValueError")
