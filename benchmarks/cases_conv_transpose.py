"""The cases of ConvTranspose.

``MAIN`` holds layers of published networks and one call of a few numbers; the targets of speed are
stated for them. ``FURTHER`` holds what those leave out: batches, groups, odd sizes, dilations, one
output channel. Each names the main case that it is nearest to: in what it does, and in how many
products it sums up for an output, which decides how fast arithmetic can be. It should not fall far
below that one's arithmetic rate, or what memory allows where that is less, or the kernels are good
at the main cases alone.
"""

from __future__ import annotations

from benchmarks.cases import ConvTransposeCase, Shape


def _case(
    name: str,
    x: Shape,
    w: Shape,
    *,
    s: int = 1,
    p: int | Shape = 0,
    op: int = 0,
    d: int = 1,
    group: int = 1,
    relative: str | None = None,
    tiny: bool = False,
) -> ConvTransposeCase:
    rank = len(x) - 2
    pads = (p,) * (2 * rank) if isinstance(p, int) else p
    strides, padding, dilations = (s,) * rank, (op,) * rank, (d,) * rank
    return ConvTransposeCase(name, x, w, strides, pads, padding, dilations, group, relative, tiny)


MAIN = (
    _case("dcgan1", (1, 1024, 4, 4), (1024, 512, 4, 4), s=2, p=1),
    _case("dcgan2", (1, 512, 8, 8), (512, 256, 4, 4), s=2, p=1),
    _case("dcgan4", (1, 128, 32, 32), (128, 3, 4, 4), s=2, p=1),
    _case("unet2x2", (1, 256, 64, 64), (256, 128, 2, 2), s=2),
    _case("unet_top", (1, 64, 256, 256), (64, 32, 2, 2), s=2),
    _case("k3s1", (1, 64, 56, 56), (64, 64, 3, 3), p=1),
    _case("k3s2op", (1, 128, 56, 56), (128, 64, 3, 3), s=2, p=1, op=1),
    _case("fcn_seg", (1, 21, 16, 16), (21, 21, 64, 64), s=32),
    _case("depthwise", (1, 64, 56, 56), (64, 1, 4, 4), s=2, p=1, group=64),
    _case("1d_audio", (1, 512, 250), (512, 256, 16), s=8, p=4),
    _case("3d", (1, 64, 8, 16, 16), (64, 32, 4, 4, 4), s=2, p=1),
    _case("tiny", (1, 1, 3, 3), (1, 2, 3, 3), tiny=True),
)

FURTHER = (
    # batches
    _case("dcgan1_b8", (8, 1024, 4, 4), (1024, 512, 4, 4), s=2, p=1, relative="dcgan1"),
    _case("dcgan2_b4", (4, 512, 8, 8), (512, 256, 4, 4), s=2, p=1, relative="dcgan2"),
    _case("dcgan4_b4", (4, 128, 32, 32), (128, 3, 4, 4), s=2, p=1, relative="dcgan4"),
    _case("k3s1_b4", (4, 64, 28, 28), (64, 64, 3, 3), p=1, relative="k3s1"),
    _case("1d_b8", (8, 128, 200), (128, 64, 4), s=2, p=1, relative="1d_audio"),
    # odd sizes, few pixels, dilations, pads that differ
    _case("unet2x2_odd", (1, 250, 61, 67), (250, 120, 2, 2), s=2, relative="unet2x2"),
    _case("k3s1_odd", (1, 61, 55, 57), (61, 67, 3, 3), p=1, relative="k3s1"),
    _case("k3s1_14", (1, 256, 14, 14), (256, 256, 3, 3), p=1, relative="k3s1"),
    _case("k3s1_7", (1, 512, 7, 7), (512, 512, 3, 3), p=1, relative="k3s1"),
    _case("k3s1_d2", (1, 64, 56, 56), (64, 64, 3, 3), p=2, d=2, relative="k3s1"),
    _case("k3s1_asym", (1, 64, 56, 56), (64, 64, 3, 3), p=(0, 1, 2, 1), relative="k3s1"),
    _case("k3s2_asym", (1, 128, 56, 56), (128, 64, 3, 3), s=2, p=(0, 0, 1, 1), relative="k3s2op"),
    _case("small", (1, 8, 8, 8), (8, 8, 3, 3), s=2, p=1, op=1, relative="k3s2op"),
    # groups between one and all
    _case("group4", (1, 128, 56, 56), (128, 32, 3, 3), s=2, p=1, op=1, group=4, relative="k3s2op"),
    _case("group16", (1, 128, 28, 28), (128, 8, 4, 4), s=2, p=1, group=16, relative="unet_top"),
    # other kernels and strides
    _case("k5s3", (1, 64, 40, 40), (64, 48, 5, 5), s=3, p=1, relative="k3s2op"),
    _case("k4s4", (1, 128, 32, 32), (128, 32, 4, 4), s=4, relative="unet2x2"),
    _case("k8s8", (1, 256, 14, 14), (256, 32, 8, 8), s=8, relative="unet2x2"),
    _case("k16s16", (1, 64, 14, 14), (64, 21, 16, 16), s=16, relative="fcn_seg"),
    _case("k16s8", (1, 21, 34, 34), (21, 21, 16, 16), s=8, p=4, relative="fcn_seg"),
    # few channels out, one channel in
    _case("m3k9", (1, 64, 64, 64), (64, 3, 9, 9), p=4, relative="dcgan4"),
    _case("m2", (1, 64, 56, 56), (64, 2, 3, 3), p=1, relative="dcgan4"),
    _case("m1", (1, 64, 128, 128), (64, 1, 3, 3), p=1, relative="dcgan4"),
    _case("m1s2", (1, 32, 128, 128), (32, 1, 4, 4), s=2, p=1, relative="dcgan4"),
    _case("c1", (1, 1, 64, 64), (1, 64, 4, 4), s=2, p=1, relative="depthwise"),
    # one and three spatial axes
    _case("1d_k3", (1, 64, 4000), (64, 64, 3), p=1, relative="k3s1"),
    _case("3d_k3s1", (1, 32, 16, 16, 16), (32, 32, 3, 3, 3), p=1, relative="3d"),
    _case("3d_k2s2", (1, 64, 8, 24, 24), (64, 32, 2, 2, 2), s=2, relative="unet2x2"),
    # depthwise
    _case("dw_s1", (1, 64, 56, 56), (64, 1, 3, 3), p=1, group=64, relative="depthwise"),
    _case("dw_7x7", (1, 256, 7, 7), (256, 1, 4, 4), s=2, p=1, group=256, relative="depthwise"),
    _case("dw_mult2", (1, 64, 28, 28), (64, 2, 4, 4), s=2, p=1, group=64, relative="depthwise"),
    _case("dw_1d", (1, 128, 1000), (128, 1, 8), s=4, p=2, group=128, relative="depthwise"),
    _case(
        "dw_bilinear", (1, 21, 34, 34), (21, 1, 16, 16), s=8, p=4, group=21, relative="depthwise"
    ),
)
