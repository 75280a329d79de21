"""The helper functions of rules that several rules have: each is in a header of its own.

The compiler emits the helpers of each rule for its own parameters, so that functions of one name
may differ; those that are equal, with all that they call, are shared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from opmill_gen.rule_language import EmittedC

FOLDER = "rules"
"""Where the headers are, in the folder of the sources."""


@dataclass(frozen=True)
class _Identity:
    """A function with all that it calls."""

    name: str
    text: str
    calls: tuple[_Identity, ...]


@dataclass(frozen=True)
class SharedHelper:
    """A function that several rules call.

    Args:
        name: the function.
        text: its definition.
        needs: the shared functions that it calls.
    """

    name: str
    text: str
    needs: tuple[str, ...]

    @property
    def header(self) -> str:
        """The path of its header, as sources include it."""
        return header_of(self.name)


def header_of(name: str) -> str:
    """Path by which sources include the header of a shared function."""
    return f"{FOLDER}/{name}.h"


def shared_helpers(rules: Iterable[EmittedC]) -> dict[str, SharedHelper]:
    """The helpers that at least two rules have, by their names in alphabetical order.

    Of functions of one name that differ, the one that most rules have is shared, if what it calls
    is shared too.
    """
    uses: dict[str, Counter[_Identity]] = {}
    for rule in rules:
        for name, identity in _identities(rule).items():
            uses.setdefault(name, Counter())[identity] += 1
    most_common = (counts.most_common(1)[0] for _, counts in sorted(uses.items()))
    found = {identity.name: identity for identity, count in most_common if count > 1}
    while lacking := [
        name
        for name, identity in found.items()
        if any(found.get(callee.name) != callee for callee in identity.calls)
    ]:
        for name in lacking:
            del found[name]
    return {
        name: SharedHelper(name, identity.text, tuple(callee.name for callee in identity.calls))
        for name, identity in found.items()
    }


def own_functions(
    rule: EmittedC, shared: Mapping[str, SharedHelper]
) -> tuple[list[str], list[str]]:
    """The functions that a rule's file defines, and the shared ones that they call."""
    identities = _identities(rule)
    own = {
        name: identity.text
        for name, identity in identities.items()
        if name not in shared or identity != _identity_of(shared[name], shared)
    }
    texts = [*own.values(), rule.function]
    called = {name for text in texts for name in _called(text, identities.keys() - own.keys())}
    return texts, sorted(called)


def _identities(rule: EmittedC) -> dict[str, _Identity]:
    """The identity of each helper of a rule; a helper calls those before it."""
    found: dict[str, _Identity] = {}
    for name, text in rule.helpers:
        calls = tuple(found[callee] for callee in _called(text, found.keys()))
        found[name] = _Identity(name, text, calls)
    return found


def _identity_of(helper: SharedHelper, shared: Mapping[str, SharedHelper]) -> _Identity:
    calls = tuple(_identity_of(shared[name], shared) for name in helper.needs)
    return _Identity(helper.name, helper.text, calls)


def _called(text: str, names: Iterable[str]) -> tuple[str, ...]:
    """The functions that a text calls."""
    words = set(re.findall(r"\b(\w+)\(", text))
    return tuple(sorted(words & set(names)))
