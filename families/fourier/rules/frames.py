"""The rule of transforms of frames, which begin at even distances of a signal."""

from _shared.transforms import check_halved_frames, check_number_parts
from _shared.values import check_one, check_rank

from opmill_gen.rule_language.language import Tensor, output, plan, require


def rules(
    signal: Tensor,
    frame_step: Tensor,
    window: Tensor | None,
    frame_length: Tensor | None,
    *,
    onesided: int,
) -> None:
    """As many frames as lie wholly inside the signal."""
    require(2 <= signal.rank <= 3, f"signal has rank {signal.rank}, expected 2 or 3")
    parts = 1 if signal.rank == 2 else signal.shape[2]
    check_number_parts("signal", parts, 2)
    check_halved_frames(onesided, parts)
    check_one("frame_step", frame_step)
    step = frame_step.values[0]
    require(step >= 1, f"frame_step is {step}, expected at least 1")
    size = signal.shape[1]
    require(size >= 1, f"signal.shape[1] is {size}, expected at least 1")
    length = size
    if frame_length is not None:
        check_one("frame_length", frame_length)
        length = frame_length.values[0]
        require(
            1 <= length <= size,
            f"frame_length is {length}, expected 1 to {size} (the length of the signal)",
        )
    if window is not None:
        check_rank("window", window, 1)
        if frame_length is not None:
            require(
                window.shape[0] == length,
                f"window.shape[0] is {window.shape[0]}, expected {length} (frame_length)",
            )
        length = window.shape[0]
        require(
            1 <= length <= size,
            f"window.shape[0] is {length}, expected 1 to {size} (the length of the signal)",
        )
    frames = (size - length) // step + 1
    bins = length // 2 + 1 if onesided == 1 else length
    output(output=[signal.shape[0], frames, bins, 2])
    plan(
        axis=1,
        frames=frames,
        inverse=False,
        length=length,
        onesided=onesided == 1,
        step=step,
    )
