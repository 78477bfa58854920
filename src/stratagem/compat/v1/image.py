"""tf.compat.v1.image: that of tf.image, but for resizing, which TensorFlow 1 does in another way."""

from typing import Any

from stratagem.compat.v1._names import same


def __getattr__(name: str) -> Any:
    return same("image", name)
