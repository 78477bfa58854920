# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.graph import Constant as constant
from stratagem._tf1.graph import GlorotNormal as glorot_normal
from stratagem._tf1.graph import GlorotUniform as glorot_uniform
from stratagem._tf1.graph import HeNormal as he_normal
from stratagem._tf1.graph import HeUniform as he_uniform
from stratagem._tf1.graph import Identity as identity
from stratagem._tf1.graph import LecunNormal as lecun_normal
from stratagem._tf1.graph import LecunUniform as lecun_uniform
from stratagem._tf1.graph import Ones as ones
from stratagem._tf1.graph import Orthogonal as orthogonal
from stratagem._tf1.graph import RandomNormal as random_normal
from stratagem._tf1.graph import RandomUniform as random_uniform
from stratagem._tf1.graph import TruncatedNormal as truncated_normal
from stratagem._tf1.graph import UniformUnitScaling as uniform_unit_scaling
from stratagem._tf1.graph import VarianceScaling as variance_scaling
from stratagem._tf1.graph import Zeros as zeros
from stratagem._tf1.graph.functions.tables import tables_initializer as tables_initializer

__all__ = [
    "constant", "glorot_normal", "glorot_uniform", "he_normal", "he_uniform", "identity", "lecun_normal",
    "lecun_uniform", "ones", "orthogonal", "random_normal", "random_uniform", "tables_initializer", "truncated_normal",
    "uniform_unit_scaling", "variance_scaling", "zeros"
]  # fmt: skip
