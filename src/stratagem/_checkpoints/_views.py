"""TrackableView and CheckpointView: the objects that a checkpoint has, or would have, and which of them fit."""

import weakref
from collections.abc import Callable
from typing import Any, final

from stratagem._base.exports import exported
from stratagem._base.storage import checked_path
from stratagem._base.types import PathLike
from stratagem._checkpoints._children import is_trackable, parts_of
from stratagem._checkpoints._graph import bind, survey
from stratagem._checkpoints._manifest import load


@exported("train.TrackableView", v1=())
@final
class TrackableView:
    """The objects below `root` that a checkpoint of it would have, as `tf.train.TrackableView`.

    root: a trackable object, or a weak reference to one. The view does not keep it alive where it can be referred to weakly.

    Raises:
        ValueError: it is no object that a checkpoint can hold.
    """

    def __init__(self, root: Any) -> None:
        found: Any = root() if isinstance(root, weakref.ref) else root
        _demand_trackable(found)
        self._root: Callable[[], Any] = weakref.ref(found) if hasattr(found, "__weakref__") else lambda: found

    @classmethod
    def children(cls, obj: Any, save_type: object = "checkpoint", **kwargs: object) -> dict[str, Any]:
        """The parts of an object by name. Raises ValueError if it is none that a checkpoint can hold."""
        _demand_trackable(obj)
        return parts_of(obj)

    @property
    def root(self) -> Any:
        """The object on top. Raises AssertionError if it is gone."""
        found = self._root()
        if found is None:
            raise AssertionError("The root of this TrackableView is gone: keep a reference to it.")
        return found

    def descendants(self) -> list[Any]:
        """The root and everything below it that leads to something savable, breadth first, each object once."""
        return [live.value for live in survey(self.root)]


@exported("train.CheckpointView", v1=())
@final
class CheckpointView:
    """The object graph of a checkpoint, as `tf.train.CheckpointView`. Objects have numbers, from 0, the root, on.

    Raises:
        NotFoundError: there is no complete checkpoint.
        ValueError: it has variables by name, an Estimator's, and no objects.
    """

    def __init__(self, save_path: PathLike) -> None:
        path = checked_path(save_path)
        self._nodes = load(path).nodes
        if len(self._nodes) > 1 and not self._nodes[0].children:
            raise ValueError(
                f'The specified checkpoint "{path}" does not appear to be object-based: it has variables by name. Read them '
                "with tf.train.load_checkpoint."
            )

    def children(self, node_id: int) -> dict[str, int]:
        """The numbers of an object's parts, by name."""
        return dict(self._nodes[node_id].children)

    def descendants(self) -> list[int]:
        """The numbers of all objects, breadth first."""
        found = [0]
        for number in found:  # the list grows while it is read
            found += [child for child in self._nodes[number].children.values() if child not in found]
        return found

    def match(self, obj: Any) -> dict[int, Any]:
        """The objects at and below `obj` that correspond to one of the checkpoint, by its number: those `restore` would match.

        Raises:
            ValueError: `obj` is none that a checkpoint can hold.
        """
        _demand_trackable(obj)
        found = survey(obj)
        return {node: found[i].value for i, node in bind(found, self._nodes).items()}

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """Returns what `match` does, the numbers of the checkpoint's other objects, and the others at and below `obj`."""
        overlap = self.match(obj)
        matched = {id(value) for value in overlap.values()}
        only_here = [live.value for live in survey(obj) if id(live.value) not in matched]
        return overlap, [number for number in self.descendants() if number not in overlap], only_here


def _demand_trackable(value: Any) -> None:
    if not is_trackable(value):
        raise ValueError(f"Expected a Trackable, got {value!r:.100} of type {type(value).__name__}.")
