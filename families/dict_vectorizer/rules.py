"""The rule of the family dict_vectorizer: one vocabulary."""

from opmill_gen.rule_language.language import Tensor, dynamic, plan, require_attribute


def rules(X: Tensor, *, int64_vocabulary: Tensor | None, string_vocabulary: Tensor | None) -> None:
    """A vocabulary of one kind, with at least one key."""
    given = 0 if int64_vocabulary is None else 1
    given += 0 if string_vocabulary is None else 1
    require_attribute(given == 1, f"number of vocabulary attributes is {given}, expected 1")
    if int64_vocabulary is not None:
        count = int64_vocabulary.size
        require_attribute(count >= 1, "int64_vocabulary has 0 values, expected at least 1")
    if string_vocabulary is not None:
        count = string_vocabulary.size
        require_attribute(count >= 1, "string_vocabulary has 0 values, expected at least 1")
    dynamic("Y")
    plan(int64_vocabulary=int64_vocabulary, string_vocabulary=string_vocabulary)
