"""Shared parts of rules of reductions: the axes that are reduced."""

from _shared.axes import input_axes, marked

from opmill_gen.rule_language.language import Count, Ints


def reduced_axes(rank: Count, axes: Ints, every: int) -> Ints:
    """1 for each axis that is reduced, else 0; `every` for all where none is named."""
    if len(axes) == 0:
        return [every] * rank
    return marked(input_axes("axes", axes, rank, True), rank)
