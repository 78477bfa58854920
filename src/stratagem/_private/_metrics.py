"""Metrics of Keras: how they compute what they report."""

import functools
from collections.abc import Callable
from typing import Any

from keras.src.metrics.metric import Metric


def intercept_metric_results(around: Callable[[Callable[[], Any]], Any]) -> None:
    """Run every metric's `result()` as around(compute). Adds TF's old name `reset_states`."""

    def wrap(cls: type) -> None:
        if "result" in vars(cls):
            result = cls.result  # type: ignore[attr-defined]

            @functools.wraps(result)
            def new_result(self: Any, *args: Any, **kwargs: Any) -> Any:
                return around(lambda: result(self, *args, **kwargs))

            cls.result = new_result  # type: ignore[attr-defined]
        subclasses: list[type] = cls.__subclasses__()
        for derived in subclasses:
            wrap(derived)

    wrap(Metric)
    init_subclass = Metric.__init_subclass__

    def new_init_subclass(cls: type, /, **kwargs: Any) -> None:
        init_subclass(**kwargs)
        if "result" in vars(cls):
            wrap(cls)

    Metric.__init_subclass__ = classmethod(new_init_subclass)
    Metric.reset_states = lambda self: self.reset_state()
