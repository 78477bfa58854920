"""Linear operators: matrices that are known by what they do, not by their entries."""

from stratagem._ops.operators._composed import LinearOperatorAdjoint as LinearOperatorAdjoint
from stratagem._ops.operators._composed import LinearOperatorComposition as LinearOperatorComposition
from stratagem._ops.operators._composed import LinearOperatorInversion as LinearOperatorInversion
from stratagem._ops.operators._composed import LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate
from stratagem._ops.operators._matrices import LinearOperatorFullMatrix as LinearOperatorFullMatrix
from stratagem._ops.operators._matrices import LinearOperatorLowerTriangular as LinearOperatorLowerTriangular
from stratagem._ops.operators._matrices import LinearOperatorToeplitz as LinearOperatorToeplitz
from stratagem._ops.operators._matrices import LinearOperatorTridiag as LinearOperatorTridiag
