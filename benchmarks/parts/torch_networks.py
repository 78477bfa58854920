"""The compared networks of `parts.networks` in PyTorch, images channels-last, its faster layout here."""

from itertools import pairwise

import torch
from parts.networks import CATEGORIES, DEEP_UNITS, RESNET_BLOCKS
from torch import Tensor, nn


class Block(nn.Module):
    """Two convolutions and what goes around them."""

    def __init__(self, before: int, filters: int, strides: int) -> None:
        super().__init__()
        self.path = nn.Sequential(
            nn.Conv2d(before, filters, 3, strides, 1, bias=False),
            nn.BatchNorm2d(filters),
            nn.ReLU(),
            nn.Conv2d(filters, filters, 3, 1, 1, bias=False),
            nn.BatchNorm2d(filters),
        )
        self.around = nn.Sequential()
        if strides > 1:
            self.around = nn.Sequential(nn.Conv2d(before, filters, 1, strides, bias=False), nn.BatchNorm2d(filters))

    def forward(self, x: Tensor) -> Tensor:
        """The block's result."""
        return torch.relu(self.path(x) + self.around(x))


def resnet18() -> nn.Module:
    """ResNet-18 for ten classes."""
    first = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
    befores = [64, *(filters for filters, _ in RESNET_BLOCKS)]
    blocks = [Block(before, *block) for before, block in zip(befores, RESNET_BLOCKS, strict=False)]
    network = nn.Sequential(*first, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))
    return network.to(memory_format=torch.channels_last)


class Attention(nn.Module):
    """A block of self-attention with four heads."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(256, 256) for _ in range(4))
        self.dense = nn.Sequential(nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 256))
        self.norms = nn.ModuleList(nn.LayerNorm(256, eps=1e-3) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        """The block's result."""
        heads = (f(x).unflatten(-1, (4, 64)).transpose(1, 2) for f in (self.query, self.key, self.value))
        attended = nn.functional.scaled_dot_product_attention(*heads).transpose(1, 2).flatten(2)
        x = self.norms[0](x + self.out(attended))
        return self.norms[1](x + self.dense(x))


class Transformer(nn.Module):
    """Two blocks of attention and a dense layer of their mean."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks, self.out = nn.Sequential(Attention(), Attention()), nn.Linear(256, 10)

    def forward(self, x: Tensor) -> Tensor:
        """The scores."""
        return self.out(self.blocks(x).mean(1))


class Recurrent(nn.Module):
    """Two LSTMs and a dense layer of the last state; PyTorch adds two biases where Keras has one."""

    def __init__(self) -> None:
        super().__init__()
        self.recurrent, self.out = nn.LSTM(64, 128, num_layers=2, batch_first=True), nn.Linear(128, 10)

    def forward(self, x: Tensor) -> Tensor:
        """The scores."""
        return self.out(self.recurrent(x)[0][:, -1])


class WideAndDeep(nn.Module):
    """A linear model of the categories, and dense layers above their embeddings."""

    def __init__(self) -> None:
        super().__init__()
        self.wide, self.embedded = (nn.Embedding(CATEGORIES * 1000, size) for size in (10, 16))
        sizes = [CATEGORIES * 16, *DEEP_UNITS]
        dense = [(nn.Linear(a, b), nn.ReLU()) for a, b in pairwise(sizes)]
        self.deep = nn.Sequential(*(layer for pair in dense for layer in pair), nn.Linear(sizes[-1], 10))

    def forward(self, ids: Tensor) -> Tensor:
        """The scores."""
        return self.wide(ids).mean(1) + self.deep(self.embedded(ids).flatten(1))


NETWORKS = {"resnet18": resnet18, "transformer": Transformer, "lstm": Recurrent, "wide_and_deep": WideAndDeep}
