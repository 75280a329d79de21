"""Slices of an axis: clamped ends, and how many elements lie between them."""


def slice_first(size: int, start: int, step: int) -> int:
    """The first index of a slice: its start, counted from the front and moved into the axis."""
    first = start + size if start < 0 else start
    return min(max(first, 0), size if step > 0 else max(size - 1, 0))


def slice_length(size: int, first: int, end: int, step: int) -> int:
    """Number of elements a slice has, from its clamped start on."""
    last = end + size if end < 0 else end
    if step > 0:
        last = min(max(last, 0), size)
        stride = max(min(step, size), 1)
        return max(last - first + stride - 1, 0) // stride
    last = min(max(last, -1), size - 1)
    back = max(-max(step, -size), 1)
    return max(first - last + back - 1, 0) // back if size > 0 else 0


def slice_step(size: int, step: int) -> int:
    """The step, shortened where it leaves the axis at once."""
    return min(max(step, -size), size)
