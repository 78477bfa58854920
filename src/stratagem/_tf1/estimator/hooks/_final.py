"""FinalOpsHook, and hooks that are refused because steps are compiled programs."""

from typing import Any

from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported
from stratagem._tf1.estimator._session_run_hook import SessionRunHook


@exported("estimator.FinalOpsHook", v1=["estimator.FinalOpsHook", "train.FinalOpsHook"])
class FinalOpsHook(SessionRunHook):
    """Fetches values at the end: current ones of variables and metrics, those of the last step for tensors."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: object = None) -> None:
        self._final_ops, self._feed_dict = final_ops, final_ops_feed_dict
        self._values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """The values; None before the end."""
        return self._values

    def end(self, session: Any) -> None:
        if self._final_ops is not None:
            self._values = session.run(self._final_ops, feed_dict=self._feed_dict)


def refused_hook(name: str, instead: str) -> Any:
    """Returns a function that raises UnimplementedError, in place of a hook's class."""

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise UnimplementedError(f"tf.compat.v1.train.{name}: {instead}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raises UnimplementedError: {instead}"
    return refuse


ProfilerHook = exported("estimator.ProfilerHook", v1=["estimator.ProfilerHook", "train.ProfilerHook"])(
    refused_hook(
        "ProfilerHook",
        "steps are compiled programs here, without a timeline of ops. To see where the time goes, use "
        "jax.profiler.trace(logdir) around Estimator.train.",
    )
)
FeedFnHook = exported("estimator.FeedFnHook", v1=["estimator.FeedFnHook", "train.FeedFnHook"])(
    refused_hook(
        "FeedFnHook", "a compiled step has no placeholders to feed. Put the data into the dataset of the input_fn."
    )
)
