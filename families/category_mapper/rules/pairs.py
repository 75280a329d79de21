"""The rule of CategoryMapper: two lists of one length."""

from opmill_gen.rule_language.language import Tensor, counted, output, plan, require_attribute


def check_present(name: str, is_present: bool) -> None:
    """A list that every call gives."""
    require_attribute(is_present, f"attribute '{name}' is absent, expected a value")


def rules(
    X: Tensor,
    *,
    cats_int64s: Tensor | None,
    cats_strings: Tensor | None,
    default_int64: Tensor,
    default_string: Tensor,
) -> None:
    """The output has the shape of the input."""
    check_present("cats_int64s", cats_int64s is not None)
    check_present("cats_strings", cats_strings is not None)
    integers = 0
    if cats_int64s is not None:
        integers = cats_int64s.size
    strings = 0
    if cats_strings is not None:
        strings = cats_strings.size
    require_attribute(strings >= 1, "cats_strings has 0 values, expected at least 1")
    require_attribute(
        integers == strings,
        f"cats_int64s has {counted(integers, 'value')}, expected {strings} "
        "(the number of cats_strings)",
    )
    output(Y=X.shape)
    plan(cats_int64s=cats_int64s, cats_strings=cats_strings)
    plan(default_int64=default_int64, default_string=default_string)
