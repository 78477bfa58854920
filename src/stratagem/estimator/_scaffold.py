"""Scaffold: the parts of a training session that a model_fn may set itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final


@final
@dataclass(frozen=True)
class Scaffold:
    """As `tf.train.Scaffold`; what is None is made as usual.

    init_fn: called with (scaffold, session) when variables have their first values, and not when they are restored.
    saver: a `tf.train.Checkpoint` that is saved in every checkpoint, and restored from it, beside the model's variables.
    The other arguments are operations of a session of TensorFlow 1; variables are initialized without them.
    """

    init_op: Any = None
    init_feed_dict: Any = None
    init_fn: Callable[[Any, Any], None] | None = None
    ready_op: Any = None
    ready_for_local_init_op: Any = None
    local_init_op: Any = None
    summary_op: Any = None
    saver: Any = None
    copy_from_scaffold: Any = None
    local_init_feed_dict: Any = None
