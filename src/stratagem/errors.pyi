# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._base.errors import ABORTED as ABORTED
from stratagem._base.errors import ALREADY_EXISTS as ALREADY_EXISTS
from stratagem._base.errors import CANCELLED as CANCELLED
from stratagem._base.errors import DATA_LOSS as DATA_LOSS
from stratagem._base.errors import DEADLINE_EXCEEDED as DEADLINE_EXCEEDED
from stratagem._base.errors import FAILED_PRECONDITION as FAILED_PRECONDITION
from stratagem._base.errors import INTERNAL as INTERNAL
from stratagem._base.errors import INVALID_ARGUMENT as INVALID_ARGUMENT
from stratagem._base.errors import NOT_FOUND as NOT_FOUND
from stratagem._base.errors import OK as OK
from stratagem._base.errors import OUT_OF_RANGE as OUT_OF_RANGE
from stratagem._base.errors import PERMISSION_DENIED as PERMISSION_DENIED
from stratagem._base.errors import RESOURCE_EXHAUSTED as RESOURCE_EXHAUSTED
from stratagem._base.errors import UNAUTHENTICATED as UNAUTHENTICATED
from stratagem._base.errors import UNAVAILABLE as UNAVAILABLE
from stratagem._base.errors import UNIMPLEMENTED as UNIMPLEMENTED
from stratagem._base.errors import UNKNOWN as UNKNOWN
from stratagem._base.errors import AbortedError as AbortedError
from stratagem._base.errors import AlreadyExistsError as AlreadyExistsError
from stratagem._base.errors import BackendError as BackendError
from stratagem._base.errors import CancelledError as CancelledError
from stratagem._base.errors import CheckpointError as CheckpointError
from stratagem._base.errors import ClusterError as ClusterError
from stratagem._base.errors import ContextError as ContextError
from stratagem._base.errors import DataLossError as DataLossError
from stratagem._base.errors import DatasetMissingError as DatasetMissingError
from stratagem._base.errors import DeadlineExceededError as DeadlineExceededError
from stratagem._base.errors import DeviceError as DeviceError
from stratagem._base.errors import DivergenceError as DivergenceError
from stratagem._base.errors import FailedPreconditionError as FailedPreconditionError
from stratagem._base.errors import InternalError as InternalError
from stratagem._base.errors import InvalidArgumentError as InvalidArgumentError
from stratagem._base.errors import MixedStrategiesError as MixedStrategiesError
from stratagem._base.errors import NonFiniteError as NonFiniteError
from stratagem._base.errors import NotFoundError as NotFoundError
from stratagem._base.errors import NotProvidedError as NotProvidedError
from stratagem._base.errors import OperatorNotAllowedInGraphError as OperatorNotAllowedInGraphError
from stratagem._base.errors import OpError as OpError
from stratagem._base.errors import OutOfRangeError as OutOfRangeError
from stratagem._base.errors import PeerFailedError as PeerFailedError
from stratagem._base.errors import PeerStuckError as PeerStuckError
from stratagem._base.errors import PermissionDeniedError as PermissionDeniedError
from stratagem._base.errors import ReductionError as ReductionError
from stratagem._base.errors import ResourceExhaustedError as ResourceExhaustedError
from stratagem._base.errors import StratagemError as StratagemError
from stratagem._base.errors import TapeError as TapeError
from stratagem._base.errors import TaskLostError as TaskLostError
from stratagem._base.errors import TaskSilentError as TaskSilentError
from stratagem._base.errors import TracedDecisionError as TracedDecisionError
from stratagem._base.errors import UnauthenticatedError as UnauthenticatedError
from stratagem._base.errors import UnavailableError as UnavailableError
from stratagem._base.errors import UnimplementedError as UnimplementedError
from stratagem._base.errors import UnknownError as UnknownError

__all__ = [
    "ABORTED", "ALREADY_EXISTS", "AbortedError", "AlreadyExistsError", "BackendError", "CANCELLED", "CancelledError",
    "CheckpointError", "ClusterError", "ContextError", "DATA_LOSS", "DEADLINE_EXCEEDED", "DataLossError",
    "DatasetMissingError", "DeadlineExceededError", "DeviceError", "DivergenceError", "FAILED_PRECONDITION",
    "FailedPreconditionError", "INTERNAL", "INVALID_ARGUMENT", "InternalError", "InvalidArgumentError",
    "MixedStrategiesError", "NOT_FOUND", "NonFiniteError", "NotFoundError", "NotProvidedError", "OK", "OUT_OF_RANGE",
    "OpError", "OperatorNotAllowedInGraphError", "OutOfRangeError", "PERMISSION_DENIED", "PeerFailedError",
    "PeerStuckError", "PermissionDeniedError", "RESOURCE_EXHAUSTED", "ReductionError", "ResourceExhaustedError",
    "StratagemError", "TapeError", "TaskLostError", "TaskSilentError", "TracedDecisionError", "UNAUTHENTICATED",
    "UNAVAILABLE", "UNIMPLEMENTED", "UNKNOWN", "UnauthenticatedError", "UnavailableError", "UnimplementedError",
    "UnknownError"
]  # fmt: skip
