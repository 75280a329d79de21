"""Checks of attention whose queries, keys and values are columns of one product."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import (
    Ints,
    Positive,
    Tensor,
    counted,
    require,
    require_attribute,
)


def check_sizes(given: Ints, heads: Positive) -> None:
    """Three sizes, of which queries and keys have the same one."""
    require_attribute(
        len(given) == 3,
        f"qkv_hidden_sizes has {counted(len(given), 'value')}, expected 3",
    )
    for i in range(3):
        require_attribute(
            given[i] >= 0 and given[i] % heads == 0,
            f"qkv_hidden_sizes[{i}] is {given[i]}, expected a multiple of {heads} (num_heads)",
        )
    require_attribute(
        given[1] == given[0],
        f"qkv_hidden_sizes[1] is {given[1]}, expected {given[0]} (qkv_hidden_sizes[0])",
    )


def third_of(name: str, columns: int, heads: Positive) -> int:
    """The columns of queries, of keys and of values, which are as many each."""
    require(
        columns % max(1, 3 * heads) == 0,
        f"{name}.shape[1] is {columns}, expected a multiple of {3 * heads} "
        "(the heads of queries, keys and values)",
    )
    return columns // 3


def hidden_sizes(name: str, weights: Tensor, given: Ints | None, heads: Positive) -> Ints:
    """The columns of queries and keys, of values, and the sizes of their heads."""
    check_rank(name, weights, 2)
    columns = weights.shape[1]
    width = 0
    others = 0
    if given is None:
        width = third_of(name, columns, heads)
        others = width
    else:
        check_sizes(given, heads)
        width = given[0]
        others = given[2]
        require(
            columns == 2 * width + others,
            f"{name}.shape[1] is {columns}, expected {2 * width + others} "
            "(the sum of qkv_hidden_sizes)",
        )
    return [width, others, width // heads, others // heads]


def past_rows(past: Tensor | None, batch: int, heads: int, size: int, value_size: int) -> int:
    """The rows of a head in the past; 0 where there is none."""
    rows = 0
    if past is not None:
        check_rank("past", past, 5)
        rows = past.shape[3]
        expected = [2, batch, heads, rows, size]
        require(
            past.shape == expected,
            f"past.shape is {past.shape}, expected {expected} "
            "(2, batch, num_heads, past length and size of a head)",
        )
        require(
            value_size == size,
            f"size of a head of values is {value_size}, expected {size} "
            "(that of keys; there is a past)",
        )
    return rows


def check_options(do_rotary: int | None, shares: int | None, past: Tensor | None) -> None:
    """Attributes of what is not supported."""
    if do_rotary is not None:
        require_attribute(
            do_rotary != 1, "do_rotary is 1, expected 0 (rotations are not supported)"
        )
    if shares is not None and past is not None:
        require_attribute(
            shares != 1,
            "past_present_share_buffer is 1, expected 0 (buffers are not supported)",
        )


def check_projection(name: str, weights: Tensor, bias: Tensor | None, input: Tensor) -> None:
    """Weights that fit the tokens, and a bias for each of their columns."""
    check_rank("input", input, 3)
    check_rank(name, weights, 2)
    require(
        weights.shape[0] == input.shape[2],
        f"{name}.shape[0] is {weights.shape[0]}, expected {input.shape[2]} (input.shape[2])",
    )
    if bias is not None:
        columns = [weights.shape[1]]
        require(
            bias.shape == columns,
            f"bias.shape is {bias.shape}, expected {columns} (the columns of {name})",
        )
