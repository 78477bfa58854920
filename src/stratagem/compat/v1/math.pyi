# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.graph.functions.arrays import confusion_matrix as confusion_matrix
from stratagem._tf1.graph.functions.reductions import argmax as argmax
from stratagem._tf1.graph.functions.reductions import argmin as argmin
from stratagem._tf1.graph.functions.reductions import count_nonzero as count_nonzero
from stratagem._tf1.graph.functions.reductions import reduce_all as reduce_all
from stratagem._tf1.graph.functions.reductions import reduce_any as reduce_any
from stratagem._tf1.graph.functions.reductions import reduce_logsumexp as reduce_logsumexp
from stratagem._tf1.graph.functions.reductions import reduce_max as reduce_max
from stratagem._tf1.graph.functions.reductions import reduce_mean as reduce_mean
from stratagem._tf1.graph.functions.reductions import reduce_min as reduce_min
from stratagem._tf1.graph.functions.reductions import reduce_prod as reduce_prod
from stratagem._tf1.graph.functions.reductions import reduce_sum as reduce_sum
from stratagem._tf1.graph.nn import in_top_k as in_top_k
from stratagem._tf1.graph.nn import l2_normalize as l2_normalize
from stratagem._tf1.graph.nn import log_softmax as log_softmax
from stratagem._tf1.graph.nn import softmax as softmax
from stratagem.math import abs as abs
from stratagem.math import accumulate_n as accumulate_n
from stratagem.math import acos as acos
from stratagem.math import acosh as acosh
from stratagem.math import add as add
from stratagem.math import add_n as add_n
from stratagem.math import angle as angle
from stratagem.math import approx_max_k as approx_max_k
from stratagem.math import approx_min_k as approx_min_k
from stratagem.math import asin as asin
from stratagem.math import asinh as asinh
from stratagem.math import atan as atan
from stratagem.math import atan2 as atan2
from stratagem.math import atanh as atanh
from stratagem.math import bessel_i0 as bessel_i0
from stratagem.math import bessel_i0e as bessel_i0e
from stratagem.math import bessel_i1 as bessel_i1
from stratagem.math import bessel_i1e as bessel_i1e
from stratagem.math import betainc as betainc
from stratagem.math import bincount as bincount
from stratagem.math import ceil as ceil
from stratagem.math import conj as conj
from stratagem.math import cos as cos
from stratagem.math import cosh as cosh
from stratagem.math import cumprod as cumprod
from stratagem.math import cumsum as cumsum
from stratagem.math import cumulative_logsumexp as cumulative_logsumexp
from stratagem.math import digamma as digamma
from stratagem.math import divide as divide
from stratagem.math import divide_no_nan as divide_no_nan
from stratagem.math import equal as equal
from stratagem.math import erf as erf
from stratagem.math import erfc as erfc
from stratagem.math import erfcinv as erfcinv
from stratagem.math import erfinv as erfinv
from stratagem.math import exp as exp
from stratagem.math import expm1 as expm1
from stratagem.math import floor as floor
from stratagem.math import floordiv as floordiv
from stratagem.math import floormod as floormod
from stratagem.math import greater as greater
from stratagem.math import greater_equal as greater_equal
from stratagem.math import igamma as igamma
from stratagem.math import igammac as igammac
from stratagem.math import imag as imag
from stratagem.math import invert_permutation as invert_permutation
from stratagem.math import is_finite as is_finite
from stratagem.math import is_inf as is_inf
from stratagem.math import is_nan as is_nan
from stratagem.math import is_non_decreasing as is_non_decreasing
from stratagem.math import is_strictly_increasing as is_strictly_increasing
from stratagem.math import lbeta as lbeta
from stratagem.math import less as less
from stratagem.math import less_equal as less_equal
from stratagem.math import lgamma as lgamma
from stratagem.math import log as log
from stratagem.math import log1p as log1p
from stratagem.math import log_sigmoid as log_sigmoid
from stratagem.math import logical_and as logical_and
from stratagem.math import logical_not as logical_not
from stratagem.math import logical_or as logical_or
from stratagem.math import logical_xor as logical_xor
from stratagem.math import maximum as maximum
from stratagem.math import minimum as minimum
from stratagem.math import mod as mod
from stratagem.math import multiply as multiply
from stratagem.math import multiply_no_nan as multiply_no_nan
from stratagem.math import ndtri as ndtri
from stratagem.math import negative as negative
from stratagem.math import nextafter as nextafter
from stratagem.math import not_equal as not_equal
from stratagem.math import polygamma as polygamma
from stratagem.math import polyval as polyval
from stratagem.math import pow as pow
from stratagem.math import real as real
from stratagem.math import reciprocal as reciprocal
from stratagem.math import reciprocal_no_nan as reciprocal_no_nan
from stratagem.math import reduce_euclidean_norm as reduce_euclidean_norm
from stratagem.math import reduce_std as reduce_std
from stratagem.math import reduce_variance as reduce_variance
from stratagem.math import rint as rint
from stratagem.math import round as round
from stratagem.math import rsqrt as rsqrt
from stratagem.math import scalar_mul as scalar_mul
from stratagem.math import segment_max as segment_max
from stratagem.math import segment_mean as segment_mean
from stratagem.math import segment_min as segment_min
from stratagem.math import segment_prod as segment_prod
from stratagem.math import segment_sum as segment_sum
from stratagem.math import sigmoid as sigmoid
from stratagem.math import sign as sign
from stratagem.math import sin as sin
from stratagem.math import sinh as sinh
from stratagem.math import sobol_sample as sobol_sample
from stratagem.math import softplus as softplus
from stratagem.math import softsign as softsign
from stratagem.math import special as special
from stratagem.math import sqrt as sqrt
from stratagem.math import square as square
from stratagem.math import squared_difference as squared_difference
from stratagem.math import subtract as subtract
from stratagem.math import tan as tan
from stratagem.math import tanh as tanh
from stratagem.math import top_k as top_k
from stratagem.math import truediv as truediv
from stratagem.math import unsorted_segment_max as unsorted_segment_max
from stratagem.math import unsorted_segment_mean as unsorted_segment_mean
from stratagem.math import unsorted_segment_min as unsorted_segment_min
from stratagem.math import unsorted_segment_prod as unsorted_segment_prod
from stratagem.math import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from stratagem.math import unsorted_segment_sum as unsorted_segment_sum
from stratagem.math import xdivy as xdivy
from stratagem.math import xlog1py as xlog1py
from stratagem.math import xlogy as xlogy
from stratagem.math import zero_fraction as zero_fraction
from stratagem.math import zeta as zeta

