"""tf.compat.v1.errors."""

from typing import Any as _Any

from stratagem._tf1.graph import error_code_from_exception_type as error_code_from_exception_type
from stratagem._tf1.graph import exception_type_from_error_code as exception_type_from_error_code
from stratagem.compat.v1._names import public_name as _public_name


def __getattr__(name: str) -> _Any:
    return _public_name("errors", name)
