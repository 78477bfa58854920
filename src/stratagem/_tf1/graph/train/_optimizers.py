"""The optimizers of tf1.train, with TensorFlow's arguments and defaults."""

from typing import final

from stratagem._base.exports import exported
from stratagem._tf1.graph.train import _rules
from stratagem._tf1.graph.train._optimizer import Optimizer, Rate
from stratagem._tf1.graph.train._rule import Rule


@exported(v1=["train.GradientDescentOptimizer"])
@final
class GradientDescentOptimizer(Optimizer):
    """Gradient descent: var -= learning_rate * gradient."""

    def __init__(self, learning_rate: Rate, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name)
        self._rates = {"learning_rate": learning_rate}

    def _rule(self, rates: dict[str, float]) -> Rule:
        return _rules.GradientDescent(rates, self._name)


@exported(v1=["train.MomentumOptimizer"])
@final
class MomentumOptimizer(Optimizer):
    """Momentum: velocity = momentum * velocity + gradient; var -= learning_rate * velocity (or Nesterov's form)."""

    def __init__(
        self,
        learning_rate: Rate,
        momentum: Rate,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._rates, self._nesterov = {"learning_rate": learning_rate, "momentum": momentum}, use_nesterov

    def _rule(self, rates: dict[str, float]) -> Rule:
        return _rules.Momentum(rates, self._name, nesterov=self._nesterov)


@exported(v1=["train.AdagradOptimizer"])
@final
class AdagradOptimizer(Optimizer):
    """Adagrad: accumulator += gradient ** 2; var -= learning_rate * gradient / sqrt(accumulator)."""

    def __init__(
        self,
        learning_rate: Rate,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        super().__init__(use_locking, name)
        self._initial = _positive("initial_accumulator_value", initial_accumulator_value)
        self._rates = {"learning_rate": learning_rate}

    def _rule(self, rates: dict[str, float]) -> Rule:
        return _rules.Adagrad(rates, self._name, initial=self._initial)


@exported(v1=["train.AdamOptimizer"])
@final
class AdamOptimizer(Optimizer):
    """Adam, with the bias correction in the learning rate and epsilon outside of it ("epsilon hat")."""

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta1: Rate = 0.9,
        beta2: Rate = 0.999,
        epsilon: Rate = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._rates = {"learning_rate": learning_rate, "beta1": beta1, "beta2": beta2, "epsilon": epsilon}

    def _rule(self, rates: dict[str, float]) -> Rule:
        return _rules.Adam(rates, self._name)


@exported(v1=["train.RMSPropOptimizer"])
@final
class RMSPropOptimizer(Optimizer):
    """RMSProp: var -= learning_rate * gradient / sqrt(rms + epsilon), with momentum; rms is the mean of gradient ** 2, from 1.

    centered: divide by the standard deviation of the gradient instead.
    """

    def __init__(
        self,
        learning_rate: Rate,
        decay: Rate = 0.9,
        momentum: Rate = 0.0,
        epsilon: Rate = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._rates = {"learning_rate": learning_rate, "decay": decay, "momentum": momentum, "epsilon": epsilon}
        self._centered = centered

    def _rule(self, rates: dict[str, float]) -> Rule:
        return (_rules.CenteredRMSProp if self._centered else _rules.RMSProp)(rates, self._name)


@exported(v1=["train.AdadeltaOptimizer"])
@final
class AdadeltaOptimizer(Optimizer):
    """Adadelta: var -= learning_rate * gradient * sqrt(mean of update ** 2) / sqrt(mean of gradient ** 2)."""

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        rho: Rate = 0.95,
        epsilon: Rate = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._rates = {"learning_rate": learning_rate, "rho": rho, "epsilon": epsilon}

    def _rule(self, rates: dict[str, float]) -> Rule:
        return _rules.Adadelta(rates, self._name)


@exported(v1=["train.FtrlOptimizer"])
@final
class FtrlOptimizer(Optimizer):
    """FTRL (follow the regularized leader), with L1, L2 and "shrinkage" L2 regularization.

    accum_name, linear_name: the suffixes of the names of the slots, by default `name`.
    """

    def __init__(
        self,
        learning_rate: Rate,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        self._initial = _not_negative("initial_accumulator_value", initial_accumulator_value)
        if learning_rate_power > 0:
            raise ValueError(f"learning_rate_power {learning_rate_power} needs to be negative or zero")
        self._rates = {
            "learning_rate": learning_rate,
            "learning_rate_power": learning_rate_power,
            "l1": _not_negative("l1_regularization_strength", l1_regularization_strength),
            "l2": _not_negative("l2_regularization_strength", l2_regularization_strength),
            "l2_shrinkage": _not_negative("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
            "beta": beta or 0.0,
        }
        self._slot_names = {"accum": accum_name or name, "linear": linear_name or name}

    def _rule(self, rates: dict[str, float]) -> Rule:
        return _rules.Ftrl(rates, self._name, initial=self._initial, slot_names=self._slot_names)


@exported(v1=["train.ProximalGradientDescentOptimizer"])
@final
class ProximalGradientDescentOptimizer(Optimizer):
    """Gradient descent whose result is soft-thresholded by L1 and shrunk by L2 regularization after each step."""

    def __init__(
        self,
        learning_rate: Rate,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._rates = {
            "learning_rate": learning_rate,
            "l1": l1_regularization_strength,
            "l2": l2_regularization_strength,
        }

    def _rule(self, rates: dict[str, float]) -> Rule:
        return _rules.ProximalGradientDescent(rates, self._name)


@exported(v1=["train.ProximalAdagradOptimizer"])
@final
class ProximalAdagradOptimizer(Optimizer):
    """Adagrad whose result is soft-thresholded by L1 and shrunk by L2 regularization after each step."""

    def __init__(
        self,
        learning_rate: Rate,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        super().__init__(use_locking, name)
        self._initial = _positive("initial_accumulator_value", initial_accumulator_value)
        self._rates = {
            "learning_rate": learning_rate,
            "l1": l1_regularization_strength,
            "l2": l2_regularization_strength,
        }

    def _rule(self, rates: dict[str, float]) -> Rule:
        return _rules.ProximalAdagrad(rates, self._name, initial=self._initial)


def _positive(name: str, value: float) -> float:
    if value <= 0:
        raise ValueError(f"{name} must be positive: {value}")
    return value


def _not_negative(name: str, value: float) -> float:
    if value < 0:
        raise ValueError(f"{name} {value} needs to be positive or zero")
    return value
