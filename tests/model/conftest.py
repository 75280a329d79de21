"""What all tests of models share."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def own_random(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test draw the same values, whichever tests ran before it in this process."""
    if hasattr(request.module, "RANDOM"):
        monkeypatch.setattr(request.module, "RANDOM", np.random.default_rng(0))
