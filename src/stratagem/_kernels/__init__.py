"""Kernels that XLA's CPU compiler lacks: convolutions with their gradients, matrix products, sums of windows, and updates.

The C++ library (`native/`) is called through JAX's public foreign function interface.

In: arrays, also those of a program that is traced, and the geometry of a convolution, the axes of a product, or instructions.
Out: their convolution or product, as primitives with every derivative, and updates, which have none. They are lowered to calls
of the library, or to XLA's operations: for other platforms, in exports, where XLA partitions the program, and on machines
without the library.
Never: changes a program. `_core/rewrites` does.
"""

from stratagem._kernels._computed_once import computed_once as computed_once
from stratagem._kernels._convolution import Geometry as Geometry
from stratagem._kernels._convolution import channels_last as channels_last
from stratagem._kernels._convolution import convolve as convolve
from stratagem._kernels._convolution import convolve_of_filters as convolve_of_filters
from stratagem._kernels._convolution import convolve_of_input as convolve_of_input
from stratagem._kernels._library import computes as computes
from stratagem._kernels._library import has_kernels as has_kernels
from stratagem._kernels._library import library_report as library_report
from stratagem._kernels._pool import sum_windows as sum_windows
from stratagem._kernels._pool import take_places as take_places
from stratagem._kernels._product import multiply as multiply
from stratagem._kernels._update import ElementwiseProgram as ElementwiseProgram
from stratagem._kernels._update import Instruction as Instruction
from stratagem._kernels._update import Operand as Operand
from stratagem._kernels._update import OperandSource as OperandSource
from stratagem._kernels._update import Update as Update
from stratagem._kernels._update import UpdateOperation as UpdateOperation
from stratagem._kernels._update import update as update
from stratagem._kernels._windows import Windows as Windows
