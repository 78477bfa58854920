"""`Discretization`: numbers as the numbers of bins, whose boundaries may be learned."""

from collections.abc import Sequence
from typing import Any, final

import jax.numpy as jnp
import keras
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import ShapeLike
from stratagem._ops import allow_x64
from stratagem._preprocessing._adapting import AdaptedLayer
from stratagem._preprocessing._composites import Encoded, encoded_composite, is_composite
from stratagem._preprocessing._encoding import checked_mode, encoded, encoded_shape
from stratagem._preprocessing._hashing import integers_if_int
from stratagem._preprocessing._inputs import as_input, is_known
from stratagem._preprocessing._learned_weights import LearnedWeight
from stratagem._preprocessing._vocabulary import listed

_EMPTY = np.zeros((2, 0), np.float32)


@exported("keras.layers.Discretization", "keras.layers.experimental.preprocessing.Discretization")
@final
@keras.saving.register_keras_serializable("stratagem")
class Discretization(AdaptedLayer):
    """`tf.keras.layers.Discretization`: the bin of each number, int64, or vectors of bins; works inside of compiled steps.

    bin_boundaries: from each on, the next bin begins. num_bins: how many bins `adapt` makes, of about as many numbers each, in
    one pass with an error of `epsilon` times the number of numbers. output_mode: int, one_hot, multi_hot or count. Raises
    ValueError for arguments that do not fit together.
    """

    def __init__(
        self,
        bin_boundaries: Any = None,
        num_bins: int | None = None,
        epsilon: float = 0.01,
        output_mode: str = "int",
        sparse: bool = False,
        **kwargs: Any,
    ) -> None:
        old = kwargs.pop("bins", None)  # the number of bins or their boundaries in early versions
        if isinstance(old, int) and num_bins is None:
            num_bins = old
        elif old is not None and bin_boundaries is None:
            bin_boundaries = old
        mode = checked_mode("Discretization", output_mode, ("int", "one_hot", "multi_hot", "count"), sparse)
        if num_bins is not None and num_bins < 0:
            raise ValueError(f"Discretization: `num_bins` must not be negative, got {num_bins}.")
        if num_bins is not None and bin_boundaries is not None:
            raise ValueError(
                f"Discretization takes `num_bins` or `bin_boundaries`, got {num_bins} and {bin_boundaries}."
            )
        kwargs["dtype"] = integers_if_int(mode, kwargs.get("dtype"))
        super().__init__(**kwargs)
        self.input_bin_boundaries = listed(bin_boundaries)
        self.bin_boundaries = list(self.input_bin_boundaries or [])
        self.num_bins, self.epsilon, self.output_mode, self.sparse = num_bins, epsilon, mode, sparse
        self._summary = _EMPTY
        self._learned_weights = (
            LearnedWeight(self, "summary", lambda: self._summary.copy(), self._set_summary, lambda: (2, None)),
        )

    def update_state(self, data: Any) -> None:
        """Adds a batch of numbers to the summary. Raises ValueError for a layer with given boundaries."""
        if self.input_bin_boundaries is not None:
            raise ValueError(f"{self.name} cannot be adapted: it was made with `bin_boundaries`. Use `num_bins`.")
        new = _summary(as_input(data, "float32"), self.epsilon)
        self._summary = _merged(new, self._summary, self.epsilon)

    def reset_state(self) -> None:
        """Forgets the summary; the boundaries stay."""
        self._summary = _EMPTY
        self._is_adapted = False

    def finalize_state(self) -> None:
        """Makes the boundaries of the summary."""
        if self.input_bin_boundaries is None and self._summary.size and self.num_bins:
            self.bin_boundaries = _compressed(self._summary, 1.0 / self.num_bins)[0, :-1].tolist()

    def learned_weights(self) -> Sequence[LearnedWeight]:
        """Returns the summary, (2, n) float32: values, and how many numbers each stands for. None for given boundaries."""
        return self._learned_weights if self.built and self.input_bin_boundaries is None else ()

    def _set_summary(self, summary: np.ndarray) -> None:
        self._summary = summary

    def learned_beside_variables(self) -> bool:
        """Returns whether there is a summary."""
        return self.input_bin_boundaries is None and self._summary.size > 0

    def learned(self) -> Any:
        """Returns this worker's summary."""
        return self._summary.tolist()

    def merge(self, states: list[Any]) -> None:
        """Replaces the summary by that of all workers."""
        self._summary = _EMPTY
        for state in states:
            self._summary = _merged(np.array(state, np.float32).reshape(2, -1), self._summary, self.epsilon)

    def kept(self) -> Any:
        """Returns the boundaries, unless they are an argument."""
        return {} if self.input_bin_boundaries is not None else {"boundaries": self.bin_boundaries}

    def take_up(self, state: Any) -> None:
        """Makes these the boundaries."""
        self.bin_boundaries = list(state.get("boundaries", self.bin_boundaries))

    def call(self, inputs: Any) -> Encoded:
        """Returns the bin of each number, or vectors. inputs: also ragged or sparse."""
        depth, dtype = len(self.bin_boundaries) + 1, self.compute_dtype
        if is_composite(inputs):
            return encoded_composite(inputs, self._bins, self.output_mode, depth, dtype, sparse=self.sparse)
        return encoded(self._bins(inputs), self.output_mode, depth, dtype, sparse=self.sparse)

    def _bins(self, inputs: Any) -> Any:
        array = as_input(inputs)
        boundaries = np.array(self.bin_boundaries, np.float32).astype(
            array.dtype if array.dtype.kind == "f" else "float32"
        )
        if is_known(array):
            return np.searchsorted(boundaries, array, side="right")
        with allow_x64(array.dtype):
            return jnp.searchsorted(boundaries, array.astype(boundaries.dtype), side="right")

    def compute_output_shape(self, input_shape: ShapeLike) -> tuple[int | None, ...]:
        """Returns the shape of the output."""
        depth = len(self.bin_boundaries) + 1 if self.bin_boundaries else self.num_bins
        return encoded_shape(input_shape, self.output_mode, depth)

    def compute_output_spec(self, inputs: Any) -> Any:
        """Returns the symbolic output for a symbolic input."""
        return keras.KerasTensor(self.compute_output_shape(inputs.shape), dtype=self.compute_dtype)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments."""
        names = ("num_bins", "epsilon", "output_mode", "sparse")
        config = {**super().get_config(), **{name: getattr(self, name) for name in names}}
        return {**config, "bin_boundaries": self.input_bin_boundaries}

    def save_own_variables(self, store: dict[str, Any]) -> None:
        """Writes the summary."""
        if self.input_bin_boundaries is None:
            store["0"] = self._summary

    def load_own_variables(self, store: dict[str, Any]) -> None:
        """Reads the summary, and makes the boundaries of it."""
        if self.input_bin_boundaries is None and "0" in store.keys():  # noqa: SIM118  # an HDF5 store is no dict
            self._summary = np.array(store["0"], np.float32)
            self.finalize_state()


# A summary is an array, (2, n): sorted values, and how many numbers each stands for. Summaries of batches are merged, and made
# shorter by interpolation between their cumulated weights: Keras 2's approximation of quantiles in one pass.


def _summary(values: np.ndarray, epsilon: float) -> np.ndarray:
    """The summary of numbers: every n-th of them, where n is their number times epsilon."""
    ordered = np.sort(values.ravel())
    increment = int(np.float32(ordered.size) / np.float32(1.0 / epsilon))
    step = max(increment, 1)
    boundaries = ordered[increment::step]
    return np.stack([boundaries, np.full_like(boundaries, step)])


def _merged(first: np.ndarray, second: np.ndarray, epsilon: float) -> np.ndarray:
    both = np.concatenate([first, second], axis=1)
    return _compressed(both[:, np.argsort(both[0], kind="stable")], epsilon)


def _compressed(summary: np.ndarray, epsilon: float) -> np.ndarray:
    """Returns a summary of about 1 / epsilon values, or the summary itself if it has fewer."""
    if summary.shape[1] * epsilon < 1:
        return summary
    shares = epsilon + np.arange(0.0, 1.0, epsilon)
    cumulated = summary[1].cumsum()
    of_all = cumulated / cumulated[-1]
    values = np.interp(shares, of_all, summary[0])
    weights = np.diff(np.interp(shares, of_all, cumulated), prepend=0.0)
    return np.stack([values, weights]).astype(np.float32)
