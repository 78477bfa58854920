"""TensorFlow's switches between its versions, which have no effect here."""

import contextlib
import logging
from collections.abc import Callable, Iterator
from typing import Any

from stratagem._base.exports import exported
from stratagem._devices import device as on_device
from stratagem._tf1.graph._function_wrappers import titled
from stratagem._tf1.graph._session_graph import disable_eager_execution, enable_eager_execution

_log = logging.getLogger("stratagem.graph")
_logged: set[str] = set()


def _say_once(name: str) -> None:
    if name not in _logged:
        _logged.add(name)
        _log.info("%s: nothing to do; model_fns are traced, everything else runs as in TensorFlow 2.", name)


def _switch(name: str) -> Callable[[], None]:
    def switch() -> None:
        _say_once(name)

    return titled(switch, name, "Accepted; it changes nothing, and the log says so once.")


disable_control_flow_v2 = exported(v1=["disable_control_flow_v2"])(_switch("disable_control_flow_v2"))
disable_resource_variables = exported(v1=["disable_resource_variables"])(_switch("disable_resource_variables"))
disable_tensor_equality = exported(v1=["disable_tensor_equality"])(_switch("disable_tensor_equality"))
disable_v2_tensorshape = exported(v1=["disable_v2_tensorshape"])(_switch("disable_v2_tensorshape"))
enable_control_flow_v2 = exported(v1=["enable_control_flow_v2"])(_switch("enable_control_flow_v2"))
enable_resource_variables = exported(v1=["enable_resource_variables"])(_switch("enable_resource_variables"))
enable_tensor_equality = exported(v1=["enable_tensor_equality"])(_switch("enable_tensor_equality"))
enable_v2_tensorshape = exported(v1=["enable_v2_tensorshape"])(_switch("enable_v2_tensorshape"))


@exported(v1=["disable_v2_behavior"])
def disable_v2_behavior() -> None:
    """Switches to TensorFlow 1's behaviour: as `disable_eager_execution`."""
    disable_eager_execution()


@exported("enable_v2_behavior")
def enable_v2_behavior() -> None:
    """Switches back from `disable_v2_behavior`."""
    enable_eager_execution()


@exported(v1=["resource_variables_enabled"])
def resource_variables_enabled() -> bool:
    """Returns True: every variable has a value of its own."""
    return True


@exported(v1=["colocate_with"])
@contextlib.contextmanager
def colocate_with(op: Any, ignore_existing: bool = False) -> Iterator[None]:
    """Opens a context without effect: where operations run follows from their tensors, and variables from the strategy."""
    yield


@exported(v1=["device"])
def device(device_name_or_function: Any) -> contextlib.AbstractContextManager[None]:
    """Returns a context whose operations are on a device, as `tf.device`; a function has no effect."""
    return on_device(device_name_or_function)
