"""`tf.dtypes.experimental`: numbers of 4 and 8 bits."""

from stratagem._ops import float8_e4m3fn as float8_e4m3fn
from stratagem._ops import float8_e5m2 as float8_e5m2
from stratagem._ops import int4 as int4
from stratagem._ops import not_provided as _not_provided
from stratagem._ops import uint4 as uint4


def __getattr__(name: str) -> object:
    raise _not_provided("dtypes.experimental", name)
