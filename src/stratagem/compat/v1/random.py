"""tf.compat.v1.random: the names of tf.random, and TensorFlow 1's own."""

from typing import Any as _Any

from stratagem._ops.sampling import set_seed as set_random_seed  # noqa: F401
from stratagem._tf1.graph.functions.random import multinomial as multinomial
from stratagem._tf1.graph.functions.random import normal as normal
from stratagem._tf1.graph.functions.random import normal as random_normal  # noqa: F401
from stratagem._tf1.graph.functions.random import poisson as poisson
from stratagem._tf1.graph.functions.random import poisson as random_poisson  # noqa: F401
from stratagem._tf1.graph.functions.random import truncated_normal as truncated_normal
from stratagem._tf1.graph.functions.random import uniform as random_uniform  # noqa: F401
from stratagem._tf1.graph.functions.random import uniform as uniform
from stratagem.compat.v1._names import public_name as _public_name


def __getattr__(name: str) -> _Any:
    return _public_name("random", name)
