"""Writes cases as the folders of ONNX's backend tests, or as JSON alone."""

from __future__ import annotations

import json
import math
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from opmill._runtime.errors import Error
from opmill.conformance._cases import Case, Graph, Held, Sparse, Value
from opmill.conformance._models import (
    InexpressibleError,
    are_optionals,
    messages,
    model_of,
    opset_of,
    output_names,
)

FORMAT = 2
"""The version of the form of cases.json."""


def export(
    folder: str | Path, chosen: Iterable[Case], *, form: str = "onnx", opset: int | None = None
) -> int:
    """Write cases to a new folder.

    ``examples/<name>/`` holds each example as ONNX's backend tests have it: ``model.onnx``,
    ``data.json`` with the tolerance, and ``test_data_set_0`` with ``input_0.pb`` and
    ``output_0.pb``. ``rejects/<name>/`` holds invalid calls, without outputs. ``open/`` holds, in
    the same form, the cases whose outcome ONNX's text leaves open. ``cases.json`` lists all of them
    with tolerances, messages and the decisions that they rest on.

    Args:
        folder: where to write; it must be missing or empty.
        chosen: the cases.
        form: ``onnx``, or ``json`` for ``cases.json`` alone, with the tensors in it.
        opset: the opset that models import; by default the lowest that has the version.

    Returns:
        The number of cases.

    Raises:
        Error: the folder is not empty, or the form is unknown.
    """
    if form not in ("onnx", "json"):
        raise Error(f"form is {form!r}, expected 'onnx' or 'json'")
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Error(f"{folder} is not empty, expected a new or an empty folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        entries = list(_written(draft, chosen, form, opset))
        document = {"format": FORMAT, "cases": entries}
        text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        (draft / "cases.json").write_text(text, encoding="utf-8")
        draft.chmod(0o755)
        if folder.exists():
            folder.rmdir()
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return len(entries)


def _written(
    folder: Path, chosen: Iterable[Case], form: str, opset: int | None
) -> Iterator[dict[str, Any]]:
    taken: set[str] = set()
    for case in chosen:
        name = _folder_name(case, taken)
        entry = _entry(case, name, opset)
        if form == "json":
            yield {**entry, **_tensors_of(case)}
            continue
        try:
            model = model_of(case, opset)
        except InexpressibleError as error:
            yield {**entry, "path": None, "inexpressible": str(error), **_tensors_of(case)}
            continue
        kind = "rejects" if case.is_reject else "examples"
        directory = folder / ("open" if case.rests_on else "") / kind / name
        data = directory / "test_data_set_0"
        data.mkdir(parents=True)
        (directory / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
        names = list(model.graph.node[0].input)[: len(case.inputs)]
        schema = case.schema
        optional = are_optionals(schema, schema.inputs, len(names))
        _write(data, "input", messages(case.inputs, names, optional))
        if not case.is_reject:
            outputs = output_names(case)
            optional = are_optionals(schema, schema.outputs, len(outputs))
            _write(data, "output", messages(case.outputs, outputs, optional))
            (directory / "data.json").write_text(
                json.dumps(_loosest(case)) + "\n", encoding="utf-8"
            )
        yield {**entry, "path": directory.relative_to(folder).as_posix()}


def _loosest(case: Case) -> dict[str, float]:
    """The tolerance of a case in the form of ONNX's tests, which have one for all outputs."""
    tolerances = [case.tolerance(number) or (0.0, 0.0) for number in range(len(case.outputs))]
    return {"rtol": max(one[0] for one in tolerances), "atol": max(one[1] for one in tolerances)}


def _write(folder: Path, kind: str, values: list[Any]) -> None:
    for position, value in enumerate(values):
        text = value.SerializeToString(deterministic=True)
        (folder / f"{kind}_{position}.pb").write_bytes(text)


def _folder_name(case: Case, taken: set[str]) -> str:
    """The folder of a case, as ``test_tile_v13_rank_0_int8``; unique, whatever names share."""
    schema = case.schema
    domain = "" if schema.domain == "ai.onnx" else schema.domain
    parts = (domain, schema.name, f"v{schema.since_version}", case.example, case.type or "")
    text = "_".join(part for part in parts if part).lower()
    plain = "test_" + re.sub(r"[^a-z0-9]+", "_", text).strip("_")
    name, number = plain, 2
    while name in taken:
        name, number = f"{plain}_{number}", number + 1
    taken.add(name)
    return name


def _entry(case: Case, name: str, opset: int | None) -> dict[str, Any]:
    schema = case.schema
    entry: dict[str, Any] = {
        "name": name,
        "domain": schema.domain,
        "operator": schema.name,
        "version": schema.since_version,
        "opset": opset_of(schema, opset),
        "case": case.example,
        "type": case.type,
        "types": list(case.types),
        "rests_on": [
            {"name": one.name, "kind": one.kind, "text": one.text, "decision": one.decision}
            for one in case.rests_on
        ],
    }
    if case.is_reject:
        return {**entry, "refused": f"{case.label}: {case.error}"}
    tolerances = [
        None if one is None else {"rtol": one[0], "atol": one[1]} for one in case.accuracy
    ]
    return {**entry, "tolerances": tolerances}


def _tensors_of(case: Case) -> dict[str, Any]:
    description: dict[str, Any] = {
        "inputs": [_json(one) for one in case.inputs],
        "attributes": {name: _json(one) for name, one in case.attributes.items()},
    }
    return (
        description
        if case.is_reject
        else {**description, "outputs": [_json(one) for one in case.outputs]}
    )


def _json(value: Any) -> Any:
    """A value as JSON has it; bit patterns stand where numbers alone would lose something."""
    if isinstance(value, Held):
        return {"sequence": None if value.items is None else [_json(one) for one in value.items]}
    if isinstance(value, Graph):
        nodes = [
            {
                "op": one.op,
                "inputs": list(one.inputs),
                "outputs": list(one.outputs),
                "attributes": {key: _json(given) for key, given in one.attributes.items()},
            }
            for one in value.nodes
        ]
        types = {
            name: {"type": one.type, "shape": list(one.shape)} for name, one in value.types.items()
        }
        ends = {"inputs": list(value.inputs), "outputs": list(value.outputs)}
        return {"graph": {**ends, "nodes": nodes, "types": types}}
    if isinstance(value, Sparse):
        parts = {"values": _json(value.values), "indices": _json(value.indices)}
        return {**parts, "dims": list(value.dims)}
    if isinstance(value, Value):
        tensor: dict[str, Any] = {"type": value.type, "shape": list(value.shape)}
        if value.bits is not None:
            return {**tensor, "bits": list(value.bits)}
        return {**tensor, "data": [_json(one) for one in value.items]}
    if isinstance(value, (list, tuple)):
        return [_json(one) for one in value]
    if isinstance(value, complex):
        return [_json(value.real), _json(value.imag)]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value if isinstance(value, (str, int, float, type(None))) else str(value)
