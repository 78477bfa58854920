"""The settings of the runtime that `tf.config` has: threads, compilation, precision, determinism."""

import logging
import os
from collections.abc import Mapping

import jax

from stratagem._base.exports import exported
from stratagem._devices._settings import change_settings, settings
from stratagem._private import POOL, backend_started_by, backends_started

_POLICIES = {
    None: "silent",
    "explicit": "explicit",
    "warn": "warn",
    "silent": "silent",
    "silent_for_int32": "silent_for_int32",
}
_DETERMINISTIC = "--xla_gpu_deterministic_ops=true"
# What `set_experimental_options` knows, and what TensorFlow says of them before they are set.
_OPTIMIZERS = frozenset({
    "arithmetic_optimization", "auto_mixed_precision", "auto_parallel", "constant_folding", "debug_stripper",
    "dependency_optimization", "disable_meta_optimizer", "disable_model_pruning", "function_optimization",
    "implementation_selector", "layout_optimizer", "loop_optimization", "min_graph_nodes", "pin_to_host_optimization",
    "remapping", "scoped_allocator_optimization", "shape_optimization",
})  # fmt: skip

logger = logging.getLogger("stratagem")


@exported("config.threading.get_inter_op_parallelism_threads")
def get_inter_op_parallelism_threads() -> int:
    """Returns what `set_inter_op_parallelism_threads` set; 0 if nothing."""
    return settings().inter_op_threads


@exported("config.threading.set_inter_op_parallelism_threads")
def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Remembers a number: XLA has one pool of threads, whose size is set by `set_intra_op_parallelism_threads`.

    Raises RuntimeError after a backend has started, if it is another number.
    """
    _check_not_started("Inter op parallelism", settings().inter_op_threads, num_threads)
    change_settings(inter_op_threads=num_threads)


@exported("config.threading.get_intra_op_parallelism_threads")
def get_intra_op_parallelism_threads() -> int:
    """Returns what `set_intra_op_parallelism_threads` set; 0 if nothing."""
    return settings().intra_op_threads


@exported("config.threading.set_intra_op_parallelism_threads")
def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Sets the number of threads that XLA computes with on the CPU; 0 for as many as there are cores.

    Several replicas on one CPU need two threads each, which they get in any case. Raises RuntimeError after a backend has
    started, if it is another number, ValueError for a negative number.
    """
    if num_threads < 0:
        raise ValueError(f"The number of threads must not be negative, got {num_threads}.")
    _check_not_started("Intra op parallelism", settings().intra_op_threads, num_threads)
    change_settings(intra_op_threads=num_threads)
    if num_threads:
        os.environ[POOL] = str(num_threads)
    else:
        os.environ.pop(POOL, None)


def _check_not_started(what: str, old: int, new: int) -> None:
    if backends_started() and old != new:
        raise RuntimeError(f"{what} cannot be modified after initialization{backend_started_by()}.")


@exported("config.get_soft_device_placement")
def get_soft_device_placement() -> bool:
    """Returns whether `tf.device` takes the default device in place of one that does not exist."""
    return settings().soft_placement


@exported("config.set_soft_device_placement")
def set_soft_device_placement(enabled: bool) -> None:
    """Chooses whether `tf.device` takes the default device in place of one that does not exist, or raises DeviceError."""
    change_settings(soft_placement=bool(enabled))


@exported("config.optimizer.get_jit")
def get_jit() -> str:
    """Returns what `set_jit` set: "autoclustering" or ""."""
    return settings().jit


@exported("config.optimizer.set_jit")
def set_jit(enabled: bool | str) -> None:
    """Remembers a setting: every step and compiled function is compiled by XLA, with it or without."""
    change_settings(jit="autoclustering" if enabled in (True, "autoclustering") else "")


@exported("config.optimizer.get_experimental_options")
def get_experimental_options() -> dict[str, bool | int]:
    """Returns what `set_experimental_options` set, and TensorFlow's defaults of two."""
    return dict(settings().optimizers)


@exported("config.optimizer.set_experimental_options")
def set_experimental_options(options: Mapping[str, bool | int]) -> None:
    """Remembers settings of TensorFlow's graph optimizers, in whose place XLA optimizes. As there, unknown ones are dropped."""
    known = {name: value for name, value in options.items() if name in _OPTIMIZERS}
    change_settings(optimizers={**settings().optimizers, **known})


@exported("config.experimental.get_device_policy")
def get_device_policy() -> str:
    """Returns what `set_device_policy` set; "silent" if nothing."""
    return settings().policy


@exported("config.experimental.set_device_policy")
def set_device_policy(device_policy: str | None) -> None:
    """Remembers a policy: operands on other devices are always copied silently. Raises ValueError for an unknown one."""
    if device_policy not in _POLICIES:
        raise ValueError(f"Invalid argument `device_policy`: {device_policy!r}. It is one of {list(_POLICIES)}.")
    change_settings(policy=_POLICIES[device_policy])


@exported("config.experimental.get_synchronous_execution")
def get_synchronous_execution() -> bool:
    """Returns what `set_synchronous_execution` set; True if nothing."""
    return settings().synchronous


@exported("config.experimental.set_synchronous_execution")
def set_synchronous_execution(enable: bool) -> None:
    """Remembers a setting: JAX computes while Python goes on, and waits where a value is asked for."""
    change_settings(synchronous=bool(enable))


@exported("config.experimental.tensor_float_32_execution_enabled")
def tensor_float_32_execution_enabled() -> bool:
    """Returns whether matrix products of float32 may be computed with TensorFloat-32 where a GPU has it."""
    return jax.config.jax_default_matmul_precision is None  # type: ignore[attr-defined]


@exported("config.experimental.enable_tensor_float_32_execution")
def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Allows TensorFloat-32 in matrix products and convolutions of float32, JAX's default on GPUs that have it, or not."""
    jax.config.update("jax_default_matmul_precision", None if enabled else "highest")


@exported("config.experimental.enable_op_determinism")
def enable_op_determinism() -> None:
    """Lets programs compute the same bits in every run. On a CPU they do anyway; on a GPU XLA then avoids atomic additions.

    Random numbers need a seed for that (`tf.random.set_seed` or `tf.keras.utils.set_random_seed`), on which TensorFlow
    insists. Raises RuntimeError after a backend of a GPU has started.
    """
    flags = os.environ.get("XLA_FLAGS", "")
    if _DETERMINISTIC in flags:
        return
    if backends_started() and jax.default_backend() == "gpu":
        raise RuntimeError(
            f"enable_op_determinism has to be called before a GPU is used{backend_started_by()}: call it first in the program."
        )
    os.environ["XLA_FLAGS"] = f"{flags} {_DETERMINISTIC}".strip()


@exported("config.experimental.enable_mlir_bridge")
def enable_mlir_bridge() -> None:
    """Does nothing but say so in the log: XLA's compiler takes StableHLO, which is MLIR, always."""
    logger.info("tf.config.experimental.enable_mlir_bridge has no effect: programs always go to XLA as MLIR.")


@exported("config.experimental.disable_mlir_bridge")
def disable_mlir_bridge() -> None:
    """Does nothing but say so in the log: XLA's compiler takes StableHLO, which is MLIR, always."""
    logger.info("tf.config.experimental.disable_mlir_bridge has no effect: programs always go to XLA as MLIR.")
