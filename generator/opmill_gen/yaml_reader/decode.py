"""Reads a located YAML tree into frozen dataclasses, guided by their type hints.

Every key of the file is either consumed by a field or refused. Faults are collected in a
list, so that one run reports all of them.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from opmill_gen.base.diagnostics import Diagnostic, Location, listing, suggestion
from opmill_gen.base.onnx_types import ConcreteType, OnnxType, parse_concrete, parse_type
from opmill_gen.yaml_reader.tree import Entries, Items, Scalar, Tree, describe

NodeT = TypeVar("NodeT", bound="Node")


OPEN = "still to be written: "
"""Prefix of the message of a gap."""


class Unreadable(Exception):
    """A tree could not be read; its faults have been reported already."""


class Faults(list[Diagnostic]):
    """The faults found so far, and the gaps: the values that somebody has still to write.

    A gap ends a run as a fault does. They are kept apart, so that what is there can be judged
    before the rest is.
    """

    def __init__(self, faults: Iterable[Diagnostic] = ()) -> None:
        super().__init__(faults)
        self.gaps: list[Diagnostic] = []

    def report(self, location: Location, message: str) -> None:
        """Add a fault."""
        self.append(Diagnostic(location, message))

    def refuse(self, location: Location, message: str) -> Unreadable:
        """Add a fault and return the exception that ends the reading of this tree."""
        self.report(location, message)
        return Unreadable()

    def leave_open(self, location: Location, what: str) -> None:
        """Add a gap; ``what`` says what is to be written there."""
        self.gaps.append(Diagnostic(location, f"{OPEN}{what}"))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Node:
    """A part of an input file: its location, and that of the value of each of its keys."""

    location: Location = dataclasses.field(repr=False, compare=False)
    locations: Mapping[str, Location] = dataclasses.field(repr=False, compare=False)

    elsewhere: ClassVar[Mapping[str, str]] = {}
    """Keys that belong in another file, and which one, for messages."""

    def at(self, key: str) -> Location:
        """The place of the value of ``key``, or of the whole where the key is absent."""
        return self.locations.get(key, self.location)


def key(
    doc: str,
    *,
    default: Any = dataclasses.MISSING,
    form: Mapping[str, Any] | None = None,
    compare: bool = True,
) -> Any:
    """A field that is read from the key of the same name; required unless it has a default.

    Args:
        doc: what the key gives, for messages and for the JSON Schema.
        default: what an absent key means.
        form: what the JSON Schema says besides the type.
        compare: whether two objects that differ in this alone are different.
    """
    metadata = {"doc": doc, "form": form or {}}
    if isinstance(default, dict):
        return dataclasses.field(metadata=metadata, default_factory=default.copy)
    return dataclasses.field(metadata=metadata, default=default, compare=compare)


def is_required(field: dataclasses.Field[Any]) -> bool:
    """True where the key of a field must be given."""
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


_KEYS: dict[type, dict[str, tuple[Any, dataclasses.Field[Any]]]] = {}


def keys_of(cls: type[Node]) -> dict[str, tuple[Any, dataclasses.Field[Any]]]:
    """The keys that a class reads: name -> (type hint, field)."""
    if cls not in _KEYS:
        hints = typing.get_type_hints(cls)
        _KEYS[cls] = {
            field.name: (hints[field.name], field)
            for field in dataclasses.fields(cls)
            if "doc" in field.metadata
        }
    return _KEYS[cls]


def read_node(cls: type[NodeT], tree: Tree, faults: Faults) -> NodeT:
    """Read a mapping into ``cls``; raises ``Unreadable`` once all its faults are reported."""
    what = cls.__doc__.splitlines()[0].rstrip(".") if cls.__doc__ else cls.__name__
    if not isinstance(tree, Entries):
        raise faults.refuse(
            tree.location,
            f"expected a mapping with the keys {listing(required_keys(cls))} "
            f"({what}), got {describe(tree)}",
        )
    known = keys_of(cls)
    for name, location in tree.keys.items():
        if name in cls.elsewhere:
            faults.report(location, f"the key '{name}' belongs in {cls.elsewhere[name]}")
        elif name not in known:
            faults.report(location, f"unknown key '{name}'{suggestion(name, known)}")
    values: dict[str, Any] = {}
    complete = True
    for name, (hint, field) in known.items():
        if name not in tree.entries:
            if is_required(field):
                faults.report(
                    tree.location, f"key '{name}' is missing; it gives {field.metadata['doc']}"
                )
                complete = False
            continue
        value = tree.entries[name]
        gap = gap_text(value)
        try:
            if gap is not None:
                faults.leave_open(value.location, gap or str(field.metadata["doc"]))
                values[name] = _stand_in(hint, value)
            else:
                values[name] = read_value(hint, value, faults)
        except Unreadable:
            complete = False
    if not complete:
        raise Unreadable
    locations = {name: value.location for name, value in tree.entries.items()}
    return cls(location=tree.location, locations=locations, **values)


def required_keys(cls: type[Node]) -> list[str]:
    """The keys of ``cls`` that have no default."""
    return [name for name, (_, field) in keys_of(cls).items() if is_required(field)]


GAP = "TODO"
"""Prefix of a value that somebody has still to write; what follows says what to write."""


def gap_text(tree: Tree) -> str | None:
    """The text of a gap's request, ``""`` if it has none; ``None`` for any other value."""
    if isinstance(tree, Scalar) and tree.text.startswith(GAP):
        rest = tree.text.removeprefix(GAP)
        if not rest or rest[0] in " :\n":
            return " ".join(rest.lstrip(":").split())
    return None


