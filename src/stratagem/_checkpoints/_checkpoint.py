"""Checkpoint: named objects whose variables are saved and restored together."""

import json
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from stratagem._base.errors import CheckpointError, DataLossError
from stratagem._base.exports import exported
from stratagem._base.paths import parent
from stratagem._base.storage import checked_path, file_system
from stratagem._checkpoints._background import wait_for_saves
from stratagem._checkpoints._checkpoint_files import AttachedFiles
from stratagem._checkpoints._children import (
    is_stateful,
    is_trackable,
    is_variable,
    parts_of,
    state_of,
    value_of,
)
from stratagem._checkpoints._contents import CheckpointContents
from stratagem._checkpoints._formats import read
from stratagem._checkpoints._graph import add_slots, nodes_of, survey
from stratagem._checkpoints._host_copies import HostCopies, read_value
from stratagem._checkpoints._index import record_checkpoint_state, single
from stratagem._checkpoints._keras_two import WRITTEN
from stratagem._checkpoints._latest_intact import newest_other, warn_not_finite
from stratagem._checkpoints._naming import OWN
from stratagem._checkpoints._options import CheckpointFormat, CheckpointOptions, checked
from stratagem._checkpoints._overwrite_guard import OverwriteGuard
from stratagem._checkpoints._owner import disown, owning, take_ownership
from stratagem._checkpoints._pending import Restoration
from stratagem._checkpoints._saving import copies_of, save, settle
from stratagem._checkpoints._special_parts import Tracked
from stratagem._checkpoints._status import CheckpointLoadStatus, InitializationOnlyStatus, LoadStatus, NamedLoadStatus
from stratagem._checkpoints._unfinished import names_of, remove_unfinished
from stratagem._core.context import entered
from stratagem._core.values import Variable


