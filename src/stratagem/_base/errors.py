"""The exceptions of the library. Each is also a built-in exception, so existing `except` clauses still work.

StratagemError
├── ContextError             RuntimeError    called in a context (replica, cross-replica, none) that forbids it
│   └── MixedStrategiesError                 two strategies where one is required
├── TapeError                RuntimeError    a gradient tape was used where it cannot record or differentiate
├── OperatorNotAllowedInGraphError TypeError part of `tf.errors`, like the OpErrors
│   └── TracedDecisionError                  Python needs the value of a tensor inside a replica's step
├── DivergenceError          ValueError      a mirrored variable would get another value on every replica
├── ReductionError           ValueError      a value or a loss that cannot be reduced as asked
├── DeviceError              ValueError      a device that does not exist, or is named twice
├── BackendError             RuntimeError    Keras runs on another backend than JAX
├── NotProvidedError         AttributeError  a TensorFlow name that this library does not have
├── DatasetMissingError      FileNotFoundError  a built-in dataset that is not on this machine
├── CheckpointError          ValueError      a checkpoint that does not fit the objects it is restored into
├── ClusterError             ValueError      the description of a cluster is wrong
└── OpError                                  TensorFlow's own `tf.errors`
    ├── OutOfRangeError      EOFError        the end of a dataset
    ├── InvalidArgumentError ValueError
    │   └── NonFiniteError   FloatingPointError  variables hold a NaN or an infinity
    ├── NotFoundError        FileNotFoundError
    ├── AlreadyExistsError   FileExistsError
    ├── PermissionDeniedError, UnauthenticatedError PermissionError
    ├── DataLossError        OSError         a file is damaged
    ├── FailedPreconditionError RuntimeError
    ├── UnimplementedError   NotImplementedError
    ├── CancelledError, AbortedError, InternalError, ResourceExhaustedError RuntimeError
    ├── UnavailableError     ConnectionError
    │   ├── TaskLostError                   a server or worker of a job with parameter servers has ended
    │   │   └── TaskSilentError             it does not answer
    │   └── PeerFailedError                 another task of the job failed: which, where and why
    │       └── PeerStuckError   TimeoutError  it is alive but makes no progress (also a DeadlineExceededError)
    ├── DeadlineExceededError TimeoutError
    └── UnknownError         RuntimeError    an exception of another process whose class does not exist here
"""

from typing import Any

from stratagem._base.exports import exported


@exported("errors.StratagemError", v1=())
class StratagemError(Exception):
    """Base class of all exceptions that the library raises on purpose."""


@exported("errors.ContextError", v1=())
class ContextError(StratagemError, RuntimeError):
    """The call is not allowed in the current replica, cross-replica or default context."""


@exported("errors.MixedStrategiesError", v1=())
class MixedStrategiesError(ContextError):
    """Objects of two strategies met where one strategy is required."""


@exported("errors.TapeError", v1=())
class TapeError(StratagemError, RuntimeError):
    """A gradient tape was used where it cannot record or differentiate."""


@exported("errors.OperatorNotAllowedInGraphError", v1=())
class OperatorNotAllowedInGraphError(StratagemError, TypeError):
    """Python asks for the value of a tensor in a function that is being compiled."""


@exported("errors.TracedDecisionError", v1=())
class TracedDecisionError(OperatorNotAllowedInGraphError):
    """Python code inside a replica's step asked for the value of a tensor."""


@exported("errors.DivergenceError", v1=())
class DivergenceError(StratagemError, ValueError):
    """Replicas would not stay alike: a mirrored variable would get different values, or a collective is not reached by all."""


@exported("errors.ReductionError", v1=())
class ReductionError(StratagemError, ValueError):
    """A value or a loss cannot be reduced over replicas in the way asked for."""


@exported("errors.DeviceError", v1=())
class DeviceError(StratagemError, ValueError):
    """A device that does not exist here, or was named twice."""


@exported("errors.BackendError", v1=())
class BackendError(StratagemError, RuntimeError):
    """Keras was imported with a backend other than JAX."""


@exported("errors.NotProvidedError", v1=())
class NotProvidedError(StratagemError, AttributeError):
    """A TensorFlow name that this library does not provide; the text names the replacement."""


