"""tf1.get_collection and the lists of variables; outside of a model_fn they are empty."""

import re
from typing import Any

from stratagem._base.exports import exported
from stratagem._tf1.graph._keys import GraphKeys
from stratagem._tf1.graph._model_build import building_here, current_building


@exported(v1=["add_to_collection"])
def add_to_collection(name: str, value: Any) -> None:
    """Adds an item to a collection of the current call of a model_fn."""
    current_building().collect(name, value)


@exported(v1=["add_to_collections"])
def add_to_collections(names: Any, value: Any) -> None:
    """Adds an item to several collections."""
    for name in [names] if isinstance(names, str) else names or ():
        current_building().collect(name, value)


@exported(v1=["get_collection"])
def get_collection(key: str, scope: str | None = None) -> list[Any]:
    """Returns the items of a collection, in order. scope: a regular expression; only items whose names match its start."""
    building = building_here()
    if building is None:
        return []
    items = list(building.collections.get(key, ()))
    if scope is None:
        return items
    pattern = re.compile(scope)
    return [item for item in items if (name := building.name_of(item)) is not None and pattern.match(name)]


@exported(v1=["get_collection_ref"])
def get_collection_ref(key: str) -> list[Any]:
    """Returns the collection itself: appending to the list adds to the collection."""
    found: list[Any] = current_building().collections[key]
    return found


@exported(v1=["trainable_variables"])
def trainable_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables that optimizers change by default."""
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


@exported(v1=["global_variables"])
def global_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables that checkpoints contain."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


@exported(v1=["all_variables"])
def all_variables() -> list[Any]:
    """Returns the variables that checkpoints contain: the name of `global_variables` before TensorFlow 1.0."""
    return global_variables()


@exported(v1=["local_variables"])
def local_variables(scope: str | None = None) -> list[Any]:
    """Returns the variables that checkpoints do not contain: those of metrics."""
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


@exported(v1=["model_variables"])
def model_variables(scope: str | None = None) -> list[Any]:
    """Returns the items of the collection MODEL_VARIABLES."""
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)
