"""All findings of a model: the walk through its graphs, and ONNX's own checker."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from onnx import ModelProto, checker, shape_inference

from opmill._check.finding import SEVERITIES, Finding
from opmill._check.graphs import Checker, open_dims, sizes_of
from opmill._onnx.format_versions import newer_than_onnx
from opmill._onnx.outside import Folder
from opmill._onnx.reader import Source, folder_of, message_of
from opmill._runtime.errors import cut

_ASSUMED = (1, 2, 64)
"""Sizes that dims without a size have in turn, beside the sizes of the inputs: a fault of shapes
must show with all of them."""

_MAX_ASSUMED = 8

_SHAPE_RULES = ("shape", "declared-shape")


@dataclass(frozen=True)
class Checked:
    """The result of a check.

    Args:
        opsets: the version of each domain that the model imports.
        nodes: the number of nodes whose operator version is known.
        findings: the findings, the worst first, in the order of the file.
        versions: for each operator version (domain, name, version) the locations of its nodes: by
            part and in words.
    """

    opsets: dict[str, int]
    nodes: int
    findings: tuple[Finding, ...]
    versions: dict[tuple[str, str, int], list[tuple[str, str]]]


def check(source: Source, sizes: Mapping[str, int] | None = None) -> Checked:
    """Check a model.

    Args:
        source: a path, the bytes of a file, or an ``onnx.ModelProto``.
        sizes: the sizes of named dims of the inputs. Other dims without a size are 1, 2, 64 and the
            sizes of the inputs in turn, and a fault that all of these show is a warning.

    Raises:
        OSError: the file cannot be read.
        ModelError: it is no ONNX model.
    """
    model = message_of(source)
    folder = Folder(folder_of(source))
    known: dict[str | None, int] = {}
    known.update((sizes or {}).items())
    is_open = any(dim not in known for dim in open_dims(model.graph))
    assumed = list(dict.fromkeys((*_ASSUMED, *sizes_of(model.graph))))[:_MAX_ASSUMED]
    runs = []
    for size in assumed if is_open else assumed[:1]:
        runs.append(Checker(model, folder, {**known, None: size}))
        runs[-1].run()
    first = runs[0]
    findings = [one for one in first.findings if one.rule not in _SHAPE_RULES]
    findings += _shape_findings(runs, assumed if is_open else [])
    findings += _of_onnx(source, model)
    findings.sort(key=lambda one: SEVERITIES.index(one.severity))
    opsets = {one.domain or "ai.onnx": one.version for one in model.opset_import}
    nodes = sum(map(len, first.versions.values()))
    return Checked(opsets, nodes, tuple(findings), first.versions)


def _shape_findings(runs: list[Checker], assumed: list[int]) -> list[Finding]:
    """The faults of shapes that show with all assumed sizes; those without open dims are errors."""
    found = [one for one in runs[0].findings if one.rule in _SHAPE_RULES]
    for other in runs[1:]:
        shared = {(one.rule, one.part) for one in other.findings}
        found = [one for one in found if (one.rule, one.part) in shared]
    texts = [{one.text for one in run.findings} for run in runs]
    sizes = ", ".join(map(str, assumed[1:]))
    return [
        one
        if all(one.text in text for text in texts)
        else replace(
            one, severity="warning", text=f"{one.text} (with open dims of 1; {sizes} fail too)"
        )
        for one in found
    ]


def _of_onnx(source: Source, model: ModelProto) -> list[Finding]:
    """The fault that ONNX's checker finds, which stops at the first."""
    newer = newer_than_onnx(model)
    if newer:
        return [Finding("note", "onnx-checker", "", "", "", f"did not run: {newer}")]
    given = os.fspath(source) if isinstance(source, (str, os.PathLike)) else model
    try:
        checker.check_model(given, full_check=True)
    except (checker.ValidationError, shape_inference.InferenceError) as error:
        return [Finding("error", "onnx-checker", "", "", "", _one_line(error))]
    except (ValueError, TypeError, RuntimeError, UnicodeDecodeError) as error:
        return [Finding("note", "onnx-checker", "", "", "", f"did not finish: {_one_line(error)}")]
    return []


def _one_line(error: Exception) -> str:
    return cut(" ".join(str(error).split()), 400)
