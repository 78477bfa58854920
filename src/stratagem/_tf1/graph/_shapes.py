"""The shapes that losses and metrics ask for."""

from stratagem._ops import Tensor


def check_same_shape(guess: Tensor, truth: Tensor, name: str = "predictions", other: str = "labels") -> None:
    """Raise ValueError if the shape of what a model gives, called `name`, is not that of what is called `other`."""
    if guess.shape != truth.shape:
        raise ValueError(f"Shapes {guess.shape} and {truth.shape} are incompatible: {name} and {other} need the same.")
