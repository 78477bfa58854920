"""What is said of names of tf.estimator.experimental that are not provided."""

from typing import Any

from stratagem._ops import not_provided


def __getattr__(name: str) -> Any:
    raise not_provided("estimator.experimental", name)
