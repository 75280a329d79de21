"""The rule of LabelEncoder-2 and -4: one list of keys, of the input's type, and one of values."""

from opmill_gen.rule_language.language import (
    Tensor,
    counted,
    output,
    plan,
    require_attribute,
)


def check_one(name: str, count: int) -> None:
    """One of several lists."""
    require_attribute(count == 1, f"number of {name} attributes is {count}, expected 1")


def check_keys(name: str, type: str, wanted: str, size: int) -> int:
    """Keys of the input's type; returns their number."""
    require_attribute(type == wanted, f"{name} has type {type}, expected {wanted} (the type of X)")
    require_attribute(size >= 1, f"{name} has 0 values, expected at least 1")
    return size


def check_values(name: str, size: int, keys: int) -> None:
    """A value for each key."""
    require_attribute(
        size == keys,
        f"{name} has {counted(size, 'value')}, expected {keys} (the number of keys)",
    )


def check_vector(name: str, rank: int) -> None:
    """A tensor that is a list."""
    require_attribute(rank == 1, f"{name} has rank {rank}, expected 1")


def check_default(type: str, wanted: str, rank: int, size: int) -> None:
    """A tensor of one value of the output's type."""
    require_attribute(
        type == wanted, f"default_tensor has type {type}, expected {wanted} (the type of Y)"
    )
    check_vector("default_tensor", rank)
    require_attribute(size == 1, f"default_tensor has {counted(size, 'value')}, expected 1")


def rules(
    X: Tensor,
    *,
    default_float: Tensor,
    default_int64: Tensor,
    default_string: Tensor,
    default_tensor: Tensor | None = None,
    keys_floats: Tensor | None,
    keys_int64s: Tensor | None,
    keys_strings: Tensor | None,
    keys_tensor: Tensor | None = None,
    values_floats: Tensor | None,
    values_int64s: Tensor | None,
    values_strings: Tensor | None,
    values_tensor: Tensor | None = None,
) -> None:
    """The output has the shape of the input."""
    given = 0 if keys_floats is None else 1
    given += 0 if keys_int64s is None else 1
    given += 0 if keys_strings is None else 1
    given += 0 if keys_tensor is None else 1
    check_one("keys", given)
    given = 0 if values_floats is None else 1
    given += 0 if values_int64s is None else 1
    given += 0 if values_strings is None else 1
    given += 0 if values_tensor is None else 1
    check_one("values", given)
    keys = 0
    if keys_floats is not None:
        keys = check_keys("keys_floats", "float", X.type, keys_floats.size)
    if keys_int64s is not None:
        keys = check_keys("keys_int64s", "int64", X.type, keys_int64s.size)
    if keys_strings is not None:
        keys = check_keys("keys_strings", "string", X.type, keys_strings.size)
    if keys_tensor is not None:
        check_vector("keys_tensor", keys_tensor.rank)
        keys = check_keys("keys_tensor", keys_tensor.type, X.type, keys_tensor.size)
    type = ""
    if values_floats is not None:
        type = "float"
        check_values("values_floats", values_floats.size, keys)
    if values_int64s is not None:
        type = "int64"
        check_values("values_int64s", values_int64s.size, keys)
    if values_strings is not None:
        type = "string"
        check_values("values_strings", values_strings.size, keys)
    if values_tensor is not None:
        type = values_tensor.type
        check_vector("values_tensor", values_tensor.rank)
        check_values("values_tensor", values_tensor.size, keys)
    if default_tensor is not None:
        check_default(default_tensor.type, type, default_tensor.rank, default_tensor.size)
    output(Y=X.shape)
    plan(default_float=default_float, default_int64=default_int64, default_string=default_string)
    plan(default_tensor=default_tensor, keys_floats=keys_floats, keys_int64s=keys_int64s)
    plan(keys_strings=keys_strings, keys_tensor=keys_tensor, values_floats=values_floats)
    plan(values_int64s=values_int64s, values_strings=values_strings, values_tensor=values_tensor)
