"""Random calls of the rules of operators with maps, which the tables of cases cannot write."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from rules_values import Given

Call = tuple[list[Given | None], dict[str, Any]]


def a_list(rng: random.Random, name: str, type: str, length: int) -> Given | None:
    """An attribute that is a list: often absent, now and then empty."""
    if rng.random() < 0.5:
        return None
    return Given(name, type, (rng.choice((length, length, length, 0)),))


def cast_map_call(rng: random.Random) -> Call:
    """Words and lengths, of which some are unknown or too small."""
    attributes = {
        "cast_to": rng.choice(("TO_FLOAT", "TO_INT64", "TO_STRING", "TO_FLOAT", "FLOAT", "")),
        "map_form": rng.choice(("DENSE", "SPARSE", "SPARSE", "dense", "é" * 30)),
        "max_map": rng.choice((1, 2, 2**63 - 1, 0, -1, -(2**63))),
    }
    return [Given("X", "float", ())], attributes


def dict_vectorizer_call(rng: random.Random) -> Call:
    """Two vocabularies, of which one is expected."""
    length = rng.choice((1, 2, 2**40))
    attributes = {
        "int64_vocabulary": a_list(rng, "int64_vocabulary", "int64", length),
        "string_vocabulary": a_list(rng, "string_vocabulary", "string", length),
    }
    return [Given("X", "float", ())], attributes


def zip_map_call(rng: random.Random) -> Call:
    """Rows of any rank, and labels as many as the last axis, or one more."""
    columns = rng.choice((1, 2, 3, 2**62, 0))
    shape = (*(rng.randint(0, 3) for _ in range(rng.choice((0, 0, 1, 1, 2)))), columns)
    count = columns if rng.random() < 0.7 else columns + 1
    attributes = {
        "classlabels_int64s": a_list(rng, "classlabels_int64s", "int64", count),
        "classlabels_strings": a_list(rng, "classlabels_strings", "string", count),
    }
    return [Given("X", "float", () if rng.random() < 0.05 else shape)], attributes


MAP_CALL: dict[str, Callable[[random.Random], Call]] = {
    "cast_map": cast_map_call,
    "dict_vectorizer": dict_vectorizer_call,
    "zip_map": zip_map_call,
}
"""By family: each family whose operators take or return maps."""
