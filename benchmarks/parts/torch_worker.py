"""One worker of PyTorch's DistributedDataParallel over gloo; its place is in RANK, WORLD_SIZE … Argument: rows a worker."""

import sys
import time

import torch
import torch.distributed
from parts import cnn
from parts.child import answer
from parts.torch_net import network
from torch import nn

torch.distributed.init_process_group("gloo")
model = nn.parallel.DistributedDataParallel(network())
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-7, fused=True)
images, labels = map(torch.from_numpy, cnn.batch(int(sys.argv[1])))
images = images.permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)
labels = labels.long()
right = torch.zeros((), dtype=torch.int64)


def step() -> None:
    """Forward, backward with its all-reduce, Adam, and the accuracy."""
    scores = model(images)
    loss = nn.functional.cross_entropy(scores, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        right.add_((scores.argmax(1) == labels).sum())


def timer(steps: int) -> float:
    """Run so many steps."""
    start = time.perf_counter()
    for _ in range(steps):
        step()
    return time.perf_counter() - start


if __name__ == "__main__":
    answer(timer)
    torch.distributed.destroy_process_group()
