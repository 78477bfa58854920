"""`tf.linalg`: products, norms, decompositions."""

from stratagem import _hooks
from stratagem._ops import band_part as band_part
from stratagem._ops import cholesky as cholesky
from stratagem._ops import cross as cross
from stratagem._ops import det as det
from stratagem._ops import diag as diag
from stratagem._ops import diag_part as diag_part
from stratagem._ops import eigh as eigh
from stratagem._ops import einsum as einsum
from stratagem._ops import eye as eye
from stratagem._ops import global_norm as global_norm
from stratagem._ops import inv as inv
from stratagem._ops import l2_normalize as l2_normalize
from stratagem._ops import matmul as matmul
from stratagem._ops import matvec as matvec
from stratagem._ops import norm as norm
from stratagem._ops import not_provided as _not_provided
from stratagem._ops import qr as qr
from stratagem._ops import solve as solve
from stratagem._ops import svd as svd
from stratagem._ops import tensordot as tensordot
from stratagem._ops import trace as trace
from stratagem._ops import triangular_solve as triangular_solve

_hooks.install()


def __getattr__(name: str) -> object:
    raise _not_provided("linalg", name)
