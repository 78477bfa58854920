"""CheckpointOptions: how a checkpoint is saved, and what is called after it."""

import copy
import enum
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Self, final

from stratagem._base.exports import exported

WriteCallback = Callable[..., Any]


@final
class CheckpointFormat(enum.Enum):
    """The format of the files that a save writes."""

    OWN = "stratagem"
    TENSORFLOW = "tensorflow"


@exported("train.CheckpointOptions")
@final
class CheckpointOptions:
    """Options of `save`, `write`, `read` and `restore`, as `tf.train.CheckpointOptions`. Only those of writing change anything.

    experimental_io_device: unused; every process writes files itself.
    experimental_write_callbacks: functions of the path, or of nothing, which are called in turn once a checkpoint is on disk;
        in the thread that has written it.
    enable_async, experimental_enable_async_checkpoint: `save` and `write` return once the values are copied to the memory of
        this machine, and a thread writes the files. An error of it is raised by the next call that saves, restores or syncs the
        same object, or printed when the program ends, which then ends with code 120.
    format: "tensorflow" for files that TensorFlow reads, with the object graph of Keras 2; "stratagem" for this library's
        directories, whose every file has a checksum in a manifest. Reading recognises either.

    Raises:
        ValueError: `format` is another one.
        AssertionError: a callback takes more than one argument.
    """

    def __init__(
        self,
        experimental_io_device: object = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[WriteCallback] | None = None,
        enable_async: bool = False,
        format: str = CheckpointFormat.OWN.value,
    ) -> None:
        self.format = _format(format)
        self.experimental_io_device = experimental_io_device
        self.enable_async = experimental_enable_async_checkpoint or enable_async
        self.experimental_enable_async_checkpoint = self.enable_async
        for callback in experimental_write_callbacks or ():
            if _parameters(callback) > 1:
                raise AssertionError(f"A write callback takes the path of the checkpoint or nothing; got {callback!r}.")
        self.experimental_write_callbacks = experimental_write_callbacks

    def __copy__(self) -> Self:
        """A copy with a list of callbacks of its own."""
        made = type(self).__new__(type(self))
        vars(made).update(vars(self), experimental_write_callbacks=copy.copy(self.experimental_write_callbacks))
        return made


def _format(name: str) -> CheckpointFormat:
    try:
        return CheckpointFormat(name)
    except ValueError:
        known = [each.value for each in CheckpointFormat]
        raise ValueError(f"CheckpointOptions(format={name!r}): expected one of {known}.") from None


def checked(options: CheckpointOptions | None) -> CheckpointOptions:
    """The options of a call; the usual ones for None.

    Raises:
        TypeError: they are something else.
    """
    if options is None:
        return CheckpointOptions()
    if not isinstance(options, CheckpointOptions):
        raise TypeError(f"`options` must be a tf.train.CheckpointOptions or None, got {options!r:.100}.")
    return options


def call_back(options: CheckpointOptions, path: str) -> None:
    """Calls the callbacks for a checkpoint that has been written."""
    for callback in options.experimental_write_callbacks or ():
        callback(path) if _parameters(callback) else callback()


def _parameters(callback: WriteCallback) -> int:
    return len(inspect.signature(callback).parameters)
