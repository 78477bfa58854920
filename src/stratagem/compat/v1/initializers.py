"""tf.compat.v1.initializers."""

from typing import Any as _Any

from stratagem._ops import not_provided as _not_provided
from stratagem._tf1.graph import Constant as constant  # noqa: F401
from stratagem._tf1.graph import GlorotNormal as glorot_normal  # noqa: F401
from stratagem._tf1.graph import GlorotUniform as glorot_uniform  # noqa: F401
from stratagem._tf1.graph import HeNormal as he_normal  # noqa: F401
from stratagem._tf1.graph import HeUniform as he_uniform  # noqa: F401
from stratagem._tf1.graph import Identity as identity  # noqa: F401
from stratagem._tf1.graph import LecunNormal as lecun_normal  # noqa: F401
from stratagem._tf1.graph import LecunUniform as lecun_uniform  # noqa: F401
from stratagem._tf1.graph import Ones as ones  # noqa: F401
from stratagem._tf1.graph import Orthogonal as orthogonal  # noqa: F401
from stratagem._tf1.graph import RandomNormal as random_normal  # noqa: F401
from stratagem._tf1.graph import RandomUniform as random_uniform  # noqa: F401
from stratagem._tf1.graph import TruncatedNormal as truncated_normal  # noqa: F401
from stratagem._tf1.graph import UniformUnitScaling as uniform_unit_scaling  # noqa: F401
from stratagem._tf1.graph import VarianceScaling as variance_scaling  # noqa: F401
from stratagem._tf1.graph import Zeros as zeros  # noqa: F401
from stratagem._tf1.graph.functions.tables import tables_initializer as tables_initializer


def __getattr__(name: str) -> _Any:
    raise _not_provided("compat.v1.initializers", name)
