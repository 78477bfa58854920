# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.keras.ops import cholesky as cholesky
from stratagem.keras.ops import cholesky_inverse as cholesky_inverse
from stratagem.keras.ops import det as det
from stratagem.keras.ops import eig as eig
from stratagem.keras.ops import eigh as eigh
from stratagem.keras.ops import inv as inv
from stratagem.keras.ops import jvp as jvp
from stratagem.keras.ops import lstsq as lstsq
from stratagem.keras.ops import lu_factor as lu_factor
from stratagem.keras.ops import matrix_rank as matrix_rank
from stratagem.keras.ops import norm as norm
from stratagem.keras.ops import pinv as pinv
from stratagem.keras.ops import qr as qr
from stratagem.keras.ops import solve as solve
from stratagem.keras.ops import solve_triangular as solve_triangular
from stratagem.keras.ops import svd as svd

__all__ = [
    "cholesky", "cholesky_inverse", "det", "eig", "eigh", "inv", "jvp", "lstsq", "lu_factor", "matrix_rank", "norm",
    "pinv", "qr", "solve", "solve_triangular", "svd"
]  # fmt: skip
