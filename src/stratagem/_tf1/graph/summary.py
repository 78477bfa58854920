"""tf1.summary: the summaries of a call of a model_fn, kept until the Estimator writes them."""

from collections.abc import Iterable, Sequence
from typing import Any, final

from stratagem._base.exports import exported
from stratagem._events import serialized_summaries
from stratagem._ops import tensor
from stratagem._tf1.graph._model_build import building_here

# (kind, tag, tensor)
Summary = tuple[str, str, Any]


@final
class GraphSummary:
    """Summaries of a graph, which a session fetches as a serialized message of the type Summary.

    parts: (kind, tag, tensor). tensors: those of them.
    """

    def __init__(self, parts: Iterable[Summary]) -> None:
        self.parts = tuple(parts)
        self.tensors = [value for _, _, value in self.parts]

    def serialized(self, values: Sequence[Any]) -> bytes:
        """Returns the message for these values of the tensors."""
        return serialized_summaries([(kind, tag, v) for (kind, tag, _), v in zip(self.parts, values, strict=True)])


def _add(kind: str, name: str, value: Any, family: str | None) -> Summary | GraphSummary | None:
    building = building_here()
    if building is None:
        return None
    tag = building.scopes.unique_name(name if family is None else f"{family}/{name}")
    if family is not None:  # twice, as in TensorFlow, so that TensorBoard groups a family across scopes
        tag = f"{family}/{tag}"
    building.summaries.append((kind, tag, value))
    return GraphSummary([(kind, tag, value)]) if building.owner is not None else (kind, tag, value)


@exported(v1=["summary.scalar"])
def scalar(
    name: str, tensor: Any, collections: object = None, family: str | None = None
) -> Summary | GraphSummary | None:
    """Records a number each step, as `name` below the open scopes; with a family, as <family>/<open scopes>/<family>/<name>."""
    return _add("scalar", name, _as_tensor(tensor), family)


@exported(v1=["summary.histogram"])
def histogram(
    name: str, values: Any, collections: object = None, family: str | None = None
) -> Summary | GraphSummary | None:
    """Records the distribution of the values."""
    return _add("histogram", name, _as_tensor(values), family)


@exported(v1=["summary.image"])
def image(
    name: str, tensor: Any, max_outputs: int = 3, collections: object = None, family: str | None = None
) -> Summary | GraphSummary | None:
    """Records the first `max_outputs` of the images (n, h, w, c)."""
    return _add("image", name, _as_tensor(tensor)[:max_outputs], family)


@exported(v1=["summary.text"])
def text(name: str, tensor: Any, collections: object = None) -> Summary | GraphSummary | None:
    """Records text, which must be known when the step is compiled."""
    return _add("text", name, tensor, None)


@exported(v1=["summary.merge"])
def merge(inputs: Sequence[Any], collections: object = None, name: str | None = None) -> Any:
    """Returns the summaries as one list; in a graph as one summary."""
    given = [one for one in inputs if one is not None]
    if any(isinstance(one, GraphSummary) for one in given):
        return GraphSummary(part for one in given for part in one.parts)
    return given


@exported(v1=["summary.merge_all"])
def merge_all(key: str = "summaries", scope: str | None = None, name: str | None = None) -> Any:
    """Returns all summaries so far; None if there are none."""
    building = building_here()
    found = [] if building is None else [one for one in building.summaries if one[1].startswith(scope or "")]
    if building is not None and building.owner is not None and found:
        return GraphSummary(found)
    return found or None


_as_tensor = tensor
