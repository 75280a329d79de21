"""The NumPy kernel of StringNormalizer: simple case mappings, from those of Python's texts."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from opmill._runtime.kernels.texts import texts_of


def measure(
    X: NDArray[Any],
    *,
    action: str,
    ascii_only: bool,
    is_case_sensitive: bool,
    stopwords: NDArray[Any] | None,
) -> tuple[tuple[int, ...], ...]:
    """As many texts as are left, or one."""
    left = _left(X, ascii_only, is_case_sensitive, stopwords)
    return ((*X.shape[:-1], max(len(left), 1)),)


def compute(
    X: NDArray[Any],
    Y: NDArray[Any],
    *,
    action: str,
    ascii_only: bool,
    is_case_sensitive: bool,
    stopwords: NDArray[Any] | None,
) -> None:
    """Write the texts that are no stop words, in another case where ``action`` says so."""
    left = _left(X, ascii_only, is_case_sensitive, stopwords)
    if action != "NONE":
        left = [_mapped(text, action == "UPPER", ascii_only) for text in left]
    Y.reshape(-1)[:] = left or [""]


def _left(
    X: NDArray[Any], ascii_only: bool, is_case_sensitive: bool, stopwords: NDArray[Any] | None
) -> list[str]:
    texts: list[str] = texts_of(X, "X").reshape(-1).tolist()
    if stopwords is None or not stopwords.size:
        return texts
    words = set(texts_of(stopwords, "stopwords").tolist())
    if is_case_sensitive:
        return [text for text in texts if text not in words]
    words = {_mapped(word, False, ascii_only) for word in words}
    return [text for text in texts if _mapped(text, False, ascii_only) not in words]


def _mapped(text: str, upper: bool, ascii_only: bool) -> str:
    """Each character by its simple mapping, which is one character."""
    if text.isascii():
        return text.upper() if upper else text.lower()
    return "".join(_character(one, upper, ascii_only) for one in text)


def _character(one: str, upper: bool, ascii_only: bool) -> str:
    if ascii_only and not one.isascii():
        return one
    # Of the full mappings, those of several characters have a simple one in title case, or none;
    # the lower case of U+0130 is the one exception.
    mapped = one.upper() if upper else one.lower()
    if len(mapped) > 1:
        mapped = one.title() if upper else "i"
    return mapped if len(mapped) == 1 else one
