"""The C++ library of kernels: where it is, whether this process uses it, and its calls."""

import ctypes
import functools
import os
import platform
import sys
import sysconfig
from pathlib import Path
from typing import Any, Final

import jax

from stratagem._base.errors import InvalidArgumentError

_VARIABLE: Final = "STRATAGEM_KERNELS"
# Not *.so: Python would take it for a module.
_FILE: Final = Path(__file__).with_name("libstratagem_kernels.so.1")
# Where PyPI's package has it, for a library that was not linked with a static one.
_ONEDNN: Final = Path(sysconfig.get_path("data"), "lib", "libdnnl.so.3")
# The library's symbols, by the names that programs call them by. The number is that of their operands and attributes: a program
# of JAX's compilation cache may be older than the library.
_CALLS: Final = {
    "stratagem.convolution.1": "StratagemConvolution",
    "stratagem.convolution_of_input.1": "StratagemConvolutionOfInput",
    "stratagem.convolution_of_filters.1": "StratagemConvolutionOfFilters",
    "stratagem.product.1": "StratagemProduct",
    "stratagem.sum_windows.1": "StratagemSumWindows",
    "stratagem.spread_windows.1": "StratagemSpreadWindows",
    "stratagem.update.1": "StratagemUpdate",
}
CONVOLUTION, CONVOLUTION_OF_INPUT, CONVOLUTION_OF_FILTERS, PRODUCT, SUM_WINDOWS, SPREAD_WINDOWS, UPDATE = _CALLS


def has_kernels() -> bool:
    """Returns whether programs of this process call the library on CPUs.

    `STRATAGEM_KERNELS=off` switches it off.

    Raises:
        InvalidArgumentError: if that variable is neither `on` nor `off`.
    """
    return library() is not None


def computes(dtype: Any) -> bool:
    """Returns whether convolutions of arrays of this dtype are computed fast here: by XLA's kernels too if it is float32.

    bfloat16 takes instructions of the processor, and the library.
    """
    if str(dtype) != "bfloat16":
        return str(dtype) == "float32"
    loaded = library()
    return loaded is not None and bool(loaded.stratagem_has_bfloat16())


@functools.cache
def library() -> ctypes.CDLL | None:
    """Returns the library with its calls registered with JAX; None if there is none for this process."""
    loaded = _loaded()
    if isinstance(loaded, str):
        return None
    for name, symbol in _CALLS.items():
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(getattr(loaded, symbol)), platform="cpu")
    return loaded


def library_report() -> tuple[bool, str]:
    """Returns whether the library is used, and a sentence that says which one, or why not."""
    loaded = _loaded()
    if isinstance(loaded, str):
        return False, loaded
    number = loaded.stratagem_onednn_version()
    version = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    return True, f"convolutions and large matrix products are computed by oneDNN {version}"


@functools.cache
def _loaded() -> ctypes.CDLL | str:
    """Returns the library, or why there is none."""
    said = os.environ.get(_VARIABLE, "on")
    if said not in ("on", "off"):
        raise InvalidArgumentError(
            f"{_VARIABLE}={said} is set; use {_VARIABLE}=off to compute with XLA's own kernels, or unset it."
        )
    if said == "off":
        return f"{_VARIABLE}=off is set: XLA's own kernels compute convolutions"
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return f"there are no kernels for {sys.platform} on {platform.machine()}: XLA's own compute convolutions"
    if not _FILE.exists():
        return f"{_FILE} is not there: XLA's own kernels compute convolutions, several times as slowly"
    try:
        if _ONEDNN.exists():
            ctypes.CDLL(str(_ONEDNN))
        loaded: Any = ctypes.CDLL(str(_FILE))
        loaded.stratagem_workspace.restype = ctypes.c_char_p
        loaded.stratagem_has_avx512.restype = ctypes.c_int
        loaded.stratagem_has_bfloat16.restype = ctypes.c_int
        loaded.stratagem_bytes_of_plans.restype = ctypes.c_int64
    # A library that it needs, as libgomp, is missing; or it was built from an older source.
    except (OSError, AttributeError) as error:
        return (
            f"{_FILE.name} cannot be loaded ({error}): XLA's own kernels compute convolutions, several times as slowly"
        )
    return loaded
