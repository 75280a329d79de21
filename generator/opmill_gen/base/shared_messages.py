"""The messages that every operator shares, written once for the Python package and the C library.

``{}`` stands for what the call tells. What one side alone can say (that something is no array, that
a pointer is NULL) stands on that side; what a rule says stands in the rule.
"""

from __future__ import annotations

MESSAGES = {
    "ARITY_LEAST": "at least {}",
    "ARITY_RANGE": "{}..{}",
    "ATTRIBUTE_REQUIRED": "attribute '{}' is required",
    "DERIVED_COUNT": "internal error: the rule derived {} shapes for {} outputs",
    "DERIVED_DIM": "internal error: the rule derived the dim {}",
    "INPUT_COUNT": "expects {} inputs, got {}",
    "INPUT_MISSING": "required input '{}' is missing",
    "MEASURED_SHAPE": "internal error: the kernel must measure a shape within {}, got {}",
    "NAMED_TYPE": "attribute '{}' names {}, expected one of {}",
    "ONE_OF": "one of {}",
    "OTHER_TYPE": "{} must be {} (the type of {}), got {}",
    "OUTPUT_COUNT": "returns {} outputs, asked for {}",
    "OUT_SHAPE": "out for {} must have shape {}, got {}",
    "OUT_TYPE": "out for {} must be {}, got {}",
    "OVERFLOW": "output size overflows",
    "RULE_INDEX": "internal error: an index of the rule is wrong",
    "VALUES_MANY": "{} has {} values, expected at most 128",
    "VALUE_NEEDED": "needs the value of {}",
    "WRONG_TYPE": "{} must be {}, got {}",
}

MESSAGE_BYTES = 255
"""The length of a message with the operator's name, in bytes of UTF-8; a call cuts the rest."""


def cut_message(label: str, reason: str) -> str:
    """What a call says after ``label: ``, cut as a call cuts it."""
    limit = MESSAGE_BYTES - len(f"{label}: ".encode())
    return reason.encode()[:limit].decode("utf-8", "ignore")
