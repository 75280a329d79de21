"""Terms added to the scores of attention in com.microsoft: biases, and masks of keys."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import Ints, Tensor, require


def bias_steps(bias: Tensor | None, batch: int, heads: int, length: int, total: int) -> Ints:
    """Steps along batch, heads and queries; the first two may have size 1."""
    steps = [0, 0, 0]
    if bias is not None:
        check_rank("attention_bias", bias, 4)
        expected = [
            1 if bias.shape[0] == 1 else batch,
            1 if bias.shape[1] == 1 else heads,
            length,
            total,
        ]
        require(
            bias.shape == expected,
            f"attention_bias.shape is {bias.shape}, expected {expected} "
            "(1 or the batch, 1 or the heads, the queries, the keys)",
        )
        steps[2] = total
        steps[1] = 0 if bias.shape[1] == 1 else length * total
        steps[0] = 0 if bias.shape[0] == 1 else bias.shape[1] * length * total
    return steps


def mask_form(name: str, mask: Tensor | None, batch: int, ranges: int) -> int:
    """Return 0 without a mask, 1 for ends of keys, 2 for ends and starts, 3 for each key a number.

    Two numbers for each batch entry are ends and starts if `ranges` is 1.
    """
    if mask is None:
        return 0
    require(1 <= mask.rank <= 3, f"{name} has rank {mask.rank}, expected 1 to 3")
    if mask.rank >= 2:
        return 3
    count = mask.shape[0]
    if ranges == 1:
        require(
            count == batch or count == 2 * batch or count == 3 * batch + 2,
            f"{name}.shape is {mask.shape}, expected [{batch}], [{2 * batch}] or [{3 * batch + 2}] "
            "(the batch, twice the batch, or 2 more than three times the batch)",
        )
        if count == 2 * batch:
            return 2
    else:
        require(
            count == batch or count == 3 * batch + 2,
            f"{name}.shape is {mask.shape}, expected [{batch}] or [{3 * batch + 2}] "
            "(the batch, or 2 more than three times the batch)",
        )
    return 1


def check_cells(name: str, mask: Tensor | None, batch: int, length: int, total: int) -> Ints:
    """Steps along batch and queries of a mask with an element for each key, or 0 of others."""
    if mask is None:
        return [0, 0]
    if mask.rank < 2:
        return [0, 0]
    if mask.rank == 2:
        keys = [batch, total]
        require(
            mask.shape == keys,
            f"{name}.shape is {mask.shape}, expected {keys} (the batch, the keys)",
        )
        return [total, 0]
    cells = [batch, length, total]
    require(
        mask.shape == cells,
        f"{name}.shape is {mask.shape}, expected {cells} (the batch, the queries, the keys)",
    )
    return [length * total, total]
