# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops import eye as eye
from stratagem._ops.linalg import adjoint as adjoint
from stratagem._ops.linalg import band_part as band_part
from stratagem._ops.linalg import banded_triangular_solve as banded_triangular_solve
from stratagem._ops.linalg import cholesky as cholesky
from stratagem._ops.linalg import cholesky_solve as cholesky_solve
from stratagem._ops.linalg import cross as cross
from stratagem._ops.linalg import det as det
from stratagem._ops.linalg import diag as diag
from stratagem._ops.linalg import diag_part as diag_part
from stratagem._ops.linalg import eig as eig
from stratagem._ops.linalg import eigh as eigh
from stratagem._ops.linalg import eigh_tridiagonal as eigh_tridiagonal
from stratagem._ops.linalg import eigvals as eigvals
from stratagem._ops.linalg import eigvalsh as eigvalsh
from stratagem._ops.linalg import einsum as einsum
from stratagem._ops.linalg import expm as expm
from stratagem._ops.linalg import global_norm as global_norm
from stratagem._ops.linalg import inv as inv
from stratagem._ops.linalg import l2_normalize as l2_normalize
from stratagem._ops.linalg import logdet as logdet
from stratagem._ops.linalg import logm as logm
from stratagem._ops.linalg import lstsq as lstsq
from stratagem._ops.linalg import lu as lu
from stratagem._ops.linalg import lu_matrix_inverse as lu_matrix_inverse
from stratagem._ops.linalg import lu_reconstruct as lu_reconstruct
from stratagem._ops.linalg import lu_solve as lu_solve
from stratagem._ops.linalg import matmul as matmul
from stratagem._ops.linalg import matrix_rank as matrix_rank
from stratagem._ops.linalg import matrix_transpose as matrix_transpose
from stratagem._ops.linalg import matvec as matvec
from stratagem._ops.linalg import norm as norm
from stratagem._ops.linalg import normalize as normalize
from stratagem._ops.linalg import pinv as pinv
from stratagem._ops.linalg import qr as qr
from stratagem._ops.linalg import set_diag as set_diag
from stratagem._ops.linalg import slogdet as slogdet
from stratagem._ops.linalg import solve as solve
from stratagem._ops.linalg import sqrtm as sqrtm
from stratagem._ops.linalg import svd as svd
from stratagem._ops.linalg import tensor_diag as tensor_diag
from stratagem._ops.linalg import tensor_diag_part as tensor_diag_part
from stratagem._ops.linalg import tensordot as tensordot
from stratagem._ops.linalg import trace as trace
from stratagem._ops.linalg import triangular_solve as triangular_solve
from stratagem._ops.linalg import tridiagonal_matmul as tridiagonal_matmul
from stratagem._ops.linalg import tridiagonal_solve as tridiagonal_solve
from stratagem._ops.operators import LinearOperator as LinearOperator
from stratagem._ops.operators import LinearOperatorAdjoint as LinearOperatorAdjoint
from stratagem._ops.operators import LinearOperatorBlockDiag as LinearOperatorBlockDiag
from stratagem._ops.operators import LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular
from stratagem._ops.operators import LinearOperatorCirculant as LinearOperatorCirculant
from stratagem._ops.operators import LinearOperatorCirculant2D as LinearOperatorCirculant2D
from stratagem._ops.operators import LinearOperatorCirculant3D as LinearOperatorCirculant3D
from stratagem._ops.operators import LinearOperatorComposition as LinearOperatorComposition
from stratagem._ops.operators import LinearOperatorDiag as LinearOperatorDiag
from stratagem._ops.operators import LinearOperatorFullMatrix as LinearOperatorFullMatrix
from stratagem._ops.operators import LinearOperatorHouseholder as LinearOperatorHouseholder
from stratagem._ops.operators import LinearOperatorIdentity as LinearOperatorIdentity
from stratagem._ops.operators import LinearOperatorInversion as LinearOperatorInversion
from stratagem._ops.operators import LinearOperatorKronecker as LinearOperatorKronecker
from stratagem._ops.operators import LinearOperatorLowerTriangular as LinearOperatorLowerTriangular
from stratagem._ops.operators import LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate
from stratagem._ops.operators import LinearOperatorPermutation as LinearOperatorPermutation
from stratagem._ops.operators import LinearOperatorScaledIdentity as LinearOperatorScaledIdentity
from stratagem._ops.operators import LinearOperatorToeplitz as LinearOperatorToeplitz
from stratagem._ops.operators import LinearOperatorTridiag as LinearOperatorTridiag
from stratagem._ops.operators import LinearOperatorZeros as LinearOperatorZeros
from stratagem.linalg import experimental as experimental

__all__ = [
    "LinearOperator", "LinearOperatorAdjoint", "LinearOperatorBlockDiag", "LinearOperatorBlockLowerTriangular",
    "LinearOperatorCirculant", "LinearOperatorCirculant2D", "LinearOperatorCirculant3D", "LinearOperatorComposition",
    "LinearOperatorDiag", "LinearOperatorFullMatrix", "LinearOperatorHouseholder", "LinearOperatorIdentity",
    "LinearOperatorInversion", "LinearOperatorKronecker", "LinearOperatorLowRankUpdate",
    "LinearOperatorLowerTriangular", "LinearOperatorPermutation", "LinearOperatorScaledIdentity",
    "LinearOperatorToeplitz", "LinearOperatorTridiag", "LinearOperatorZeros", "adjoint", "band_part",
    "banded_triangular_solve", "cholesky", "cholesky_solve", "cross", "det", "diag", "diag_part", "eig", "eigh",
    "eigh_tridiagonal", "eigvals", "eigvalsh", "einsum", "experimental", "expm", "eye", "global_norm", "inv",
    "l2_normalize", "logdet", "logm", "lstsq", "lu", "lu_matrix_inverse", "lu_reconstruct", "lu_solve", "matmul",
    "matrix_rank", "matrix_transpose", "matvec", "norm", "normalize", "pinv", "qr", "set_diag", "slogdet", "solve",
    "sqrtm", "svd", "tensor_diag", "tensor_diag_part", "tensordot", "trace", "triangular_solve", "tridiagonal_matmul",
    "tridiagonal_solve"
]  # fmt: skip
