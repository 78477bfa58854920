"""`tf.compat.v1.train.MonitoredTrainingSession`: a session that initializes or restores its graph and calls hooks."""

import contextlib
import logging
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Self, final

import numpy as np

from stratagem._base.errors import OutOfRangeError
from stratagem._base.exports import exported
from stratagem._base.storage import checked_path
from stratagem._checkpoints import get_checkpoint_state, latest_checkpoint
from stratagem._tf1.estimator import EventFolders, Scaffold, SessionRunHook
from stratagem._tf1.estimator.hooks import (
    CheckpointSaverHook,
    OriginalArgs,
    SessionRunContext,
    SessionRunValues,
    StepCounterHook,
    SummarySaverHook,
)
from stratagem._tf1.graph import Graph, at_once, default_graph, outside_of_graphs
from stratagem._tf1.sessions._initializing import variables_initializer
from stratagem._tf1.sessions._saver import Saver
from stratagem._tf1.sessions._session import Session

_log = logging.getLogger("stratagem.sessions")

USE_DEFAULT: Final = object()
_ENDS = (OutOfRangeError, StopIteration)


@final
class HookSession:
    """The session of a graph as hooks see it.

    `run` is the session's own, without hooks.
    """

    def __init__(self, session: Session, saver: Callable[[], Saver]) -> None:
        self._session, self._saver = session, saver
        self.events = EventFolders()

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._session.graph

    @property
    def summaries(self) -> list[tuple[str, str, Any]]:
        """The graph's summaries: (kind, tag, tensor)."""
        return list(self.graph.building.summaries)

    def run(self, fetches: Any, feed_dict: Any = None, options: object = None, run_metadata: object = None) -> Any:
        """Runs fetches without calling hooks."""
        return self._session.run(fetches, feed_dict)

    def load(self, variable: Any, value: Any) -> None:
        """Sets the value of one variable."""
        self._session.load(variable, value)

    def global_step(self) -> int:
        """Returns the current global step, 0 if the graph counts none."""
        step = self.graph.building.graph.variables.get("global_step")
        with outside_of_graphs():
            return 0 if step is None else int(np.asarray(step.value))

    settle = global_step

    def save(self, directory: str, name: str, step: int) -> None:
        """Writes the checkpoint `<directory>/<name>-<step>`."""
        self._saver().save(self._session, os.path.join(directory, name), global_step=step)


@exported(v1=["train.MonitoredSession", "train.SingularMonitoredSession"])
class MonitoredSession:
    """A session that calls hooks around each run, as `tf.compat.v1.train.MonitoredSession`.

    session_creator: what says how variables get their values; by default as `ChiefSessionCreator()`.
    hooks: their `begin` is called at once, `end` when the session is closed without an error.

    After OutOfRangeError in the body of `with`, the session is closed and the program goes on.
    """

    def __init__(
        self,
        session_creator: "ChiefSessionCreator | None" = None,
        hooks: Sequence[SessionRunHook] | None = None,
        stop_grace_period_secs: object = 120,
    ) -> None:
        creator = ChiefSessionCreator() if session_creator is None else session_creator
        self._graph, self._hooks = default_graph(), list(hooks or ())
        self._stack = contextlib.ExitStack()
        for hook in self._hooks:
            hook.begin()
        self._session: Session | None = creator.create_session()
        self._hooked = HookSession(self._session, creator.saver)
        self._stop = False
        with at_once():
            for hook in self._hooks:
                hook.after_create_session(self._hooked, None)

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Runs fetches, together with what the hooks ask for, as one step.

        Raises RuntimeError after `close`, else as `Session.run`.
        """
        if self._session is None:
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(OriginalArgs(fetches, feed_dict), self._hooked)
        asked = [hook.before_run(context) for hook in self._hooks]
        feeds = dict(feed_dict or {})
        for arguments in asked:
            if arguments is not None and arguments.feed_dict:
                feeds |= arguments.feed_dict
        wanted = {str(i): a.fetches for i, a in enumerate(asked) if a is not None and a.fetches is not None}
        found = self._session.run({"caller": fetches, **wanted}, feeds)
        with at_once():
            for i, hook in enumerate(self._hooks):
                hook.after_run(context, SessionRunValues(found.get(str(i))))
        self._stop = self._stop or context.stop_requested
        return found["caller"]

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Returns step_fn(step_context), which runs what it wants by `step_context.run_with_hooks` and `.session.run`."""
        return step_fn(StepContext(self))

    def should_stop(self) -> bool:
        """Returns whether a hook has asked for an end, or the session is closed."""
        return self._stop

    def close(self) -> None:
        """Calls the hooks' `end`, and ends the session."""
        self._close(failed=False)

    def __enter__(self) -> Self:
        self._stack.enter_context(self._graph.as_default())
        if self._session is not None:
            self._stack.enter_context(self._session.as_default())
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> bool:
        ended = kind is not None and issubclass(kind, _ENDS)
        self._close(failed=kind is not None and not ended)
        return ended

    def _close(self, *, failed: bool) -> None:
        if self._session is None:
            return
        try:
            if not failed:
                with at_once():
                    for hook in self._hooks:
                        hook.end(self._hooked)
        finally:
            self._session.close()
            self._session = None
            self._stop = True
            self._stack.close()


