# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops import CXX11_ABI_FLAG as CXX11_ABI_FLAG
from stratagem._ops import CXX_VERSION as CXX_VERSION
from stratagem._ops import MONOLITHIC_BUILD as MONOLITHIC_BUILD
from stratagem._ops import get_build_info as get_build_info
from stratagem._ops import get_compile_flags as get_compile_flags
from stratagem._ops import get_include as get_include
from stratagem._ops import get_lib as get_lib
from stratagem._ops import get_link_flags as get_link_flags

__all__ = [
    "CXX11_ABI_FLAG", "CXX_VERSION", "MONOLITHIC_BUILD", "get_build_info", "get_compile_flags", "get_include",
    "get_lib", "get_link_flags"
]  # fmt: skip
