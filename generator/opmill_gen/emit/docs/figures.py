"""The pictures that a family draws of its examples: ``figure.py`` of its folder, for the manual.

A figure is trusted code, as templates are. A fault in one is reported with its file and line.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Mapping
from typing import Any

from opmill_gen.base.diagnostics import Diagnostic, InputError, Location
from opmill_gen.check.result import CheckedVersion
from opmill_gen.figures.svg import Pictured
from opmill_gen.spec.cases import Argument, Example
from opmill_gen.spec.family import Family
from opmill_gen.spec.tensor_values import Element, Fill, Formula, Given, TensorValue
from opmill_gen.yaml_reader.tree import plain

_MAX_ELEMENTS = 1024
"""Size above which nothing is drawn."""


def example_figure(version: CheckedVersion, example: Example) -> str | None:
    """The picture of an example as SVG; ``None`` where the family draws none.

    Raises:
        InputError: the family's figure cannot be used; the place is in its file.
    """
    if version.instance.family.figure is None:
        return None
    path, text = version.instance.family.figure
    inputs, attributes, outputs = figure_arguments(version, example)
    try:
        drawn: str | None = _module(path, text)["figure"](inputs, attributes, outputs)
    except Exception as error:
        raise InputError(
            [Diagnostic(_location(error, path), _words(error, example.name))]
        ) from error
    if drawn is not None and "\n\n" in drawn:
        fault = "a figure is SVG without empty lines"
        raise InputError([Diagnostic(Location(path), f"{fault} ({example.name})")])
    return drawn


def figure_legend(family: Family) -> str:
    """Prose for readers of the family's pictures; empty where it draws none."""
    if family.figure is None:
        return ""
    path, text = family.figure
    try:
        return str(_module(path, text).get("LEGEND", ""))
    except Exception as error:
        raise InputError([Diagnostic(_location(error, path), _words(error))]) from error


@functools.cache
def _module(path: str, text: str) -> dict[str, Any]:
    """Definitions of a file. It is a module of its own, so that it can define classes."""
    name = "opmill_gen._figure_" + "".join(c if c.isalnum() else "_" for c in path)
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(text, path, "exec"), module.__dict__)
    return module.__dict__


def figure_arguments(version: CheckedVersion, example: Example) -> tuple[Any, Any, Any]:
    """Arguments of a figure: inputs, attributes with those that have a default, outputs."""
    given = {a.name: a.default_value for a in version.spec.attributes}
    given |= {name: plain(tree) for name, tree in example.attributes.items()}
    attributes = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in given.items()
        if value is not None
    }
    return _tensors(example.inputs), attributes, _tensors(example.outputs)


def _tensors(arguments: Mapping[str, Argument]) -> dict[str, Any]:
    """Each argument; ``None`` where it is absent, a list where there are several."""
    return {name: _tensor(argument) for name, argument in arguments.items()}


def _tensor(argument: Argument) -> Any:
    if argument.tensors is None:
        return None
    tensors = [Pictured(tensor.shape, _elements(tensor)) for tensor in argument.tensors]
    return tensors if argument.variadic or argument.sequence else tensors[0]


def _elements(tensor: TensorValue) -> tuple[Element, ...] | None:
    """The elements that an example states, where they are few enough for a picture."""
    source = tensor.source
    if tensor.size > _MAX_ELEMENTS:
        return None
    if isinstance(source, Given):
        return source.elements
    if isinstance(source, Fill):
        return (source.element,) * tensor.size
    if isinstance(source, Formula):
        exact = source.elements(tensor.size)
        return tuple(int(e) if e.denominator == 1 else float(e) for e in exact)
    return None


def _words(error: Exception, example: str | None = None) -> str:
    if isinstance(error, KeyError) and error.args == ("figure",):
        return "no function 'figure'; write def figure(inputs, attributes, outputs)"
    if isinstance(error, SyntaxError):
        return f"not valid Python: {error.msg}"
    during = f" (while drawing {example})" if example else ""
    return f"{type(error).__name__}: {error}{during}"


def _location(error: Exception, path: str) -> Location:
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
