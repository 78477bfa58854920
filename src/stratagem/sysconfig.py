"""tf.sysconfig."""

from typing import Any as _Any

from stratagem import _hooks
from stratagem._ops import CXX11_ABI_FLAG as CXX11_ABI_FLAG
from stratagem._ops import CXX_VERSION as CXX_VERSION
from stratagem._ops import MONOLITHIC_BUILD as MONOLITHIC_BUILD
from stratagem._ops import get_build_info as get_build_info
from stratagem._ops import get_compile_flags as get_compile_flags
from stratagem._ops import get_include as get_include
from stratagem._ops import get_lib as get_lib
from stratagem._ops import get_link_flags as get_link_flags
from stratagem._ops import not_provided as _not_provided

_hooks.install()


def __getattr__(name: str) -> _Any:
    raise _not_provided("sysconfig", name)
