"""The rule of the family scaler: lists of one value, or of one for each feature."""

from opmill_gen.rule_language.language import (
    Tensor,
    counted,
    output,
    plan,
    require,
    require_attribute,
)


def check_features(name: str, length: int, features: int) -> None:
    """A list with one value for all features, or one for each."""
    if features == 1:
        require_attribute(
            length == 1, f"{name} has {counted(length, 'value')}, expected 1 (the last axis of X)"
        )
    else:
        require_attribute(
            length == 1 or length == features,
            f"{name} has {counted(length, 'value')}, expected 1 or {features} (the last axis of X)",
        )


def rules(X: Tensor, *, offset: Tensor | None, scale: Tensor | None) -> None:
    """The output has the shape of the input; its last axis is that of the features."""
    require(X.rank >= 1, "X has rank 0, expected at least 1")
    features = X.shape[X.rank - 1]
    if offset is not None:
        check_features("offset", offset.size, features)
    if scale is not None:
        check_features("scale", scale.size, features)
    if offset is not None and scale is not None:
        require_attribute(
            offset.size == scale.size,
            f"scale has {counted(scale.size, 'value')}, expected {offset.size} (as offset)",
        )
    output(Y=X.shape)
    plan(offset=offset, scale=scale)
