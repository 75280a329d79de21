"""NumPy kernels that cut large calls into blocks, with blocks so small that small calls are cut."""

from __future__ import annotations

import importlib

import pytest

from differential.judges import Judge
from differential.known import known
from differential.run import run
from differential.tally import Tally
from differential.versions import Version, versions

SIZES = {
    "opmill._families.conv_transpose.kernel": ("_PRODUCTS", "_PRODUCTS_ALONE", "_PIXELS"),
    "opmill._runtime.repeat": ("_CACHED",),
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
    """The newest version of each family."""
    return list({version.family: version for version in versions()}.values())


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
