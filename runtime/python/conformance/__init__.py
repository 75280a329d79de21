"""Tests another runtime with the examples of every operator version. Needs the onnx package::

    from opmill import conformance

    for case in conformance.cases(operators=["Tile"], opset=13):
        model = case.model()                          # an onnx.ModelProto of one node
    report = conformance.run("mypackage.backend:Backend", conformance.cases(["Tile"]))
    print(report.table())

A case is a call with its expected outputs, or a call that implementations must refuse. Where ONNX's
text leaves the outcome open, ``Case.rests_on`` has the decisions that it rests on, and another
outcome is reported as open, apart from wrong ones. The expected outputs come from the operator's
spec, from ONNX's own tests or from an oracle that shares no code with the kernels. The commands
``opmill conformance`` and ``opmill export`` do the same, and the pytest plugin
``opmill.conformance.pytest_plugin`` makes each case a test.
"""

from __future__ import annotations

from opmill._needed import needed

needed("onnx", "the conformance kit", "onnx>=1.16,<2")

from opmill.conformance._cases import Case, Mismatch, cases  # noqa: E402
from opmill.conformance._export import export  # noqa: E402
from opmill.conformance._report import Report, VersionReport  # noqa: E402
from opmill.conformance._run import Outcome, Result, results, run, target_version  # noqa: E402
from opmill.conformance._targets import KNOWN, TargetError  # noqa: E402

__all__ = [
    "KNOWN",
    "Case",
    "Mismatch",
    "Outcome",
    "Report",
    "Result",
    "TargetError",
    "VersionReport",
    "cases",
    "export",
    "results",
    "run",
    "target_version",
]
