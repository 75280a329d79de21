"""The rule of LabelEncoder-1: a list of strings, whose positions are the integers."""

from opmill_gen.rule_language.language import Tensor, output, plan, require_attribute


def rules(
    X: Tensor,
    *,
    classes_strings: Tensor | None,
    cats_int64s: Tensor | None = None,
    default_int64: Tensor,
    default_string: Tensor,
) -> None:
    """The output has the shape of the input; no version has cats_int64s."""
    require_attribute(
        classes_strings is not None, "attribute 'classes_strings' is absent, expected a value"
    )
    if classes_strings is not None:
        count = classes_strings.size
        require_attribute(count >= 1, "classes_strings has 0 values, expected at least 1")
    output(Y=X.shape)
    plan(cats_int64s=cats_int64s, cats_strings=classes_strings)
    plan(default_int64=default_int64, default_string=default_string)
