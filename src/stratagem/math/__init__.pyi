# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops import abs as abs
from stratagem._ops import accumulate_n as accumulate_n
from stratagem._ops import acos as acos
from stratagem._ops import acosh as acosh
from stratagem._ops import add as add
from stratagem._ops import add_n as add_n
from stratagem._ops import angle as angle
from stratagem._ops import approx_max_k as approx_max_k
from stratagem._ops import approx_min_k as approx_min_k
from stratagem._ops import argmax as argmax
from stratagem._ops import argmin as argmin
from stratagem._ops import asin as asin
from stratagem._ops import asinh as asinh
from stratagem._ops import atan as atan
from stratagem._ops import atan2 as atan2
from stratagem._ops import atanh as atanh
from stratagem._ops import bessel_i0 as bessel_i0
from stratagem._ops import bessel_i0e as bessel_i0e
from stratagem._ops import bessel_i1 as bessel_i1
from stratagem._ops import bessel_i1e as bessel_i1e
from stratagem._ops import betainc as betainc
from stratagem._ops import bincount as bincount
from stratagem._ops import ceil as ceil
from stratagem._ops import confusion_matrix as confusion_matrix
from stratagem._ops import conj as conj
from stratagem._ops import cos as cos
from stratagem._ops import cosh as cosh
from stratagem._ops import count_nonzero as count_nonzero
from stratagem._ops import cumprod as cumprod
from stratagem._ops import cumsum as cumsum
from stratagem._ops import cumulative_logsumexp as cumulative_logsumexp
from stratagem._ops import digamma as digamma
from stratagem._ops import divide as divide
from stratagem._ops import divide_no_nan as divide_no_nan
from stratagem._ops import equal as equal
from stratagem._ops import erf as erf
from stratagem._ops import erfc as erfc
from stratagem._ops import erfcinv as erfcinv
from stratagem._ops import erfinv as erfinv
from stratagem._ops import exp as exp
from stratagem._ops import expm1 as expm1
from stratagem._ops import floor as floor
from stratagem._ops import floordiv as floordiv
from stratagem._ops import floormod as floormod
from stratagem._ops import floormod as mod
from stratagem._ops import greater as greater
from stratagem._ops import greater_equal as greater_equal
from stratagem._ops import igamma as igamma
from stratagem._ops import igammac as igammac
from stratagem._ops import imag as imag
from stratagem._ops import in_top_k as in_top_k
from stratagem._ops import invert_permutation as invert_permutation
from stratagem._ops import is_finite as is_finite
from stratagem._ops import is_inf as is_inf
from stratagem._ops import is_nan as is_nan
from stratagem._ops import is_non_decreasing as is_non_decreasing
from stratagem._ops import is_strictly_increasing as is_strictly_increasing
from stratagem._ops import l2_normalize as l2_normalize
from stratagem._ops import lbeta as lbeta
from stratagem._ops import less as less
from stratagem._ops import less_equal as less_equal
from stratagem._ops import lgamma as lgamma
from stratagem._ops import log as log
from stratagem._ops import log1p as log1p
from stratagem._ops import log_sigmoid as log_sigmoid
from stratagem._ops import log_softmax as log_softmax
from stratagem._ops import logical_and as logical_and
from stratagem._ops import logical_not as logical_not
from stratagem._ops import logical_or as logical_or
from stratagem._ops import logical_xor as logical_xor
from stratagem._ops import maximum as maximum
from stratagem._ops import minimum as minimum
from stratagem._ops import multiply as multiply
from stratagem._ops import multiply_no_nan as multiply_no_nan
from stratagem._ops import ndtri as ndtri
from stratagem._ops import negative as negative
from stratagem._ops import nextafter as nextafter
from stratagem._ops import not_equal as not_equal
from stratagem._ops import polygamma as polygamma
from stratagem._ops import polyval as polyval
from stratagem._ops import pow as pow
from stratagem._ops import real as real
from stratagem._ops import reciprocal as reciprocal
from stratagem._ops import reciprocal_no_nan as reciprocal_no_nan
from stratagem._ops import reduce_all as reduce_all
from stratagem._ops import reduce_any as reduce_any
from stratagem._ops import reduce_euclidean_norm as reduce_euclidean_norm
from stratagem._ops import reduce_logsumexp as reduce_logsumexp
from stratagem._ops import reduce_max as reduce_max
from stratagem._ops import reduce_mean as reduce_mean
from stratagem._ops import reduce_min as reduce_min
from stratagem._ops import reduce_prod as reduce_prod
from stratagem._ops import reduce_std as reduce_std
from stratagem._ops import reduce_sum as reduce_sum
from stratagem._ops import reduce_variance as reduce_variance
from stratagem._ops import rint as rint
from stratagem._ops import round as round
from stratagem._ops import rsqrt as rsqrt
from stratagem._ops import scalar_mul as scalar_mul
from stratagem._ops import segment_max as segment_max
from stratagem._ops import segment_mean as segment_mean
from stratagem._ops import segment_min as segment_min
from stratagem._ops import segment_prod as segment_prod
from stratagem._ops import segment_sum as segment_sum
from stratagem._ops import sigmoid as sigmoid
from stratagem._ops import sign as sign
from stratagem._ops import sin as sin
from stratagem._ops import sinh as sinh
from stratagem._ops import sobol_sample as sobol_sample
from stratagem._ops import softmax as softmax
from stratagem._ops import softplus as softplus
from stratagem._ops import softsign as softsign
from stratagem._ops import sqrt as sqrt
from stratagem._ops import square as square
from stratagem._ops import squared_difference as squared_difference
from stratagem._ops import subtract as subtract
from stratagem._ops import tan as tan
from stratagem._ops import tanh as tanh
from stratagem._ops import top_k as top_k
from stratagem._ops import truediv as truediv
from stratagem._ops import unsorted_segment_max as unsorted_segment_max
from stratagem._ops import unsorted_segment_mean as unsorted_segment_mean
from stratagem._ops import unsorted_segment_min as unsorted_segment_min
from stratagem._ops import unsorted_segment_prod as unsorted_segment_prod
from stratagem._ops import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from stratagem._ops import unsorted_segment_sum as unsorted_segment_sum
from stratagem._ops import xdivy as xdivy
from stratagem._ops import xlog1py as xlog1py
from stratagem._ops import xlogy as xlogy
from stratagem._ops import zero_fraction as zero_fraction
from stratagem._ops import zeta as zeta
from stratagem.math import special as special

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
