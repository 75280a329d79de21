"""The corpus of a few operators."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from opmill_gen.emit.settings import Settings
from opmill_gen.load.sources import default_sources
from opmill_gen.pipeline import generate_corpus

ROOT = Path(__file__).parents[2]
OPERATORS = ("Constant", "Relu", "Softmax", "StringConcat", "Tile")


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the corpus."""
    root = tmp_path_factory.mktemp("corpus")
    specs = ROOT / "specs"
    (root / "specs" / "ai.onnx").mkdir(parents=True)
    for path in (*specs.glob("*.json"), specs / "ai.onnx" / "index.yaml"):
        shutil.copy2(path, root / path.relative_to(ROOT))
    for name in OPERATORS:
        shutil.copytree(specs / "ai.onnx" / name, root / "specs" / "ai.onnx" / name)
    generate_corpus(replace(default_sources(), specs=root / "specs"), root / "out", Settings())
    return root / "out"
