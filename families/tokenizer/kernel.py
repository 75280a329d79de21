"""The NumPy kernel of Tokenizer: separators one after another, or matches of an expression."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from numpy.typing import NDArray

from opmill._runtime.errors import ContentsError, cut
from opmill._runtime.kernels.regex import Automaton
from opmill._runtime.kernels.texts import element_name, texts_of

MAX_BYTES = 4096
SPECIAL = frozenset("\\.+*?()|[]{}^$")
"""Characters of which an expression is more than a text."""
BEGIN, END = "\x02", "\x03"

Splitter = Callable[[str], Iterable[str]]


def measure(
    X: NDArray[Any],
    *,
    tokenexp: str,
    separators: NDArray[Any] | None,
    mark: bool,
    mincharnum: int,
    pad_value: str,
) -> tuple[tuple[int, ...], ...]:
    """The shape with the largest number of tokens.

    Raises:
        ContentsError: an expression is not legal, or a text has no characters of UTF-8.
    """
    rows = _rows(X, tokenexp, separators, mark, mincharnum)
    if X.size == 0:
        return ((*X.shape[:-1], 0),)
    return ((*X.shape, max(map(len, rows))),)


def compute(
    X: NDArray[Any],
    Y: NDArray[Any],
    *,
    tokenexp: str,
    separators: NDArray[Any] | None,
    mark: bool,
    mincharnum: int,
    pad_value: str,
) -> None:
    """Write the tokens of each text, and the padding behind them."""
    Y[...] = pad_value
    if Y.size > 0:
        rows = _rows(X, tokenexp, separators, mark, mincharnum)
        for row, tokens in zip(Y.reshape(-1, Y.shape[-1]), rows, strict=True):
            row[: len(tokens)] = tokens


def _rows(
    X: NDArray[Any], tokenexp: str, separators: NDArray[Any] | None, mark: bool, mincharnum: int
) -> list[list[str]]:
    """The tokens of each text with the marks around them, if there are any tokens at all."""
    splitters = _splitters(tokenexp, separators, mincharnum)
    rows = []
    for position, text in enumerate(texts_of(X, "X").reshape(-1).tolist()):
        _check_encoding(text, position, X.shape)
        tokens = [text]
        for split in splitters:
            tokens = [one for part in tokens for one in split(part) if len(one) >= mincharnum]
        rows.append(tokens)
    if mark and any(rows):
        return [[BEGIN, *tokens, END] for tokens in rows]
    return rows


def _check_encoding(text: str, position: int, shape: tuple[int, ...]) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        where = element_name("X", position, shape)
        raise ContentsError(f"{where} is {cut(ascii(text), 60)}, expected UTF-8") from None


def _splitters(tokenexp: str, separators: NDArray[Any] | None, mincharnum: int) -> list[Splitter]:
    texts = [] if separators is None else [str(one) for one in texts_of(separators, "separators")]
    if texts == [""] or (not texts and tokenexp == "."):
        if mincharnum > 1:
            raise ContentsError(f"mincharnum is {mincharnum}, expected 1 for single characters")
        return [list]
    if not texts:
        automaton = Automaton(tokenexp, "tokenexp")
        return [lambda text: _tokens(automaton, text, mincharnum)]
    return [_splitter(one, index) for index, one in enumerate(texts)]


def _splitter(separator: str, index: int) -> Splitter:
    size = len(separator.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        found = f"separators[{index}] has {size} bytes"
        raise ContentsError(f"{found}, expected at most {MAX_BYTES}")
    if separator and SPECIAL.isdisjoint(separator):
        return lambda text: text.split(separator)
    automaton = Automaton(separator, f"separators[{index}]")

    def split(text: str) -> Iterator[str]:
        start = 0
        for begin, end in _matches(automaton, text):
            yield text[start:begin]
            start = max(end, begin + 1)
        yield text[start:]

    return split


def _matches(automaton: Automaton, text: str) -> Iterator[tuple[int, int]]:
    """The matches of a text. Behind an empty one, the search skips a character."""
    start = 0
    while start <= len(text) and (found := automaton.search(text, start)):
        yield found
        start = max(found[1], found[0] + 1)


def _tokens(automaton: Automaton, text: str, mincharnum: int) -> Iterator[str]:
    """The matches that are long enough. Behind others, the search skips a character."""
    start = 0
    while start <= len(text) and (found := automaton.search(text, start)):
        begin, end = found
        if end - begin >= mincharnum:
            yield text[begin:end]
        start = end if end - begin >= mincharnum else begin + 1
