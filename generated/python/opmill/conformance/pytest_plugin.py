"""A pytest plugin that makes each case a test::

    pytest -p opmill.conformance.pytest_plugin --opmill-backend mypackage.backend:Backend

A case that the backend refuses is skipped if the call is valid, and passes if it must be refused.
A case whose outcome differs where ONNX leaves it open is an expected failure (xfailed); with
``--opmill-strict`` it fails. ``--opmill-operator`` and ``--opmill-opset`` choose cases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from opmill.conformance import Case


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("opmill", "opmill: conformance of an ONNX backend")
    group.addoption(
        "--opmill-backend",
        metavar="TARGET",
        help="Test this backend: package.module:Backend, or a known runtime as onnxruntime.",
    )
    group.addoption(
        "--opmill-operator",
        action="append",
        metavar="NAME",
        help="Test this operator or version, as Tile or Tile-13; may be repeated. [default: all]",
    )
    group.addoption(
        "--opmill-opset", type=int, metavar="N", help="Test the versions of this opset only."
    )
    group.addoption(
        "--opmill-strict",
        action="store_true",
        help="Use the specs' own tolerances, and fail where ONNX leaves the outcome open.",
    )
    group.addoption(
        "--opmill-timeout", type=float, default=20.0, metavar="SECONDS", help="Time for a case."
    )


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Add an item for each case, where a backend is given."""
    target = session.config.getoption("opmill_backend")
    if not target:
        return
    from opmill import conformance
    from opmill._runtime.errors import Error
    from opmill.conformance._process import Worker

    worker = Worker(target, session.config.getoption("opmill_timeout"))
    try:
        worker.start()
        chosen = list(
            conformance.cases(
                session.config.getoption("opmill_operator"),
                opset=session.config.getoption("opmill_opset"),
            )
        )
    except Error as error:
        worker.stop()
        raise pytest.UsageError(str(error)) from None
    session.config.add_cleanup(worker.stop)
    collector = Collector.from_parent(session, name="opmill")
    items += [CaseItem.from_parent(collector, name=c.name, case=c, worker=worker) for c in chosen]


class Collector(pytest.Collector):
    """The parent of all cases."""

    def collect(self) -> list[pytest.Item]:
        """Nothing: the cases are added once everything else is collected."""
        return []


class CaseItem(pytest.Item):
    """One case as a test."""

    def __init__(self, *, case: Case, worker: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._case, self._worker = case, worker

    def runtest(self) -> None:
        """Compute the case and judge it."""
        from opmill.conformance import Outcome
        from opmill.conformance._report import open_text
        from opmill.conformance._run import result_of

        strict: bool = self.config.getoption("opmill_strict")
        result = result_of(self._case, self._worker, strict=strict)
        if result.outcome is Outcome.REFUSED and not self._case.is_reject:
            pytest.skip(result.text)
        if result.outcome in (Outcome.WRONG, Outcome.CRASHED, Outcome.HUNG):
            raise Failure(f"{result.outcome}: {result.text}")
        if result.outcome is Outcome.OPEN:
            pytest.xfail(open_text(result))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The difference alone: the traceback would show this file."""
        if isinstance(excinfo.value, Failure):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[str, None, str]:
        """Return the location that reports show for the test."""
        return ("opmill", None, self._case.name)


class Failure(AssertionError):
    """A case that the backend computes wrongly, or that ends or hangs it."""
