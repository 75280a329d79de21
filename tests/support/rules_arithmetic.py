"""Random rules that compute with integers at the edges of int64."""

from __future__ import annotations

import random

from rules_executors import HEADER
from rules_programs import SIGNED

RELATIONS = ("==", "!=", "<", "<=", ">", ">=")


def integer(rng: random.Random, depth: int) -> str:
    if depth == 0:
        return rng.choice(("a", "b", "c", "d", str(rng.choice(SIGNED)), str(rng.randint(-3, 3))))
    left, right = integer(rng, depth - 1), integer(rng, depth - 1)
    kind = rng.randrange(9)
    if kind < 4:
        return f"({left} {rng.choice('+-*')} {right})"
    if kind == 4:
        divisor = rng.choice((f"max({right}, 1)", "abs(a % 7) + 1", "2", "3", str(2**63 - 1)))
        return f"({left} {rng.choice(('//', '%'))} ({divisor}))"
    if kind == 5:
        return f"-{left}"
    if kind == 6:
        return f"{rng.choice(('min', 'max'))}({left}, {right})"
    if kind == 7:
        return f"abs({left})"
    return f"({left} if {condition(rng, depth - 1)} else {right})"


def condition(rng: random.Random, depth: int) -> str:
    left, right = integer(rng, min(depth, 1)), integer(rng, min(depth, 1))
    first = f"{left} {rng.choice(RELATIONS)} {right}"
    if depth == 0 or rng.random() < 0.3:
        return first
    second = condition(rng, depth - 1)
    return rng.choice(
        (
            f"({first} and {second})",
            f"({first} or {second})",
            f"(not {second})",
            f"{first} {rng.choice(RELATIONS)} {rng.choice('abcd')}",
        )
    )


def source(rng: random.Random) -> str:
    """A rule that narrows its variables in some way, and works out something."""
    lines = []
    for name in "abcd":
        if rng.random() < 0.4:
            end = rng.choice(SIGNED)
            relation = rng.choice((">", ">=", "!=") if end < 0 else ("<", "<=", "!="))
            relation = rng.choice(RELATIONS) if rng.random() < 0.2 else relation
            lines.append(f'require({name} {relation} {end}, f"{name} is {{{name}}}")')
        elif rng.random() < 0.2:
            lines.append(f'require({condition(rng, 1)}, f"{{{integer(rng, 1)}}}")')
    value = integer(rng, 3)
    body = "".join(f"    {line}\n" for line in lines)
    return (
        f"{HEADER}\ndef rules(X: Tensor, *, a: int, b: int, c: int, d: int) -> None:\n{body}"
        f"    r = {value}\n    plan(r=r, s=1 if {condition(rng, 2)} else 2)\n    output(Y=[])\n"
    )
