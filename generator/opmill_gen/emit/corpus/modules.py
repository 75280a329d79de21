"""The modules of a family that tests compute with: ``oracle.py`` and ``calls.py``."""

from __future__ import annotations

import sys
from types import ModuleType

from opmill_gen.spec.family import Family

_modules: dict[tuple[str, str, str], ModuleType] = {}


def family_module(family: Family, name: str) -> ModuleType:
    """Return a module of a family that has it, executed once.

    Args:
        family: the family.
        name: ``oracle`` or ``calls``.
    """
    text = family.oracle_text if name == "oracle" else family.calls_text
    assert text is not None
    path = f"{family.folder}/{name}.py"
    module = _modules.get((path, family.name, text))
    if module is None:
        module = ModuleType(f"{name}_of_{family.name}")
        sys.modules[module.__name__] = module  # where dataclasses look for it
        exec(compile(text, path, "exec"), module.__dict__)
        _modules[path, family.name, text] = module
    return module
