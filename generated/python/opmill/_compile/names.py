"""C identifiers of a compiled network, out of a model's names, which may be any text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from opmill._runtime.errors import Error

_WORDS = """
alignas alignof and and_eq asm assert auto bitand bitor bool break case catch char char16_t
char32_t char8_t class co_await co_return co_yield compl complex concept const const_cast consteval
constexpr constinit continue decltype default delete do double dynamic_cast else enum errno explicit
export extern false float for friend goto i386 if imaginary inline int linux long mutable namespace
new noexcept not not_eq nullptr operator or or_eq private protected public register
reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast
stderr stdin stdout struct switch template this thread_local throw true try typedef typeid typename
typeof union unix unsigned using virtual void volatile wchar_t while xor xor_eq
"""
_RESERVED = frozenset(_WORDS.split())
"""Keywords of C and C++, and names that headers and compilers define as macros."""

_PREFIX = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*")


def identifier(text: str) -> str:
    """A C identifier like a text; different texts may get the same one."""
    name = re.sub(r"[^a-zA-Z0-9]+", "_", text).strip("_")
    if not name or name[0].isdigit():
        name = f"n{name}"
    # Headers define macros in capitals; names that end with _t belong to the system.
    taken = name in _RESERVED or name.endswith("_t") or (len(name) > 1 and name.isupper())
    return f"{name}_" if taken else name


def identifiers(texts: Iterable[str]) -> list[str]:
    """A C identifier for each text, all different, also where case is ignored."""
    found: list[str] = []
    used: set[str] = set()
    for text in texts:
        stem = name = identifier(text)
        count = 2
        while name.lower() in used:
            name = f"{stem.rstrip('_')}_{count}"
            count += 1
        used.add(name.lower())
        found.append(name)
    return found


def prefix_of(given: str | None, stem: str) -> str:
    """The prefix of all names of a network.

    Args:
        given: the caller's choice; ``None`` for the model's name.
        stem: the name of the model's file.

    Raises:
        Error: the choice is no identifier, or reserved.
    """
    if given is None:
        name = identifier(stem).lower().rstrip("_")
        return f"net_{name}" if name.startswith("opmill") or name in _RESERVED else name
    if not _PREFIX.fullmatch(given) or given in _RESERVED or given.startswith("opmill"):
        raise Error(
            f"prefix is {given!r}, expected a C identifier that is no keyword and does not begin "
            "with 'opmill'"
        )
    return given
