"""The messages that every operator shares, written once for the Python package and the C library.

Each is ``<what> <is wrong>, expected <what is right>``; ``{}`` is filled in by a call. Messages
that only one language has (an object is no array, a pointer is NULL) are in its runtime, those of
rules in the rules.
"""

from __future__ import annotations

MESSAGES = {
    "ATTRIBUTE_ABSENT": "attribute '{}' is absent, expected a value",
    "COUNT_AT_LEAST": "at least {}",
    "COUNT_RANGE": "{} to {}",
    "DERIVED_COUNT": "internal error: number of derived shapes is {}, expected {}",
    "DERIVED_DIM": "internal error: derived dim is {}, expected at least 0",
    "INPUT_ABSENT": "input '{}' is absent, expected a value",
    "INPUT_COUNT": "number of inputs is {}, expected {}",
    "MEASURED_SHAPE": "internal error: measured shape is {}, expected at most {}",
    "NAMED_TENSOR": "attribute '{}' has type {}, expected one of {}",
    "NAMED_TYPE": "attribute '{}' is {}, expected one of {}",
    "ONE_OF": "one of {}",
    "OTHER_TYPE": "{} has type {}, expected {} (the type of {})",
    "OUTPUT_COUNT": "number of outputs is {}, expected {}",
    "OUT_SHAPE": "out for {} has shape {}, expected {}",
    "OUT_TYPE": "out for {} has type {}, expected {}",
    "OVERFLOW": "output size overflows, expected at most 2^63-1",
    "RULE_INDEX": "internal error: index in the rule is out of range, expected one of its list",
    "RULE_LIST": "internal error: list in the rule is full, expected at most 128 values",
    "VALUES_MANY": "{} has {} values, expected at most {}",
    "VALUE_NEEDED": "value of {} is unknown, expected a tensor with data",
    "WRONG_TYPE": "{} has type {}, expected {}",
}

MESSAGE_BYTES = 255
"""The length of a message with the operator's name, in bytes of UTF-8; a call cuts the rest."""


def cut_message(label: str, reason: str) -> str:
    """Message of a call after ``label: ``, cut as a call cuts it."""
    limit = MESSAGE_BYTES - len(f"{label}: ".encode())
    return reason.encode()[:limit].decode("utf-8", "ignore")
