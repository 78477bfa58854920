"""Overrides of Keras' methods are converted, although Keras calls them."""

from stratagem._autograph._calls import converted
from stratagem._private import intercept_overrides


def attach_overrides() -> None:
    """Lets tensors decide in the methods of classes that users derive from Keras' layers, models, losses and metrics."""
    intercept_overrides(converted)
