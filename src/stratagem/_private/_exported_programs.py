"""Exported programs of JAX: what their equations tell of the code that they come from, and which functions they call."""

import contextlib
from collections.abc import Iterator
from typing import Any, Final

from jax import export
from jax._src.config import traceback_in_locations_limit
from jax._src.export._export import _CUSTOM_CALL_TARGETS_GUARANTEED_STABLE
from jaxlib.mlir import ir

from stratagem._private._program_context import deserialized, program_context

# Kernels of accelerators and graphs of TensorFlow, whose code is in the call itself: nothing here exports such calls.
_WITH_CODE: Final = {"tf.call_tf_function", "tpu_custom_call", "mosaic_gpu_v2"}
_ALLOWED: Final = _CUSTOM_CALL_TARGETS_GUARANTEED_STABLE - _WITH_CODE

# They wait for another process.
_WAITING: Final = {"stablehlo.infeed", "stablehlo.outfeed", "stablehlo.send", "stablehlo.recv"}


@contextlib.contextmanager
def without_locations() -> Iterator[None]:
    """Leaves the files and lines of the code that is traced out of programs that are lowered in the body."""
    with traceback_in_locations_limit(0):
        yield


def called_outside(program: export.Exported) -> list[str]:
    """Returns the names of what a program calls outside of itself, but for what JAX's own exports call.

    program: one that was read, whose gradients are those in the file. Raises RuntimeError for a name that is no text, and
    ValueError for a check of sizes without the text of its error: StableHLO's passes would end the process.
    """
    found: set[str] = set()
    each: Any = program
    while each is not None:
        with program_context() as context:
            found.update(_calls(deserialized(each.mlir_module_serialized, context).operation))
        each = each.vjp() if each.has_vjp() else None
    return sorted(found - _ALLOWED)


def _calls(operation: Any) -> Iterator[str]:
    name = operation.name
    if name in _WAITING:
        yield name
    if name == "stablehlo.custom_call":
        name = ir.StringAttr(operation.attributes["call_target_name"]).value
        if name == "shape_assertion":
            _check_message(operation.attributes)
        yield name
    for region in operation.regions:
        for block in region:
            for inner in block:
                yield from _calls(inner.operation)


def _check_message(attributes: Any) -> None:
    if "error_message" not in attributes or not isinstance(attributes["error_message"], ir.StringAttr):
        raise ValueError("a check of sizes has no text of its error")
