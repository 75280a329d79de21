"""The networks: their layers as torch has them, small enough for a test and of the usual shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn


class Block(nn.Module):  # type: ignore[misc]
    """A residual block of ResNet."""

    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.first_norm = nn.BatchNorm2d(outside)
        self.second = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.second_norm = nn.BatchNorm2d(outside)
        self.short: nn.Module = nn.Identity()
        if stride != 1 or inside != outside:
            self.short = nn.Sequential(
                nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside)
            )

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu(self.first_norm(self.first(x)))
        return torch.relu(self.second_norm(self.second(y)) + self.short(x))


def resnet() -> nn.Module:
    """ResNet-18."""
    layers: list[nn.Module] = [
        nn.Conv2d(3, 64, 7, 2, 3, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, 1),
    ]
    inside = 64
    for outside, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        layers += [Block(inside, outside, stride), Block(outside, outside, 1)]
        inside = outside
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)]
    return nn.Sequential(*layers)


class Inverted(nn.Module):  # type: ignore[misc]
    """An inverted residual of MobileNet-2."""

    def __init__(self, inside: int, outside: int, stride: int, factor: int) -> None:
        super().__init__()
        wide = inside * factor
        self.adds = stride == 1 and inside == outside
        self.layers = nn.Sequential(
            nn.Conv2d(inside, wide, 1, bias=False),
            nn.BatchNorm2d(wide),
            nn.ReLU6(),
            nn.Conv2d(wide, wide, 3, stride, 1, groups=wide, bias=False),
            nn.BatchNorm2d(wide),
            nn.ReLU6(),
            nn.Conv2d(wide, outside, 1, bias=False),
            nn.BatchNorm2d(outside),
        )

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.layers(x)
        return x + y if self.adds else y


def mobilenet() -> nn.Module:
    """The layers of MobileNet-2, with fewer repetitions."""
    layers: list[nn.Module] = [
        nn.Conv2d(3, 32, 3, 2, 1, bias=False),
        nn.BatchNorm2d(32),
        nn.ReLU6(),
    ]
    inside = 32
    for outside, stride, factor in (
        (16, 1, 1), (24, 2, 6), (24, 1, 6), (32, 2, 6), (32, 1, 6), (64, 2, 6), (96, 1, 6),
        (160, 2, 6), (160, 1, 6), (320, 1, 6),
    ):  # fmt: skip
        layers.append(Inverted(inside, outside, stride, factor))
        inside = outside
    layers += [nn.Conv2d(320, 1280, 1), nn.ReLU6(), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return nn.Sequential(*layers, nn.Linear(1280, 1000))


class UNet(nn.Module):  # type: ignore[misc]
    """A U-Net of three levels."""

    def __init__(self) -> None:
        super().__init__()
        widths = (16, 32, 64)
        self.down = nn.ModuleList(
            self._twice(inside, outside)
            for inside, outside in zip((3, *widths), widths, strict=False)
        )
        self.middle = self._twice(64, 128)
        self.raise_ = nn.ModuleList(nn.ConvTranspose2d(2 * w, w, 2, 2) for w in reversed(widths))
        self.up = nn.ModuleList(self._twice(2 * w, w) for w in reversed(widths))
        self.last = nn.Conv2d(16, 2, 1)

    @staticmethod
    def _twice(inside: int, outside: int) -> nn.Module:
        return nn.Sequential(
            nn.Conv2d(inside, outside, 3, 1, 1),
            nn.ReLU(),
            nn.Conv2d(outside, outside, 3, 1, 1),
            nn.ReLU(),
        )

    def forward(self, x: Tensor) -> Tensor:
        kept: list[Tensor] = []
        for level in self.down:
            x = level(x)
            kept.append(x)
            x = nn.functional.max_pool2d(x, 2)
        x = self.middle(x)
        for lift, level in zip(self.raise_, self.up, strict=True):
            x = level(torch.cat([lift(x), kept.pop()], 1))
        result: Tensor = self.last(x)
        return result


class Transformer(nn.Module):  # type: ignore[misc]
    """Token embeddings, some layers of attention, and logits; causal as GPT-2, or as BERT."""

    def __init__(self, *, causal: bool) -> None:
        super().__init__()
        self.causal = causal
        self.tokens = nn.Embedding(1000, 128)
        self.places = nn.Embedding(128, 128)
        self.layers = nn.ModuleList(
            nn.ModuleDict({
                "first": nn.LayerNorm(128),
                "mix": nn.Linear(128, 3 * 128),
                "out": nn.Linear(128, 128),
                "second": nn.LayerNorm(128),
                "wide": nn.Linear(128, 512),
                "narrow": nn.Linear(512, 128),
            })
            for _ in range(4)
        )  # fmt: skip
        self.norm = nn.LayerNorm(128)
        self.head = nn.Linear(128, 1000, bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        length = ids.shape[1]
        x = self.tokens(ids) + self.places(torch.arange(length))
        hidden = torch.triu(torch.full((length, length), -1e9), 1) if self.causal else None
        for layer in self.layers:
            parts = layer["mix"](layer["first"](x)).reshape(ids.shape[0], length, 3, 4, 32)
            q, k, v = parts.permute(2, 0, 3, 1, 4)
            scores = q @ k.transpose(-1, -2) / 32**0.5
            if hidden is not None:
                scores = scores + hidden
            mixed = torch.softmax(scores, -1) @ v
            x = x + layer["out"](mixed.transpose(1, 2).reshape(ids.shape[0], length, 128))
            gate = nn.functional.gelu(layer["wide"](layer["second"](x)))
            x = x + layer["narrow"](gate)
        result: Tensor = self.head(self.norm(x))
        return result


class Network(NamedTuple):
    """A network: how it is made, its example input, and the opset of its export.

    A quantised one has a QuantizeLinear and a DequantizeLinear at each input of a layer.
    """

    make: Callable[[], nn.Module]
    example: Callable[[], Any]
    opset: int
    is_quantised: bool = False


def _image(side: int) -> Callable[[], Tensor]:
    return lambda: torch.randn(1, 3, side, side)


def _ids() -> Tensor:
    return torch.randint(0, 1000, (1, 64))


NETWORKS: dict[str, Network] = {
    "resnet18_opset9": Network(resnet, _image(224), 9),
    "resnet18_opset17": Network(resnet, _image(224), 17),
    "mobilenet_opset13": Network(mobilenet, _image(224), 13),
    "mobilenet_quantised_opset13": Network(mobilenet, _image(224), 13, is_quantised=True),
    "unet_opset11": Network(UNet, _image(128), 11),
    "bert_opset17": Network(lambda: Transformer(causal=False), _ids, 17),
    "gpt2_opset14": Network(lambda: Transformer(causal=True), _ids, 14),
}
