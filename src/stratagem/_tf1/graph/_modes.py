"""TensorFlow's switches between its versions, which change nothing here."""

import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Any

from stratagem._core.context import current
from stratagem._tf1.graph._signatures import titled

_log = logging.getLogger("stratagem.graph")
_told: set[str] = set()


def _switch(name: str) -> Callable[..., None]:
    def switch(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
        if name not in _told:
            _told.add(name)
            _log.info("%s: nothing to do; model_fns are traced, everything else runs as in TensorFlow 2.", name)

    return titled(switch, name, "Accepted; it changes nothing, and the log says so once.")


disable_control_flow_v2 = _switch("disable_control_flow_v2")
disable_eager_execution = _switch("disable_eager_execution")
disable_resource_variables = _switch("disable_resource_variables")
disable_tensor_equality = _switch("disable_tensor_equality")
disable_v2_behavior = _switch("disable_v2_behavior")
disable_v2_tensorshape = _switch("disable_v2_tensorshape")
enable_control_flow_v2 = _switch("enable_control_flow_v2")
enable_eager_execution = _switch("enable_eager_execution")
enable_resource_variables = _switch("enable_resource_variables")
enable_tensor_equality = _switch("enable_tensor_equality")
enable_v2_behavior = _switch("enable_v2_behavior")
enable_v2_tensorshape = _switch("enable_v2_tensorshape")


def executing_eagerly() -> bool:
    """False while a step is traced, in a model_fn too; else True."""
    return current().recorder is None and current().graph is None


def resource_variables_enabled() -> bool:
    """True: variables have values of their own."""
    return True


@contextlib.contextmanager
def device(device_name_or_function: Any) -> Iterator[None]:
    """Where the body runs is the strategy's matter: nothing changes."""
    yield
