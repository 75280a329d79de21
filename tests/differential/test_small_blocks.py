"""NumPy kernels that cut large calls into blocks, with blocks so small that small calls are cut."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

import opmill
from differential.judges import Judge
from differential.known import known
from differential.run import run
from differential.tally import Tally
from differential.versions import Version, versions

SIZES = {
    "opmill._families.conv_transpose.kernel": ("_PRODUCTS", "_PRODUCTS_ALONE", "_PIXELS"),
    "opmill._runtime.kernels.repeat": ("_CACHED",),
}
"""The sizes that only speed should depend on."""
SMALL = (1, 3, 40, 300)


class OfNumpy:
    """An operator on the backend numpy alone."""

    backends = ("numpy",)

    def __init__(self, version: Version) -> None:
        self.schema = version.operator.schema
        self.infer = version.operator.infer
        self.call = version.operator

    def __call__(self, *arguments: object, **named: object) -> object:
        return self.call(*arguments, **named)


def newest() -> list[Version]:
    """The newest version of each family whose kernels depend on one of the sizes."""
    newest = {version.family: version for version in versions()}
    return [version for family, version in newest.items() if depends_on_size(family)]


def depends_on_size(family: str) -> bool:
    """True if a module with a size is among the kernels of a family, or is imported by them."""
    folder = Path(opmill.__file__).parent / "_families" / family
    kernels = {
        f"opmill._families.{family}.{path.stem}": path.read_text(encoding="utf-8")
        for path in folder.glob("*.py")
    }
    return any(
        module in kernels or any(f"from {module} import" in text for text in kernels.values())
        for module in SIZES
    )


def test_every_size_is_changed_for_a_version() -> None:
    families = {version.family for version in newest()}
    assert families == {"conv_transpose", "expand", "identity", "reshape", "tile"}


@pytest.mark.parametrize("small", SMALL)
@pytest.mark.parametrize("version", newest(), ids=str)
def test_small_blocks(version: Version, small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, names in SIZES.items():
        for name in names:
            assert getattr(importlib.import_module(module), name) > max(SMALL)
            monkeypatch.setattr(importlib.import_module(module), name, small)
    fields = {name: getattr(version, name) for name in version.__dataclass_fields__}
    alone = Version(**fields | {"operator": OfNumpy(version)})
    run(Judge(alone, (), known()[1], Tally()), "legal", 25)
