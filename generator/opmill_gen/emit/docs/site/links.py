"""Addresses outside the manual: ONNX's page and tests of an operator, threads that specs cite."""

from __future__ import annotations

import functools
import importlib.util
import re
from pathlib import Path
from typing import Any

from opmill_gen.base.names import MAIN_DOMAIN
from opmill_gen.emit.docs.site.history import onnx_release
from opmill_gen.onnx.facts import all_schemas, histories

_SHORT = {
    "onnx": "onnx/onnx",
    "onnxruntime": "microsoft/onnxruntime",
    "opencv": "opencv/opencv",
    "opencv_extra": "opencv/opencv_extra",
    "openvino": "openvinotoolkit/openvino",
    "pytorch": "pytorch/pytorch",
    "glow": "pytorch/glow",
    "numpy": "numpy/numpy",
    "tvm": "apache/tvm",
    "tinygrad": "tinygrad/tinygrad",
}
"""The repositories that specs cite by their last name."""

_TESTS = ("backend", "test", "case", "node")
"""The folder of ONNX's node tests; domains other than its own have folders in it."""

_THREAD = re.compile(r"(?<![\w/])((?:[\w.-]+/)?[\w.]+(?:-[\w.]+)*)\\#(\d+)\b")


def with_threads(markdown: str) -> str:
    """Markdown in which references such as ``openvino#37451`` are links."""

    def link(match: re.Match[str]) -> str:
        name = match[1].replace("\\", "")
        repository = name if "/" in name else _SHORT.get(name)
        if repository is None:
            return match[0]
        return f"[{match[0]}](https://github.com/{repository}/issues/{match[2]})"

    return _THREAD.sub(link, markdown)


def onnx_links(domain: str, operator: str, number: int | None) -> list[dict[str, Any]]:
    """ONNX's page of an operator version, and the operator's tests upstream."""
    if not onnx_release() or not histories(all_schemas(), domain):
        return []
    below = "" if domain == MAIN_DOMAIN else domain
    page = f"https://onnx.ai/onnx/operators/onnx_{below.replace('.', '')}_{operator}.html"
    label = operator if number is None else f"{operator}-{number}"
    # The fragments of other domains' versions are formed otherwise.
    fragment = "" if number is None or below else f"#{operator.lower()}-{number}"
    found = [{"text": f"{label} at onnx.ai", "url": page + fragment}]
    folder = below.replace(".", "_")
    name = _test_modules(folder).get(operator.lower())
    if name:
        path = "/".join(filter(None, (f"v{onnx_release()}/onnx", *_TESTS, folder, name)))
        url = f"https://github.com/onnx/onnx/blob/{path}"
        found.append({"text": f"ONNX's tests of {operator}", "url": url})
    return found


@functools.cache
def _test_modules(domain_folder: str) -> dict[str, str]:
    """The files of ONNX's node tests of a domain by their names without underscores."""
    spec = importlib.util.find_spec("onnx")
    if spec is None or spec.origin is None:
        return {}
    folder = Path(spec.origin).parent.joinpath(*_TESTS, domain_folder)
    return {path.stem.replace("_", ""): path.name for path in sorted(folder.glob("*.py"))}
