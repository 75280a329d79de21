"""Which operator version a node means: the model's opset decides, and never a neighbour version."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from opmill._model.errors import Missing, ModelError, plain, shown
from opmill._runtime.operator import Operator
from opmill._runtime.opset import Published, meant
from opmill._runtime.registry import operator, operators
from opmill._runtime.versions import MODULES

MAIN_DOMAIN = "ai.onnx"


class Domain(NamedTuple):
    """What a domain has published: its newest opset, and each operator by ONNX's name."""

    opset: int
    published: Mapping[str, Published]


def domain_name(domain: str) -> str:
    """The name of a domain; models may leave that of ONNX's own domain empty."""
    return domain or MAIN_DOMAIN


@cache
def domains() -> Mapping[str, Domain]:
    """Every domain that has a supported operator, by name."""
    found: dict[str, Domain] = {}
    for domain, name, version in operators():
        if domain not in found:
            package = MODULES[domain, name, version].rsplit(".", 2)[0]
            index = importlib.import_module(f"{package}._index")
            by_name = {entry.operator: entry for entry in index.PUBLISHED.values()}
            found[domain] = Domain(index.OPSET, by_name)
    return found


def resolve(place: str, name: str, domain: str, opset: int) -> Operator | Missing:
    """The operator version that a node means, or ``Missing`` where it is not supported.

    Args:
        place: where the node is, for messages.
        name: ONNX's name of the operator.
        domain: the domain's name.
        opset: the version of the domain that the model imports.

    Raises:
        ModelError: there is no such operator in that opset.
    """
    known = domains().get(domain)
    if known is None:
        have = ", ".join(sorted(domains()))
        raise ModelError(
            f"{place}: {plain(name)} is of the domain {plain(domain)}, of which opmill has "
            f"nothing; it has {have}"
        )
    check_opset(domain, opset)
    published = known.published.get(name)
    if published is None:
        raise ModelError(
            f"{place}: {domain} has no operator {shown(name)}{meant(name, known.published)}"
        )
    version = published.at(opset)
    if version is None:
        first = published.versions[0]
        raise ModelError(
            f"{place}: {name} is not in opset {opset} of {domain}; its first version is "
            f"{name}-{first}"
        )
    if version in published.deprecated:
        raise ModelError(f"{place}: {name} is deprecated since opset {version} of {domain}")
    if (domain, name, version) not in MODULES:
        return Missing(place, name, domain, version, opset)
    return operator(name, version, domain)


def check_opset(domain: str, opset: int) -> None:
    """Refuse an opset that the domain does not have.

    Raises:
        ModelError: it is out of range, or newer than what is known of the domain.
    """
    newest = domains()[domain].opset
    if not 1 <= opset <= newest:
        raise ModelError(
            f"opset {opset} of {domain} is unknown; this opmill knows opsets 1 to {newest}"
        )
