"""``opmill export`` and ``opmill conformance``: the cases of all versions for other runtimes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from opmill_gen.base.names import MAIN_DOMAIN
from opmill_gen.base.plain_file import replace_plain
from opmill_gen.base.progress import Progress, shown
from opmill_gen.cli.options import json_option, onnx_release, reported

_CHOICES = (
    click.option(
        "--operator", "operators", multiple=True, metavar="NAME",
        help="Only this operator, or this version of it, as Tile or Tile-13; may be repeated.",
    ),
    click.option(
        "--opset", type=click.IntRange(1), help="Only the versions that this opset uses."
    ),
    click.option(
        "--type", "types", multiple=True, metavar="TYPE",
        help="Only cases with a tensor of this element type, as float16; may be repeated.",
    ),
    click.option("--domain", default=MAIN_DOMAIN, show_default=True, help="The operators' domain."),
    click.option("--no-rejects", is_flag=True, help="Leave out invalid calls."),
)  # fmt: skip


class Mistake(click.ClickException):
    """A call of the command that cannot be carried out."""

    exit_code = 2


def _choosing(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed(_CHOICES):
        command = option(command)
    return command


@click.command("export")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option(
    "--format", "form", type=click.Choice(("onnx", "json")), default="onnx", show_default=True,
    help="onnx: folders as ONNX's backend tests have them, and cases.json; json: cases.json alone.",
)  # fmt: skip
@click.option(
    "--model-opset", type=click.IntRange(1), metavar="N",
    help="The opset that the models import.  [default: the lowest that has the version]",
)  # fmt: skip
@_choosing
@json_option
@reported
def export_command(
    folder: Path, form: str, model_opset: int | None, as_json: bool, **choices: Any
) -> None:
    """Write the examples of operator versions as ONNX tests.

    DIR must be missing or empty. DIR/examples has a folder for each example, DIR/rejects one for
    each invalid call, DIR/open both for cases whose outcome ONNX's text leaves open; cases.json has
    their tolerances and messages.
    """
    kit = _kit("export")
    with shown(not as_json) as progress:
        cases = _chosen(kit, choices, progress)
        if model_opset is not None:
            cases = [_at_opset(case, model_opset) for case in cases]
        count = _called(lambda: kit.export(
            folder, progress("writing", cases), form=form, opset=model_opset
        ))  # fmt: skip
    if as_json:
        click.echo(json.dumps({"ok": True, "folder": str(folder), "cases": count}))
    else:
        click.echo(f"{folder}: cases: {count}")


@click.command("conformance")
@click.argument("target", metavar="TARGET")
@_choosing
@click.option(
    "--strict", is_flag=True,
    help="Use the specs' own tolerances, and report as wrong what ONNX leaves open.",
)  # fmt: skip
@click.option(
    "--jobs", type=click.IntRange(1, 256), default=min(os.cpu_count() or 1, 8), show_default=True,
    help="The number of processes.",
)  # fmt: skip
@click.option(
    "--timeout", type=click.FloatRange(0.1, 86400), default=20.0, show_default=True,
    metavar="SECONDS", help="The time that a case may take.",
)  # fmt: skip
@click.option(
    "--baseline", type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="The --json of an earlier run: only cases that did not fail there make this run fail.",
)  # fmt: skip
@click.option(
    "--junit", type=click.Path(path_type=Path, dir_okay=False), help="Write JUnit's XML here."
)
@json_option
@reported
def conformance_command(
    target: str,
    strict: bool,
    jobs: int,
    timeout: float,
    baseline: Path | None,
    junit: Path | None,
    as_json: bool,
    **choices: Any,
) -> None:
    """Test a runtime with the examples of operator versions.

    TARGET is package.module:Backend, a class with the interface of onnx.backend.base.Backend, or
    one of: opmill, onnxruntime, onnx.reference, openvino, tinygrad, opencv. Each case is computed
    in a process that may crash or hang.

    The exit code is 1 if a result is wrong, or if a case crashed or hung. A runtime may refuse an
    example or compute an invalid call: neither is a failure. A result that differs where ONNX's
    text leaves it open is reported as open, and is none either.
    """
    kit = _kit("conformance")
    known = _baseline(baseline)
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # a backend beside the caller, as for python -m
    _called(lambda: kit.target_version(target))  # before the cases, which take longer
    with shown(not as_json) as progress:
        cases = _chosen(kit, choices, progress)
        report = _called(lambda: _tested(kit, target, cases, strict, jobs, timeout, progress))
    if junit is not None:
        replace_plain(junit, report.junit().encode())
    failures = report.failures if known is None else _called(lambda: report.worse_than(known))
    if as_json:
        click.echo(report.json(), nl=False)
    else:
        click.echo(f"{report.target} {report.target_version}".rstrip())
        click.echo(report.table())
        what = "failures" if known is None else "failures that the baseline does not have"
        click.echo(f"cases: {len(cases)}, {what}: {len(failures)}, open: {len(report.open)}")
    if failures:
        sys.exit(1)


def _tested(
    kit: Any,
    target: str,
    cases: list[Any],
    strict: bool,
    jobs: int,
    timeout: float,
    progress: Progress,
) -> Any:
    steps = iter(progress(f"testing {target}", range(len(cases))))

    def step(done: int) -> None:
        next(steps, None)

    return kit.run(target, cases, strict=strict, jobs=jobs, timeout=timeout, progress=step)


def _kit(command: str) -> Any:
    """The kit of the generated package."""
    onnx_release()
    try:
        from opmill import conformance
    except ImportError as error:
        raise Mistake(f"{command} needs the generated package: {error}") from None
    return conformance


def _chosen(kit: Any, choices: Mapping[str, Any], progress: Progress) -> list[Any]:
    """The cases that the options choose."""
    found: list[Any] = _called(lambda: list(kit.cases(
        choices["operators"] or None, domain=choices["domain"], opset=choices["opset"],
        types=choices["types"] or None, rejects=not choices["no_rejects"], progress=progress,
    )))  # fmt: skip
    if not found:
        raise Mistake("no case is chosen")
    return found


def _at_opset(case: Any, opset: int) -> Any:
    """The case, if the opset uses its version.

    Raises:
        Mistake: it uses another.
    """
    from opmill import operators

    numbers = [v for d, n, v in operators() if (d, n) == (case.schema.domain, case.schema.name)]
    used = max((number for number in numbers if number <= opset), default=None)
    if used != case.schema.since_version:
        raise Mistake(
            f"opset {opset} does not use {case.label}; add --opset {opset} to choose what it uses"
        )
    return case


def _baseline(path: Path | None) -> Any:
    if path is None:
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Mistake(f"{path} is not a report: {error}; --json writes one") from None


def _called(action: Callable[[], Any]) -> Any:
    """The result of an action of the kit, whose errors are messages for the user."""
    from opmill import Error

    try:
        return action()
    except Error as error:
        raise Mistake(str(error)) from None
