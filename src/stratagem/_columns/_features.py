"""The features of one call, and what columns have made of them."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar, final

from stratagem._core.step import TracedStrings
from stratagem._core.values import CompositeTensor
from stratagem._ops import tensor
from stratagem._ops.sparse import SparseTensor
from stratagem._ops.sparse import expand_dims as expand_sparse

T_co = TypeVar("T_co", covariant=True)


class Transformation(Protocol[T_co]):
    """A column, as far as `Features` needs it."""

    def transform(self, features: "Features") -> T_co:
        """Returns what the column makes of the features."""


@final
class Features:
    """The features of one call of a layer. What a column makes of them is computed once, however many columns build on it."""

    def __init__(self, features: Mapping[str, Any]) -> None:
        self._given = dict(features)
        self._raw: dict[str, Any] = {}
        self._made: dict[Any, Any] = {}

    def raw(self, key: str) -> Any:
        """Returns a feature with two dimensions or more: a vector has one value for each row.

        Raises ValueError for a feature that is not there, or is a scalar.
        """
        if key not in self._raw:
            if key not in self._given:
                raise ValueError(f"Feature {key} is not in features dictionary. It has: {', '.join(self._given)}.")
            self._raw[key] = _of_rows(key, self._given[key])
        return self._raw[key]

    def of(self, column: Transformation[T_co]) -> T_co:
        """Returns what a column makes of the features."""
        if column not in self._made:
            self._made[column] = column.transform(self)
        found: T_co = self._made[column]
        return found


def _of_rows(key: str, feature: Any) -> Any:
    if not isinstance(feature, CompositeTensor | TracedStrings):
        feature = tensor(feature)
    rank = len(feature.shape)
    if rank == 0:
        raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {feature}")
    if rank > 1:
        return feature
    if isinstance(feature, SparseTensor):
        return expand_sparse(feature, -1)
    return feature[:, None]
