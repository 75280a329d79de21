"""``opmill version``: the versions and the machine, as a report of a fault needs them."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from typing import Any

import click

from opmill_gen.cli.conformance import Mistake
from opmill_gen.cli.options import json_option, print_json, reported

_PACKAGES = ("numpy", "ml_dtypes", "onnx", "onnxruntime")
_VARIABLES = ("OPMILL_BACKEND", "OPMILL_ISA", "OPMILL_THREADS")


@click.command("version")
@json_option
@reported
def version_command(as_json: bool) -> None:
    """Print the versions that a report of a fault needs.

    They are those of opmill and of the packages that it uses, and what computes here."""
    try:
        import opmill
    except ImportError as error:
        raise Mistake(f"version needs the generated package: {error}") from None
    document = versions(opmill)
    if as_json:
        print_json({"ok": True, **document})
        return
    for name, value in document.items():
        click.echo(f"{name.replace('_', ' ')}: {_text(value)}")


def versions(opmill: Any) -> dict[str, Any]:
    """The versions, backends and instruction sets; a package that is not installed is ``None``.

    A native module that cannot be loaded is part of the answer, under ``problem``.

    Args:
        opmill: the package.
    """
    document: dict[str, Any] = {
        "opmill": opmill.__version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        **{name: _release(name) for name in _PACKAGES},
        "platform": platform.platform(),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "backends": list(opmill.backends()),
    }
    try:
        sets = list(opmill.instruction_sets())
        document |= {
            "backend": opmill.backend_name(),
            "instruction_sets": sets,
            "instruction_set": os.environ.get("OPMILL_ISA") or next(iter(sets), None),
            "threads": opmill.get_threads(),
        }
    except (ImportError, OSError, opmill.Error) as error:
        document["problem"] = f"{type(error).__name__}: {error}"
    document["environment"] = {k: os.environ[k] for k in _VARIABLES if k in os.environ}
    return document


def _release(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _text(value: Any) -> str:
    if value is None:
        return "not installed"
    if isinstance(value, dict):
        return ", ".join(f"{key}={one}" for key, one in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return str(value)
