"""`tf.linalg`: products, norms, decompositions."""

from stratagem.ops import band_part as band_part
from stratagem.ops import cholesky as cholesky
from stratagem.ops import cross as cross
from stratagem.ops import det as det
from stratagem.ops import diag as diag
from stratagem.ops import diag_part as diag_part
from stratagem.ops import eigh as eigh
from stratagem.ops import einsum as einsum
from stratagem.ops import eye as eye
from stratagem.ops import global_norm as global_norm
from stratagem.ops import inv as inv
from stratagem.ops import l2_normalize as l2_normalize
from stratagem.ops import matmul as matmul
from stratagem.ops import matvec as matvec
from stratagem.ops import norm as norm
from stratagem.ops import not_provided as _not_provided
from stratagem.ops import qr as qr
from stratagem.ops import solve as solve
from stratagem.ops import svd as svd
from stratagem.ops import tensordot as tensordot
from stratagem.ops import trace as trace
from stratagem.ops import triangular_solve as triangular_solve


def __getattr__(name: str) -> object:
    raise _not_provided("linalg", name)
