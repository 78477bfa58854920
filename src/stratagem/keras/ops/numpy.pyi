# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.keras.ops import abs as abs
from stratagem.keras.ops import absolute as absolute
from stratagem.keras.ops import add as add
from stratagem.keras.ops import all as all
from stratagem.keras.ops import allclose as allclose
from stratagem.keras.ops import amax as amax
from stratagem.keras.ops import amin as amin
from stratagem.keras.ops import angle as angle
from stratagem.keras.ops import any as any
from stratagem.keras.ops import append as append
from stratagem.keras.ops import arange as arange
from stratagem.keras.ops import arccos as arccos
from stratagem.keras.ops import arccosh as arccosh
from stratagem.keras.ops import arcsin as arcsin
from stratagem.keras.ops import arcsinh as arcsinh
from stratagem.keras.ops import arctan as arctan
from stratagem.keras.ops import arctan2 as arctan2
from stratagem.keras.ops import arctanh as arctanh
from stratagem.keras.ops import argmax as argmax
from stratagem.keras.ops import argmin as argmin
from stratagem.keras.ops import argpartition as argpartition
from stratagem.keras.ops import argsort as argsort
from stratagem.keras.ops import array as array
from stratagem.keras.ops import array_split as array_split
from stratagem.keras.ops import average as average
from stratagem.keras.ops import bartlett as bartlett
from stratagem.keras.ops import bincount as bincount
from stratagem.keras.ops import bitwise_and as bitwise_and
from stratagem.keras.ops import bitwise_invert as bitwise_invert
from stratagem.keras.ops import bitwise_left_shift as bitwise_left_shift
from stratagem.keras.ops import bitwise_not as bitwise_not
from stratagem.keras.ops import bitwise_or as bitwise_or
from stratagem.keras.ops import bitwise_right_shift as bitwise_right_shift
from stratagem.keras.ops import bitwise_xor as bitwise_xor
from stratagem.keras.ops import blackman as blackman
from stratagem.keras.ops import broadcast_to as broadcast_to
from stratagem.keras.ops import cbrt as cbrt
from stratagem.keras.ops import ceil as ceil
from stratagem.keras.ops import clip as clip
from stratagem.keras.ops import concatenate as concatenate
from stratagem.keras.ops import conj as conj
from stratagem.keras.ops import conjugate as conjugate
from stratagem.keras.ops import copy as copy
from stratagem.keras.ops import corrcoef as corrcoef
from stratagem.keras.ops import correlate as correlate
from stratagem.keras.ops import cos as cos
from stratagem.keras.ops import cosh as cosh
from stratagem.keras.ops import count_nonzero as count_nonzero
from stratagem.keras.ops import cross as cross
from stratagem.keras.ops import cumprod as cumprod
from stratagem.keras.ops import cumsum as cumsum
from stratagem.keras.ops import deg2rad as deg2rad
from stratagem.keras.ops import diag as diag
from stratagem.keras.ops import diagflat as diagflat
from stratagem.keras.ops import diagonal as diagonal
from stratagem.keras.ops import diff as diff
from stratagem.keras.ops import digitize as digitize
from stratagem.keras.ops import divide as divide
from stratagem.keras.ops import divide_no_nan as divide_no_nan
from stratagem.keras.ops import dot as dot
from stratagem.keras.ops import dsplit as dsplit
from stratagem.keras.ops import dstack as dstack
from stratagem.keras.ops import einsum as einsum
from stratagem.keras.ops import empty as empty
from stratagem.keras.ops import empty_like as empty_like
from stratagem.keras.ops import equal as equal
from stratagem.keras.ops import exp as exp
from stratagem.keras.ops import exp2 as exp2
from stratagem.keras.ops import expand_dims as expand_dims
from stratagem.keras.ops import expm1 as expm1
from stratagem.keras.ops import eye as eye
from stratagem.keras.ops import fabs as fabs
from stratagem.keras.ops import flip as flip
from stratagem.keras.ops import fliplr as fliplr
from stratagem.keras.ops import flipud as flipud
from stratagem.keras.ops import floor as floor
from stratagem.keras.ops import floor_divide as floor_divide
from stratagem.keras.ops import fmax as fmax
from stratagem.keras.ops import fmin as fmin
from stratagem.keras.ops import fmod as fmod
from stratagem.keras.ops import full as full
from stratagem.keras.ops import full_like as full_like
from stratagem.keras.ops import gcd as gcd
from stratagem.keras.ops import geomspace as geomspace
from stratagem.keras.ops import get_item as get_item
from stratagem.keras.ops import greater as greater
from stratagem.keras.ops import greater_equal as greater_equal
from stratagem.keras.ops import hamming as hamming
from stratagem.keras.ops import hanning as hanning
from stratagem.keras.ops import heaviside as heaviside
from stratagem.keras.ops import histogram as histogram
from stratagem.keras.ops import hsplit as hsplit
from stratagem.keras.ops import hstack as hstack
from stratagem.keras.ops import hypot as hypot
from stratagem.keras.ops import i0 as i0
from stratagem.keras.ops import identity as identity
from stratagem.keras.ops import imag as imag
from stratagem.keras.ops import inner as inner
from stratagem.keras.ops import isclose as isclose
from stratagem.keras.ops import isfinite as isfinite
from stratagem.keras.ops import isin as isin
from stratagem.keras.ops import isinf as isinf
from stratagem.keras.ops import isnan as isnan
from stratagem.keras.ops import isneginf as isneginf
from stratagem.keras.ops import isposinf as isposinf
from stratagem.keras.ops import isreal as isreal
from stratagem.keras.ops import kaiser as kaiser
from stratagem.keras.ops import kron as kron
from stratagem.keras.ops import lcm as lcm
from stratagem.keras.ops import ldexp as ldexp
from stratagem.keras.ops import left_shift as left_shift
from stratagem.keras.ops import less as less
from stratagem.keras.ops import less_equal as less_equal
from stratagem.keras.ops import linspace as linspace
from stratagem.keras.ops import log as log
from stratagem.keras.ops import log1p as log1p
from stratagem.keras.ops import log2 as log2
from stratagem.keras.ops import log10 as log10
from stratagem.keras.ops import logaddexp as logaddexp
from stratagem.keras.ops import logaddexp2 as logaddexp2
from stratagem.keras.ops import logical_and as logical_and
from stratagem.keras.ops import logical_not as logical_not
from stratagem.keras.ops import logical_or as logical_or
from stratagem.keras.ops import logical_xor as logical_xor
from stratagem.keras.ops import logspace as logspace
from stratagem.keras.ops import matmul as matmul
from stratagem.keras.ops import max as max
from stratagem.keras.ops import maximum as maximum
from stratagem.keras.ops import mean as mean
from stratagem.keras.ops import median as median
from stratagem.keras.ops import meshgrid as meshgrid
from stratagem.keras.ops import min as min
from stratagem.keras.ops import minimum as minimum
from stratagem.keras.ops import mod as mod
from stratagem.keras.ops import moveaxis as moveaxis
from stratagem.keras.ops import multiply as multiply
from stratagem.keras.ops import nan_to_num as nan_to_num
from stratagem.keras.ops import nanargmax as nanargmax
from stratagem.keras.ops import nanargmin as nanargmin
from stratagem.keras.ops import nancumprod as nancumprod
from stratagem.keras.ops import nancumsum as nancumsum
from stratagem.keras.ops import nanmax as nanmax
from stratagem.keras.ops import nanmean as nanmean
from stratagem.keras.ops import nanmedian as nanmedian
from stratagem.keras.ops import nanmin as nanmin
from stratagem.keras.ops import nanpercentile as nanpercentile
from stratagem.keras.ops import nanprod as nanprod
from stratagem.keras.ops import nanquantile as nanquantile
from stratagem.keras.ops import nanstd as nanstd
from stratagem.keras.ops import nansum as nansum
from stratagem.keras.ops import nanvar as nanvar
from stratagem.keras.ops import ndim as ndim
from stratagem.keras.ops import negative as negative
from stratagem.keras.ops import nextafter as nextafter
from stratagem.keras.ops import nonzero as nonzero
from stratagem.keras.ops import not_equal as not_equal
from stratagem.keras.ops import ones as ones
from stratagem.keras.ops import ones_like as ones_like
from stratagem.keras.ops import outer as outer
from stratagem.keras.ops import pad as pad
from stratagem.keras.ops import percentile as percentile
from stratagem.keras.ops import power as power
from stratagem.keras.ops import prod as prod
from stratagem.keras.ops import ptp as ptp
from stratagem.keras.ops import quantile as quantile
from stratagem.keras.ops import rad2deg as rad2deg
from stratagem.keras.ops import ravel as ravel
from stratagem.keras.ops import real as real
from stratagem.keras.ops import reciprocal as reciprocal
from stratagem.keras.ops import repeat as repeat
from stratagem.keras.ops import reshape as reshape
from stratagem.keras.ops import right_shift as right_shift
from stratagem.keras.ops import roll as roll
from stratagem.keras.ops import rot90 as rot90
from stratagem.keras.ops import round as round
from stratagem.keras.ops import searchsorted as searchsorted
from stratagem.keras.ops import select as select
from stratagem.keras.ops import sign as sign
from stratagem.keras.ops import signbit as signbit
from stratagem.keras.ops import sin as sin
from stratagem.keras.ops import sinc as sinc
from stratagem.keras.ops import sinh as sinh
from stratagem.keras.ops import size as size
from stratagem.keras.ops import slogdet as slogdet
from stratagem.keras.ops import sort as sort
from stratagem.keras.ops import split as split
from stratagem.keras.ops import sqrt as sqrt
from stratagem.keras.ops import square as square
from stratagem.keras.ops import squeeze as squeeze
from stratagem.keras.ops import stack as stack
from stratagem.keras.ops import std as std
from stratagem.keras.ops import subtract as subtract
from stratagem.keras.ops import sum as sum
from stratagem.keras.ops import swapaxes as swapaxes
from stratagem.keras.ops import take as take
from stratagem.keras.ops import take_along_axis as take_along_axis
from stratagem.keras.ops import tan as tan
from stratagem.keras.ops import tanh as tanh
from stratagem.keras.ops import tensordot as tensordot
from stratagem.keras.ops import tile as tile
from stratagem.keras.ops import trace as trace
from stratagem.keras.ops import transpose as transpose
from stratagem.keras.ops import trapezoid as trapezoid
from stratagem.keras.ops import tri as tri
from stratagem.keras.ops import tril as tril
from stratagem.keras.ops import triu as triu
from stratagem.keras.ops import true_divide as true_divide
from stratagem.keras.ops import trunc as trunc
from stratagem.keras.ops import unique as unique
from stratagem.keras.ops import unravel_index as unravel_index
from stratagem.keras.ops import vander as vander
from stratagem.keras.ops import var as var
from stratagem.keras.ops import vdot as vdot
from stratagem.keras.ops import vectorize as vectorize
from stratagem.keras.ops import view as view
from stratagem.keras.ops import vsplit as vsplit
from stratagem.keras.ops import vstack as vstack
from stratagem.keras.ops import where as where
from stratagem.keras.ops import zeros as zeros
from stratagem.keras.ops import zeros_like as zeros_like

