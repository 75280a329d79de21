"""The rule of the family tf_idf: a pool with a list of n-grams for each length, and coordinates."""

from opmill_gen.rule_language.language import (
    Ints,
    Tensor,
    counted,
    output,
    plan,
    require,
    require_attribute,
)


def check_lengths(
    min_gram_length: int, max_gram_length: int, max_skip_count: int, list_count: int
) -> None:
    """The lengths of n-grams that are counted, each with a list in the pool."""
    require_attribute(
        min_gram_length >= 1, f"min_gram_length is {min_gram_length}, expected at least 1"
    )
    require_attribute(
        max_gram_length >= min_gram_length,
        f"max_gram_length is {max_gram_length}, "
        f"expected at least {min_gram_length} (min_gram_length)",
    )
    require_attribute(
        max_gram_length <= list_count,
        f"max_gram_length is {max_gram_length}, "
        f"expected at most {list_count} (the number of ngram_counts)",
    )
    require_attribute(
        max_skip_count >= 0, f"max_skip_count is {max_skip_count}, expected at least 0"
    )


def count_grams(ngram_counts: Ints, pool_size: int) -> int:
    """The number of n-grams in a pool whose lists begin at these positions."""
    grams = 0
    for i in range(len(ngram_counts)):
        start = ngram_counts[i]
        if i == 0:
            require_attribute(start == 0, f"ngram_counts[0] is {start}, expected 0")
        end = ngram_counts[i + 1] if i + 1 < len(ngram_counts) else pool_size
        if i + 1 < len(ngram_counts):
            require_attribute(
                start <= end <= pool_size,
                f"ngram_counts[{i + 1}] is {end}, expected {start} to {pool_size}",
            )
        items = end - start
        require_attribute(
            items % (i + 1) == 0,
            f"the pool has {items} tokens in {i + 1}-grams, expected a multiple of {i + 1}",
        )
        grams += items // (i + 1)
    return grams


def check_gram_values(name: str, length: int, grams: int) -> None:
    """A list with a value for each n-gram."""
    require_attribute(
        length == grams,
        f"{name} has {counted(length, 'value')}, expected {grams} (the number of n-grams)",
    )


def rules(
    X: Tensor,
    *,
    max_gram_length: int,
    max_skip_count: int,
    min_gram_length: int,
    mode: str,
    ngram_counts: Ints,
    ngram_indexes: Tensor,
    pool_int64s: Tensor | None,
    pool_strings: Tensor | None,
    weights: Tensor | None,
) -> None:
    """A row of results for each row of tokens, as long as the largest coordinate says."""
    require(1 <= X.rank <= 2, f"X has rank {X.rank}, expected 1 or 2")
    require_attribute(
        mode in ("TF", "IDF", "TFIDF"), f"mode is '{mode}', expected 'TF', 'IDF' or 'TFIDF'"
    )
    check_lengths(min_gram_length, max_gram_length, max_skip_count, len(ngram_counts))
    pool_size = 0
    if X.type == "string":
        require_attribute(
            pool_int64s is None, "pool_int64s is present, expected pool_strings (X has type string)"
        )
        require_attribute(
            pool_strings is not None, "pool_strings is absent, expected a value (X has type string)"
        )
        if pool_strings is not None:
            pool_size = pool_strings.size
    else:
        require_attribute(
            pool_strings is None,
            f"pool_strings is present, expected pool_int64s (X has type {X.type})",
        )
        require_attribute(
            pool_int64s is not None,
            f"pool_int64s is absent, expected a value (X has type {X.type})",
        )
        if pool_int64s is not None:
            pool_size = pool_int64s.size
    grams = count_grams(ngram_counts, pool_size)
    check_gram_values("ngram_indexes", ngram_indexes.size, grams)
    require_attribute(grams >= 1, "the pool has 0 n-grams, expected at least 1")
    largest = 0
    for i in range(len(ngram_indexes.values)):
        index = ngram_indexes.values[i]
        require_attribute(index >= 0, f"ngram_indexes[{i}] is {index}, expected at least 0")
        largest = max(largest, index)
    if weights is not None:
        check_gram_values("weights", weights.size, grams)
    if X.rank == 2:
        output(Y=[X.shape[0], largest + 1])
    else:
        output(Y=[largest + 1])
    plan(max_gram_length=max_gram_length, max_skip_count=max_skip_count)
    plan(min_gram_length=min_gram_length, mode=mode, ngram_counts=ngram_counts)
    plan(ngram_indexes=ngram_indexes, pool_int64s=pool_int64s, pool_strings=pool_strings)
    plan(weights=weights)
