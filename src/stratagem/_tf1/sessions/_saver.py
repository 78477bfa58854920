"""`tf.compat.v1.train.Saver`: variables by their names, in TensorFlow's files."""

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, final

import keras
import numpy as np

from stratagem._base.errors import FailedPreconditionError, NotFoundError, UnimplementedError
from stratagem._base.exports import exported
from stratagem._base.paths import absolute, parent
from stratagem._base.storage import checked_path, file_system
from stratagem._checkpoints import (
    CheckpointState,
    NamedCheckpoint,
    delete_bundle,
    record_checkpoint_state,
    write_bundle,
)
from stratagem._tf1.graph import building_here, outside_of_graphs
from stratagem._tf1.sessions._session import Session

_SECONDS_PER_HOUR = 3600.0


@exported(v1=["train.Saver"])
@final
class Saver:
    """Saves variables by their names and restores them, as `tf.compat.v1.train.Saver`; TensorFlow reads the files.

    var_list: variables, or a dict of them by the name under which they are saved; by default all variables of the graph but
        local ones, as they are when something is saved.
    max_to_keep: how many checkpoints stay, the oldest is deleted first; None or 0 keeps all.
    keep_checkpoint_every_n_hours: of those that would be deleted, one that is so much later than the last that was kept stays.
    pad_step_number: writes the step with eight digits.

    The other arguments are ignored. Raises ValueError outside of a graph without `var_list`.
    """

    def __init__(
        self,
        var_list: Sequence[keras.Variable] | Mapping[str, keras.Variable] | None = None,
        reshape: object = False,
        sharded: object = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: object = False,
        saver_def: object = None,
        builder: object = None,
        defer_build: object = False,
        allow_empty: bool = False,
        write_version: object = 2,
        pad_step_number: bool = False,
        save_relative_paths: object = False,
        filename: object = None,
    ) -> None:
        building = building_here()
        if saver_def is not None:
            raise UnimplementedError(
                "Saver(saver_def=...): there are no graphs in messages. Give the variables as var_list."
            )
        if var_list is None and (building is None or building.owner is None):
            raise ValueError("No variables to save: a Saver outside of a graph needs var_list.")
        self._building, self._given = building, var_list
        if not allow_empty and not self._variables():
            raise ValueError("No variables to save")
        self._max_to_keep, self._keep_hours = max_to_keep, keep_checkpoint_every_n_hours
        self._digits = 8 if pad_step_number else 0
        self._kept: list[tuple[str, float]] = []
        self._next_preserved = time.time() + keep_checkpoint_every_n_hours * _SECONDS_PER_HOUR

    @property
    def last_checkpoints(self) -> list[str]:
        """The paths of the checkpoints that may still be deleted, oldest first."""
        return [path for path, _ in self._kept]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: Sequence[tuple[str, float]]) -> None:
        """Sets the paths of the checkpoints that may be deleted, with the times of their saves, oldest first."""
        self._kept = list(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: Sequence[str]) -> None:
        """Adds to the checkpoints that may be deleted those of the paths that are there."""
        paths = [checked_path(path) for path in checkpoint_paths]
        found = {path: file_system(path).status(f"{path}.index") for path in paths}
        self._kept = [(path, status.mtime_ns / 1e9) for path, status in found.items() if status is not None]

    def save(
        self,
        sess: Session | None,
        save_path: str | os.PathLike[str],
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: object = "meta",
        write_meta_graph: object = True,
        write_state: bool = True,
        strip_default_attrs: object = False,
        save_debug_info: object = False,
    ) -> str:
        """Writes a checkpoint and lists it in the file `checkpoint`; returns its path, `<save_path>-<global_step>`.

        global_step: a number, a variable, or a tensor of the session's graph. write_state: list it, and delete old ones.

        Raises FailedPreconditionError if a variable has been given no value in the session.
        """
        path = checked_path(save_path) + self._end(sess, global_step)
        variables = self._variables()
        missing = [] if sess is None else sess.names_without_value(variables.values()).tolist()
        if missing:
            raise FailedPreconditionError(
                f"{path} was not saved: {missing[0].decode()} has been given no value in this session. Run "
                "tf.compat.v1.global_variables_initializer() first."
            )
        with outside_of_graphs():
            arrays = {name: np.asarray(variable.value) for name, variable in variables.items()} | self._besides(
                variables
            )
        file_system(path).make_directories(parent(absolute(path)))
        write_bundle(path, arrays)
        if write_state:
            self._list(path, latest_filename or "checkpoint")
        return path

    def restore(self, sess: Session | None, save_path: str | os.PathLike[str] | None) -> None:
        """Gives the variables their values from a checkpoint, of this class or of TensorFlow's.

        Raises ValueError if there is none, NotFoundError for a variable that it does not have, DataLossError if it is damaged.
        """
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        variables = self._variables()
        derived = {} if self._building is None else self._building.graph.derived
        with outside_of_graphs():
            try:
                NamedCheckpoint(lambda: variables, None, derived).restore(checked_path(save_path))
            except NotFoundError as error:
                if "not found in checkpoint" in str(error):
                    raise
                raise ValueError(f"The passed save_path is not a valid checkpoint: {save_path}") from error
        if sess is not None:
            sess.loaded(variables.values())

    def export_meta_graph(self, *_: Any, **__: Any) -> Any:
        """Raises UnimplementedError: there are no graphs in messages."""
        raise UnimplementedError(
            "export_meta_graph: a graph is no message here. To export it, use tf.saved_model.save."
        )

    def _variables(self) -> dict[str, Any]:
        if self._given is None:
            assert self._building is not None
            return dict(self._building.graph.variables)
        if isinstance(self._given, Mapping):
            return dict(self._given)
        names = (lambda v: v.name.removesuffix(":0")) if self._building is None else self._building.variable_name
        return {names(variable): variable for variable in self._given}

    def _besides(self, variables: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Returns what TensorFlow's optimizers keep in variables that are none here: the powers of Adam's rates."""
        if self._building is None:
            return {}
        graph = self._building.graph
        counters = {id(graph.variables[name]) for name in graph.derived}
        if counters.isdisjoint(map(id, variables.values())):
            return {}
        return {name: value() for name, value in graph.written.items() if name not in variables}

    def _end(self, sess: Session | None, step: Any) -> str:
        if step is None:
            return ""
        if isinstance(step, int | np.integer):
            number = int(step)
        elif sess is not None and sess.graph.holds(step):
            number = int(sess.run(step))
        else:
            with outside_of_graphs():
                number = int(np.asarray(getattr(step, "value", step)))
        return f"-{number:0{self._digits}d}"

    def _list(self, path: str, filename: str) -> None:
        self._kept = [*((p, at) for p, at in self._kept if p != path), (path, time.time())]
        while self._max_to_keep and len(self._kept) > self._max_to_keep:
            old, at = self._kept.pop(0)
            if at > self._next_preserved:
                self._next_preserved += self._keep_hours * _SECONDS_PER_HOUR
            else:
                delete_bundle(old)
        state = CheckpointState(
            model_checkpoint_path=path,
            all_model_checkpoint_paths=tuple(p for p, _ in self._kept),
            all_model_checkpoint_timestamps=tuple(at for _, at in self._kept),
        )
        record_checkpoint_state(parent(path) or ".", state, filename)