__all__ = [
    "abs", "accumulate_n", "acos", "acosh", "add", "add_n", "angle", "approx_max_k", "approx_min_k", "argmax", "argmin",
    "asin", "asinh", "atan", "atan2", "atanh", "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "betainc",
    "bincount", "ceil", "confusion_matrix", "conj", "cos", "cosh", "count_nonzero", "cumprod", "cumsum",
    "cumulative_logsumexp", "digamma", "divide", "divide_no_nan", "equal", "erf", "erfc", "erfcinv", "erfinv", "exp",
    "expm1", "floor", "floordiv", "floormod", "greater", "greater_equal", "igamma", "igammac", "imag", "in_top_k",
    "invert_permutation", "is_finite", "is_inf", "is_nan", "is_non_decreasing", "is_strictly_increasing",
    "l2_normalize", "lbeta", "less", "less_equal", "lgamma", "log", "log1p", "log_sigmoid", "log_softmax",
    "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "mod", "multiply",
    "multiply_no_nan", "ndtri", "negative", "nextafter", "not_equal", "polygamma", "polyval", "pow", "real",
    "reciprocal", "reciprocal_no_nan", "reduce_all", "reduce_any", "reduce_euclidean_norm", "reduce_logsumexp",
    "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "rint",
    "round", "rsqrt", "scalar_mul", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum",
    "sigmoid", "sign", "sin", "sinh", "sobol_sample", "softmax", "softplus", "softsign", "special", "sqrt", "square",
    "squared_difference", "subtract", "tan", "tanh", "top_k", "truediv", "unsorted_segment_max",
    "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n",
    "unsorted_segment_sum", "xdivy", "xlog1py", "xlogy", "zero_fraction", "zeta"
]  # fmt: skip
