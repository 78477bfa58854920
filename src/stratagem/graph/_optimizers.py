"""The optimizers of tf1.train, by TensorFlow's formulas and with its names of slots."""

from typing import Any, final

from stratagem.graph._optimizer import Optimizer, Rate, Rule


@final
class _GradientDescent(Rule):
    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        self.assign_sub(variable, self.rate("learning_rate", variable) * gradient)


@final
class GradientDescentOptimizer(Optimizer):
    """`var -= learning_rate * gradient`."""

    def __init__(self, learning_rate: Rate, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _rates(self) -> dict[str, Any]:
        return {"learning_rate": self._learning_rate}

    def _rule(self, rates: dict[str, Any]) -> Rule:
        return _GradientDescent(rates, self._name)
