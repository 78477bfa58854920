"""The profiler: JAX's, whose files TensorBoard reads, with the functions of `tf.profiler.experimental`."""

import contextlib
import logging
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn, Self, final

import jax

from stratagem._base.errors import AlreadyExistsError, UnavailableError, UnimplementedError
from stratagem._base.exports import exported
from stratagem._base.paths import is_remote
from stratagem._base.storage import checked_path, upload
from stratagem._base.types import PathLike

_log = logging.getLogger("stratagem")


@exported("profiler.experimental.ProfilerOptions")
class ProfilerOptions(NamedTuple):
    """The options of a profile, as `tf.profiler.experimental.ProfilerOptions`.

    host_tracer_level: 0 for nothing of the host to 3 for all. python_tracer_level: 1 to record Python's calls.
    device_tracer_level, delay_ms: accepted; JAX records the devices always, and starts at once.
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class _Running:
    """The state of the profiler: a process records one profile at a time."""

    lock = threading.RLock()
    recording = False
    gives_way: Callable[[], None] | None = None  # ends the profile that is recorded, if another may take its place
    upload: tuple[str, str] | None = None  # the folder that goes to a remote one when the profile ends


@exported("profiler.experimental.start")
def start_profile(logdir: PathLike, options: ProfilerOptions | None = None) -> None:
    """Starts to record a profile, which `stop_profile` writes into `logdir`, for TensorBoard's profile plugin.

    A profile for a remote directory is recorded on this machine, and uploaded when it ends.

    Raises AlreadyExistsError if one is recorded already.
    """
    start_yielding_profile(logdir, options, None)


def start_yielding_profile(
    logdir: PathLike, options: ProfilerOptions | None, gives_way: Callable[[], None] | None
) -> None:
    """Starts a profile as `start_profile` does, but one that may give way.

    gives_way: ends this profile; called when another is to start, which then may. None for one beside which there is no other.
    """
    target, chosen = checked_path(logdir), options or ProfilerOptions()
    given = jax.profiler.ProfileOptions()
    given.host_tracer_level, given.python_tracer_level = chosen.host_tracer_level, chosen.python_tracer_level
    with _Running.lock:
        if _Running.recording and _Running.gives_way is not None:
            _Running.gives_way()
        if _Running.recording:
            raise AlreadyExistsError("Another profiler is running.")
        folder = tempfile.mkdtemp(prefix="stratagem-upload-") if is_remote(target) else target
        try:
            jax.profiler.start_trace(folder, profiler_options=given)
        except RuntimeError as error:  # one that the program has started through JAX
            if is_remote(target):
                os.rmdir(folder)
            raise AlreadyExistsError(f"Another profiler is running. {error}") from error
        _Running.recording, _Running.upload = True, (folder, target) if is_remote(target) else None
        _Running.gives_way = gives_way


@exported("profiler.experimental.stop")
def stop_profile(save: bool = True) -> None:
    """Ends the profile and writes it. save: False is accepted; what JAX has recorded it writes.

    Raises UnavailableError if none is recorded, OSError if it cannot be uploaded; the error names where it still is.
    """
    with _Running.lock:
        if not _Running.recording:
            raise UnavailableError("Cannot export profiling results. No profiler is running.")
        _Running.recording = False
        jax.effects_barrier()
        jax.profiler.stop_trace()
        if _Running.upload is not None:
            folder, target = _Running.upload
            try:
                upload(folder, target)
            except OSError as error:
                error.add_note(f"The profile is in {folder!r}.")
                raise
            shutil.rmtree(folder)


@exported("profiler.experimental.Profile")
@contextlib.contextmanager
def Profile(logdir: PathLike, options: ProfilerOptions | None = None) -> Iterator[None]:
    """Records a profile of its body."""
    start_profile(logdir, options)
    try:
        yield
    finally:
        stop_profile()


@exported("profiler.experimental.Trace")
@final
class ProfiledSection:
    """Gives the time of its body a name in the profile, as `tf.profiler.experimental.Trace`.

    kwargs: what is shown with it. With `step_num=` and `_r=1` it is a step, of which TensorBoard shows the times.
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        step = kwargs.pop("step_num", None)
        kwargs.pop("_r", None)
        self._annotation: Any = (
            jax.profiler.TraceAnnotation(name, **kwargs)
            if step is None
            else jax.profiler.StepTraceAnnotation(name, step_num=int(step), **kwargs)
        )

    def __enter__(self) -> Self:
        self._annotation.__enter__()
        return self

    def set_metadata(self, **kwargs: object) -> None:
        """Does nothing: JAX takes what is shown when the body begins."""

    def __exit__(self, *error: Any) -> None:
        self._annotation.__exit__(*error)


@exported("profiler.experimental.server.start")
def start_profile_server(port: int) -> None:
    """Lets TensorBoard record profiles of this process, through a port of every network interface, without a password.

    Raises ValueError if this process has such a server already.
    """
    _log.warning("The profiler's server listens on port %d of all network interfaces, and answers everybody.", port)
    jax.profiler.start_server(port)


@exported("profiler.experimental.client.monitor", "profiler.experimental.client.trace")
def client_trace(*args: object, **kwargs: object) -> NoReturn:
    """Raises UnimplementedError: a profile of another process is recorded by TensorBoard's button or JAX's command."""
    raise UnimplementedError(
        "tf.profiler.experimental.client.trace: record a profile of another process with `python -m jax.collect_profile PORT "
        "MILLISECONDS`, or with the capture button of TensorBoard's profile page; the process calls "
        "tf.profiler.experimental.server.start(PORT)."
    )