@exported("errors.DatasetMissingError", v1=())
class DatasetMissingError(StratagemError, FileNotFoundError):
    """A built-in dataset is not on this machine and could not be fetched."""


@exported("errors.CheckpointError", v1=())
class CheckpointError(StratagemError, ValueError):
    """A checkpoint does not fit the objects that it is restored into."""


@exported("errors.ClusterError", v1=())
class ClusterError(StratagemError, ValueError):
    """The description of a cluster, or a task's place in it, is wrong."""


# The codes of `tf.errors`.
OK = exported("errors.OK")(0)
CANCELLED = exported("errors.CANCELLED")(1)
UNKNOWN = exported("errors.UNKNOWN")(2)
INVALID_ARGUMENT = exported("errors.INVALID_ARGUMENT")(3)
DEADLINE_EXCEEDED = exported("errors.DEADLINE_EXCEEDED")(4)
NOT_FOUND = exported("errors.NOT_FOUND")(5)
ALREADY_EXISTS = exported("errors.ALREADY_EXISTS")(6)
PERMISSION_DENIED = exported("errors.PERMISSION_DENIED")(7)
RESOURCE_EXHAUSTED = exported("errors.RESOURCE_EXHAUSTED")(8)
FAILED_PRECONDITION = exported("errors.FAILED_PRECONDITION")(9)
ABORTED = exported("errors.ABORTED")(10)
OUT_OF_RANGE = exported("errors.OUT_OF_RANGE")(11)
UNIMPLEMENTED = exported("errors.UNIMPLEMENTED")(12)
INTERNAL = exported("errors.INTERNAL")(13)
UNAVAILABLE = exported("errors.UNAVAILABLE")(14)
DATA_LOSS = exported("errors.DATA_LOSS")(15)
UNAUTHENTICATED = exported("errors.UNAUTHENTICATED")(16)


@exported("errors.OpError")
class OpError(StratagemError):
    """Base of the `tf.errors` classes: `OpError(text)`, or as in TensorFlow `OpError(node_def, op, message, error_code)`.

    Its subclasses know their code: `NotFoundError(text)`, `NotFoundError(node_def, op, text)`.

    Attributes:
        error_code: one of the codes of `tf.errors`.
        op, node_def: as given; None in errors that the library raises, because no operation of a graph has failed.
        experimental_payloads: a dict of bytes, if the last argument is one.
    """

    error_code: int = UNKNOWN

    def __init__(self, *given: Any, **named: Any) -> None:
        names = ("node_def", "op", "message")
        if named or len(given) > 2:
            fields, rest = dict(zip(names, given, strict=False)), list(given[3:])
            if unknown := named.keys() - {*names, "error_code"} or named.keys() & fields.keys():
                raise TypeError(f"{type(self).__name__}: the arguments {sorted(unknown)} are unknown or given twice.")
        else:
            fields, rest = dict(zip(("message",), given, strict=False)), list(given[1:])
        fields |= named
        super().__init__(fields.get("message", ""))
        self.node_def, self.op = fields.get("node_def"), fields.get("op")
        self.experimental_payloads: dict[bytes, bytes] = {}
        if "error_code" in fields:
            self.error_code = fields["error_code"]
        for extra in rest:
            if isinstance(extra, dict):
                self.experimental_payloads = extra
            else:
                self.error_code = extra

    def __reduce__(self) -> Any:
        return _rebuilt, (type(self), self.args, self.__dict__)

    @property
    def message(self) -> str:
        """The text of the error."""
        return str(self)


