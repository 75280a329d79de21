"""The backends; a new one is a folder beside ``python`` and ``c``, and a line here."""

from __future__ import annotations

from opmill_gen.emit.backend import Backend
from opmill_gen.emit.c.backend import CBackend
from opmill_gen.emit.python.backend import PythonBackend

C = CBackend()
PYTHON = PythonBackend(compiled=C)
BACKENDS: tuple[Backend, ...] = (PYTHON, C)
