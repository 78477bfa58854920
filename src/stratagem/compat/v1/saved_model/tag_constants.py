"""tf.compat.v1.saved_model.tag_constants."""

from typing import Any as _Any

from stratagem._ops import not_provided as _not_provided
from stratagem.saved_model import GPU as GPU
from stratagem.saved_model import SERVING as SERVING
from stratagem.saved_model import TPU as TPU
from stratagem.saved_model import TRAINING as TRAINING


def __getattr__(name: str) -> _Any:
    raise _not_provided("compat.v1.saved_model.tag_constants", name)
