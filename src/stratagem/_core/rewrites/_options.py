"""The options with which XLA compiles a program, and the switch of the rewrites for speed."""

import os

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.types import Value

_VARIABLE = "STRATAGEM_REWRITES"
_YNN = "xla_cpu_experimental_ynn_fusion_type"
# The library YNN takes over matrix products, each by itself, and sums. Products with what surrounds them (`DOT`) take dense
# layers 1.1 times as long and save a transformer 3 %; with element-wise operations (`ELTWISE`) a transformer takes 1.6 times as
# long, with convolutions, as in XLA's default, a ResNet does (`benchmarks/rewrites.py`).
_CPU_OPTIONS = {_YNN: "LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT,LIBRARY_FUSION_TYPE_REDUCE"}


def compiler_options(platform: str) -> dict[str, Value] | None:
    """Returns XLA options that make programs faster on the platform."""
    return dict(_CPU_OPTIONS) if platform == "cpu" and rewrites_for_speed() else None


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
