"""The network in PyTorch, eager and channels-last, its faster layout here."""

import torch
from torch import nn


def network() -> nn.Module:
    """What `parts.cnn.model` is in Keras."""
    return nn.Sequential(
        nn.Conv2d(1, 32, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(1600, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    ).to(memory_format=torch.channels_last)
