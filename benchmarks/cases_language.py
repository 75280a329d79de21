"""Cases of com.microsoft's operators in language models and in recurrent networks of 8 bits."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.cases_operators import Attribute, Given, OperatorCase

_GROUP = "language models"
_K, _N = 1024, 4096
_HEADS, _SHARED, _SIZE = 16, 4, 64
_PAST, _ROWS = 1024, 2048
_PROMPT = 128


def _case(
    operator: str,
    *inputs: Given | None,
    note: str = "",
    outputs: int = 1,
    tolerance: float = 1e-3,
    flops: int = 0,
    **attributes: Attribute,
) -> OperatorCase:
    return OperatorCase(
        operator,
        inputs,
        tuple(attributes.items()),
        _GROUP,
        note,
        flops=flops,
        tolerance=tolerance,
        outputs=outputs,
        domain="com.microsoft",
    )


def _constant(shape: tuple[int, ...], type: str, value: float) -> Given:
    return Given(shape, type, role="constant", values=(value,) * (shape[0] if shape else 1))


def _products() -> Iterator[OperatorCase]:
    """MatMulNBits of one row and of a prompt; weights are constants, as in models."""
    for bits in (4, 8):
        for block in (32, 128):
            blocks = _K // block
            codes = Given((_N, blocks, block * bits // 8), "uint8", 0, 256, role="constant")
            scales = Given((_N, blocks), low=0.001, high=0.01, role="constant")
            for rows in (1, 128):
                yield _case(
                    "MatMulNBits", Given((rows, _K)), codes, scales,
                    note=f"to {_N}, {bits} bits, blocks of {block}", tolerance=1e-2,
                    flops=2 * rows * _K * _N, K=_K, N=_N, bits=bits, block_size=block,
                )  # fmt: skip


def _attentions() -> Iterator[OperatorCase]:
    """A token behind a past, and a prompt, with and without rotation; an encoder's attention."""
    half = _SIZE // 2
    tables = (Given((_ROWS, half), low=-1.0, high=1.0), Given((_ROWS, half), low=-1.0, high=1.0))
    for word, tokens, past in (("token", 1, _PAST), ("prompt", _PROMPT, 0)):
        total = past + tokens
        query = Given((1, tokens, _HEADS * _SIZE))
        new = Given((1, tokens, _SHARED * _SIZE))
        cache = Given((1, _SHARED, past, _SIZE)) if past else None
        lengths = (_constant((1,), "int32", total - 1), _constant((1,), "int32", total))
        for rotates in (False, True):
            yield _case(
                "GroupQueryAttention", query, new, new, cache, cache, *lengths,
                *(tables if rotates else ()), note=f"{word}, rotated" if rotates else word,
                outputs=3, num_heads=_HEADS, kv_num_heads=_SHARED, do_rotary=int(rotates),
            )  # fmt: skip
    whole = Given((1, _PROMPT, 768))
    yield _case("MultiHeadAttention", whole, whole, whole, num_heads=12)


def _layers() -> Iterator[OperatorCase]:
    """SkipLayerNormalization of a token and of a sequence; DynamicQuantizeLSTM."""
    for rows in (1, _PROMPT):
        tokens, weight = Given((1, rows, 768)), Given((768,), low=0.5, role="constant")
        yield _case("SkipLayerNormalization", tokens, tokens, weight, weight, epsilon=1e-5)
    for steps, batch, size, hidden, direction in (
        (20, 1, 512, 512, "bidirectional"),
        (600, 1, 200, 100, "forward"),
        (1, 1, 128, 128, "forward"),
        (64, 4, 256, 256, "forward"),
        (16, 1, 512, 512, "forward"),
    ):
        directions = 2 if direction == "bidirectional" else 1
        # Codes of 7 bits: onnxruntime adds pairs of products of 8 bits with saturation.
        weights = [
            Given((directions, rows, 4 * hidden), "int8", -64, 64, role="constant")
            for rows in (size, hidden)
        ]
        per_direction = (
            _constant((directions,), "float32", 0.001),
            _constant((directions,), "int8", 0),
        )
        yield _case(
            "DynamicQuantizeLSTM", Given((steps, batch, size)), *weights, *(None,) * 5,
            *per_direction, *per_direction, note=f"{hidden} {direction}", tolerance=1e-2,
            hidden_size=hidden, direction=direction,
        )  # fmt: skip


MAIN = (*_products(), *_attentions(), *_layers())
