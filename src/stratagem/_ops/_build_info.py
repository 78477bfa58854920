"""The build as `tf.sysconfig` describes it: JAX's, whose headers custom operations are compiled with."""

import importlib.util
from pathlib import Path

import jax

from stratagem._base.exports import exported

CXX11_ABI_FLAG = exported("sysconfig.CXX11_ABI_FLAG")(1)
CXX_VERSION = exported("sysconfig.CXX_VERSION")(201703)  # the standard that JAX's headers need: C++17
MONOLITHIC_BUILD = exported("sysconfig.MONOLITHIC_BUILD")(0)


@exported("sysconfig.get_include")
def get_include() -> str:
    """Returns the folder of the headers of JAX's foreign functions (`jax.ffi`), in place of TensorFlow's operations."""
    return jax.ffi.include_dir()


@exported("sysconfig.get_lib")
def get_lib() -> str:
    """Returns the folder of jaxlib, which has XLA's libraries."""
    return str(Path(jax.ffi.include_dir()).parent)


@exported("sysconfig.get_compile_flags")
def get_compile_flags() -> list[str]:
    """Returns the flags that compile a foreign function of JAX."""
    return [f"-I{get_include()}", "--std=c++17"]


@exported("sysconfig.get_link_flags")
def get_link_flags() -> list[str]:
    """Returns no flags: JAX's foreign functions are headers alone."""
    return []


@exported("sysconfig.get_build_info")
def get_build_info() -> dict[str, bool]:
    """Returns which GPUs JAX is installed for: `is_cuda_build`, `is_rocm_build`; `is_tensorrt_build` is False."""
    return {
        "is_cuda_build": _has_plugin("jax_cuda12_plugin", "jax_cuda13_plugin"),
        "is_rocm_build": _has_plugin("jax_rocm60_plugin", "jax_rocm7_plugin"),
        "is_tensorrt_build": False,
    }


def _has_plugin(*names: str) -> bool:
    return any(importlib.util.find_spec(name) is not None for name in names)
