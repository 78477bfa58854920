"""tf.compat.v1.saved_model: the names of tf.saved_model. TensorFlow 1's `load` takes a session, which there is none of."""

from typing import Any as _Any

from stratagem.compat.v1._names import public_name as _public_name
from stratagem.compat.v1.saved_model import signature_constants as signature_constants
from stratagem.compat.v1.saved_model import tag_constants as tag_constants


def __getattr__(name: str) -> _Any:
    return _public_name("saved_model", name)
