"""RemoteUpdate: an optimizer's update that a trace leaves to the servers of its variables."""

from dataclasses import dataclass

import keras


@dataclass(frozen=True, eq=False)
class RemoteUpdate:
    """A call of `optimizer.apply`.

    variables: one for each gradient. counted: other variables that code may read after it. numbers: the names of settings
    that the step computes, such as a learning rate; their values come after the gradients.
    """

    optimizer: keras.optimizers.Optimizer
    variables: tuple[keras.Variable, ...]
    counted: tuple[keras.Variable, ...]
    numbers: tuple[str, ...] = ()