@final
class StepContext:
    """The argument of the function that `run_step_fn` calls."""

    def __init__(self, session: MonitoredSession) -> None:
        self._session = session

    @property
    def session(self) -> HookSession:
        """The session without hooks."""
        return self._session._hooked

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """Runs fetches as `MonitoredSession.run` does."""
        return self._session.run(*args, **kwargs)

    def request_stop(self) -> None:
        """Ends the loop after this step."""
        self._session._stop = True


@exported(v1=["train.ChiefSessionCreator"])
@final
class ChiefSessionCreator:
    """Makes a session whose variables have the values of the latest checkpoint, or their first ones.

    scaffold: what does it in other ways. master, config: of `Session`. checkpoint_dir: where checkpoints are looked for.
    checkpoint_filename_with_path: one that is restored in any case.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: object = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        self._scaffold, self._master = scaffold or Scaffold(), master
        self._directory = None if checkpoint_dir is None else checked_path(checkpoint_dir)
        self._path = checkpoint_filename_with_path
        self._saver: Saver | None = self._scaffold.saver

    def saver(self) -> Saver:
        """Returns the scaffold's saver, or one of all variables."""
        if self._saver is None:
            self._saver = Saver(allow_empty=True)
        return self._saver

    def create_session(self) -> Session:
        """Returns the session."""
        graph, scaffold = default_graph(), self._scaffold
        building = graph.building
        local = variables_initializer(building.graph.local.values(), "local_init_op")
        session = Session(self._master, graph)
        _log.info("Graph was finalized.")
        path = self._path or (None if self._directory is None else latest_checkpoint(self._directory))
        if path is not None:
            _log.info("Restoring parameters from %s", path)
            self.saver().restore(session, path)
            listed = None if self._directory is None else get_checkpoint_state(self._directory)
            if listed is not None:  # so that the oldest of them are deleted
                self.saver().recover_last_checkpoints(listed.all_model_checkpoint_paths)
        elif scaffold.init_op is not None:
            session.run(scaffold.init_op, scaffold.init_feed_dict)
        else:
            session.initialize(building.graph.variables.values(), list((scaffold.init_feed_dict or {}).items()))
        if path is None and scaffold.init_fn is not None:
            scaffold.init_fn(scaffold, session)
        _log.info("Running local_init_op.")
        session.run(local if scaffold.local_init_op is None else scaffold.local_init_op, scaffold.local_init_feed_dict)
        _log.info("Done running local_init_op.")
        return session


@exported(v1=["train.MonitoredTrainingSession"])
def monitored_training_session(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Iterable[SessionRunHook] | None = None,
    chief_only_hooks: Iterable[SessionRunHook] | None = None,
    save_checkpoint_secs: Any = USE_DEFAULT,
    save_summaries_steps: Any = USE_DEFAULT,
    save_summaries_secs: Any = USE_DEFAULT,
    config: object = None,
    stop_grace_period_secs: object = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: object = 7200,
    save_checkpoint_steps: Any = USE_DEFAULT,
    summary_dir: str | None = None,
    save_graph_def: object = True,
) -> MonitoredSession:
    """Returns a MonitoredSession that saves checkpoints and summaries in `checkpoint_dir`, and goes on from the latest.

    By default a checkpoint every 600 seconds and summaries every 100 steps; None for neither. chief_only_hooks: for the chief,
    which any process here is unless `is_chief` says otherwise.
    """
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    found = list(hooks or ())
    if is_chief:
        found = [
            *_of_chief(
                checkpoint_dir,
                summary_dir or checkpoint_dir,
                _every(save_checkpoint_steps, save_checkpoint_secs, (None, 600)),
                _every(save_summaries_steps, save_summaries_secs, (100, None)),
                log_step_count_steps,
            ),
            *(chief_only_hooks or ()),
            *found,
        ]
    return MonitoredSession(creator, found)


def _every(steps: Any, secs: Any, default: tuple[Any, Any]) -> tuple[Any, Any]:
    """Returns (steps, seconds) between two; (None, None) for never."""
    if steps is USE_DEFAULT and secs is USE_DEFAULT:
        return default
    return None if steps is USE_DEFAULT else steps, None if secs is USE_DEFAULT else secs


def _of_chief(
    directory: str | None,
    summaries: str | None,
    saved: tuple[Any, Any],
    summarized: tuple[Any, Any],
    counted: int | None,
) -> list[SessionRunHook]:
    found: list[SessionRunHook] = []
    if summaries is not None:
        if counted:
            found.append(StepCounterHook(counted, output_dir=summaries))
        if any(summarized) and default_graph().building.summaries:
            steps, secs = summarized
            found.append(SummarySaverHook(steps, secs, output_dir=summaries, scaffold=Scaffold()))
    if directory is not None and any(saved):
        steps, secs = saved
        found.append(CheckpointSaverHook(directory, save_secs=secs, save_steps=steps, scaffold=Scaffold()))
    return found
