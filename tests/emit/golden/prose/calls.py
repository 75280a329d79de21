"""Hostile prose and values arrive as they were written."""

import numpy as np

from opmill.com_example import echo
from opmill.com_example.echo import v1

NOTE = '*/ """ \' \\ \n \x1b {{ x }}'


def test_values_are_kept():
    assert v1.SCHEMA.attributes[0].default == NOTE
    assert v1.echo.__kwdefaults__["note"] == NOTE
    assert v1.echo(np.float32(1)) == 1


def test_prose_is_kept():
    documentation = v1.echo.__doc__
    for text in ('*/ nor a docstring """ nor', "{% raw", "C:\\new\\table\\x41 stays", "'''"):
        assert text in documentation
    for text in ('            Ends in """\n', "            Ends in a backslash \\\n"):
        assert text in documentation
    assert '"""' in echo.__doc__


def test_nothing_of_it_was_executed():
    assert {name for name in vars(v1) if not name.startswith("_")} == {
        "annotations", "Operator", "Attribute", "Parameter", "Schema", "Array", "TensorType",
        "SCHEMA", "OPERATOR", "echo", "infer",
    }  # fmt: skip
