"""The options with which XLA compiles a program, and the switch of the rewrites for speed."""

import os
from typing import Any

from jax.extend import core as xc

from stratagem._base.allocator import BLOCK
from stratagem._base.errors import InvalidArgumentError
from stratagem._base.processor import has_avx512
from stratagem._core.rewrites._memory import has_short_rows, largest_array
from stratagem._private import CODE_GENERATOR_OPTIONS, are_code_generator_options_read

_VARIABLE = "STRATAGEM_REWRITES"
_YNN = "xla_cpu_experimental_ynn_fusion_type"
# The library YNN takes over matrix products, each by itself, and sums. Products with what surrounds them (`DOT`) take dense
# layers 1.1 times as long and save a transformer 3 %; with element-wise operations (`ELTWISE`) a transformer takes 1.6 times as
# long, with convolutions, as in XLA's default, a ResNet does (`benchmarks/rewrites.py`).
_CPU_OPTIONS: dict[str, Any] = {_YNN: "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT,LIBRARY_FUSION_TYPE_REDUCE"}
# LLVM unrolls short loops before it looks for vectors, and then finds none: an element of a table of 26000x16 took Adam more
# than three times as long as one of 26000x32. Networks without such tables take 0.97 to 1.005 of the time. Of rows shorter than
# a vector the vectors are found only in the unrolled loop: LeNet, which has 6 channels, took 1.7 times as long without.
_ROUND_BY_ROUND: dict[str, Any] = {CODE_GENERATOR_OPTIONS: "xla_cpu_disable_loop_unrolling=true"}
# XLA's own loops take half of the registers of a CPU with AVX-512, because some of these lower their frequency for the whole
# ones. The kernels of oneDNN and YNN, which take the most of a step's time, use the whole ones anyway. With them a CNN takes
# 0.975 of the time, ResNet-18 0.983, a transformer the same (`benchmarks/rewrites.py`). Sums may be rounded in another way.
_WIDE_OPTIONS: dict[str, Any] = {"xla_cpu_prefer_vector_width": 512}
# The memory of intermediate values comes in blocks that the C library keeps from step to step (`_base/allocator.py`).
_BLOCKS: dict[str, Any] = {"xla_multiheap_size_constraint_per_heap": BLOCK}


def compiler_options(platform: str, program: xc.Jaxpr | None = None) -> dict[str, Any] | None:
    """Returns XLA options that make programs faster on the platform.

    program: the one that is compiled, if it is known.
    """
    if platform != "cpu" or not rewrites_for_speed():
        return None
    # XLA logs a warning for every array that does not fit into a block; its own may be larger than those of the program.
    fits = program is not None and largest_array(program) <= BLOCK // 2
    unrolled = program is not None and has_short_rows(program)
    loops = _ROUND_BY_ROUND if are_code_generator_options_read() and not unrolled else {}
    return _CPU_OPTIONS | loops | (_WIDE_OPTIONS if has_avx512() else {}) | (_BLOCKS if fits else {})


def rewrites_for_speed() -> bool:
    """Returns whether programs are rewritten to be faster, which `STRATAGEM_REWRITES=off` switches off.

    Raises:
        InvalidArgumentError: if the variable is neither `on` nor `off`.
    """
    said = os.environ.get(_VARIABLE, "on")
    if said not in ("on", "off"):
        raise InvalidArgumentError(
            f"{_VARIABLE}={said} is set; use {_VARIABLE}=off to compile programs as they were traced, or unset it."
        )
    return said == "on"
