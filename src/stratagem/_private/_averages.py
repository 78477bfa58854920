"""Moving averages of optimizers (`use_ema`), as TensorFlow makes them."""

import functools
from typing import Any

from keras.src.optimizers.base_optimizer import BaseOptimizer
from keras.src.optimizers.optimizer import Optimizer


def _started(build: Any) -> Any:
    @functools.wraps(build)
    def new_build(self: Any, variables: Any) -> None:
        """Averages start from the weights. (In Keras 3 from what the first update makes of them.)"""
        build(self, variables)
        if self.use_ema:
            for average, variable in zip(self._model_variables_moving_average, variables, strict=True):
                if average is not None:
                    average.assign(variable.value)

    return new_build


def _updated(self: Any, variables: Any) -> None:
    """The first update counts as all others."""
    for variable, average in zip(variables, self._model_variables_moving_average, strict=True):
        if average is not None:
            average.assign(self.ema_momentum * average + (1 - self.ema_momentum) * variable)


def _of_the_update(apply: Any) -> Any:
    @functools.wraps(apply)
    def new_apply(self: Any, grads: Any, variables: Any) -> None:
        """Only variables that an update has changed are averaged, and overwritten. (In Keras 3 all of the optimizer.)"""
        if not self.use_ema:
            apply(self, grads, variables)
            return
        pairs = [(v, self._model_variables_moving_average[self._get_variable_index(v)]) for v in variables]
        pairs = [(v, average) for v, average in pairs if average is not None]
        # A copy with the same variables: other threads use the optimizer meanwhile.
        one = object.__new__(type(self))
        one.__dict__.update(self.__dict__)
        one.__dict__["_trainable_variables"] = [v for v, _ in pairs]
        one.__dict__["_model_variables_moving_average"] = [average for _, average in pairs]
        apply(one, grads, variables)

    return new_apply


def average_as_tensorflow() -> None:
    """Let moving averages start from the weights, count the first update, and be of what an update changes."""
    BaseOptimizer.build = _started(BaseOptimizer.build)
    BaseOptimizer._update_model_variables_moving_average = _updated
    Optimizer._backend_apply_gradients = _of_the_update(Optimizer._backend_apply_gradients)
