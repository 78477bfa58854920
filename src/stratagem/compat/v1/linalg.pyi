# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.graph.functions.reductions import norm as norm
from stratagem.linalg import LinearOperator as LinearOperator
from stratagem.linalg import LinearOperatorAdjoint as LinearOperatorAdjoint
from stratagem.linalg import LinearOperatorBlockDiag as LinearOperatorBlockDiag
from stratagem.linalg import LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular
from stratagem.linalg import LinearOperatorCirculant as LinearOperatorCirculant
from stratagem.linalg import LinearOperatorCirculant2D as LinearOperatorCirculant2D
from stratagem.linalg import LinearOperatorCirculant3D as LinearOperatorCirculant3D
from stratagem.linalg import LinearOperatorComposition as LinearOperatorComposition
from stratagem.linalg import LinearOperatorDiag as LinearOperatorDiag
from stratagem.linalg import LinearOperatorFullMatrix as LinearOperatorFullMatrix
from stratagem.linalg import LinearOperatorHouseholder as LinearOperatorHouseholder
from stratagem.linalg import LinearOperatorIdentity as LinearOperatorIdentity
from stratagem.linalg import LinearOperatorInversion as LinearOperatorInversion
from stratagem.linalg import LinearOperatorKronecker as LinearOperatorKronecker
from stratagem.linalg import LinearOperatorLowerTriangular as LinearOperatorLowerTriangular
from stratagem.linalg import LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate
from stratagem.linalg import LinearOperatorPermutation as LinearOperatorPermutation
from stratagem.linalg import LinearOperatorScaledIdentity as LinearOperatorScaledIdentity
from stratagem.linalg import LinearOperatorToeplitz as LinearOperatorToeplitz
from stratagem.linalg import LinearOperatorTridiag as LinearOperatorTridiag
from stratagem.linalg import LinearOperatorZeros as LinearOperatorZeros
from stratagem.linalg import adjoint as adjoint
from stratagem.linalg import band_part as band_part
from stratagem.linalg import cholesky as cholesky
from stratagem.linalg import cholesky_solve as cholesky_solve
from stratagem.linalg import cross as cross
from stratagem.linalg import det as det
from stratagem.linalg import diag as diag
from stratagem.linalg import diag_part as diag_part
from stratagem.linalg import eigh as eigh
from stratagem.linalg import eigh_tridiagonal as eigh_tridiagonal
from stratagem.linalg import eigvalsh as eigvalsh
from stratagem.linalg import einsum as einsum
from stratagem.linalg import experimental as experimental
from stratagem.linalg import expm as expm
from stratagem.linalg import eye as eye
from stratagem.linalg import global_norm as global_norm
from stratagem.linalg import inv as inv
from stratagem.linalg import l2_normalize as l2_normalize
from stratagem.linalg import logdet as logdet
from stratagem.linalg import logm as logm
from stratagem.linalg import lstsq as lstsq
from stratagem.linalg import lu as lu
from stratagem.linalg import lu_matrix_inverse as lu_matrix_inverse
from stratagem.linalg import lu_reconstruct as lu_reconstruct
from stratagem.linalg import lu_solve as lu_solve
from stratagem.linalg import matmul as matmul
from stratagem.linalg import matrix_rank as matrix_rank
from stratagem.linalg import matrix_transpose as matrix_transpose
from stratagem.linalg import matvec as matvec
from stratagem.linalg import normalize as normalize
from stratagem.linalg import pinv as pinv
from stratagem.linalg import qr as qr
from stratagem.linalg import set_diag as set_diag
from stratagem.linalg import slogdet as slogdet
from stratagem.linalg import solve as solve
from stratagem.linalg import sqrtm as sqrtm
from stratagem.linalg import svd as svd
from stratagem.linalg import tensor_diag as tensor_diag
from stratagem.linalg import tensor_diag_part as tensor_diag_part
from stratagem.linalg import tensordot as tensordot
from stratagem.linalg import trace as trace
from stratagem.linalg import triangular_solve as triangular_solve
from stratagem.linalg import tridiagonal_matmul as tridiagonal_matmul
from stratagem.linalg import tridiagonal_solve as tridiagonal_solve

__all__ = [
    "LinearOperator", "LinearOperatorAdjoint", "LinearOperatorBlockDiag", "LinearOperatorBlockLowerTriangular",
    "LinearOperatorCirculant", "LinearOperatorCirculant2D", "LinearOperatorCirculant3D", "LinearOperatorComposition",
    "LinearOperatorDiag", "LinearOperatorFullMatrix", "LinearOperatorHouseholder", "LinearOperatorIdentity",
    "LinearOperatorInversion", "LinearOperatorKronecker", "LinearOperatorLowRankUpdate",
    "LinearOperatorLowerTriangular", "LinearOperatorPermutation", "LinearOperatorScaledIdentity",
    "LinearOperatorToeplitz", "LinearOperatorTridiag", "LinearOperatorZeros", "adjoint", "band_part", "cholesky",
    "cholesky_solve", "cross", "det", "diag", "diag_part", "eigh", "eigh_tridiagonal", "eigvalsh", "einsum",
    "experimental", "expm", "eye", "global_norm", "inv", "l2_normalize", "logdet", "logm", "lstsq", "lu",
    "lu_matrix_inverse", "lu_reconstruct", "lu_solve", "matmul", "matrix_rank", "matrix_transpose", "matvec", "norm",
    "normalize", "pinv", "qr", "set_diag", "slogdet", "solve", "sqrtm", "svd", "tensor_diag", "tensor_diag_part",
    "tensordot", "trace", "triangular_solve", "tridiagonal_matmul", "tridiagonal_solve"
]  # fmt: skip
