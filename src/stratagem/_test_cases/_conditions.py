"""The conditions under which a test runs, what it may ask of the machine, and `tf.test.main`."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import jax
from absl.testing import absltest

from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._devices import get_device_details, list_logical_devices, list_physical_devices
from stratagem._ops import get_build_info

T = TypeVar("T")


@exported("test.main")
def main(argv: Sequence[str] | None = None) -> None:
    """Runs the tests of the calling program, with absl's flags, and ends it."""
    absltest.main(argv=None if argv is None else list(argv))


@exported("test.gpu_device_name")
def gpu_device_name() -> str:
    """Returns the name of the first GPU ("/device:GPU:0"), "" without one; starts the backend."""
    return next((device.name for device in list_logical_devices("GPU")), "")


@exported("test.is_gpu_available")
def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None) -> bool:
    """Returns whether there is a GPU, if asked for one of NVIDIA's, with at least a compute capability such as (7, 0)."""
    if cuda_only and not is_built_with_cuda():
        return False
    gpus = list_physical_devices("GPU")
    if min_cuda_compute_capability is None or not gpus:
        return bool(gpus)
    list_logical_devices("GPU")  # the capability is known once the backend has started
    found = [get_device_details(gpu).get("compute_capability", (0, 0)) for gpu in gpus]
    return any(isinstance(each, tuple) and each >= tuple(min_cuda_compute_capability) for each in found)


@exported("test.is_built_with_cuda")
def is_built_with_cuda() -> bool:
    """Returns whether JAX is installed for NVIDIA's GPUs."""
    return get_build_info()["is_cuda_build"]


@exported("test.is_built_with_rocm")
def is_built_with_rocm() -> bool:
    """Returns whether JAX is installed for AMD's GPUs."""
    return get_build_info()["is_rocm_build"]


@exported("test.is_built_with_gpu_support")
def is_built_with_gpu_support() -> bool:
    """Returns whether JAX is installed for GPUs."""
    return is_built_with_cuda() or is_built_with_rocm()


@exported("test.is_built_with_xla")
def is_built_with_xla() -> bool:
    """Returns True: every program is compiled by XLA."""
    return True


@exported("test.disable_with_predicate")
def disable_with_predicate(pred: Callable[[], Any], skip_message: str) -> Callable[[UserFunction], UserFunction]:
    """Returns a decorator for methods of a test case, which skips them where `pred()` is true when they would run."""

    def decorator(test: UserFunction) -> UserFunction:
        @functools.wraps(test)
        def run(self: absltest.TestCase, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return test(self, *args, **kwargs)

        return run

    return decorator


@exported("test.with_eager_op_as_function")
def with_eager_op_as_function(cls: type[T] | None = None, only_as_function: bool = False) -> Any:
    """Returns the test case itself: it changes how TensorFlow runs single operations. Without one, a decorator."""
    return (lambda decorated: decorated) if cls is None else cls


@exported("test.experimental.sync_devices")
def sync_devices() -> None:
    """Waits until all devices of this process have computed what they were given."""
    jax.effects_barrier()
    for device in jax.local_devices():
        (jax.device_put(0.0, device) + 1.0).block_until_ready()
