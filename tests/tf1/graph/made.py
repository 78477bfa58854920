"""What model functions that both libraries run are given and return, and numbers for them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

STEPS = 4


@dataclass(frozen=True, kw_only=True)
class Made:
    """What a model function made: tensors, the operation of a step, and values that are read after it."""

    tensors: dict[str, Any] = field(default_factory=dict)
    operation: Any = None
    after: dict[str, Any] = field(default_factory=dict)


Model = Callable[[Any, Any, Any], Made]


def wave(shape: Any, start: float = 0.3) -> np.ndarray:
    """Numbers between -1 and 1, all different."""
    return np.sin(start + 1.7 * np.arange(int(np.prod(shape)))).reshape(shape)


def waves(tf1: Any, start: float = 0.3) -> Callable[..., Any]:
    """An initializer with these numbers."""

    def initializer(shape: Any, dtype: Any = None, partition_info: Any = None, **unused: Any) -> Any:
        return tf1.constant(wave([int(d) for d in shape], start), dtype)

    return initializer


def features(step: int, shape: tuple[int, ...] = (6, 4)) -> np.ndarray:
    return wave(shape, 0.1 + step).astype(np.float32)


def labels(step: int) -> np.ndarray:
    return (np.arange(6) * 5 + step) % 3
