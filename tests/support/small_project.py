"""A small project to plant faults in: an invented operator, its family and the domain's index.

A fault is planted by replacing a piece of text. In the new text a ``§`` marks where the fault is
to be reported; the mark itself is not written. So a case says its place without counting columns,
and the place is found here without the generator's help.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from opmill_gen.base.diagnostics import Diagnostic
from opmill_gen.load.load import Loaded, load
from opmill_gen.load.sources import Sources, default_sources
from opmill_gen.yaml_reader.decode import Faults

MARK = "§"
SPEC = "specs/com.example/Blend/1.yaml"
CASES = "specs/com.example/Blend/cases.yaml"
INDEX = "specs/com.example/index.yaml"
FAMILY = "families/blend/family.yaml"
RULES = "families/blend/rules.py"
KERNEL = "families/blend/kernel.py.j2"
ROWS = "families/blend/rows.yaml"

FILES = {
    SPEC: """\
operator: Blend
domain: com.example
since_version: 1
support_level: common
function: false
shape_inference: true
deprecated: false
determinism: deterministic
summary: Multiplies X with the gain and adds the bias.
inputs:
  - {name: X, type: T, description: The data.}
  - {name: bias, type: T, option: optional, description: What is added.}
outputs:
  - {name: Y, type: T, description: The result.}
attributes:
  - {name: gain, kind: INT, default: 1, description: The factor.}
  - {name: mode, kind: STRING, default: flat, allowed: [flat, steep], description: How.}
type_constraints:
  T: {types: [tensor(float), tensor(int32)], description: The element type.}
family: {name: blend, with: {step: 2}}
accuracy: {float: {rtol: 1e-06, atol: 0}}
source: {onnx: 1.23.2}
""",
    CASES: """\
examples:
  - name: plain
    inputs: {X: {type: int32, value: [1, 2]}}
    outputs: {Y: {type: int32, value: [1, 2]}}
  - name: doubled
    inputs: {X: {type: float, value: [0.5, 2]}, bias: {type: float, value: 3}}
    attributes: {gain: 2}
    outputs: {Y: {type: float, value: [4, 7]}}
rejects:
  - name: a matrix
    inputs: {X: {type: int32, value: [[1]]}}
    raises: ShapeError
    error: "X must be 1-D, got rank 2"
""",
    INDEX: """\
domain: com.example
opset: 3
operators:
  Blend: {versions: [1, 2, 3], deprecated: [3]}
""",
    FAMILY: """\
summary: Blends. For tests.
parameters:
  step: {kind: integer, description: How far.}
  shade: {kind: string, allowed: [dark, light], default: dark, description: Which.}
  loud: {kind: boolean, default: false, description: Whether.}
""",
    RULES: '''\
"""The rules of Blend."""


def rules(X: Tensor, bias: Tensor | None, *, gain: int, mode: str):
    require(X.rank == 1, f"X must be 1-D, got rank {X.rank}")
    if bias is not None:
        require(bias.rank == 0, f"bias must be a scalar, got rank {bias.rank}")
    output(Y=X.shape)
    plan(gain=gain)
''',
    KERNEL: '''\
"""Blends."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def compute(X: NDArray[Any], bias: NDArray[Any] | None, Y: NDArray[Any], *, gain: int) -> None:
    """Y = X * gain + bias."""
    np.multiply(X, X.dtype.type(gain), out=Y)
    if bias is not None:
        np.add(Y, bias, out=Y)
