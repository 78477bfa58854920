"""`tf.dtypes`: the dtype objects and casts."""

from stratagem.ops import DType as DType
from stratagem.ops import as_dtype as as_dtype
from stratagem.ops import bfloat16 as bfloat16
from stratagem.ops import boolean as boolean
from stratagem.ops import cast as cast
from stratagem.ops import complex as complex
from stratagem.ops import complex64 as complex64
from stratagem.ops import complex128 as complex128
from stratagem.ops import double as double
from stratagem.ops import float16 as float16
from stratagem.ops import float32 as float32
from stratagem.ops import float64 as float64
from stratagem.ops import half as half
from stratagem.ops import int8 as int8
from stratagem.ops import int16 as int16
from stratagem.ops import int32 as int32
from stratagem.ops import int64 as int64
from stratagem.ops import not_provided as _not_provided
from stratagem.ops import saturate_cast as saturate_cast
from stratagem.ops import string as string
from stratagem.ops import uint8 as uint8
from stratagem.ops import uint16 as uint16
from stratagem.ops import uint32 as uint32
from stratagem.ops import uint64 as uint64

bool = boolean


def __getattr__(name: str) -> object:
    raise _not_provided("dtypes", name)
