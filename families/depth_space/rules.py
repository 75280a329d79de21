"""The rule of DepthToSpace and SpaceToDepth."""

from _shared.values import check_rank

from opmill_gen.rule_language.language import Tensor, output, plan, require, require_attribute


def rules(input: Tensor, *, blocksize: int, mode: str = "DCR") -> None:
    """The axes that are cut in two, the order of the pieces, and the dims that they make."""
    check_rank("input", input, 4)
    require_attribute(blocksize >= 1, f"blocksize is {blocksize}, expected at least 1")
    require_attribute(mode in ("DCR", "CRD"), f"mode is '{mode}', expected 'DCR' or 'CRD'")
    batch = input.shape[0]
    channels = input.shape[1]
    height = input.shape[2]
    width = input.shape[3]
    if operation == "depth_to_space":
        area = blocksize * blocksize
        require(
            channels % area == 0,
            f"input has size {channels} on axis 1, expected a multiple of {area} "
            f"(blocksize * blocksize)",
        )
        depth = channels // area
        if mode == "DCR":
            pieces = [batch, blocksize, blocksize, depth, height, width]
            order = [0, 3, 4, 1, 5, 2]
        else:
            pieces = [batch, depth, blocksize, blocksize, height, width]
            order = [0, 1, 4, 2, 5, 3]
        output(output=[batch, depth, height * blocksize, width * blocksize])
    else:
        require(
            height % blocksize == 0,
            f"input has size {height} on axis 2, expected a multiple of {blocksize} (blocksize)",
        )
        require(
            width % blocksize == 0,
            f"input has size {width} on axis 3, expected a multiple of {blocksize} (blocksize)",
        )
        rows = height // blocksize
        columns = width // blocksize
        pieces = [batch, channels, rows, blocksize, columns, blocksize]
        order = [0, 3, 5, 1, 2, 4] if mode == "DCR" else [0, 1, 3, 5, 2, 4]
        output(output=[batch, channels * blocksize * blocksize, rows, columns])
    plan(pieces=pieces, order=order)
