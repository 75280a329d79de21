"""The signature of a spec, as the rule compiler takes it to check a rule against."""

from __future__ import annotations

from opmill_gen.model import OperatorVersion
from opmill_gen.rules import FormalAttribute, FormalParameter, Signature


def rule_signature(spec: OperatorVersion) -> Signature:
    """The inputs, attributes and outputs of a spec."""
    raise NotImplementedError
