"""The exceptions of the library, every one also a built-in, so that old `except` clauses still work.

StratagemError
├── ContextError             RuntimeError    called in a context (replica, cross-replica, none) that forbids it
│   └── MixedStrategiesError                 two strategies where one is required
├── TapeError                RuntimeError    a gradient tape was used where it cannot record or differentiate
├── TracedDecisionError      TypeError       Python needs the value of a tensor inside a replica's step
├── DivergenceError          ValueError      a mirrored variable would get another value on every replica
├── ReductionError           ValueError      a value or a loss that cannot be reduced as asked
├── DeviceError              ValueError      a device that does not exist, or is named twice
├── BackendError             RuntimeError    Keras runs on another backend than JAX
├── NotProvidedError         AttributeError  a TensorFlow name that this library does not have
├── DatasetMissingError      FileNotFoundError  a built-in data set that is not on this machine
├── CheckpointError          ValueError      a checkpoint that does not fit the objects it is restored into
├── ClusterError             ValueError      the description of a cluster is wrong
└── OpError                                  TensorFlow's own `tf.errors`
    ├── OutOfRangeError      EOFError        the end of a data set
    ├── InvalidArgumentError ValueError
    │   └── NonFiniteError   FloatingPointError  variables hold a NaN or an infinity
    ├── NotFoundError        FileNotFoundError
    ├── PermissionDeniedError PermissionError
    ├── DataLossError        OSError         a file is damaged
    ├── FailedPreconditionError RuntimeError
    ├── UnimplementedError   NotImplementedError
    ├── CancelledError, AbortedError RuntimeError
    ├── UnavailableError     ConnectionError
    │   └── PeerFailedError                 another task of the job failed: which, where and why
    │       └── PeerStuckError   TimeoutError  it is alive but does not go on (a DeadlineExceededError, too)
    ├── DeadlineExceededError TimeoutError
    └── UnknownError         RuntimeError    an exception of another process that does not exist here
"""


class StratagemError(Exception):
    """Base of everything that the library raises on purpose."""


class ContextError(StratagemError, RuntimeError):
    """The call is not allowed in the current replica, cross-replica or default context."""


class MixedStrategiesError(ContextError):
    """Objects of two strategies met where one strategy is required."""


class TapeError(StratagemError, RuntimeError):
    """A gradient tape was used where it cannot record or differentiate."""


class TracedDecisionError(StratagemError, TypeError):
    """Python code inside a replica's step asked for the value of a tensor."""


class DivergenceError(StratagemError, ValueError):
    """A mirrored variable would get a different value on every replica."""


class ReductionError(StratagemError, ValueError):
    """A value or a loss cannot be reduced over replicas in the way asked for."""


class DeviceError(StratagemError, ValueError):
    """A device that does not exist here, or was named twice."""


class BackendError(StratagemError, RuntimeError):
    """Keras was imported with a backend other than JAX."""


class NotProvidedError(StratagemError, AttributeError):
    """A TensorFlow name that this library does not provide; the text names the replacement."""


class DatasetMissingError(StratagemError, FileNotFoundError):
    """A built-in data set is not on this machine and could not be fetched."""


class CheckpointError(StratagemError, ValueError):
    """A checkpoint does not fit the objects that it is restored into."""


class ClusterError(StratagemError, ValueError):
    """The description of a cluster, or a task's place in it, is wrong."""


class OpError(StratagemError):
    """Base of the `tf.errors` classes. `message` is the text."""

    @property
    def message(self) -> str:
        """The text of the error."""
        return str(self)


class OutOfRangeError(OpError, EOFError):
    """An iterator is at the end of its data."""


class InvalidArgumentError(OpError, ValueError):
    """An argument has the wrong value or shape."""


class NonFiniteError(InvalidArgumentError, FloatingPointError):
    """A step has left a NaN or an infinity in variables, and the strategy was asked to stop then.

    Attributes:
        step: after which step of the strategy, from 1.
        variables: their paths.
    """

    def __init__(self, text: str, *, step: int, variables: tuple[str, ...]) -> None:
        super().__init__(text)
        self.step, self.variables = step, variables


class NotFoundError(OpError, FileNotFoundError):
    """A file or checkpoint does not exist."""


class PermissionDeniedError(OpError, PermissionError):
    """The system does not allow this user to open a file."""


class DataLossError(OpError, OSError):
    """A file is damaged: what it says is not what was written."""


class FailedPreconditionError(OpError, RuntimeError):
    """The system is not in the state that the operation needs."""


class UnimplementedError(OpError, NotImplementedError):
    """The operation exists in TensorFlow but not here."""


class CancelledError(OpError, RuntimeError):
    """The operation was cancelled, usually because another one failed first."""


class AbortedError(OpError, RuntimeError):
    """The operation was aborted."""


class UnavailableError(OpError, ConnectionError):
    """A peer cannot be reached."""


class DeadlineExceededError(OpError, TimeoutError):
    """A wait reached its limit."""


class UnknownError(OpError, RuntimeError):
    """Another process raised an exception that cannot be made again here: the text has its type, and what it said."""


class PeerFailedError(UnavailableError):
    """Another task of the job failed, so this one cannot go on.

    Attributes:
        task: such as `worker:1`.
        step: where that task was.
        phase: what it was doing: compiling, collective, input, checkpoint, user code …
        waited: seconds until the failure was noticed.
    """

    def __init__(self, text: str, *, task: str, step: int, phase: str, waited: float) -> None:
        super().__init__(text)
        self.task, self.step, self.phase, self.waited = task, step, phase, waited


class PeerStuckError(PeerFailedError, DeadlineExceededError):
    """Another task of the job is alive but does not go on."""
