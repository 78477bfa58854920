"""tf.data.experimental."""

from typing import Any

from stratagem.ops import not_provided
from stratagem.pipeline import AUTOTUNE as AUTOTUNE
from stratagem.pipeline import INFINITE_CARDINALITY as INFINITE_CARDINALITY
from stratagem.pipeline import UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY
from stratagem.pipeline import AutoShardPolicy as AutoShardPolicy
from stratagem.pipeline import DistributeOptions as DistributeOptions


def __getattr__(name: str) -> Any:
    raise not_provided("data.experimental", name)
