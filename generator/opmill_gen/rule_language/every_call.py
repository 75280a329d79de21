"""What is proven of a helper's indices in every call that a rule makes of it.

A helper is read on its own, and again for each call with what is known of the arguments. An index
is not checked if the first reading proves it inside, or all of the others do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from opmill_gen.rule_language import ir
from opmill_gen.rule_language.walk import Node, called

Body = tuple[ir.Statement, ...]
_INDEXED = (ir.Element, ir.AssignElement)


@dataclass
class Calls:
    """The calls of helpers that a rule makes, itself and by way of other helpers."""

    bodies: dict[str, list[Body]] = field(default_factory=dict)
    """The body of a helper, as each call has it."""
    unread: set[str] = field(default_factory=set)
    """The helpers that cannot be read for some call."""

    def proven(self, helpers: Sequence[ir.Helper]) -> tuple[ir.Helper, ...]:
        """Return helpers without the checks that no call needs; each calls those before it."""
        done: list[ir.Helper] = []
        unread = set(self.unread)
        for helper in reversed(helpers):
            bodies = self.bodies.get(helper.name, [])
            if helper.name in unread or not bodies:
                unread |= called(helper.body)
                done.append(helper)
            else:
                done.append(replace(helper, body=_merged(helper.body, bodies)))
        return tuple(reversed(done))


def _merged(own: Any, others: Sequence[Any]) -> Any:
    """Return a tree with the flags of indices that it has, or that all others have."""
    if type(own) is tuple:
        return tuple(_merged(part, parts) for part, *parts in zip(own, *others, strict=True))
    if not isinstance(own, Node):
        return own
    values: dict[str, Any] = {
        one.name: _merged(getattr(own, one.name), [getattr(other, one.name) for other in others])
        for one in fields(own)
    }
    if isinstance(own, _INDEXED):
        for flag in ("not_negative", "below_length"):
            values[flag] = getattr(own, flag) or all(getattr(other, flag) for other in others)
    return replace(own, **values)
