"""tf1.summary: the summaries of a call of a model_fn, kept until the Estimator writes them."""

from collections.abc import Sequence
from typing import Any

from stratagem._base.types import TensorLike, Unused
from stratagem._ops import tensor
from stratagem._tf1.graph._model_build import building_here

# (kind, tag, tensor)
Summary = tuple[str, str, Any]


def _add(kind: str, name: str, value: Any, family: str | None) -> Summary | None:
    building = building_here()
    if building is None:
        return None
    tag = building.scopes.unique_name(name if family is None else f"{family}/{name}")
    if family is not None:  # twice, as in TensorFlow, so that TensorBoard groups a family across scopes
        tag = f"{family}/{tag}"
    building.summaries.append((kind, tag, value))
    return kind, tag, value


def scalar(name: str, tensor: TensorLike, collections: Unused = None, family: str | None = None) -> Summary | None:
    """Records a number each step, as `name` below the open scopes; with a family, as <family>/<open scopes>/<family>/<name>."""
    return _add("scalar", name, _as_tensor(tensor), family)


def histogram(name: str, values: TensorLike, collections: Unused = None, family: str | None = None) -> Summary | None:
    """Records the distribution of the values."""
    return _add("histogram", name, _as_tensor(values), family)


def image(
    name: str, tensor: TensorLike, max_outputs: int = 3, collections: Unused = None, family: str | None = None
) -> Summary | None:
    """Records the first `max_outputs` of the images (n, h, w, c)."""
    return _add("image", name, _as_tensor(tensor)[:max_outputs], family)


def text(name: str, tensor: TensorLike, collections: Unused = None) -> Summary | None:
    """Records text, which must be known when the step is compiled."""
    return _add("text", name, tensor, None)


def merge(inputs: Sequence[TensorLike], collections: Unused = None, name: str | None = None) -> list[TensorLike]:
    """Returns the summaries as one list."""
    return [one for one in inputs if one is not None]


def merge_all(key: str = "summaries", scope: str | None = None, name: str | None = None) -> list[TensorLike] | None:
    """Returns all summaries so far; None if there are none."""
    building = building_here()
    found = [] if building is None else [one for one in building.summaries if one[1].startswith(scope or "")]
    return found or None


_as_tensor = tensor
