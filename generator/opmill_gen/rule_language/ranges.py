"""Facts about a value at a point of a rule: intervals of integers and of lengths.

A check on overflow, on an index or on a list's length is left out only where these prove it.
"""

from __future__ import annotations

from dataclasses import dataclass

from opmill_gen.rule_language.ir import MAX_LIST, MAX_RANK, ArithmeticOperator, Relation

INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1


@dataclass(frozen=True)
class Interval:
    """The integers from ``low`` to ``high``, both included; empty where ``low > high``."""

    low: int
    high: int

    def inside(self, other: Interval) -> bool:
        """True where every integer here is one of ``other``."""
        return self.low > self.high or (other.low <= self.low and self.high <= other.high)

    def union(self, other: Interval) -> Interval:
        """The smallest interval that holds both."""
        if self.low > self.high:
            return other
        if other.low > other.high:
            return self
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def meet(self, other: Interval) -> Interval:
        """The integers in both."""
        return Interval(max(self.low, other.low), min(self.high, other.high))


INT64 = Interval(INT64_MIN, INT64_MAX)
DIM = Interval(0, INT64_MAX)
BYTE = Interval(-1, 255)
LENGTH = Interval(0, 2**60)
"""No list in memory is longer: its values alone would fill 2^63 bytes."""

COUNT = Interval(0, MAX_LIST)
POSITIVE = Interval(1, INT64_MAX)
RANK = Interval(0, MAX_RANK)


def arithmetic(operator: ArithmeticOperator, a: Interval, b: Interval) -> Interval:
    """Every result of the operation, before any check on overflow. A divisor is at least 1."""
    if operator is ArithmeticOperator.ADD:
        return Interval(a.low + b.low, a.high + b.high)
    if operator is ArithmeticOperator.SUBTRACT:
        return Interval(a.low - b.high, a.high - b.low)
    if operator is ArithmeticOperator.MULTIPLY:
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return Interval(min(corners), max(corners))
    if operator is ArithmeticOperator.FLOOR_DIVIDE:
        corners = [x // y for x in (a.low, a.high) for y in (max(b.low, 1), max(b.high, 1))]
        return Interval(min(corners), max(corners))
    return Interval(0, max(b.high - 1, 0))


def refine(relation: Relation, a: Interval, b: Interval) -> Interval:
    """Part of ``a`` for which ``a relation b`` holds."""
    if relation is Relation.EQUAL:
        return a.meet(b)
    if relation is Relation.LESS:
        return a.meet(Interval(INT64_MIN, b.high - 1))
    if relation is Relation.LESS_EQUAL:
        return a.meet(Interval(INT64_MIN, b.high))
    if relation is Relation.GREATER:
        return a.meet(Interval(b.low + 1, INT64_MAX))
    if relation is Relation.GREATER_EQUAL:
        return a.meet(Interval(b.low, INT64_MAX))
    return a