@exported("train.Checkpoint")
class Checkpoint(Tracked):
    """A group of objects that are saved and restored together, like `tf.train.Checkpoint`.

    `Checkpoint(model=model, optimizer=optimizer, step=step)` names its parts; more can be added as attributes. A part
    is a Keras layer, model, optimizer, metric or seed generator, a variable, another Checkpoint, a PythonState, an object
    with `get_state()` and `set_state(state)` (the state is saved as JSON), an object with such parts in its attributes, or a
    list or dict of parts. With `root`, its parts become the parts of the checkpoint.

    Values are matched by attribute names and positions, so a newly built model fits, whatever names Keras gives it.
    Variables that do not exist yet get their values when they are built.

    Raises ValueError for an argument that cannot be saved, or whose name `root` already uses.
    """

    def __init__(self, root: Any = None, **objects: Any) -> None:
        self._root = root
        self._save_counter: Variable | None = None
        self._restorations: list[Restoration] = []
        self._saves = OverwriteGuard()
        if root is not None:
            _demand_trackable("root", root)
            if is_variable(root) or is_stateful(root):
                raise ValueError(f"`root` has no parts of its own: {root!r}. Name it: Checkpoint(name=...).")
        taken = {} if root is None else parts_of(root)
        for name, value in objects.items():
            _demand_trackable(name, value)
            if taken.get(name, value) is not value:
                raise ValueError(
                    f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already exists. Rename it."
                )
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if not name.startswith("_"):
            self._resume()

    def tracked_parts(self, parts: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        """The root's parts, this object's own, and the save counter once it exists."""
        found = {} if self._root is None else dict(parts(self._root))
        found |= {n: v for n, v in vars(self).items() if not n.startswith("_") and is_trackable(v)}
        if self._save_counter is not None:
            found["save_counter"] = self._save_counter
        return found

    @property
    def save_counter(self) -> Variable:
        """The number of calls of `save`: an int64 variable that is itself saved and restored."""
        if self._save_counter is None:
            # Every process counts for itself: in a strategy's scope, all processes would have to make the variable.
            with entered(strategy=None, replica=None, crossing=False):
                self._save_counter = Variable(np.int64(0), trainable=False, name="save_counter")
            self._resume()
        return self._save_counter

    @property
    def overwrite_guard(self) -> OverwriteGuard:
        """The checkpoints that this object has written or restored: it replaces these without a warning."""
        return self._saves

    def save(self, file_prefix: str | os.PathLike[str], options: CheckpointOptions | None = None) -> str:
        """Writes `<file_prefix>-<n>`, n counting from 1, lists it in the directory's file `checkpoint`, and returns its path.

        Returns when the files are on disk; with `CheckpointOptions(enable_async=True)`, when the values are copied, after the
        save before this one has ended. With `CheckpointOptions(format="tensorflow")` TensorFlow reads them. All processes
        of a job have to call it; those that name the same directory write it once. Then the callbacks of `options` are called.
        If this replaces a complete checkpoint with other values, which this object neither wrote nor restored, a warning is
        logged.

        Raises CheckpointError for a value that cannot be saved, OSError when a file cannot be written (earlier
        checkpoints are left unchanged), FailedPreconditionError when another job saves to this directory; and, before anything
        else, what an earlier save in the background raised.
        """
        options = checked(options)
        self.sync()
        self.save_counter.assign_add(1)
        path = f"{checked_path(file_prefix)}-{int(value_of(self.save_counter))}"
        contents = self.snapshot(options.format, copies_of(self, options))
        directory = parent(path)

        def publish() -> None:
            with owning(directory, self, os.path.basename(path)) as unfinished:
                prefix = os.path.basename(checked_path(file_prefix))
                remove_unfinished(directory, names_of(prefix, unfinished))
                self._saves.write(path, contents)
                record_checkpoint_state(directory, single(path))

        save(self, directory, path, publish, options)
        return path

    def write(self, file_prefix: str | os.PathLike[str], options: CheckpointOptions | None = None) -> str:
        """Writes exactly `file_prefix`, uncounted and unlisted, and returns it. Raises the same errors as `save`."""
        options = checked(options)
        self.sync()
        path = checked_path(file_prefix)
        publish = unlisted(path, self.snapshot(options.format, copies_of(self, options)), self._saves)
        save(self, parent(path), path, publish, options)
        return path

    def sync(self) -> None:
        """Waits until the save that is in the background, if there is one, is on disk.

        Restoring and saving do so first, too. Raises what the save has raised, once.
        """
        settle(self)

    def snapshot(
        self, format: CheckpointFormat = CheckpointFormat.OWN, copies: HostCopies | None = None
    ) -> CheckpointContents:
        """The current values of all parts, as NumPy arrays and JSON. Raises CheckpointError for values that cannot be saved.

        copies: makes copies of them, which no later step reuses.
        """
        naming = OWN if format is CheckpointFormat.OWN else WRITTEN
        found = survey(self, parts=naming.parts)
        slots = add_slots(found, naming)
        return CheckpointContents(
            nodes=nodes_of(found),
            arrays={
                live.path: naming.converted(live.value, read_value(live.value, live.path, copies))
                for live in found
                if live.kind == "variable"
            },
            states={live.path: _json_state(live.value, live.path) for live in found if live.kind == "state"},
            naming=naming,
            slots=slots,
        )

    def restore(self, save_path: str | os.PathLike[str] | None, options: CheckpointOptions | None = None) -> LoadStatus:
        """Assigns the values of the checkpoint at `save_path`; variables that are not built yet get theirs when they are built.

        With None, which `latest_checkpoint` returns for an empty directory, nothing happens. A checkpoint of variables by name,
        as an Estimator or a `Saver` of TensorFlow 1 writes it, is matched by the names of variables.

        Raises NotFoundError when there is no complete checkpoint, DataLossError when one of its files is missing or changed
        (the text names it, and the newest good checkpoint), CheckpointError (a ValueError) when a shape differs and
        InvalidArgumentError when a dtype differs; in each case no value was changed. Before all of that, what an earlier save
        of this object in the background raised.
        """
        checked(options)
        self.sync()
        if save_path is None:
            return InitializationOnlyStatus()
        path = checked_path(save_path)
        contents = _read(path)
        _ = self.save_counter  # made now, so that it continues from the saved value
        return self._load(path, contents)

    def read(self, save_path: str | os.PathLike[str], options: CheckpointOptions | None = None) -> LoadStatus:
        """Restores a checkpoint made by `write`: the same as `restore`, but makes no save counter."""
        checked(options)
        self.sync()
        path = checked_path(save_path)
        return self._load(path, _read(path))

    def forget_unused(self) -> None:
        """Suppresses the warning about restored values that no object has used."""
        for restoration in self._restorations:
            restoration.expect_partial = True

    def _resume(self) -> None:
        """Assigns values that were waiting for a part that now exists."""
        for restoration in self._restorations:
            restoration.resume(self)

    def _load(self, path: str, contents: CheckpointContents) -> LoadStatus:
        owners = [self] if self._root is None else [self, self._root]
        restoration = Restoration(owners, path, contents)
        for earlier in self._restorations:
            earlier.yield_to(restoration)
        warn_not_finite(path, contents.non_finite)
        self._saves.restored(path)
        self._restorations = [r for r in [*self._restorations, restoration] if r.waiting]
        return (NamedLoadStatus if restoration.by_name else CheckpointLoadStatus)(self, restoration)


def unlisted(
    path: str, contents: CheckpointContents, guard: OverwriteGuard, attached: AttachedFiles | None = None
) -> Callable[[], None]:
    """Returns a function that writes a checkpoint which no list names."""

    def publish() -> None:
        if contents.naming is not OWN:
            guard.write(path, contents)
            return
        files = file_system(path)
        existed = files.is_directory(path)
        files.make_directories(path)
        take_ownership(path)
        try:
            guard.write(path, contents, listed=False, attached=attached)
        finally:
            disown(path)
            if not existed:
                files.remove_if_empty(path)

    return publish


def _read(path: str) -> CheckpointContents:
    wait_for_saves()
    try:
        return read(path)
    except DataLossError as error:
        raise DataLossError(f"{error} Nothing was restored. {newest_other(path)}") from error


def _json_state(value: Any, path: str) -> Any:
    state = state_of(value)
    try:
        return json.loads(json.dumps(state))  # a copy: the object may go on to change its own
    except (TypeError, ValueError) as error:
        raise CheckpointError(
            f"The state of {path} ({type(value).__name__}) cannot be kept as JSON: {error}. "
            "Its get_state() has to return a dict of strings, numbers, lists and dicts."
        ) from error


def _demand_trackable(name: str, value: Any) -> None:
    if not is_trackable(value):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (a layer, model, optimizer, metric, variable, "
            f"Checkpoint, iterator, or a list, dict or object of those), got {value!r}. Wrap a number in tf.Variable."
        )
