# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

__all__ = [
    "CosineDecay", "CosineDecayRestarts", "ExponentialDecay", "InverseTimeDecay", "LearningRateSchedule",
    "PiecewiseConstantDecay", "PolynomialDecay", "deserialize", "serialize"
]  # fmt: skip

class LearningRateSchedule:
    def __call__(self, step: Any) -> Any: ...
    def get_config(self) -> Any: ...
    @classmethod
    def from_config(cls, config: Any) -> Any: ...

class CosineDecay(LearningRateSchedule):
    alpha: Any
    decay_steps: Any
    initial_learning_rate: Any
    name: Any
    warmup_steps: Any
    warmup_target: Any
    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        alpha: Any = 0.0,
        name: Any = "CosineDecay",
        warmup_target: Any = None,
        warmup_steps: Any = 0,
    ) -> None: ...
    def __call__(self, step: Any) -> Any: ...
    def get_config(self) -> Any: ...

class CosineDecayRestarts(LearningRateSchedule):
    alpha: Any
    first_decay_steps: Any
    initial_learning_rate: Any
    name: Any
    def __init__(
        self,
        initial_learning_rate: Any,
        first_decay_steps: Any,
        t_mul: Any = 2.0,
        m_mul: Any = 1.0,
        alpha: Any = 0.0,
        name: Any = "SGDRDecay",
    ) -> None: ...
    def __call__(self, step: Any) -> Any: ...
    def get_config(self) -> Any: ...

class ExponentialDecay(LearningRateSchedule):
    decay_rate: Any
    decay_steps: Any
    initial_learning_rate: Any
    name: Any
    staircase: Any
    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: Any = False,
        name: Any = "ExponentialDecay",
    ) -> None: ...
    def __call__(self, step: Any) -> Any: ...
    def get_config(self) -> Any: ...

class InverseTimeDecay(LearningRateSchedule):
    decay_rate: Any
    decay_steps: Any
    initial_learning_rate: Any
    name: Any
    staircase: Any
    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: Any = False,
        name: Any = "InverseTimeDecay",
    ) -> None: ...
    def __call__(self, step: Any) -> Any: ...
    def get_config(self) -> Any: ...

class PiecewiseConstantDecay(LearningRateSchedule):
    boundaries: Any
    name: Any
    values: Any
    def __init__(self, boundaries: Any, values: Any, name: Any = "PiecewiseConstant") -> None: ...
    def __call__(self, step: Any) -> Any: ...
    def get_config(self) -> Any: ...

class PolynomialDecay(LearningRateSchedule):
    cycle: Any
    decay_steps: Any
    end_learning_rate: Any
    initial_learning_rate: Any
    name: Any
    power: Any
    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        end_learning_rate: Any = 0.0001,
        power: Any = 1.0,
        cycle: Any = False,
        name: Any = "PolynomialDecay",
    ) -> None: ...
    def __call__(self, step: Any) -> Any: ...
    def get_config(self) -> Any: ...

def deserialize(config: Any, custom_objects: Any = None) -> Any: ...
def serialize(learning_rate_schedule: Any) -> Any: ...
