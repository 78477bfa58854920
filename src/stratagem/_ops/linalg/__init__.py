"""Linear algebra: products, norms, diagonals, decompositions, linear equations, functions of matrices."""

from stratagem._ops.linalg._decompositions import cholesky as cholesky
from stratagem._ops.linalg._decompositions import eigvalsh as eigvalsh
from stratagem._ops.linalg._diagonals import diag as diag
from stratagem._ops.linalg._diagonals import diag_part as diag_part
from stratagem._ops.linalg._diagonals import set_diag as set_diag
from stratagem._ops.linalg._diagonals import tensor_diag as tensor_diag
from stratagem._ops.linalg._diagonals import tensor_diag_part as tensor_diag_part
from stratagem._ops.linalg._equations import cholesky_solve as cholesky_solve
from stratagem._ops.linalg._equations import solve_triangular as solve_triangular
from stratagem._ops.linalg._norms import clip_by_norm as clip_by_norm
from stratagem._ops.linalg._norms import l2_normalize as l2_normalize
from stratagem._ops.linalg._norms import norm as norm
from stratagem._ops.linalg._norms import squares as squares
from stratagem._ops.linalg._products import adjoint as adjoint
from stratagem._ops.linalg._products import adjoint_of as adjoint_of
from stratagem._ops.linalg._products import matmul as matmul
from stratagem._ops.linalg._products import tensordot as tensordot
from stratagem._ops.linalg._tridiagonal import tridiagonal_matmul as tridiagonal_matmul
from stratagem._ops.linalg._tridiagonal import tridiagonal_parts as tridiagonal_parts
from stratagem._ops.linalg._tridiagonal import tridiagonal_solve as tridiagonal_solve
