"""LoadedObject: an object of a SavedModel, with the attributes that it was saved with."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

from stratagem._checkpoints import Tracked, is_trackable
from stratagem._core.values import Module
from stratagem._private import KerasVariable

_LISTS = ("variables", "trainable_variables", "non_trainable_variables")


@final
class LoadedObject(Module, Tracked):
    """An object of a SavedModel. Its class is not known here; its attributes are.

    signatures: those of the SavedModel, by key, of its root.
    """

    signatures: Mapping[str, Any]

    def __init__(self) -> None:
        super().__init__(name="loaded_object")
        self._lists: dict[str, Sequence[KerasVariable]] = {}
        self._call: Any = None

    def take(self, children: Mapping[str, Any]) -> None:
        """Gets its attributes."""
        for name, child in children.items():
            if name in _LISTS:
                self._lists[name] = child
            elif name == "__call__":
                self._call = child
            else:
                setattr(self, name, child)

    def children(self) -> dict[str, Any]:
        """The attributes, with those that were set since, as `take` gets them."""
        own = {name: child for name, child in vars(self).items() if not name.startswith("_") and name != "signatures"}
        return own | self._lists | ({} if self._call is None else {"__call__": self._call})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function `__call__` that it was saved with. Raises TypeError if there is none."""
        if self._call is None:
            raise TypeError(
                "The object that was saved has no __call__ that is a tf.function, so it cannot be called. See its attributes "
                "and `signatures`."
            )
        return self._call(*args, **kwargs)

    def tracked_parts(self, parts: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        """The parts that a checkpoint of it has, by the names that they have in one of the object that was saved."""
        repeated = ("trainable_variables", "non_trainable_variables")
        return {name: v for name, v in self.children().items() if name not in repeated and is_trackable(v)}

    @property
    def variables(self) -> tuple[KerasVariable, ...]:
        """All variables, of a Keras model in its order."""
        return tuple(self._lists["variables"]) if self._lists else super().variables

    @property
    def trainable_variables(self) -> tuple[KerasVariable, ...]:
        """The variables that training changes."""
        return tuple(self._lists["trainable_variables"]) if self._lists else super().trainable_variables

    @property
    def non_trainable_variables(self) -> tuple[KerasVariable, ...]:
        """The variables that training does not change."""
        return tuple(self._lists["non_trainable_variables"]) if self._lists else super().non_trainable_variables
