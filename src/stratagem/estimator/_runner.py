"""How the steps of a model are run: the interface, and the way of one process whose replicas take every step together."""

import abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

from stratagem.estimator._input import Input
from stratagem.estimator._step import ModelStep


@final
@dataclass(frozen=True)
class Results:
    """What one step gave.

    global_step: before the step.
    loss: the model's loss, as a scalar; the mean over replicas where the optimizer scaled it so, else the sum.
    tensors: what the hooks of the model hold, by its place in them; names that were asked for; summaries; predictions.
    """

    global_step: int
    loss: Any
    tensors: dict[str, Any]


class Runner(abc.ABC):
    """Takes the steps of one training, evaluation or prediction. One class for each way to distribute the work."""

    @abc.abstractmethod
    def build(self) -> None:
        """Trace the model once, so that its variables exist and `ModelStep.built` is there. Takes no step and no batch."""

    @abc.abstractmethod
    def advance(self) -> Results | None:
        """Take the next step, or wait for the next one that ended elsewhere. None: the input has ended."""

    @abc.abstractmethod
    def global_step(self) -> int:
        """The present value of the model's global step: that after all steps which were reported."""

    @abc.abstractmethod
    def settle(self) -> None:
        """Wait until no step is under way, so that the variables can be read and saved together."""

    @abc.abstractmethod
    def close(self) -> None:
        """Let the input and what is under way go, also after an error. Closing twice has no effect."""


# How `Estimator._train` gets its runner: from the step, which is to be traced, and the input.
OpenRunner = Callable[[ModelStep, Input], Runner]