__all__ = [
    "abs", "absolute", "add", "all", "allclose", "amax", "amin", "angle", "any", "append", "arange", "arccos",
    "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "argpartition", "argsort",
    "array", "array_split", "average", "bartlett", "bincount", "bitwise_and", "bitwise_invert", "bitwise_left_shift",
    "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "blackman", "broadcast_to", "cbrt", "ceil",
    "clip", "concatenate", "conj", "conjugate", "copy", "corrcoef", "correlate", "cos", "cosh", "count_nonzero",
    "cross", "cumprod", "cumsum", "deg2rad", "diag", "diagflat", "diagonal", "diff", "digitize", "divide",
    "divide_no_nan", "dot", "dsplit", "dstack", "einsum", "empty", "empty_like", "equal", "exp", "exp2", "expand_dims",
    "expm1", "eye", "fabs", "flip", "fliplr", "flipud", "floor", "floor_divide", "fmax", "fmin", "fmod", "full",
    "full_like", "gcd", "geomspace", "get_item", "greater", "greater_equal", "hamming", "hanning", "heaviside",
    "histogram", "hsplit", "hstack", "hypot", "i0", "identity", "imag", "inner", "isclose", "isfinite", "isin", "isinf",
    "isnan", "isneginf", "isposinf", "isreal", "kaiser", "kron", "lcm", "ldexp", "left_shift", "less", "less_equal",
    "linspace", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or",
    "logical_xor", "logspace", "matmul", "max", "maximum", "mean", "median", "meshgrid", "min", "minimum", "mod",
    "moveaxis", "multiply", "nan_to_num", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean",
    "nanmedian", "nanmin", "nanpercentile", "nanprod", "nanquantile", "nanstd", "nansum", "nanvar", "ndim", "negative",
    "nextafter", "nonzero", "not_equal", "ones", "ones_like", "outer", "pad", "percentile", "power", "prod", "ptp",
    "quantile", "rad2deg", "ravel", "real", "reciprocal", "repeat", "reshape", "right_shift", "roll", "rot90", "round",
    "searchsorted", "select", "sign", "signbit", "sin", "sinc", "sinh", "size", "slogdet", "sort", "split", "sqrt",
    "square", "squeeze", "stack", "std", "subtract", "sum", "swapaxes", "take", "take_along_axis", "tan", "tanh",
    "tensordot", "tile", "trace", "transpose", "trapezoid", "tri", "tril", "triu", "true_divide", "trunc", "unique",
    "unravel_index", "vander", "var", "vdot", "vectorize", "view", "vsplit", "vstack", "where", "zeros", "zeros_like"
]  # fmt: skip
