"""The page of all operators: a table that is filtered by word, opset, type and changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from opmill_gen.base.literals import first_sentence
from opmill_gen.base.onnx_types import ElementType
from opmill_gen.emit.docs.markdown import html_code, html_name, html_text
from opmill_gen.emit.docs.pages import initials, parameter_names
from opmill_gen.emit.docs.site.chips import chips
from opmill_gen.emit.docs.site.history import OperatorHistory
from opmill_gen.spec.operator_version import OperatorVersion

_MAX_LISTED_TYPES = 2
"""Up to so many types are listed in a row; of more, the number is."""


def operators_page(histories: Sequence[OperatorHistory]) -> dict[str, Any]:
    """The context of ``docs/site/operators.md.j2``."""
    rows = [_row(history) for history in histories]
    taken = {word for row in rows for word in row["types_taken"]}
    versions = [(h, number) for h in histories for number in h.published]
    return {
        "rows": rows,
        "types": [element.value for element in ElementType if element.value in taken],
        "opsets": list(range(max((h.opset or 1 for h in histories), default=1), 0, -1)),
        "operators": len(rows),
        "supported_operators": sum(bool(history.supported) for history in histories),
        "versions": len(versions),
        "supported_versions": sum(number in history.supported for history, number in versions),
        "has_domains": len({history.domain for history in histories}) > 1,
    }


def _row(history: OperatorHistory) -> dict[str, Any]:
    facts = history.facts(history.main)
    types = list(_input_types(facts)) if facts else []
    supported = history.supported.get(history.main)
    return {
        "name": html_name(history.operator),
        "snake": html_text(history.name),
        "domain": html_name(history.domain),
        "page": f"{history.package}.html" if facts else "",
        "is_supported": supported is not None,
        "chips": chips(history, history.package.removesuffix(history.name)),
        "family": html_name(supported.instance.family.name) if supported else "",
        "types_taken": types,
        "types": ", ".join(types) if len(types) <= _MAX_LISTED_TYPES else f"{len(types)} types",
        "about": html_code(first_sentence(supported.spec.summary)) if supported else "",
        "words": html_text(_words(history, facts)),
    }


def _words(history: OperatorHistory, facts: OperatorVersion | None) -> str:
    """Words by which a row is found besides its text: the parameters' names and the initials."""
    names = parameter_names(facts) if facts else ()
    return " ".join([*names, initials(history.operator)]).lower()


def _input_types(spec: OperatorVersion) -> Iterable[str]:
    """The element types that the inputs take; of an operator without inputs, those of outputs."""
    parameters = spec.inputs or spec.outputs
    words = {str(type_) for p in parameters for type_ in spec.allowed_types(p)}
    inside = {word.rpartition("(")[2].rstrip(")") for word in words}
    return (element.value for element in ElementType if element.value in inside)
