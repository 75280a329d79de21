"""Checks of tables of embeddings and of what selects their rows."""

from _shared.normalization import check_vector
from _shared.values import check_rank

from opmill_gen.rule_language.language import Ints, Tensor, require, require_attribute


def check_table(name: str, table: Tensor, length: int, of_name: str) -> None:
    """A matrix whose rows are as long as those of the words' table."""
    check_rank(name, table, 2)
    require(
        table.shape[1] == length,
        f"{name}.shape[1] is {table.shape[1]}, expected {length} ({of_name}.shape[1])",
    )


def check_like_ids(name: str, tensor: Tensor, ids: Tensor) -> None:
    """A tensor with an element for each word."""
    require(
        tensor.shape == ids.shape,
        f"{name}.shape is {tensor.shape}, expected {ids.shape} (the shape of input_ids)",
    )


def check_has_rows(name: str, table: Tensor, ids_name: str, ids: Tensor) -> None:
    """A row at least, where something is selected."""
    check_rank(name, table, 2)
    require(
        table.shape[0] >= 1 or ids.size == 0,
        f"{name}.shape[0] is 0, expected at least 1 ({ids_name} has values)",
    )


def check_words(ids: Tensor, words_name: str, words: Tensor) -> None:
    """The numbers of words, and their table, whose rows have at least one element."""
    check_rank("input_ids", ids, 2)
    check_rank(words_name, words, 2)
    require(words.shape[1] >= 1, f"{words_name}.shape[1] is {words.shape[1]}, expected at least 1")
    check_has_rows(words_name, words, "input_ids", ids)


def check_positions(name: str, table: Tensor, ids: Tensor) -> None:
    """A row for each position."""
    check_rank("input_ids", ids, 2)
    require(
        table.shape[0] >= ids.shape[1],
        f"{name}.shape[0] is {table.shape[0]}, expected at least {ids.shape[1]} "
        "(input_ids.shape[1])",
    )


def check_norm(
    gamma_name: str, gamma: Tensor, beta_name: str, beta: Tensor, length: int, epsilon: float
) -> None:
    """Factors and terms of the normalised elements."""
    check_vector(gamma_name, gamma, length, "the elements of an embedding")
    check_vector(beta_name, beta, length, "the elements of an embedding")
    require_attribute(epsilon >= 0.0, f"epsilon is {epsilon}, expected at least 0")


def embedded_shape(ids: Tensor, words: Tensor) -> Ints:
    """A row of the words' table for each word."""
    check_rank("input_ids", ids, 2)
    check_rank("word_embedding", words, 2)
    return [ids.shape[0], ids.shape[1], words.shape[1]]
