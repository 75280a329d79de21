"""The rule of the family imputer: new values of the input's kind, one or one for each feature."""

from opmill_gen.rule_language.language import (
    Tensor,
    counted,
    output,
    plan,
    require,
    require_attribute,
)


def check_values(name: str, length: int, features: int) -> None:
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


def rules(
    X: Tensor,
    *,
    imputed_value_floats: Tensor | None,
    imputed_value_int64s: Tensor | None,
    replaced_value_float: float,
    replaced_value_int64: int,
) -> None:
    """The output has the shape of the input; its last axis is that of the features."""
    require(X.rank >= 1, "X has rank 0, expected at least 1")
    features = X.shape[X.rank - 1]
    if X.type == "float" or X.type == "double":
        require_attribute(
            imputed_value_int64s is None,
            f"imputed_value_int64s is present, expected imputed_value_floats (X has type {X.type})",
        )
        require_attribute(
            imputed_value_floats is not None,
            f"imputed_value_floats is absent, expected a value (X has type {X.type})",
        )
        if imputed_value_floats is not None:
            check_values("imputed_value_floats", imputed_value_floats.size, features)
    else:
        require_attribute(
            imputed_value_floats is None,
            f"imputed_value_floats is present, expected imputed_value_int64s (X has type {X.type})",
        )
        require_attribute(
            imputed_value_int64s is not None,
            f"imputed_value_int64s is absent, expected a value (X has type {X.type})",
        )
        if imputed_value_int64s is not None:
            check_values("imputed_value_int64s", imputed_value_int64s.size, features)
            if X.type == "int32":
                for i in range(len(imputed_value_int64s.values)):
                    value = imputed_value_int64s.values[i]
                    require_attribute(
                        -2147483648 <= value <= 2147483647,
                        f"imputed_value_int64s[{i}] is {value}, expected -2147483648 to 2147483647",
                    )
    output(Y=X.shape)
    plan(imputed_value_floats=imputed_value_floats, imputed_value_int64s=imputed_value_int64s)
    plan(replaced_value_float=replaced_value_float, replaced_value_int64=replaced_value_int64)
