"""`tf.errors`: TensorFlow's exceptions, each one also a built-in."""

from stratagem._errors import AbortedError as AbortedError
from stratagem._errors import CancelledError as CancelledError
from stratagem._errors import DataLossError as DataLossError
from stratagem._errors import DeadlineExceededError as DeadlineExceededError
from stratagem._errors import FailedPreconditionError as FailedPreconditionError
from stratagem._errors import InvalidArgumentError as InvalidArgumentError
from stratagem._errors import NonFiniteError as NonFiniteError
from stratagem._errors import NotFoundError as NotFoundError
from stratagem._errors import OpError as OpError
from stratagem._errors import OutOfRangeError as OutOfRangeError
from stratagem._errors import PermissionDeniedError as PermissionDeniedError
from stratagem._errors import UnavailableError as UnavailableError
from stratagem._errors import UnimplementedError as UnimplementedError
from stratagem._errors import UnknownError as UnknownError
from stratagem.ops import not_provided as _not_provided


def __getattr__(name: str) -> object:
    raise _not_provided("errors", name)
