"""The rule of the family string_normalize: one row of texts, which may become shorter."""

from _shared.values import check_flag

from opmill_gen.rule_language.language import (
    Tensor,
    bound,
    byte_at,
    byte_count,
    plan,
    require,
    require_attribute,
)


def names(language: str, locale: str) -> bool:
    """True if a locale is of a language: its name, with a country or an encoding or without."""
    size = byte_count(language)
    for i in range(size):
        if byte_at(locale, i) != byte_at(language, i):
            return False
    end = byte_at(locale, size)
    return end == -1 or end == 45 or end == 46 or end == 64 or end == 95


def check_language(locale: str) -> None:
    """Not one of the languages whose letters have a case of their own."""
    require_attribute(
        not names("az", locale) and not names("lt", locale) and not names("tr", locale),
        f"locale is '{locale}', expected a language other than 'az', 'lt' and 'tr'",
    )


def rules(
    X: Tensor,
    *,
    case_change_action: str,
    is_case_sensitive: int,
    locale: str | None,
    stopwords: Tensor | None,
) -> None:
    """The result has at least one text."""
    require(1 <= X.rank <= 2, f"X has rank {X.rank}, expected 1 or 2")
    if X.rank == 2:
        require(X.shape[0] == 1, f"X.shape[0] is {X.shape[0]}, expected 1")
    require_attribute(
        case_change_action in ("LOWER", "NONE", "UPPER"),
        f"case_change_action is '{case_change_action}', expected 'LOWER', 'NONE' or 'UPPER'",
    )
    check_flag("is_case_sensitive", is_case_sensitive)
    is_ascii = False
    if locale is not None:
        check_language(locale)
        is_ascii = locale in ("C", "POSIX")
    count = X.shape[X.rank - 1]
    dims = list(X.shape)
    dims[X.rank - 1] = max(count, 1)
    bound(Y=dims)
    plan(action=case_change_action, ascii_only=is_ascii)
    plan(is_case_sensitive=is_case_sensitive == 1, stopwords=stopwords)
