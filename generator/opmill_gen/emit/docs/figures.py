"""The pictures that a family draws of its examples: ``figure.py`` of its folder, for the manual.

A figure is trusted code, as templates are. A fault in one is reported with its file and line.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

from opmill_gen.base.diagnostics import Diagnostic, InputError, Location
from opmill_gen.spec.cases import Argument, Example
from opmill_gen.spec.family import Family
from opmill_gen.yaml_reader.tree import plain


def example_figure(family: Family, example: Example) -> str | None:
    """The picture of an example as SVG; ``None`` where the family draws none.

    Raises:
        InputError: the family's figure cannot be used; the place is in its file.
    """
    if family.figure is None:
        return None
    path, text = family.figure
    attributes = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in ((n, plain(tree)) for n, tree in example.attributes.items())
    }
    inputs, outputs = _shapes(example.inputs), _shapes(example.outputs)
    try:
        drawn: str | None = _module(path, text)["figure"](inputs, attributes, outputs)
    except Exception as error:
        raise InputError([Diagnostic(_place(error, path), _words(error, example.name))]) from error
    if drawn is not None and "\n\n" in drawn:
        fault = "a figure is SVG without empty lines"
        raise InputError([Diagnostic(Location(path), f"{fault} ({example.name})")])
    return drawn


def figure_legend(family: Family) -> str:
    """What a reader of the family's pictures should know, in prose; empty where it draws none."""
    if family.figure is None:
        return ""
    path, text = family.figure
    try:
        return str(_module(path, text).get("LEGEND", ""))
    except Exception as error:
        raise InputError([Diagnostic(_place(error, path), _words(error))]) from error


@functools.cache
def _module(path: str, text: str) -> dict[str, Any]:
    """What a file defines. It is a module of its own, so that it can define classes."""
    name = "opmill_gen._figure_" + "".join(c if c.isalnum() else "_" for c in path)
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(text, path, "exec"), module.__dict__)
    return module.__dict__


def _shapes(arguments: Any) -> dict[str, Any]:
    """The shape of each argument; ``None`` where it is absent, a list where there are several."""
    return {name: _shape(argument) for name, argument in arguments.items()}


def _shape(argument: Argument) -> Any:
    if argument.tensors is None:
        return None
    shapes = [list(tensor.shape) for tensor in argument.tensors]
    return shapes if argument.variadic or argument.sequence else shapes[0]


def _words(error: Exception, example: str | None = None) -> str:
    if isinstance(error, KeyError) and error.args == ("figure",):
        return "no function 'figure'; write def figure(inputs, attributes, outputs)"
    if isinstance(error, SyntaxError):
        return f"not valid Python: {error.msg}"
    during = f" (while drawing {example})" if example else ""
    return f"{type(error).__name__}: {error}{during}"


def _place(error: Exception, path: str) -> Location:
    """The innermost line of the figure's file that the error passed through."""
    if isinstance(error, SyntaxError):
        return Location(path, error.lineno or 1, error.offset or 1)
    line = 0
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == path:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return Location(path, line, 1 if line else 0)