def _rebuilt(kind: type[OpError], args: tuple[Any, ...], attributes: dict[str, Any]) -> OpError:
    """Rebuilds an unpickled error without calling `__init__`, which may take other arguments than the text."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(attributes)
    return error


@exported("errors.OutOfRangeError")
class OutOfRangeError(OpError, EOFError):
    """An iterator is at the end of its data."""

    error_code = OUT_OF_RANGE


@exported("errors.InvalidArgumentError")
class InvalidArgumentError(OpError, ValueError):
    """An argument has the wrong value or shape."""

    error_code = INVALID_ARGUMENT


@exported("errors.NonFiniteError", v1=())
class NonFiniteError(InvalidArgumentError, FloatingPointError):
    """A step has left a NaN or an infinity in variables, and the strategy was asked to stop in that case.

    Attributes:
        step: the number of the strategy's step after which it was found, from 1.
        variables: the paths of the affected variables.
    """

    def __init__(self, text: str, *, step: int, variables: tuple[str, ...]) -> None:
        super().__init__(text)
        self.step, self.variables = step, variables


@exported("errors.NotFoundError")
class NotFoundError(OpError, FileNotFoundError):
    """A file or checkpoint does not exist."""

    error_code = NOT_FOUND


@exported("errors.AlreadyExistsError")
class AlreadyExistsError(OpError, FileExistsError):
    """The file or object to be created already exists."""

    error_code = ALREADY_EXISTS


@exported("errors.PermissionDeniedError")
class PermissionDeniedError(OpError, PermissionError):
    """The system does not allow this user to open a file."""

    error_code = PERMISSION_DENIED


@exported("errors.UnauthenticatedError")
class UnauthenticatedError(OpError, PermissionError):
    """A request came without valid proof of its sender's identity."""

    error_code = UNAUTHENTICATED


@exported("errors.ResourceExhaustedError")
class ResourceExhaustedError(OpError, RuntimeError):
    """Memory, or disk space, has run out."""

    error_code = RESOURCE_EXHAUSTED


@exported("errors.DataLossError")
class DataLossError(OpError, OSError):
    """A file is damaged: its contents are not what was written."""

    error_code = DATA_LOSS


@exported("errors.FailedPreconditionError")
class FailedPreconditionError(OpError, RuntimeError):
    """The system is not in the state that the operation needs."""

    error_code = FAILED_PRECONDITION


@exported("errors.UnimplementedError")
class UnimplementedError(OpError, NotImplementedError):
    """The operation exists in TensorFlow but not here."""

    error_code = UNIMPLEMENTED


@exported("errors.InternalError")
class InternalError(OpError, RuntimeError):
    """The library, or a library that it is built on, has broken one of its own invariants."""

    error_code = INTERNAL


@exported("errors.CancelledError")
class CancelledError(OpError, RuntimeError):
    """The operation was cancelled, usually because another one failed first."""

    error_code = CANCELLED


@exported("errors.AbortedError")
class AbortedError(OpError, RuntimeError):
    """The operation was aborted."""

    error_code = ABORTED


@exported("errors.UnavailableError")
class UnavailableError(OpError, ConnectionError):
    """A peer cannot be reached."""

    error_code = UNAVAILABLE


@exported("errors.DeadlineExceededError")
class DeadlineExceededError(OpError, TimeoutError):
    """A wait reached its limit."""

    error_code = DEADLINE_EXCEEDED


@exported("errors.UnknownError")
class UnknownError(OpError, RuntimeError):
    """Another process raised an exception that cannot be rebuilt here; the text has its type and its message."""

    error_code = UNKNOWN


@exported("errors.TaskLostError", v1=())
class TaskLostError(UnavailableError):
    """A server or worker of a job with parameter servers has ended.

    Attributes:
        task: its name, such as `ps:1`.
        why: what is known of the cause.
    """

    _verb = "is gone"

    def __init__(self, task: str, why: str) -> None:
        super().__init__(f"{task} {self._verb}: {why}")
        self.task, self.why = task, why


@exported("errors.TaskSilentError", v1=())
class TaskSilentError(TaskLostError):
    """A server or worker has not answered for a while, and may be frozen."""

    _verb = "is silent"


@exported("errors.PeerFailedError", v1=())
class PeerFailedError(UnavailableError):
    """Another task of the job failed, so this one cannot go on.

    Attributes:
        task: its name, such as `worker:1`.
        step: the step that the failed task was in.
        phase: what it was doing: compiling, collective, input, checkpoint, user code …
        waited: seconds until the failure was noticed.
    """

    def __init__(self, text: str, *, task: str, step: int, phase: str, waited: float) -> None:
        super().__init__(text)
        self.task, self.step, self.phase, self.waited = task, step, phase, waited


@exported("errors.PeerStuckError", v1=())
class PeerStuckError(PeerFailedError, DeadlineExceededError):
    """Another task of the job is alive but makes no progress."""
