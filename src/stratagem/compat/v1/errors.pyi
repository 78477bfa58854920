# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.graph import error_code_from_exception_type as error_code_from_exception_type
from stratagem._tf1.graph import exception_type_from_error_code as exception_type_from_error_code
from stratagem.errors import ABORTED as ABORTED
from stratagem.errors import ALREADY_EXISTS as ALREADY_EXISTS
from stratagem.errors import CANCELLED as CANCELLED
from stratagem.errors import DATA_LOSS as DATA_LOSS
from stratagem.errors import DEADLINE_EXCEEDED as DEADLINE_EXCEEDED
from stratagem.errors import FAILED_PRECONDITION as FAILED_PRECONDITION
from stratagem.errors import INTERNAL as INTERNAL
from stratagem.errors import INVALID_ARGUMENT as INVALID_ARGUMENT
from stratagem.errors import NOT_FOUND as NOT_FOUND
from stratagem.errors import OK as OK
from stratagem.errors import OUT_OF_RANGE as OUT_OF_RANGE
from stratagem.errors import PERMISSION_DENIED as PERMISSION_DENIED
from stratagem.errors import RESOURCE_EXHAUSTED as RESOURCE_EXHAUSTED
from stratagem.errors import UNAUTHENTICATED as UNAUTHENTICATED
from stratagem.errors import UNAVAILABLE as UNAVAILABLE
from stratagem.errors import UNIMPLEMENTED as UNIMPLEMENTED
from stratagem.errors import UNKNOWN as UNKNOWN
from stratagem.errors import AbortedError as AbortedError
from stratagem.errors import AlreadyExistsError as AlreadyExistsError
from stratagem.errors import CancelledError as CancelledError
from stratagem.errors import DataLossError as DataLossError
from stratagem.errors import DeadlineExceededError as DeadlineExceededError
from stratagem.errors import FailedPreconditionError as FailedPreconditionError
from stratagem.errors import InternalError as InternalError
from stratagem.errors import InvalidArgumentError as InvalidArgumentError
from stratagem.errors import NotFoundError as NotFoundError
from stratagem.errors import OpError as OpError
from stratagem.errors import OutOfRangeError as OutOfRangeError
from stratagem.errors import PermissionDeniedError as PermissionDeniedError
from stratagem.errors import ResourceExhaustedError as ResourceExhaustedError
from stratagem.errors import UnauthenticatedError as UnauthenticatedError
from stratagem.errors import UnavailableError as UnavailableError
from stratagem.errors import UnimplementedError as UnimplementedError
from stratagem.errors import UnknownError as UnknownError

__all__ = [
    "ABORTED", "ALREADY_EXISTS", "AbortedError", "AlreadyExistsError", "CANCELLED", "CancelledError", "DATA_LOSS",
    "DEADLINE_EXCEEDED", "DataLossError", "DeadlineExceededError", "FAILED_PRECONDITION", "FailedPreconditionError",
    "INTERNAL", "INVALID_ARGUMENT", "InternalError", "InvalidArgumentError", "NOT_FOUND", "NotFoundError", "OK",
    "OUT_OF_RANGE", "OpError", "OutOfRangeError", "PERMISSION_DENIED", "PermissionDeniedError", "RESOURCE_EXHAUSTED",
    "ResourceExhaustedError", "UNAUTHENTICATED", "UNAVAILABLE", "UNIMPLEMENTED", "UNKNOWN", "UnauthenticatedError",
    "UnavailableError", "UnimplementedError", "UnknownError", "error_code_from_exception_type",
    "exception_type_from_error_code"
]  # fmt: skip
