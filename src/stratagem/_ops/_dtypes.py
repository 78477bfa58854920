"""TensorFlow's dtype objects, usable wherever NumPy, JAX and Keras take a dtype."""

from typing import Any, final

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.tensor_proto import CODES
from stratagem._base.types import DTypeLike


@exported("DType", "dtypes.DType")
@final
class DType:
    """An element type. `np.dtype(t)` works on it, so NumPy, JAX and Keras accept it, and it equals their own names."""

    def __init__(self, name: str, numpy_type: DTypeLike) -> None:
        self.name = name
        self.dtype = np.dtype(numpy_type)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __eq__(self, other: Any) -> bool:
        try:
            return other is not None and as_dtype(other) is self
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)

    @property
    def as_numpy_dtype(self) -> type:
        """The NumPy scalar type (`object` for strings)."""
        return object if self.name == "string" else self.dtype.type

    @property
    def as_datatype_enum(self) -> int:
        """TensorFlow's number for the type, as messages have it."""
        return CODES[self.name]

    @property
    def base_dtype(self) -> "DType":
        """The type itself: there are no reference types here."""
        return self

    @property
    def real_dtype(self) -> "DType":
        """The type of the real part of a complex type; else the type itself."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    @property
    def size(self) -> int:
        """The size of one element in bytes (0 for strings, as in TF)."""
        return 0 if self.name == "string" else self.dtype.itemsize

    @property
    def is_floating(self) -> bool:
        """True for real floating-point types."""
        return bool(jnp.issubdtype(self.dtype, np.floating))

    @property
    def is_integer(self) -> bool:
        """True for signed and unsigned integers; False for bool."""
        return bool(jnp.issubdtype(self.dtype, np.integer))

    @property
    def is_unsigned(self) -> bool:
        """True for unsigned integers."""
        return bool(jnp.issubdtype(self.dtype, np.unsignedinteger))

    @property
    def is_complex(self) -> bool:
        """True for complex types."""
        return bool(jnp.issubdtype(self.dtype, np.complexfloating))

    @property
    def is_bool(self) -> bool:
        """True for bool."""
        return self.name == "bool"

    @property
    def is_numeric(self) -> bool:
        """True for numbers, also complex ones; False for bool and strings."""
        return self.is_floating or self.is_integer or self.is_complex

    @property
    def is_quantized(self) -> bool:
        """Always False: there are no quantized types here."""
        return False

    @property
    def is_numpy_compatible(self) -> bool:
        """Always True: every type here has a NumPy type."""
        return True

    @property
    def min(self) -> Any:
        """The smallest finite value. Raises TypeError if there is none."""
        return self._range().min

    @property
    def max(self) -> Any:
        """The largest finite value. Raises TypeError if there is none."""
        return self._range().max

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range used for images: from 0 to 1 for floats and bool, else to max. Raises ValueError if none is known."""
        if self in (float32, float64, boolean):
            return (0, 1)
        if not self.is_integer or self in (int4, uint4):
            raise ValueError(f"{self!r} has no limits.")
        return (0, self.max)

    def is_compatible_with(self, other: DTypeLike) -> bool:
        """Returns whether `other` is the same type. Raises TypeError if it is no type."""
        return as_dtype(other) is self

    def _range(self) -> Any:
        if self.is_floating:
            return jnp.finfo(self.dtype)
        if self.is_integer:
            return jnp.iinfo(self.dtype)
        raise TypeError(f"{self!r} has no smallest or largest value.")


float16 = half = exported("float16", "half", "dtypes.float16", "dtypes.half")(DType("float16", np.float16))
bfloat16 = exported("bfloat16", "dtypes.bfloat16")(DType("bfloat16", jnp.bfloat16))
float32 = exported("float32", "dtypes.float32")(DType("float32", np.float32))
float64 = double = exported("double", "float64", "dtypes.double", "dtypes.float64")(DType("float64", np.float64))
float8_e5m2 = exported("experimental.float8_e5m2", "dtypes.experimental.float8_e5m2")(
    DType("float8_e5m2", jnp.float8_e5m2)
)
float8_e4m3fn = exported("experimental.float8_e4m3fn", "dtypes.experimental.float8_e4m3fn")(
    DType("float8_e4m3fn", jnp.float8_e4m3fn)
)
int4 = exported("experimental.int4", "dtypes.experimental.int4")(DType("int4", jnp.int4))
uint4 = exported("experimental.uint4", "dtypes.experimental.uint4")(DType("uint4", jnp.uint4))
int8 = exported("int8", "dtypes.int8")(DType("int8", np.int8))
int16 = exported("int16", "dtypes.int16")(DType("int16", np.int16))
int32 = exported("int32", "dtypes.int32")(DType("int32", np.int32))
int64 = exported("int64", "dtypes.int64")(DType("int64", np.int64))
uint8 = exported("uint8", "dtypes.uint8")(DType("uint8", np.uint8))
uint16 = exported("uint16", "dtypes.uint16")(DType("uint16", np.uint16))
uint32 = exported("uint32", "dtypes.uint32")(DType("uint32", np.uint32))
uint64 = exported("uint64", "dtypes.uint64")(DType("uint64", np.uint64))
complex64 = exported("complex64", "dtypes.complex64")(DType("complex64", np.complex64))
complex128 = exported("complex128", "dtypes.complex128")(DType("complex128", np.complex128))
boolean = exported("bool", "dtypes.bool", "dtypes.boolean")(DType("bool", np.bool_))
string = exported("string", "dtypes.string")(DType("string", object))

_BY_NUMPY = {
    t.dtype: t
    for t in (
        *(float16, bfloat16, float32, float64, complex64, complex128, boolean, string),
        *(int8, int16, int32, int64, uint8, uint16, uint32, uint64),
        *(float8_e5m2, float8_e4m3fn, int4, uint4),
    )
}
# Names and types with another meaning in TF than in NumPy (where a Python float has 64 bits).
_BY_NAME: dict[Any, DType] = {
    "string": string, "half": float16, "bfloat16": bfloat16, "float": float32, "double": float64,
    float: float32, int: int32, str: string, bytes: string,
}  # fmt: skip
_BY_CODE = {t.as_datatype_enum: t for t in _BY_NUMPY.values()}


@exported("as_dtype", "dtypes.as_dtype")
def as_dtype(type_value: DTypeLike | int) -> DType:
    """The DType for a name, a NumPy or JAX type, a Python type, a number in a message or a DType.

    Raises TypeError for anything else.
    """
    if isinstance(type_value, DType):
        return type_value
    if type(type_value) is int and type_value in _BY_CODE:
        return _BY_CODE[type_value]
    if isinstance(type_value, str | type) and type_value in _BY_NAME:
        return _BY_NAME[type_value]
    try:
        numpy_type = None if isinstance(type_value, int) else np.dtype(type_value)
    except TypeError:
        numpy_type = None
    if type_value is None or numpy_type is None:
        raise TypeError(f"{type_value!r} is no dtype.")
    if numpy_type.kind in "SU":
        return string
    if numpy_type not in _BY_NUMPY:
        raise TypeError(f"{type_value!r} is no dtype of a tensor.")
    return _BY_NUMPY[numpy_type]
