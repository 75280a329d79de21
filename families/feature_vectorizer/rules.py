"""The rule of the family feature_vectorizer: matrices with the same number of rows."""

from opmill_gen.rule_language.language import (
    Tensor,
    Tensors,
    counted,
    output,
    plan,
    require,
    require_attribute,
)


def rules(X: Tensors, *, inputdimensions: Tensor | None) -> None:
    """One width for each input; without widths, those of the inputs."""
    if inputdimensions is not None:
        given = inputdimensions.size
        require_attribute(
            given == len(X),
            f"inputdimensions has {counted(given, 'value')}, expected {len(X)} "
            "(the number of inputs)",
        )
    rows = 0
    columns = 0
    for k in range(len(X)):
        rank = X[k].rank
        require(1 <= rank <= 2, f"X[{k}] has rank {rank}, expected 1 or 2")
        count = X[k].shape[0] if rank == 2 else 1
        if k == 0:
            rows = count
        require(count == rows, f"X[{k}] has {counted(count, 'row')}, expected {rows} (as X[0])")
        width = X[k].shape[rank - 1]
        if inputdimensions is not None:
            width = inputdimensions.values[k]
            require_attribute(width >= 0, f"inputdimensions[{k}] is {width}, expected at least 0")
        columns += width
    output(Y=[rows, columns])
    plan(inputdimensions=inputdimensions)
