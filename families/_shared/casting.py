"""Checks of conversions between element types."""

from opmill_gen.rule_language.language import require_attribute


def check_round_mode(round_mode: str) -> None:
    """Check the attribute for rounding to float8e8m0."""
    require_attribute(
        round_mode in ("up", "down", "nearest"),
        f"round_mode is '{round_mode}', expected 'up', 'down' or 'nearest'",
    )
