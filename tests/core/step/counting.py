"""Steps that count their traces, and the strategies that compile them."""

from typing import Any

import stratagem as tf


def strategies() -> dict[str, Any]:
    """One of each kind whose steps are compiled."""
    return {
        "default": tf.distribute.get_strategy(),
        "one device": tf.distribute.OneDeviceStrategy("cpu:0"),
        "two replicas": tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"]),
    }


class Counted:
    """A step that counts its traces outside of what it reads."""

    def __init__(self, compute: Any) -> None:
        self.weight, self.other, self.mode = 1.0, 1, "a"
        self.compute = compute
        self.traces = 0

    def step(self, x: Any) -> Any:
        self.traces += 1
        return self.compute(self, x)
