# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops import bessel_i0 as bessel_i0
from stratagem._ops import bessel_i0e as bessel_i0e
from stratagem._ops import bessel_i1 as bessel_i1
from stratagem._ops import bessel_i1e as bessel_i1e
from stratagem._ops import bessel_j0 as bessel_j0
from stratagem._ops import bessel_j1 as bessel_j1
from stratagem._ops import bessel_k0 as bessel_k0
from stratagem._ops import bessel_k0e as bessel_k0e
from stratagem._ops import bessel_k1 as bessel_k1
from stratagem._ops import bessel_k1e as bessel_k1e
from stratagem._ops import bessel_y0 as bessel_y0
from stratagem._ops import bessel_y1 as bessel_y1
from stratagem._ops import dawsn as dawsn
from stratagem._ops import expint as expint
from stratagem._ops import fresnel_cos as fresnel_cos
from stratagem._ops import fresnel_sin as fresnel_sin
from stratagem._ops import spence as spence

__all__ = [
    "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "bessel_j0", "bessel_j1", "bessel_k0", "bessel_k0e",
    "bessel_k1", "bessel_k1e", "bessel_y0", "bessel_y1", "dawsn", "expint", "fresnel_cos", "fresnel_sin", "spence"
]  # fmt: skip