''',
}


class Edit(NamedTuple):
    """A piece of a file, and what is to stand in its place.

    Without a file it is the spec, or its cases where those have the piece.
    """

    old: str
    new: str
    file: str | None = None


class Fault(NamedTuple):
    """Edits that plant faults, and the messages that are expected, one for each mark in order.

    A message that belongs to no mark states its place: ``specs/x.yaml:1:1: no such thing``.
    """

    edits: tuple[Edit, ...]
    messages: tuple[str, ...]


def fault(old: str, new: str, *messages: str, file: str | None = None) -> Fault:
    """One edit and its messages."""
    return Fault((Edit(old, new, file),), messages)


def fault_of(edits: Iterable[tuple[str, str]], *messages: str) -> Fault:
    """Several edits of the spec and its cases, and their messages."""
    return Fault(tuple(Edit(old, new) for old, new in edits), messages)


class Project:
    """The files of a small project in a folder."""

    def __init__(self, root: Path, files: dict[str, str] | None = None) -> None:
        self.root = root
        self.locations: list[str] = []
        for path, text in (FILES if files is None else files).items():
            self.put(path, text)

    @property
    def sources(self) -> Sources:
        """The sources that the generator reads."""
        templates = self.root / "templates"
        return Sources(self.root / "specs", templates, (self.root / "families",))

    def put(self, path: str, text: str) -> None:
        """Write a file."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8", newline="")

    def remove(self, *paths: str) -> None:
        """Remove files."""
        for path in paths:
            (self.root / path).unlink()

    def text(self, path: str) -> str:
        """Read a file."""
        return (self.root / path).read_text(encoding="utf-8")

    def edit(self, old: str, new: str, file: str | None = None) -> None:
        """Replace a text that occurs once; the places of marks are noted. "" is the whole file."""
        if file is None:
            file = CASES if old and old not in self.text(SPEC) else SPEC
        text = self.text(file)
        assert not old or text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {file}"
        text = text.replace(old, new) if old else new
        while MARK in text:
            before, _, after = text.partition(MARK)
            line = before.count("\n") + 1
            column = len(before) - (before.rfind("\n") + 1) + 1
            self.locations.append(f"{file}:{line}:{column}")
            text = before + after
        self.put(file, text)

    def expected(self, messages: Iterable[str]) -> list[str]:
        """The lines that messages make: each unplaced one takes the place of the next mark."""
        locations = iter(self.locations)
        lines = []
        for message in messages:
            placed = message.startswith(("specs", "families", "templates"))
            lines.append(message if placed else f"{next(locations)}: {message}")
        assert next(locations, None) is None, "there are more marks than messages"
        return lines


Stage = Callable[[Loaded, Faults], None]


def faults_of(project: Project, stage: Stage | None = None) -> list[str]:
    """The faults that loading, and one stage after it, report; sorted as a run prints them."""
    faults = Faults()
    loaded = load(project.sources, faults)
    if stage is not None:
        stage(loaded, faults)
    return lines_of(faults)


def lines_of(faults: Iterable[Diagnostic]) -> list[str]:
    """Diagnostics as they are printed."""
    return [str(diagnostic) for diagnostic in sorted(faults)]


def plant(root: Path, planted: Fault, stage: Stage | None = None) -> tuple[list[str], list[str]]:
    """Return the reported and the expected faults of planted ones: the same locations and words."""
    project = Project(root)
    for edit in planted.edits:
        project.edit(*edit)
    return faults_of(project, stage), project.expected(planted.messages)


def with_real_templates(root: Path) -> Project:
    """A small project that can be generated, with opmill's own templates and runtime."""
    project = Project(root)
    own = default_sources()
    for folder in (own.templates, own.runtime, own.docs):
        shutil.copytree(folder, root / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
    return project


def files_below(folder: Path) -> dict[str, bytes]:
    """Every file below a folder and its contents."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


ERRATA = "specs/com.example/Blend/errata.yaml"
NUMBERS = (1, 2, 10)
"""The versions of ``three_versions``."""


def three_versions(root: Path) -> Project:
    """The project with three versions of its operator."""
    project = Project(root)
    project.edit("versions: [1, 2, 3], deprecated: [3]", "versions: [1, 2, 10]", INDEX)
    project.edit("opset: 3", "opset: 10", INDEX)
    for number in NUMBERS[1:]:
        text = FILES[SPEC].replace("since_version: 1", f"since_version: {number}")
        changes = "changes: [{what: More., shown_by: plain}]\nsource:"
        project.put(path_of(number), text.replace("source:", changes))
    return project


def path_of(number: int) -> str:
    """The path of a version's file."""
    return f"specs/com.example/Blend/{number}.yaml"
