"""Selection of the operator version for a node: by the model's opset, never a similar version."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from opmill._model.errors import Missing, ModelError, Unpublished, plain, shown
from opmill._runtime.operator import Operator
from opmill._runtime.opset import Published, meant
from opmill._runtime.registry import operator, operators
from opmill._runtime.versions import HOMES, MODULES

MAIN_DOMAIN = "ai.onnx"


class Domain(NamedTuple):
    """The operators of a domain: its newest opset, and the versions by ONNX's name."""

    opset: int
    published: Mapping[str, Published]


def domain_name(domain: str) -> str:
    """The name of a domain; models may leave that of ONNX's own domain empty."""
    return domain or MAIN_DOMAIN


def home_of(domain: str, name: str) -> str:
    """The domain that an operator is of, for a domain as nodes have it; mostly the same.

    onnxruntime writes and reads some of its operators under ONNX's own domain.
    """
    domain = domain_name(domain)
    return HOMES.get((domain, name), domain)


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


def resolve(location: str, name: str, domain: str, opset: int) -> Operator | Missing:
    """The operator version that a node means, or ``Missing`` where it is not supported.

    In an opset that is newer than those known here, an operator has its newest known version.

    Args:
        location: where the node is, for messages.
        name: ONNX's name of the operator.
        domain: the domain's name.
        opset: the version of the domain that the model imports.

    Raises:
        ModelError: there is no such domain or opset.
    """
    domain = home_of(domain, name)
    known = domains().get(domain)
    if known is None:
        have = ", ".join(sorted(domains()))
        raise ModelError(
            f"{location}: {plain(name)} is of the domain {plain(domain)}, of which opmill has "
            f"nothing; it has {have}"
        )
    check_opset(domain, opset)
    published = known.published.get(name)
    if published is None:
        reason = f"{location}: {domain} has no operator {shown(name)}"
        if opset > known.opset:
            reason += f" in opset {known.opset}, the newest that this opmill knows"
        reason += meant(name, known.published)
        return Unpublished.of(Missing(location, name, domain, opset, opset), reason)
    version = published.at(opset)
    if version is None:
        first = published.versions[0]
        return Unpublished.of(
            Missing(location, name, domain, opset, opset),
            f"{location}: {name} is not in opset {opset} of {domain}; its first version is "
            f"{name}-{first}",
        )
    missing = Missing(location, name, domain, version, opset)
    # Models use an operator that was deprecated after its first version had been published.
    if version in published.deprecated and version != published.versions[0]:
        reason = f"{location}: {name} is deprecated since opset {version} of {domain}"
        return Unpublished.of(missing, reason)
    return operator(name, version, domain) if (domain, name, version) in MODULES else missing


def check_opset(domain: str, opset: int) -> None:
    """Refuse an opset that no domain has.

    Raises:
        ModelError: it is below 1.
    """
    if opset < 1:
        newest = domains()[domain].opset
        raise ModelError(
            f"opset {opset} of {domain} is unknown; this opmill knows opsets 1 to {newest}"
        )