def _stand_in(hint: Any, tree: Tree) -> Any:
    """The placeholder of a gap while the rest is read; ``Unreadable`` if there is none."""
    if hint is str and isinstance(tree, Scalar):
        return tree.text
    if typing.get_origin(hint) is tuple:
        return ()
    if typing.get_origin(hint) is Mapping:
        return {}
    if hasattr(hint, "stand_in"):
        return hint.stand_in(tree.location)
    raise Unreadable


def read_value(hint: Any, tree: Tree, faults: Faults) -> Any:
    """Read a tree as the type that a hint names."""
    gap = gap_text(tree)
    if gap is not None:
        faults.leave_open(tree.location, gap or "this value")
        raise Unreadable
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return _read_union(hint, tree, faults)
    if origin is tuple:
        return _read_items(typing.get_args(hint)[0], tree, faults)
    if origin is Mapping:
        return _read_entries(typing.get_args(hint)[1], tree, faults)
    if hasattr(hint, "from_tree"):
        return hint.from_tree(tree, faults)
    if issubclass(hint, Node):
        return read_node(hint, tree, faults)
    return _read_scalar(hint, tree, faults)


_UNIONS: dict[frozenset[Any], Callable[[Tree, Faults], Any]] = {
    frozenset(typing.get_args(Tree)): lambda tree, faults: tree,
    frozenset(typing.get_args(OnnxType)): lambda tree, faults: _read_type(parse_type, tree, faults),
    frozenset(typing.get_args(ConcreteType)): lambda tree, faults: _read_type(
        parse_concrete, tree, faults
    ),
}
"""The unions that stand for one thing: a tree as it is, any type, a type without variables."""


def _read_union(hint: Any, tree: Tree, faults: Faults) -> Any:
    members = [member for member in typing.get_args(hint) if member is not types.NoneType]
    optional = len(members) < len(typing.get_args(hint))
    if optional and isinstance(tree, Scalar) and tree.value is None:
        return None
    if len(members) == 1:
        return read_value(members[0], tree, faults)
    return _UNIONS[frozenset(members)](tree, faults)


def _read_items(hint: Any, tree: Tree, faults: Faults) -> tuple[Any, ...]:
    if not isinstance(tree, Items):
        raise faults.refuse(tree.location, f"expected a list, got {describe(tree)}")
    return tuple(_read_all(hint, list(tree.items), faults))


def _read_entries(hint: Any, tree: Tree, faults: Faults) -> dict[str, Any]:
    if not isinstance(tree, Entries):
        raise faults.refuse(tree.location, f"expected a mapping, got {describe(tree)}")
    values = _read_all(hint, list(tree.entries.values()), faults)
    return dict(zip(tree.entries, values, strict=True))


def _read_all(hint: Any, trees: list[Tree], faults: Faults) -> list[Any]:
    """Read every tree, so that all their faults are reported, then fail if one failed."""
    values: list[Any] = []
    for tree in trees:
        try:
            values.append(read_value(hint, tree, faults))
        except Unreadable:
            continue
    if len(values) < len(trees):
        raise Unreadable
    return values


def _read_type(parse: Any, tree: Tree, faults: Faults) -> Any:
    text = _read_scalar(str, tree, faults)
    try:
        return parse(text)
    except ValueError as error:
        raise faults.refuse(tree.location, str(error)) from None


def _read_scalar(hint: Any, tree: Tree, faults: Faults) -> Any:
    if isinstance(tree, Scalar):
        if hint is str and tree.value is not None:
            return tree.text
        if hint is bool and isinstance(tree.value, bool):
            return tree.value
        if hint is int and isinstance(tree.value, int) and not isinstance(tree.value, bool):
            return tree.value
        if issubclass(hint, enum.Enum):
            words = [str(member.value) for member in hint]
            if tree.text in words:
                return hint(tree.text)
            raise faults.refuse(
                tree.location, f"'{tree.text[:40]}' is unknown here{suggestion(tree.text, words)}"
            )
    wanted = {str: "text", bool: "true or false", int: "a whole number"}.get(hint)
    if wanted is None:
        wanted = listing(str(member.value) for member in hint)
    raise faults.refuse(tree.location, f"expected {wanted}, got {describe(tree)}")
