"""PyTorch's step of a network: python -m parts.torch_network_child NETWORK eager|compiled, with torch and NumPy."""

import sys
import time

import torch
from parts import network_program
from parts.child import answer
from parts.torch_networks import NETWORKS
from torch import nn

SHAPES = {"resnet18": (32, 64, 64, 3), "transformer": (16, 64, 256), "lstm": (32, 64, 64), "wide_and_deep": (256, 26)}


def begin(network: nn.Module) -> None:
    """Give the network the first values that Keras' has: kernels by their size, no biases but those of forget gates."""
    with torch.no_grad():
        for module in network.modules():
            for name, parameter in module.named_parameters(recurse=False):
                if name.startswith("bias"):
                    parameter.zero_()
                    if isinstance(module, nn.LSTM) and "_ih_" in name:
                        parameter[module.hidden_size : 2 * module.hidden_size] = 1
                elif parameter.ndim > 1:
                    parameter.copy_(_of_keras(module, parameter))


def _of_keras(module: nn.Module, parameter: torch.Tensor) -> torch.Tensor:
    """The values in PyTorch's order of axes; Keras has the axes of results last."""
    values = torch.from_numpy(network_program.kernel(parameter.numel()))
    if isinstance(module, nn.Embedding):
        return values.view(parameter.shape)
    if isinstance(module, nn.Conv2d):
        out, into, *window = parameter.shape
        return values.view(*window, into, out).permute(3, 2, 0, 1)
    return values.view(*parameter.shape[::-1]).T


if __name__ == "__main__":
    name, way = sys.argv[1:]
    network = NETWORKS[name]()
    begin(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, eps=1e-7, fused=True)
    examples, labels = map(torch.from_numpy, network_program.batch(name, SHAPES[name]))
    labels = labels.long()
    if name == "resnet18":
        examples = examples.permute(0, 3, 1, 2)  # channels last in memory, as they are
    model = torch.compile(network) if way == "compiled" else network

    def step() -> torch.Tensor:
        """Forward, backward, Adam."""
        loss = nn.functional.cross_entropy(model(examples), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    def timer(steps: int) -> float:
        """Run so many steps; every step reads nothing back, as in the other contenders."""
        start = time.perf_counter()
        for _ in range(steps):
            loss = step()
        loss.item()
        return time.perf_counter() - start

    parameters = sum(parameter.numel() for parameter in network.parameters())
    facts = {"parameters": parameters, "loss": step().item()}
    answer(timer, lambda: facts)
