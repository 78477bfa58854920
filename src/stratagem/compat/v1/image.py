"""tf.compat.v1.image: the names of tf.image, except for resizing, which TensorFlow 1 does in another way."""

from typing import Any as _Any

from stratagem.compat.v1._names import public_name as _public_name


def __getattr__(name: str) -> _Any:
    return _public_name("image", name)
