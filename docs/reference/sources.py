"""The Sphinx extension of the reference pages: reads docstrings and the C headers, copies neither.

Python is read by autodoc. ``.. c-header:: types.h`` documents every declaration of a C header with
the comment above it, or behind it on the same line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from c_headers import Markup, read
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

import opmill

HEADERS = Path(__file__).resolve().parents[3] / "generated" / "c" / "include" / "opmill"


class HeaderDirective(SphinxDirective):
    """``.. c-header:: types.h``."""

    required_arguments = 1

    def run(self) -> list[Any]:
        """Insert what the header declares."""
        self.env.note_dependency(str(HEADERS / self.arguments[0]))
        markup = Markup([one for path in HEADERS.glob("*.h") for one in read(path)])
        lines = [line for one in read(HEADERS / self.arguments[0]) for line in markup.of(one)]
        return self.parse_text_to_nodes(StringList(lines, self.arguments[0]))


def _name_their_files() -> None:
    """Let autodoc find the comments of attributes, which it reads in the file of a class.

    The package says of its public classes that they are its own.
    """
    for name, module in opmill._MEMBERS.items():
        if isinstance(getattr(opmill, name), type):
            getattr(opmill, name).__module__ = module


def _short(app: Any, env: Any, node: Any, content: Any) -> Any:
    """Link what is written by the name of its file to the page, which has the public name."""
    target = str(node.get("reftarget", "")).rpartition(".")[2]
    if node.get("refdomain") == "py" and target in opmill._MEMBERS:
        domain = env.domains["py"]
        found = domain.objects.get(f"opmill.{target}")
        if found is not None:
            return make_refnode(app.builder, node["refdoc"], found.docname, found.node_id, content)
    return None


def setup(app: Any) -> dict[str, Any]:
    """Add the directive, and settle autodoc."""
    _name_their_files()
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("sphinx.ext.napoleon")
    app.config.autodoc_typehints_format = "short"
    app.config.autodoc_member_order = "bysource"
    app.config.python_use_unqualified_type_names = True
    app.config.napoleon_use_rtype = False
    app.config.autodoc_type_aliases = {"Array": "Array", "Declared": "Declared"}
    app.config.python_maximum_signature_line_length = 88
    app.config.c_maximum_signature_line_length = 88
    app.add_directive("c-header", HeaderDirective)
    app.connect("missing-reference", _short)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
