"""Scaffold: the parts of a training session that a model_fn may set up itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, final

from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported
from stratagem._tf1.graph import building_here

_OF_SESSIONS: Final = (
    "init_op", "init_feed_dict", "ready_op", "ready_for_local_init_op", "local_init_op", "local_init_feed_dict",
)  # fmt: skip


@exported("estimator.Scaffold", v1=["train.Scaffold"])
@final
@dataclass(frozen=True)
class Scaffold:
    """The parts of a training session that a model_fn sets up itself, as `tf.train.Scaffold`.

    Parts that are None have defaults.

    init_fn: called with (scaffold, session) when variables have their initial values, but not when they are restored.
    saver: a `tf.train.Checkpoint` that is saved in every checkpoint, and restored from it, together with the model's
        variables.
    summary_op: ignored; all summaries of the model are written.
    copy_from_scaffold: has the defaults of the parts that are None.

    Raises:
        UnimplementedError: one of the other arguments is given, which belong to a session of TensorFlow 1.
        TypeError: copy_from_scaffold is not a Scaffold.
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

    def __post_init__(self) -> None:
        building = building_here()
        for name in _OF_SESSIONS if building is None or building.owner is None else ():
            if getattr(self, name) is not None:
                raise UnimplementedError(
                    f"Scaffold({name}=...): a model_fn has no session: variables have the values of their initializers "
                    "as soon as they are made. To change them before the first step use init_fn=lambda scaffold, session: ..., "
                    "which may assign variables."
                )
        other = self.copy_from_scaffold
        if other is None:
            return
        if not isinstance(other, Scaffold):
            raise TypeError(f"copy_from_scaffold is not a Scaffold instance, got {other!r}.")
        for name in ("init_fn", "summary_op", "saver", *_OF_SESSIONS):
            if getattr(self, name) is None:
                object.__setattr__(self, name, getattr(other, name))
