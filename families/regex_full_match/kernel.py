"""The NumPy kernel of RegexFullMatch: an automaton that never goes back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opmill._runtime.kernels.regex import Automaton
from opmill._runtime.kernels.texts import texts_of


def compute(X: NDArray[Any], Y: NDArray[Any], *, pattern: str) -> None:
    """Write whether each text matches the pattern as a whole.

    Raises:
        ContentsError: the pattern is not legal. Nothing has been written then.
    """
    automaton = Automaton(pattern, "pattern")
    texts: list[str] = texts_of(X, "X").reshape(-1).tolist()
    Y[...] = np.array([automaton.matches(text) for text in texts], np.bool_).reshape(X.shape)
