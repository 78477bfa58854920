"""The exceptions of `tf.errors` by their codes, and the other way round."""

import inspect

from stratagem._base import errors
from stratagem._base.exports import exported

# Those derived from them are this library's own.
_KINDS = {kind.error_code: kind for kind in errors.OpError.__subclasses__()}


@exported(v1=["errors.exception_type_from_error_code"])
def exception_type_from_error_code(error_code: int) -> type[errors.OpError]:
    """Returns the exception with a code of `tf.errors`. Raises KeyError for OK and for numbers that are no code."""
    return _KINDS[error_code]


@exported(v1=["errors.error_code_from_exception_type"])
def error_code_from_exception_type(cls: type[errors.OpError]) -> int:
    """Returns the code of an exception, as of the class of `tf.errors` that it is derived from.

    Raises:
        TypeError: it is none of `tf.errors`. (TensorFlow warns, and returns an UnknownError.)
    """
    if not (inspect.isclass(cls) and issubclass(cls, errors.OpError)) or cls is errors.OpError:
        raise TypeError(f"{cls!r} has no code: it must be a class of tf.errors other than OpError.")
    return cls.error_code
